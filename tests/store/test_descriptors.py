"""With no descriptor left, an open store reads and writes as ever, and what needs a new connection waits for one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# In a process of its own: it lives with few descriptors, and uses up all of them.
BEGIN = """
import errno, os, resource, sys, threading, time
from types import SimpleNamespace
from referee.store import NoDescriptors, Store, StoreError
from referee.store import engines, writer

hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
held = []

def use_up():
    try:
        while True:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        assert error.errno == errno.EMFILE, error

def let_go():
    while held:
        os.close(held.pop())

store = Store.open(sys.argv[1], owner=sys.argv[2] or None)
"""

IN_USE = """
use_up()
made = store.bots.add("alice")
store.bots.add("bob")
names = []
ready = threading.Barrier(engines.READERS)

def read():
    with store._readers.connect() as connection:
        ready.wait(20)  # all connections are out at the same time
        names.append(connection.exec_driver_sql("SELECT count(*) FROM (SELECT name FROM bots ORDER BY note)").scalar())

threads = [threading.Thread(target=read) for _ in range(engines.READERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert names == [2] * engines.READERS, names
assert store.bots.authenticate(made.token) is not None
assert held
let_go()
store.close()
print("fine")
"""

WRITES_WAIT = """
store.bots.add("alice")
store._writing.dispose()
engines.PATIENCE = 0.0  # the connection gives up at once, the writer does not
use_up()
tries = threading.Semaphore(0)
look_again = lambda seconds: (tries.release(), time.sleep(seconds))
writer.time = SimpleNamespace(perf_counter=time.perf_counter, sleep=look_again)
future = store.writer.submit(lambda connection: connection.exec_driver_sql("UPDATE bots SET note = 'x'").rowcount)
for _ in range(3):
    assert tries.acquire(timeout=20)
assert not future.done(), future
let_go()
assert future.result(20) == 1
store.close()
print("fine")
"""

READS_WAIT = """
store.bots.add("alice")
store._readers.dispose()
use_up()
tries = []

def look_again(seconds):
    tries.append(seconds)
    if len(tries) == 3:
        let_go()

engines.time = SimpleNamespace(monotonic=time.monotonic, sleep=look_again)
assert [bot.name for bot in store.bots.all()] == ["alice"]
assert len(tries) == 3, tries
store._readers.dispose()
engines.PATIENCE = 0.0
use_up()
try:
    store.bots.all()
except NoDescriptors as error:
    assert "ulimit -n" in str(error), error
else:
    raise AssertionError("it was opened all the same")
let_go()
store.close()
print("fine")
"""

CLOSES = """
store.bots.add("alice")
store._writing.dispose()
engines.PATIENCE = 0.0
use_up()
future = store.writer.submit(lambda connection: None)
store.close()  # does not wait for ever
assert isinstance(future.exception(20), NoDescriptors)
print("fine")
"""


@pytest.mark.parametrize(
    ("script", "owner"),
    [(IN_USE, "server"), (WRITES_WAIT, ""), (READS_WAIT, ""), (CLOSES, "")],
    ids=["in use", "writes wait", "reads wait", "closes"],
)
def test_without_descriptors(tmp_path: Path, script: str, owner: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + script, str(tmp_path / "league.db"), owner],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "fine\n", done.stderr

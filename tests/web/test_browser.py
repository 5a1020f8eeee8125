"""The page of the installed wheel in a real browser: every page at three widths, live, by keys, by clicking."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from referee.hosting.submission.content_store import digest_of
from referee.rules import registry

from ..hosting.submission.zips import bot_folder, bot_zip, entry
from ..installation import Installation, build
from ..waiting import PATIENCE, soon
from .browser import CHROMIUM, Watched, browser, watched
from .conftest import HOSTILE
from .page_process import PageProcess

sys.path.insert(0, str(Path(__file__).parents[1] / "third_party"))
from offline_install import install as install_games

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium"),
    pytest.mark.xdist_group("browser"),
    pytest.mark.timeout(600),
    pytest.mark.asyncio(loop_scope="module"),
]
CUP = "/tournaments/%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E"
MATCH = "/matches/%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E/0"
WIDTHS = (360, 1024, 1920)
THIRD_PARTY = (("matchsticks", False), ("tall_tales", False))
NARROW_TOO = ("/", CUP, MATCH, "/play", "/submit", "/join")
"""Pages whose barriers are looked for on a phone as well."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened() -> AsyncIterator[Browser]:
    """One browser for all tests: it takes its time to start."""
    async with browser() as started:
        yield started


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Both wheels, installed away from the checkout, and games of somebody else."""
    installation = Installation(tmp_path_factory.mktemp("installed"))
    installation.install(sorted(build(tmp_path_factory.mktemp("dist"), "--wheel").glob("*.whl")))
    install_games(installation.packages)
    return installation


@pytest.fixture(scope="module")
def page(installed: Installation) -> Iterator[PageProcess]:
    """The page of the wheel, the same for all tests: each has tournaments and matches of its own."""
    process = PageProcess(installed)
    assert Path(process.package).is_relative_to(installed.packages)
    yield process
    process.stop()


async def test_every_page_at_every_width_without_errors_or_barriers(page: PageProcess, opened: Browser) -> None:
    await page.tell("play", HOSTILE)
    await page.tell("sit", "league/0", "flip7")
    await page.tell("move", "league/0", 5)
    paths = [
        "/",
        CUP,
        *(f"{CUP}?view={view}" for view in ("strengths", "crosstable", "seats", "history", "schedule")),
        CUP.replace("tournaments", "wall"),
        "/bots",
        "/bots/cautious",
        "/games",
        "/games/encore",
        "/connect",
        "/submit",
        "/join",
        "/play",
        f"{MATCH}?step=4",
        "/matches/league/0",
        "/matches/league/0?embed",
        "/nothing-here",
    ]
    for width in WIDTHS:
        scheme = "dark" if width == 1024 else "light"
        # Without motion: a page that fades in is hard to read for a moment, and would be found so.
        options = {"color_scheme": scheme, "reduced_motion": "reduce"}
        async with watched(opened, page.url, width, **options) as seen:
            for path in paths:
                seen.may_fail = path == "/nothing-here"  # a browser notes every 404
                await seen.open(path)
                assert not await seen.too_wide(), (path, width)
                assert await seen.sticking_out() == [], (path, width)
                assert await seen.page.evaluate("document.querySelectorAll('img[src=x]').length") == 0
                if width == 1024 or (width == 360 and path in NARROW_TOO):
                    assert await seen.inaccessible() == [], (path, width)


FAULTS = """for (const cell of document.querySelectorAll('.standings tbody td:last-child')) {
  cell.innerHTML = '12 <span class="soft kinds">11 disconnect, 1 crash</span>';
}"""
"""As if every bot had made faults: what kinds they were is the widest that a standing has."""


async def test_no_table_of_a_tournament_sticks_out_of_its_panel_at_any_width(
    page: PageProcess, opened: Browser
) -> None:
    await page.tell("play", "widths")
    async with watched(opened, page.url) as seen:
        for view in ("standings", "strengths", "crosstable", "seats", "schedule"):
            await seen.open(f"/tournaments/widths?view={view}")
            await seen.page.evaluate(FAULTS)
            for width in range(360, 2000, 40):
                await seen.page.set_viewport_size({"width": width, "height": 800})
                assert await seen.sticking_out() == [], (view, width)
                assert not await seen.too_wide(), (view, width)


async def test_a_running_match_goes_on_without_a_reload(page: PageProcess, opened: Browser) -> None:
    await page.tell("sit", "league/1", "flip7")
    async with watched(opened, page.url) as seen:
        await seen.open("/matches/league/1")
        await seen.page.evaluate("window.kept = true")
        await page.tell("move", "league/1", 7)
        await seen.until("document.querySelector('[data-part=live]').textContent.includes('7 decisions')")
        await seen.until("document.getElementById('board').src.startsWith('data:')")
        assert HOSTILE[:20] in await seen.page.inner_text("[data-part=seats]")
        assert await seen.page.evaluate("window.kept")


async def test_the_tables_are_there_without_javascript(page: PageProcess, opened: Browser) -> None:
    await page.tell("play", "cup")
    async with watched(opened, page.url, java_script_enabled=False) as seen:
        await seen.open("/tournaments/cup")
        assert await seen.page.locator("table.standings tbody tr").count() == 3
        await seen.open("/matches/cup/0?step=3")
        assert await seen.page.locator("img.picture").count() == 1
        await seen.page.click("[data-go=next]")
        await seen.page.wait_for_url("**step=4*")


async def test_a_replay_by_keys_and_by_its_address(page: PageProcess, opened: Browser) -> None:
    await page.tell("play", "keys")
    async with watched(opened, page.url) as seen:
        await seen.open("/matches/keys/0#17")
        await seen.until("document.body.dataset.ready === 'true'")
        where = seen.page.locator("#where")
        last = int((await where.inner_text()).rpartition(" ")[2])
        assert (await where.inner_text()).startswith("17 ")
        for key, number in (("ArrowRight", 18), ("ArrowLeft", 17), ("Home", 0), ("End", last), ("ArrowRight", last)):
            await seen.page.keyboard.press(key)
            assert await where.inner_text() == f"{number} of {last}", key
            assert await seen.page.evaluate("location.hash") == f"#{number}"
        await seen.page.fill("#scrubber", "5")
        assert (await where.inner_text()).startswith("5 ")
        await seen.page.keyboard.press("Tab")
        await seen.page.click("[data-seat='1']")
        await seen.until("document.body.dataset.seat === '1' && document.body.dataset.ready === 'true'")
        assert (await where.inner_text()).startswith("5 "), "another seat shows the same decision"
        source = await seen.page.get_attribute("#boards img", "src")
        assert source is not None
        assert source.endswith("step=5&seat=1")
        await seen.page.click("#play")
        await seen.until("Number.parseInt(document.getElementById('where').textContent, 10) >= 6")


@pytest.mark.parametrize(("game", "clickable"), [*((game, True) for game in registry.names()), *THIRD_PARTY])
async def test_a_whole_match_is_played_by_clicking(
    page: PageProcess, game: str, clickable: bool, opened: Browser
) -> None:
    """On the board wherever it says that it can be clicked, else in the list of moves, as on the generic board."""
    async with watched(opened, page.url) as seen:
        await seen.open(f"/play?game={game}")
        await seen.page.click("text=Sit down")
        await seen.until("document.body.dataset.decision > 0")
        await seen.page.click("#advice")
        await seen.until("document.getElementById('advised').textContent.includes('would play')")
        board, listed = await seen.page.evaluate(
            """async () => {
              let board = 0, listed = 0;
              while (!document.body.dataset.over) {
                const spot = document.querySelector("#spots button:not(:disabled):not([aria-pressed=true])");
                const move = document.querySelector("#moves button:not(:disabled)");
                if (spot) { spot.click(); board++; }
                else if (move) { move.click(); listed++; }
                await new Promise((done) => setTimeout(done, 5));
              }
              return [board, listed];
            }"""
        )
        # How many clicks a match takes depends on its deal.
        assert (board > 0) == clickable
        assert board + listed > 1
        assert "You" in await seen.page.inner_text("#asked")
        await seen.page.click("text=Look at the replay")
        await seen.until("document.body.dataset.ready === 'true'")


async def test_a_whole_match_is_played_by_keyboard_alone(page: PageProcess, opened: Browser) -> None:
    """One walk by Tab to the moves; from then on the focus stays among them, whoever is asked in between."""
    async with watched(opened, page.url) as seen:
        await seen.open("/play?game=stop_me_go")
        await tab_to(seen, "document.activeElement.textContent.includes('Sit down')")
        await seen.page.keyboard.press("Enter")
        await seen.until("document.body.dataset.decision > 0")
        await tab_to(seen, "document.activeElement.closest('#moves') !== null")
        played = 0
        while True:
            await seen.until("document.body.dataset.over || document.querySelector('#moves button:not(:disabled)')")
            if await seen.page.evaluate("document.body.dataset.over"):
                break
            assert await seen.page.evaluate("document.activeElement.closest('#moves') !== null")
            decision = await seen.page.evaluate("document.body.dataset.decision")
            await seen.page.keyboard.press("Enter")
            await seen.until(f"document.body.dataset.over || document.body.dataset.decision !== '{decision}'")
            played += 1
        assert played > 4


async def tab_to(seen: Watched, reached: str) -> None:
    for _ in range(100):
        await seen.page.keyboard.press("Tab")
        if await seen.page.evaluate(reached):
            return
    raise AssertionError(f"no walk by Tab leads there: {reached}")


async def test_a_folder_and_a_zip_are_submitted_from_the_page(
    page: PageProcess, tmp_path: Path, opened: Browser
) -> None:
    """Packed in the browser, it is the same package as `referee submit` makes; what is said is never markup."""
    token = await page.tell("register", "ada")
    folder = bot_folder(tmp_path / "mybot")
    (folder / "data").mkdir()
    (folder / "data" / "Größen.bin").write_bytes(bytes(range(256)) * 300)
    digest = digest_of(folder)
    for name in (".git", "__pycache__"):
        (folder / name).mkdir()
        (folder / name / "junk").write_text("no bot needs this")
    refused = bot_zip(tmp_path / "bad.zip", (entry("unfit"), HOSTILE.encode()))
    async with watched(opened, page.url, 360) as seen:
        await seen.open("/submit")
        await seen.page.click("text=Show its versions")
        await seen.until("document.getElementById('said').textContent.includes('token')")
        await seen.page.fill("#token", token)
        await seen.page.click("[type=submit]")
        await seen.until("document.getElementById('said').textContent.includes('choose the bot')")
        await seen.page.set_input_files("#folder", folder)
        await seen.page.focus("#token")
        await seen.page.keyboard.press("Enter")
        await seen.until("document.getElementById('said').textContent === 'ada: version 1 is active'")
        assert digest[:12] in (await seen.page.text_content("#versions") or "")
        await seen.page.set_input_files("#zip", refused)
        assert await seen.page.evaluate("document.getElementById('folder').files.length") == 0
        await seen.page.click("[type=submit]")
        await seen.until("document.getElementById('said').textContent.startsWith('ada: version 2 was refused')")
        assert HOSTILE in await seen.page.inner_text("#said")
        assert HOSTILE in await seen.page.inner_text("#versions")
        assert await seen.page.evaluate("document.querySelectorAll('img').length") == 0
        await seen.page.click("[aria-label='Log of version 1']")
        await seen.until("document.getElementById('log').textContent === 'ada was tried'")
        await seen.page.click("[aria-label='Retire version 1']")
        await seen.until("document.querySelector(\"[aria-label='Activate version 1']\") !== null")
        assert not await seen.too_wide()
        assert await seen.inaccessible() == []


async def test_an_invitation_becomes_a_token_by_its_link(page: PageProcess, opened: Browser) -> None:
    code = await page.tell("invite")
    async with watched(opened, page.url, 360) as seen:
        await seen.open(f"/join#{code}")
        await seen.until("document.activeElement.id === 'name'")
        assert await seen.page.evaluate("location.hash") == "", "the code leaves the address bar"
        await seen.page.keyboard.type("grace")
        await seen.page.keyboard.press("Enter")
        await seen.until("document.activeElement.id === 'token'")
        assert "grace is registered" in await seen.page.inner_text("#said")
        assert (await seen.page.inner_text("#token")).startswith("export REFEREE_TOKEN=")
        assert not await seen.too_wide()


class Serving:
    """`referee serve` with its page, as a process; it writes to a file, which takes whatever it says."""

    def __init__(self, installed: Installation, folder: Path, web: str = "127.0.0.1:0") -> None:
        self._said = folder / f"said-{len(list(folder.glob('said-*')))}"
        options = ["--db", str(folder / "cup.db"), "--listen", "127.0.0.1:0", "--web", web]
        words = [str(installed.bin / "referee"), "serve", *options]
        with self._said.open("w") as said:
            self.process = subprocess.Popen(words, stderr=said, cwd=folder, env=installed.environment)

    async def url(self) -> str:
        """The address of the page, once it is there."""
        await soon(lambda: "in a browser:" in self._said.read_text() or self.process.poll() is not None)
        assert self.process.poll() is None, self._said.read_text()
        await soon(lambda: "\n" in self._said.read_text().partition("in a browser:")[2])
        return self._said.read_text().partition("in a browser:")[2].split()[0]

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)


async def test_a_server_that_is_killed_and_comes_back(installed: Installation, tmp_path: Path, opened: Browser) -> None:
    first = Serving(installed, tmp_path)
    second = None
    try:
        url = await first.url()
        create = "tournament create cup --game stop_me_go --bots random,random --players 2 --rounds 200"
        await asyncio.to_thread(installed.referee, *create.split(), "--db", tmp_path / "cup.db")
        async with watched(opened, url) as seen, watched(opened, url) as seated:
            await seen.open("/tournaments/cup")
            await seen.until("document.querySelector('table.standings') !== null")
            await seen.page.evaluate("window.kept = true")
            await seated.open("/play?game=stop_me_go")
            await seated.page.click("text=Sit down")
            await seated.until("document.body.dataset.decision > 0")
            seen.may_fail = seated.may_fail = True
            first.process.kill()
            first.process.wait()
            await seen.until("!document.getElementById('connection').hidden")
            assert "lost" in await seen.page.inner_text("#connection")
            assert await seen.page.locator("table.standings tbody tr").count() == 2, "what was known stays"
            second = Serving(installed, tmp_path, url.removeprefix("http://").rstrip("/"))
            await second.url()
            await seen.until("document.getElementById('connection').hidden")
            assert await seen.page.evaluate("window.kept"), "without a reload"
            await seated.until("document.getElementById('asked').textContent.includes('This match is gone')")
            assert await seated.page.locator("#moves button").count() == 0
    finally:
        first.stop()
        if second is not None:
            second.stop()

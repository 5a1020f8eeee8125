"""`referee verify`: everything a tournament or a record claims, recomputed offline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from errno import EFBIG
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import AsJson, Ca, Db, Server
from referee.cli.backend import backend_of
from referee.cli.database import open_store
from referee.cli.defaults import DEFAULT_DB
from referee.cli.errors import DID_NOT_HOLD, ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import print_json, print_warning, stderr_console, stdout_console
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from referee.store import Store
    from referee.store.journal_entry import JournalEntry
    from referee.tournament.audit.audited import AuditedTournament

PROGRESS_SECONDS = 2.0
DATABASE = b"SQLite format 3"
"""How the file of a database begins."""
MOST_NAMED = 5
"""Matches that a sentence names."""


def verify(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TOURNAMENT | FILE…]",
            help="A tournament of the database (without one, all of them), or record files and exported folders.",
            show_default=False,
        ),
    ] = None,
    db: Db = None,
    server: Server = None,
    ca: Ca = None,
    digest: Annotated[
        str | None, typer.Option("--digest", metavar="HEX", help="The standings must have this digest.")
    ] = None,
    head: Annotated[
        str | None,
        typer.Option("--head", metavar="HEX", help="The hash chain must have had this head, noted earlier."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="What a bot was told, as its SDK wrote it with --record."),
    ] = None,
    allow_new_deals: Annotated[
        bool, typer.Option("--allow-new-deals", help="Matches that were dealt more than once are no failure.")
    ] = False,
    allow_set_aside: Annotated[
        bool, typer.Option("--allow-set-aside", help="Matches that were set aside without a result are no failure.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Replay records and recompute commitment, seeds, results and standings; exit code 1 if anything does not hold.

    Matches that were dealt anew or set aside are named, and are a failure unless allowed. With --record, an author
    compares what his bot was told with what is published: commitments, nonces, seeds and results.

    Example: referee verify league --db referee.db
    """
    words = what or []
    paths = [Path(word) for word in words]
    if server is not None:
        if len(words) != 1:
            raise Failure("name one tournament of the server: 'referee tournament list' shows them", WRONG_USE)
        found = [_from_server(backend_of(db, server, ca=ca), words[0], head, record)]
    else:
        from_files = db is None and bool(words) and all(path.exists() for path in paths)
        if not from_files and len(words) > 1:
            missing = next((word for word, path in zip(words, paths, strict=True) if not path.exists()), words[0])
            if db is None:
                raise Failure(f"there is no file {missing}", WRONG_USE)
            raise Failure("name one tournament of the database, or none to verify all of them", WRONG_USE)
        if not from_files and db is None and words and not Path(DEFAULT_DB).exists():
            raise Failure(f"there is no file {words[0]}; a tournament needs --db FILE", WRONG_USE)
        one_tournament = len(words) == 1 and not (from_files and paths[0].is_file())
        if record is not None and not one_tournament:
            raise Failure("--record goes with one tournament: name it, or the folder of its export", WRONG_USE)
        name = words[0] if words else None
        found = _files(paths, head, record) if from_files else _database(db, name, head, record)
    if digest is not None:
        digests = [value["digest"] for value in found if "digest" in value]
        if digests != [digest.strip().lower()]:
            raise Failure(f"the digest is {', '.join(digests) or 'nowhere'}, not {digest}", DID_NOT_HOLD)
    if json:
        print_json(found)
    else:
        for value in found:
            stdout_console().print(_sentence(value), markup=False, soft_wrap=True)
    _tell_loudly(found, allow_new_deals, allow_set_aside)


def _tell_loudly(found: list[dict[str, Any]], new_deals: bool, set_aside: bool) -> None:
    """What holds and may still be a trick: matches without a result, and deals that were tried before."""
    failures = []
    for value in found:
        if disputed := value.get("record", {}).get("disputed"):
            print_warning(
                f"{value['tournament']}: by its own clock the bot answered in time in "
                f"{', '.join(disputed[:MOST_NAMED])}, which it is said to have lost on time: ask the host, or look at "
                "the network between"
            )
        anew = [f"{one['match']} (attempt {one['attempt']})" for one in value.get("dealt_anew", ())]
        aside = [f"{one['match']} ({one['state']}: {one['reason']})" for one in value.get("matches_set_aside", ())]
        for what, names, allowed, option in (
            ("dealt anew", anew, new_deals, "--allow-new-deals"),
            ("set aside without a result", aside, set_aside, "--allow-set-aside"),
        ):
            if not names:
                continue
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            count = plural(len(names), "match was", "matches were")
            said = f"{value['tournament']}: {count} {what}: {', '.join(names[:MOST_NAMED])}{more}"
            if allowed:
                print_warning(said)
            else:
                failures.append(f"{said}; if that is known and right: {option}")
    if failures:
        raise Failure("; ".join(failures), DID_NOT_HOLD)


def _from_server(backend: Any, name: str, head: str | None, record: Path | None) -> dict[str, Any]:
    """Fetched as a folder first: what an entrant can check is what an entrant can keep."""
    from tempfile import TemporaryDirectory

    from referee.cli.commands.export import export_folder

    with TemporaryDirectory(prefix="referee-verify-") as folder:
        export_folder(backend, name, Path(folder))
        return _folder(Path(folder), head, record)


def _database(db: str | None, name: str | None, head: str | None, record: Path | None = None) -> list[dict[str, Any]]:
    with open_store(db, create=False) as store:
        return verify_store(store, name, head, record)


def verify_store(
    store: Store, name: str | None = None, head: str | None = None, record: Path | None = None
) -> list[dict[str, Any]]:
    """What holds of the tournaments of a database, or of one of them; Failure if anything does not."""
    from referee.rules.game import WrongUse
    from referee.store import DamagedRow, Refused
    from referee.tournament.audit.database import check_columns, check_installation, from_database
    from referee.tournament.audit.replay import DoesNotHold

    one = "the tournaments"
    try:
        names = [name] if name is not None else [one.name for one in store.tournaments.all()]
        if not names:
            raise Failure("there is no tournament in it yet", WRONG_USE)
        found = []
        for one in names:
            number = store.tournaments.get(one).id
            found.append(
                _tournament(
                    lambda one=one: from_database(store, one),  # type: ignore[misc]
                    record,
                    lambda number=number: store.journal.read(number),  # type: ignore[misc]
                )
            )
            check_columns(store, one)
            if head is not None:
                _check_head(head, (line.hash for line in store.journal.read(number)), one)
        one = "the bots and practice matches"
        check_installation(store)
        return found
    except DoesNotHold as error:
        raise Failure(f"does not hold: {error}", DID_NOT_HOLD) from None
    except DamagedRow as error:
        raise Failure(f"does not hold: {error}", DID_NOT_HOLD) from None
    except (WrongUse, Refused):
        raise
    except (KeyError, TypeError, ValueError) as error:  # the database was changed by hand
        why = f"what is stored of {one} cannot be read ({type(error).__name__}: {error})"
        raise Failure(f"does not hold: {why}", DID_NOT_HOLD) from None


def _files(paths: list[Path], head: str | None, record: Path | None) -> list[dict[str, Any]]:
    return [_folder(path, head, record) if path.is_dir() else _record(path) for path in paths]


def _folder(path: Path, head: str | None, record: Path | None) -> dict[str, Any]:
    from referee.tournament.audit import folder, folder_before

    if not folder.is_folder(path):
        if head is not None:
            raise Failure(f"{path} was exported before there was a hash chain: it has no head", WRONG_USE)
        return _tournament(lambda: folder_before.read(path), record)
    value = _tournament(lambda: folder.read(path), record, lambda: folder.entries(path))
    if head is not None:
        _check_head(head, (line.hash for line in folder.entries(path)), value["tournament"])
    return value


def _check_head(head: str, hashes: Any, name: str) -> None:
    if head.strip().lower() not in hashes:
        raise Failure(f"does not hold: {name} never had the head {head}: its journal was written anew", DID_NOT_HOLD)


def _tournament(
    read: Callable[[], AuditedTournament],
    record: Path | None,
    entries: Callable[[], Iterator[JournalEntry]] | None = None,
) -> dict[str, Any]:
    from referee.tournament.audit.replay import DoesNotHold
    from referee.tournament.audit.verify import verify as verify_tournament

    said = time.monotonic()

    def checked(number: int) -> None:
        nonlocal said
        if time.monotonic() - said > PROGRESS_SECONDS:
            said = time.monotonic()
            stderr_console().print(f"matches checked so far: {number:,}", markup=False)

    try:
        audited = read()
        value = asdict(verify_tournament(audited, checked))
        if record is not None:
            value["record"] = _promises(audited, record, None if entries is None else entries())
        return value
    except DoesNotHold as error:
        raise Failure(f"does not hold: {error}", DID_NOT_HOLD) from None


def _promises(audited: AuditedTournament, record: Path, entries: Iterator[JournalEntry] | None) -> dict[str, Any]:
    """What a bot was told is what is published."""
    from referee.rules.files import open_regular
    from referee.tournament.audit.folder import LONGEST_LINE
    from referee.tournament.audit.promises import check_promises

    try:
        with open_regular(record) as file:
            lines = (line.decode() for line in iter(lambda: file.readline(LONGEST_LINE), b""))
            return asdict(check_promises(audited, lines, str(record), entries))
    except OSError as error:
        raise Failure(f"cannot read {record}: {error.strerror}", ENVIRONMENT) from None
    except UnicodeDecodeError:
        raise Failure(f"{record} is not a text file: give the file that a bot wrote with --record", WRONG_USE) from None


def _record(path: Path) -> dict[str, Any]:
    from referee.rules.files import read_bounded
    from referee.tournament.audit.audited import LARGEST_RECORD
    from referee.tournament.audit.replay import DoesNotHold, replay

    if not path.is_file():
        raise Failure(f"{path} is not a file: a record or an exported folder can be verified", DID_NOT_HOLD)
    try:
        data = read_bounded(path, LARGEST_RECORD, regular=True)
    except OSError as error:
        code = DID_NOT_HOLD if error.errno == EFBIG else ENVIRONMENT
        raise Failure(f"cannot read {path}: {error.strerror}", code) from None
    if data.startswith(DATABASE):
        raise Failure(f"{path} is a database: 'referee verify --db {path}'", WRONG_USE)
    try:
        played = replay(data)
    except DoesNotHold as error:
        raise Failure(f"{path} does not hold: {error}", DID_NOT_HOLD) from None
    return {
        "file": str(path),
        "match": played.match,
        "game": played.record.game,
        "names": list(played.names),
        "decisions": len(played.record.moves),
        "ranks": list(played.ending.ranks),
        "scores": list(played.ending.scores),
        "seed": played.record.seed,
    }


def _sentence(value: dict[str, Any]) -> str:
    if "file" in value:
        return (
            f"{value['file']} holds: {value['game']}, {plural(value['decisions'], 'decision')}, ranks {value['ranks']}"
        )
    rest = [f"{value['set_aside']} set aside"] if value["set_aside"] else []
    rest += [f"{len(value['dealt_anew'])} dealt anew"] if value["dealt_anew"] else []
    rest += [f"{value['open']} still open"] if value["open"] else []
    seeds = "commitment, seeds" if value["seeds"] else "(root still secret: seeds not checked) schedule"
    if value["nonces"] or value["nonces_missing"]:
        missing = f" ({value['nonces_missing']} promised and not told)" if value["nonces_missing"] else ""
        rest.append(f"{value['nonces']} nonce{'' if value['nonces'] == 1 else 's'} of entrants in the seeds{missing}")
    if value["rounds"]:
        rest.append(f"{plural(value['rounds'], 'round')} {'drawn again' if value['seeds'] else 'as they were told'}")
    rest += [f"rulings: {'; '.join(value['rulings'])}"] if value["rulings"] else []
    rest += ["dealt from a text that could be guessed (repeatable)"] if value["repeatable"] else []
    if kept := value.get("record"):
        rest.append(
            f"the bot's record agrees ({kept['draws']} draws of nonces, {kept['starts']} starts, {kept['ends']} ends, "
            f"{kept['moves']} moves, {kept['heads']} heads of the hash chain)"
        )
    chain = (
        f"; hash chain of {plural(value['entries'], 'entry', 'entries')}, head {value['head']}"
        if value["entries"]
        else ""
    )
    if value["pruned"]:
        rest.append(f"{value['pruned']} results as the journal tells them, for their records were pruned")
    if value["reopened"]:
        again = "once" if value["reopened"] == 1 else f"{value['reopened']} times"
        rest.append(
            f"reopened {again} after its end: later deals follow from a root that the host drew then, when the nonces "
            "of the entrants were known"
        )
    if value["adopted"] is not None:
        taken = time.strftime("%Y-%m-%d", time.gmtime(value["adopted"] / 1000))
        chain += f", begun on {taken}: what was stored before that day is as it was found then"
    return (
        f"{value['tournament']} holds: {seeds}, moves and results of {plural(value['replayed'], 'match', 'matches')}"
        f"{''.join(f', {part}' for part in rest)}; standings digest {value['digest']}{chain}"
    )

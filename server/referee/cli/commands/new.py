"""`referee new`: a bot that runs, to start from."""

from __future__ import annotations

import re
import shlex
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.errors import wrong_use
from referee.cli.languages import LANGUAGES, Language, Reading, spellings
from referee.cli.output import print_warning, stdout_console
from referee.cli.sdk_package import take
from referee.cli.skeleton import write

if TYPE_CHECKING:
    from referee.rules.game import Game

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
BUILT = [one.name for one in LANGUAGES.values() if one.built]


def new(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The bot's folder; its name is the bot's.", show_default=False)
    ],
    game: Annotated[str, typer.Option("--game", "-g", help="The game it plays.", show_default=False)],
    lang: Annotated[str, typer.Option("--lang", "-l", help=f"The language: {', '.join(LANGUAGES)}.")] = "python",
    sdk: Annotated[
        Path | None,
        typer.Option(
            "--sdk",
            metavar="PATH",
            help=f"For {', '.join(BUILT)}: take the SDK from this package, or from the folder that 'make dist' filled, "
            "into the bot's folder. Without it the build looks for a published one, and there is none yet.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make a bot that can play at once, and say what to type next. Nothing is ever overwritten.

    Example: [bold]referee new mybot --game flip7[/bold]
    """
    from arena import __version__
    from referee.rules import registry

    chosen = registry.find(game)
    if lang not in LANGUAGES:
        near = get_close_matches(lang, LANGUAGES, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(LANGUAGES)}"
        wrong_use(f"unknown language {lang!r}; {hint} (for others: 'referee bridge', or an SDK)")
    language = LANGUAGES[lang]
    name = folder.resolve().name
    if not NAME.fullmatch(name):
        wrong_use(f"{name!r} is not a name for a bot: up to 32 letters, digits, dots, dashes and underscores")
    if sdk is not None and not language.built:
        own = "uses the package that is installed beside referee" if lang == "python" else "needs no package"
        wrong_use(f"--sdk goes with {', '.join(BUILT)}; a bot in {lang} {own}")
    package = None if sdk is None else take(sdk, language)
    reading = _reading(chosen, language)
    words = {
        "sdk": language.published if package is None else language.enclosed,
        "view_line": reading.line,
        "view_import": reading.imported,
        "view_type": reading.kind,
        "view_needs": reading.needs,
        "rivals": _rivals(chosen.name),
        "name": name,
        "game": chosen.name,
        "title": chosen.title,
        "version": __version__ if package is None else package.version,
        "no_sdk": f"the SDK for {lang} {language.found}: make its package with 'make dist' in a checkout of Referee, "
        f"and this folder anew with 'referee new {name} --game {chosen.name} --lang {lang} --sdk CHECKOUT/dist'",
    } | spellings(chosen.name)
    write(folder, lang, words, None if package is None else package.files)
    _tell(folder, chosen.name, language)
    if language.built and package is None:
        _tell_of_package(folder, chosen.name, language)


def _reading(game: Game[Any], language: Language) -> Reading:
    """How this bot reads its view: typed where the SDKs know the game."""
    from referee.rules.views import JSON, view_format_of

    try:
        if find_spec(f"arena.games.{game.name}.v1.{game.name}_pb2") is not None:
            return language.typed
    except ImportError:
        pass
    state = game.start(game.seats.least, {}, seed=b"a look at the view")
    return language.json if view_format_of(game, state).type == JSON else language.plain


def _rivals(game: str) -> str:
    """House bots for the other seats of the smallest table, two players at least."""
    from referee.hosting.bot import folders
    from referee.rules import registry

    house = folders.names(game, inside=True)
    return " ".join((house * 2)[: max(2, registry.find(game).seats.least) - 1])


def _tell(folder: Path, game: str, language: Language) -> None:
    from rich.text import Text

    where = shlex.quote(f"./{folder}" if len(folder.parts) == 1 else str(folder))
    started = _started(folder, language)
    connect = f"REFEREE_TOKEN=… {started or f'referee bridge -- {where}'}"
    console = stdout_console()
    console.print(
        Text.assemble(("made ", ""), (str(folder), "bold green"), f": a bot that plays {game}"), soft_wrap=True
    )
    build = (f"sh {shlex.quote(str(folder / 'build.sh'))}", "build it; the first time this needs the network")
    steps = (
        (
            f"{folder / language.source}",
            "three lines to change: (1) what you see, (2) what it is worth, (3) what you do",
        ),
        *([build] if language.built else []),
        (f"referee rules {game}", "the rules, the moves, the view"),
        (f"referee check {where}", "is it fit to play?"),
        (f"referee run {game} {where} {_rivals(game)}", "let it play"),
        (connect, "connect it to a host's server"),
    )
    width = max(len(command) for command, _ in steps)
    for command, why in steps:
        console.print(Text.assemble("  ", (f"{command:<{width}}", "bold"), f"  {why}"), soft_wrap=True)


def _tell_of_package(folder: Path, game: str, language: Language) -> None:
    """The build would look for a package that is not there yet: what to type instead."""
    checkout = Path(__file__).resolve().parents[4]
    dist = checkout / "dist"
    made = any(dist.glob(language.package))
    if not (checkout / "sdk" / language.name).is_dir():  # installed from a wheel
        checkout, dist, made = Path("CHECKOUT"), Path("CHECKOUT/dist"), False
    steps = [
        *([] if made else [f"make -C {shlex.quote(str(checkout))} dist"]),
        f"rm -r {shlex.quote(str(folder))}",
        f"referee new {shlex.quote(str(folder))} --game {game} --lang {language.name} --sdk {shlex.quote(str(dist))}",
    ]
    what = " (CHECKOUT: a checkout of Referee)" if str(checkout) == "CHECKOUT" else ""
    print_warning(
        f"the SDK for {language.name} {language.found}: take its package into the bot's folder with "
        f"'{' && '.join(steps)}'{what}"
    )


def _started(folder: Path, language: Language) -> str:
    """How the bot is started from here, ready to be typed; empty if `referee bridge` does it."""
    words = [word.format(dir=folder) for word in language.start]
    if len(words) == 1 and not folder.is_absolute():
        words = [f"./{words[0]}"]
    return shlex.join(words)

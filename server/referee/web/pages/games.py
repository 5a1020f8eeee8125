"""The games with their rules and house bots, and how to connect a bot in each language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.hosting.bot import folders
from referee.rules import registry
from referee.rules.game import Game
from referee.web import links
from referee.web.markdown import render
from referee.web.markup import Html, join, name_of, tag
from referee.web.pages.layout import page, panel

if TYPE_CHECKING:
    from referee.web.site import Site


def all_games(site: Site) -> str:
    """Every game that is installed."""
    cards = [
        tag(
            "li",
            tag("h2", tag("a", game.title, href=links.game(game.name))),
            tag("p", tag("span", tag("code", game.name)), tag("span", f"{game.seats} players"), class_="facts"),
            tag("p", _first_paragraph(game.rules())),
            class_="panel",
        )
        for game in registry.all_games()
    ]
    return page(site, "Games", tag("h1", "Games"), tag("ul", *cards, class_="cards"), place="games")


def one_game(site: Site, game: Game[Any]) -> str:
    """The rules of a game, its options, and the house bots that play it."""
    bots = [folders.find(name) for name in folders.names(game.name, inside=True)]
    people = site.people is not None
    house = [tag("div", tag("dt", name_of(bot.name)), tag("dd", bot.about)) for bot in bots]
    options = [
        tag("tr", tag("th", tag("code", name), scope="row"), tag("td", str(option.default)), tag("td", option.about))
        for name, option in game.options.items()
    ]
    heads = [tag("th", text, scope="col") for text in ("Option", "Usually", "Meaning")]
    beside = tag(
        "div",
        panel("House bots", tag("dl", *house, class_="bots")),
        panel(
            "Options",
            tag(
                "div",
                tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *options)),
                class_="scroll",
                tabindex=0,
            ),
        )
        if options
        else None,
        panel("Play it", tag("p", tag("a", "Take a seat against house bots", href=f"/play?game={game.name}")))
        if people
        else None,
        class_="aside",
    )
    facts = tag(
        "p",
        tag("span", tag("code", game.name)),
        tag("span", f"version {game.version}"),
        tag("span", f"{game.seats} players"),
        tag("span", "the lowest score wins") if game.lower_is_better else None,
        class_="facts soft",
    )
    return page(
        site,
        game.title,
        facts,
        tag("div", tag("article", render(game.rules()), class_="panel main prose"), beside, class_="columns"),
        place="games",
    )


def _first_paragraph(rules: str) -> Html:
    paragraphs = [block for block in rules.split("\n\n") if block.strip() and not block.lstrip().startswith("#")]
    shown = render(paragraphs[0]) if paragraphs else join("")
    return Html(shown.removeprefix("<p>").removesuffix("</p>"))


BUILD = "referee new mybot --game {game} --lang {lang}\nsh mybot/build.sh"
LANGUAGES: tuple[tuple[str, str, str, str], ...] = (
    ("Python", "python", "referee new mybot --game {game}", "python mybot/bot.py"),
    ("TypeScript", "typescript", BUILD, "node mybot/bot.js"),
    ("Go", "go", BUILD, "mybot/bot"),
    ("Rust", "rust", BUILD, "mybot/bot"),
    ("Java", "java", BUILD, "java -cp 'mybot/target/bot.jar:mybot/target/lib/*' MyBot"),
    ("C++", "cpp", BUILD, "mybot/bot"),
)
"""Language, its word for `referee new`, how a bot is begun, how it is started."""
LINES = ("sh", "ruby", "perl", "lua")
"""Languages without an SDK: `referee bridge` speaks for them."""

SMALLEST = """import arena


def decide(decision):
    return decision.legal[0]


arena.run(decide)
"""


def connect(site: Site) -> str:
    """How to connect a bot, ready to paste."""
    server = site.settings.server
    games = registry.names()
    game = "flip7" if "flip7" in games else games[0]
    tls = " --tls" if site.settings.tls is not None and server else ""
    where = (server or "HOST:7700") + tls
    steps = [
        panel(
            "1. A name and a token",
            tag("p", "With an invitation you ", tag("a", "register your bot yourself", href="/join"), "; or"),
            _paste(f"referee join --server {where} --name mybot"),
            tag(
                "p",
                "Without one the host registers it (",
                tag("code", "referee bot add mybot"),
                ") and gives you its token. Keep that here:",
            ),
            _paste("export REFEREE_TOKEN=TOKEN"),
        ),
        panel(
            "2. A bot",
            tag(
                "p",
                "The smallest one in Python plays the first legal move. ",
                tag("code", "referee new"),
                " makes one to start from, in any of these languages:",
            ),
            _paste(SMALLEST),
        ),
    ]
    sections = [
        panel(
            name,
            _paste(begin.format(game=game, lang=lang)),
            _paste(f"{start} --server {where}"),
            kind="language",
        )
        for name, lang, begin, start in LANGUAGES
    ]
    sections.append(
        panel(
            "Any other",
            tag("p", f"JSON lines on stdin and stdout; {', '.join(LINES)} have a bot to start from."),
            _paste(f"referee new mybot --game {game} --lang sh"),
            _paste(f"referee bridge --server {where} -- sh mybot/bot.sh"),
            kind="language",
        )
    )
    if site.takes_submissions:
        sections.append(
            panel(
                "Or submit it",
                tag("p", "This server plays bots itself: ", tag("a", "upload its folder", href="/submit"), ", or"),
                _paste(f"referee submit mybot --server {where}"),
                kind="language",
            )
        )
    closing = panel(
        "Before it counts",
        tag("p", "Try it against house bots on your own machine, and let the referee examine it:"),
        _paste(f"referee run {game} mybot odds cautious random\nreferee check mybot"),
    )
    note = None
    if not server:
        note = tag(
            "p",
            "This process plays a tournament of its own and lets no bots in: ",
            tag("code", "referee serve"),
            " does.",
            class_="soft",
        )
    return page(
        site,
        "Connect a bot",
        tag("h1", "Connect a bot"),
        note,
        tag("div", *steps, class_="columns even"),
        tag("h2", "In your language", class_="loose"),
        tag("div", *sections, class_="tiles"),
        closing,
        place="connect",
        modules=("copy.js",),
    )


def _paste(text: str) -> Html:
    return tag("pre", tag("code", text.rstrip("\n") + "\n"), class_="paste", tabindex=0)

"""The languages `referee new` writes bots in: the file to change, the SDK's package, and how each reads a view."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """How a bot gets at its view: the words of its template."""

    line: str
    """The expression or declaration in the line marked (1)."""
    imported: str = ""
    """What the source has to import for it."""
    kind: str = ""
    """The view's type, where the template names it apart."""
    needs: str = ""
    """A further line of the package's description."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language; `templates/NAME` has its files. `@game@` and its other spellings are filled in later."""

    name: str
    source: str
    """The file with the three lines to change."""
    start: tuple[str, ...] = ()
    """How the bot is started, `{dir}` being its folder; empty: it speaks JSON lines, and `referee bridge` starts it."""
    typed: Reading = Reading("")
    json: Reading = Reading("")
    """For a game of a third party that shows a JSON value."""
    plain: Reading = Reading("")
    """For a game whose view the SDK has no generated code for: the bytes."""
    package: str = ""
    """The file that `make dist` makes of its SDK, `*` being the version; empty: the bot needs no package, or has it."""
    published: str = ""
    """How the package's description names the published SDK."""
    enclosed: str = ""
    """How it names the SDK that lies in the bot's folder (`sdk/`)."""

    found: str = "is not published yet"
    """Why the build may not find the SDK where no package lies in the bot's folder."""

    @property
    def built(self) -> bool:
        return bool(self.package)


_GO = "github.com/referee-arena/referee/sdk/go"

LANGUAGES = {
    one.name: one
    for one in (
        Language(
            "python",
            "bot.py",
            ("python", "{dir}/bot.py"),
            typed=Reading(
                "view: @game@.View = decision.view", "\nfrom arena.games.@game@.v1 import @game@_pb2 as @game@"
            ),
            json=Reading("view = decision.view"),
            plain=Reading("view = decision.view"),
        ),
        Language(
            "typescript",
            "bot.ts",
            ("node", "{dir}/bot.js"),
            typed=Reading("decision.view", ", @game_camel@", "<@game_camel@.View>"),
            json=Reading("decision.view", kind="<Record<string, unknown>>"),
            plain=Reading("decision.viewBytes"),
            package="referee-sdk-*.tgz",
            published="@version@",
            enclosed="file:sdk/referee-sdk-@version@.tgz",
        ),
        Language(
            "go",
            "main.go",
            ("{dir}/bot",),
            typed=Reading("arena.ViewOf[*@game_joined@v1.View](decision)", f'\n\t"{_GO}/games/@game_joined@v1"'),
            json=Reading("arena.ViewOf[map[string]any](decision)"),
            plain=Reading("decision.ViewBytes, error(nil)"),
            package="referee-sdk-go-v*.zip",
            enclosed=f"\nreplace {_GO} => ./sdk\n",
        ),
        Language(
            "rust",
            "src/main.rs",
            ("{dir}/bot",),
            typed=Reading("let view: @game@::View = decision.view()?;", ", games::@game@"),
            json=Reading("let view: serde_json::Value = decision.view()?;", needs='serde_json = "1"\n'),
            plain=Reading("let view = &decision.view_bytes;"),
            package="referee-sdk-*.crate",
            published='"=@version@"',
            enclosed='{ path = "sdk" }',
        ),
        Language(
            "java",
            "src/main/java/MyBot.java",
            ("java", "-cp", "{dir}/target/bot.jar:{dir}/target/lib/*", "MyBot"),
            typed=Reading("decision.view(View.class)", "\nimport arena.games.@game@.v1.View;", "View"),
            json=Reading("decision.view(Map.class)", "\nimport java.util.Map;", "Map<?, ?>"),
            plain=Reading("decision.viewBytes()", "\nimport com.google.protobuf.ByteString;", "ByteString"),
            package="referee-sdk-*.pom",
        ),
        Language(
            "cpp",
            "bot.cpp",
            ("{dir}/bot",),
            typed=Reading(
                "decision.view<arena::games::@game@::v1::View>()", "\n#include <arena/games/@game@/v1/@game@.pb.h>"
            ),
            json=Reading("decision.json()"),
            plain=Reading("decision.view_bytes()"),
            package="referee-sdk-cpp-*.tar.gz",
            found="must be installed for CMake to find it",
        ),
        Language("sh", "bot.sh"),
        Language("ruby", "bot.rb"),
        Language("perl", "bot.pl"),
        Language("lua", "bot.lua"),
    )
}


def spellings(game: str) -> dict[str, str]:
    """The name of a game as packages of the languages write it."""
    first, *others = game.split("_")
    return {"game_camel": first + "".join(word.capitalize() for word in others), "game_joined": game.replace("_", "")}

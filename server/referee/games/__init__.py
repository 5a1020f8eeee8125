"""The built-in games, all laid out alike: the same files with the same roles.

| file | its role | what others call there |
|---|---|---|
| `game.py` | the `Game`: seats, options, labels of chance, the bound | `GAME` |
| `state.py` | one match in progress: the verbs of `State` over the parts of the game | a class named after the game |
| `moves.py` | the moves and their notation | `Move`, `parse`, `format_move` |
| `check.py` | why a move is rejected, and the fallback | `check`, `fallback` |
| `events.py` | what happens, as a view tells it | the kinds, `wire` |
| `view.py` | what a seat or the public may know | `view_of` |
| `telling.py` | what happened, in words | `told` |
| `drawing.py` | a view as lines for a terminal | `draw` |
| `picture.py` | a view as SVG | `paint` |
| `imagine.py` | a match in progress made from a view | `imagine` |
| `RULES.md` | the rules for the author of a bot | |

Beside them lie the parts that only one game has: its cards, its dice, its auction. Encore's `parse` and `format_move`
are methods of `Notation`, since the words of a move depend on the sheet in play.
"""

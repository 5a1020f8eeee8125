"""Drawing boards: what every game uses to draw a view as text for a terminal and as an SVG picture.

| file | what it is |
|---|---|
| `text.py` | terminal text: display width, clipping, wrapping, ANSI colours, ASCII only |
| `page.py` | the lines of one drawing: `Page` |
| `svg.py` | an SVG document: `Canvas`, escaping, estimated widths of texts |
| `style.py` | its CSS: one palette for light and dark, scoped to one game |
| `seats.py` | what the views of all games share: names of seats, who is asked, ranks, the heading |
| `frame.py` | the heading of a board, what happened, the final ranks |
| `plain.py` | any view, message or dict, as plain values |
| `board.py` | what a game brings that draws its own views: `Board` |
| `generic.py` | the drawing and the picture of a game that brings none of its own |

Everything here is a pure function of the view and the names given: no clock, no files, no randomness.
"""

"""The parts of the screen, each a pure function from standings and a size to lines of text."""

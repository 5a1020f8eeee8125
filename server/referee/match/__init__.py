"""The match loop: a table, players and a clock become a result and a transcript. No I/O."""

"""Looking at matches that are over: replay, and what follows from it. No network, no database, no terminal."""

"""Running a tournament: the runner, the next matches, and what was played."""

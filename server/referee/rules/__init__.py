"""The rules kernel: what a game is, where its chance comes from, and how it is recorded, replayed and judged."""

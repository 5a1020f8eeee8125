"""One file per schema, oldest first; a file that was released is never edited."""

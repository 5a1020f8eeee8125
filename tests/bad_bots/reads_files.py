"""Reads what is not its own (files and folders named with a leading @), and writes where it should not."""

import os
import sys

from honest import play, say  # type: ignore[import-not-found]

for word in sys.argv[1:]:
    if word.startswith("@"):
        try:
            if os.path.isdir(word[1:]):
                say(f"READ {os.listdir(word[1:])}")
            else:
                with open(word[1:], "rb") as file:
                    say(f"READ {file.read(40)!r}")
        except OSError as error:
            say(f"denied {word}: {error.strerror}")
for path in (__file__, "/usr/left_behind", "/etc/left_behind", "/left_behind", os.path.expanduser("~root/left_behind")):
    try:
        with open(path, "a") as file:
            say(f"WROTE {path}")
    except OSError as error:
        say(f"denied {path}: {error.strerror}")
play()

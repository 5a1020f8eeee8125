"""`python -m referee` is the `referee` command."""

import sys

from referee.cli.main import main

sys.exit(main())

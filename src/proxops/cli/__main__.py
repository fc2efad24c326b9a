"""``python -m proxops.cli``."""

from proxops.cli import main

main()

"""The command line, as `python -m mirada`."""

from mirada.cli import main

main()

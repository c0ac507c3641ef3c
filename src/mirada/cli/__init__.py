"""The command line: one thin file for each verb."""

from mirada.cli.app import main

__all__ = ["main"]

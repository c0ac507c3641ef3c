"""Mirada: train your own sequence models, and see where they look.

Importing the package imports nothing heavy; torch comes with the subpackage that needs it.
"""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("mirada")

"""The methods of Variable: ``names.py`` lists them all, the other files hold them by subject."""

from .names import METHODS

__all__ = ["METHODS"]

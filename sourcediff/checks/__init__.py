"""Derivatives against numbers, and the two engines against one another."""

"""The same functions in other libraries: a module for each, imported when it is asked for, with an extra of the same name."""

"""From a call to the generated code for it: kinds of arguments, caches, the fall to the eager engine, links."""

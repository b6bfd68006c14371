"""Library runs: a user's unmodified NumPy function, recorded on the eager engine.

``recording.py`` does one run. The function sees ``Live`` Variables instead of its arrays (``live.py``), a rebound NumPy, rebound builtins
and helpers instead of its own (``rebind.py``), and shadows instead of its lists, dicts and objects (``object_proxies.py``).
"""

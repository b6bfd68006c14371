"""Programs in interpreters of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(program: str, **environment: str) -> float:
    """Run a program in a fresh interpreter, and return the number that it prints last."""
    inherited = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)  # or every import would compile its files again
    done = subprocess.run([sys.executable, "-c", program], env=inherited, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{program!r} failed:\n{done.stderr}")
    return float(done.stdout.split()[-1])

"""The command `ziggurat`: becomes the program that the package carries."""

import os
import sys
from pathlib import Path


def program() -> Path:
    """The executable in the package, which is also the one that reads for the library."""
    return Path(__file__).resolve().parent / "bin" / "ziggurat"


def main() -> None:
    os.execv(program(), ["ziggurat", *sys.argv[1:]])

"""Where the program is that the package carries."""

from pathlib import Path


def program() -> Path:
    """The executable that reads for the library; the command `ziggurat` is a copy of it."""
    return Path(__file__).resolve().parent / "bin" / "ziggurat"

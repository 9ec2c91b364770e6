"""Finds text that must not be published: paths of somebody's machine, and marks of unfinished work.

usage: words.py ROOT

Looks at every text file under version control (or, without git, every file that is not hidden or
built). Prints one line a find and exits 1 if there is any.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

# Written so that this file does not find itself.
FORBIDDEN = [
    ("path of one machine", re.compile(r"(?<![\w./-])/(?:home|root|work|Users)/[\w.]")),
    ("unfinished work", re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK|WI" r"P)\b")),
]


def files(root):
    command = ["git", "-C", root, "ls-files", "-z"]
    if shutil.which("git"):
        listing = subprocess.run(command, capture_output=True, text=True, check=False)
        if listing.returncode == 0:
            return [root / name for name in listing.stdout.split("\0") if name]
    return [
        path
        for path in root.rglob("*")
        if not any(part.startswith((".", "build")) for part in path.relative_to(root).parts)
    ]


def finds(root, path):
    try:
        text = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError):  # not a text file, or deleted but not yet committed
        return
    for number, line in enumerate(text.splitlines(), 1):
        for meaning, pattern in FORBIDDEN:
            found = pattern.search(line)
            if found:
                yield f"{path.relative_to(root)}:{number}: {meaning}: {found[0]}"


def main(root):
    paths = [path for path in files(root) if path.is_file()]
    found = [find for path in paths for find in finds(root, path)]
    for find in found:
        print(find)
    print(f"words: {len(paths)} files, {len(found)} finds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))

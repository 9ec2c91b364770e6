"""Checks the include law of the tree, and that no file has grown far past its limit.

usage: layers.py ROOT

Which layer may use which is read from the ziggurat_layer() calls in src/CMakeLists.txt, so that
the linker and this check obey one table. Third-party and process rules stand in the tables below.
Prints one line a breach and exits 1 if there is any. Needs nothing but the standard library.
"""

import re
import sys
from pathlib import Path

# Who may include a third-party header; the first prefix that fits the header decides.
THIRD_PARTY = [
    ("hdf5", {"h5"}),
    ("H5", {"h5"}),
    ("Eigen/", {"balance"}),
    ("CLI/", {"cli"}),
    ("tbb/", {"engine", "balance"}),
    ("oneapi/", {"engine", "balance"}),
    ("libdeflate", {"codec"}),
    ("isa-l", {"codec"}),
    ("igzip", {"codec"}),
    ("zlib", {"codec"}),
    ("sys/wait.h", {"proc"}),
    ("spawn.h", {"proc"}),
    ("nanobind/", {"python"}),
]

# Calls that live in one layer: those that make, replace or await a process, and those of HDF5.
CALLS = {
    "proc": re.compile(
        r"(?<![\w.>])(v?fork|exec[vl]p?e?|fexecve|waitpid|waitid|wait3|wait4|posix_spawnp?|socketpair)\s*\("
    ),
    "h5": re.compile(r"\b(H5[A-Z]\w*)\s*\("),
}

# Bindings for other languages are outside programs that live in the tree: public headers only.
BINDINGS = {"python"}

# main.cpp wires the command line to the reader's entry; it is no layer of its own.
MAIN_USES = {"base", "cli", "h5", "proc", "reader"}

# (limit that is reported, limit that fails), in lines.
SIZE_LIMITS = {".hpp": (200, 300), ".cpp": (600, 900)}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def layer_table(root):
    """{layer: layers it may include} in the order of src/CMakeLists.txt."""
    text = re.sub(r"#[^\n]*", "", (root / "src/CMakeLists.txt").read_text())
    table = {}
    for arguments in re.findall(r"^ziggurat_layer\(([^)]*)\)", text, re.MULTILINE):
        words = arguments.split()
        uses = words[words.index("USES") + 1 :] if "USES" in words else []
        table[words[0]] = set(uses[: uses.index("LIBS")] if "LIBS" in uses else uses)
    return table


def table_faults(table):
    """A layer may use only layers named before it, so that the graph has no cycle."""
    seen = set()
    for layer, uses in table.items():
        for other in sorted(uses - seen):
            yield f"src/CMakeLists.txt: layer {layer} uses {other}, which is not named before it"
        seen.add(layer)


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1] == "<", found[2]


def third_party_fault(layer, header):
    for prefix, allowed in THIRD_PARTY:
        if header.startswith(prefix):
            if layer in allowed:
                return None
            return f"<{header}> belongs to {' and '.join(sorted(allowed))} only"
    return None


def own_header_fault(layer, allowed, table, header):
    folder = header.split("/")[0]
    if folder == "ziggurat":
        return None
    if folder not in table and folder not in BINDINGS or "/" not in header:
        return f'"{header}" is not written from src/'
    if folder != layer and folder not in allowed:
        return f"{layer} may not include {folder}"
    return None


def source_faults(root, table):
    """Breaches in src/ and, for our own headers, in the unit tests that mirror it."""
    for path in sorted([*root.glob("src/**/*.[ch]pp"), *root.glob("tests/unit/*/*.[ch]pp")]):
        place = path.relative_to(root)
        product = place.parts[0] == "src"
        folders = place.parts[1:-1] if product else place.parts[2:-1]
        layer = folders[0] if folders else "main"
        if layer != "main" and layer not in table and layer not in BINDINGS:
            yield f"{place}: layer {layer} is not in src/CMakeLists.txt"
            continue
        allowed = MAIN_USES if layer == "main" else table.get(layer, set())
        text = path.read_text()
        for number, angled, header in includes(text):
            fault = None
            beside = not product and "/" not in header and (path.parent / header).is_file()
            if not angled and not beside:  # tests may keep helpers beside them
                fault = own_header_fault(layer, allowed, table, header)
            elif angled and product:
                fault = third_party_fault(layer, header)
            if fault:
                yield f"{place}:{number}: {fault}"
        for owner, pattern in CALLS.items():
            call = pattern.search(COMMENT_OR_TEXT.sub("", text))
            if product and layer != owner and call:
                yield f"{place}: {call[1]}() belongs to {owner} only"


def public_header_faults(root):
    """Public headers name standard headers and one another, nothing else."""
    for path in sorted(root.glob("include/**/*.hpp")):
        for number, angled, header in includes(path.read_text()):
            standard = angled and re.fullmatch(r"[a-z_0-9]+", header)
            if not standard and not header.startswith("ziggurat/"):
                yield f"{path.relative_to(root)}:{number}: public headers may not include {header}"


def overlong(root):
    """(line count, limit that fails, path) of each file past the limit that is reported."""
    for folder in ("include", "src", "tests"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            reported, fatal = SIZE_LIMITS[path.suffix]
            lines = path.read_text().count("\n")
            if lines > reported:
                yield lines, fatal, path.relative_to(root)


def main(root):
    table = layer_table(root)
    faults = [*table_faults(table), *source_faults(root, table), *public_header_faults(root)]
    if not table:
        faults.append("src/CMakeLists.txt: no ziggurat_layer() call found")
    for lines, fatal, place in overlong(root):
        if lines > fatal:
            faults.append(f"{place}: {lines} lines, {fatal} at most")
        else:
            print(f"note: {place} has {lines} lines: is it one thing?")
    for fault in faults:
        print(fault)
    print(f"layers: {len(table)} layers, {len(faults)} breaches")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""Command lines that published workflows run, with the program's name put in place of cooler's.

Each runs in a shell of the kind its workflow uses, under the name ziggurat and under the name cooler
(a link), and must leave what cooler itself leaves: the same levels, pixels and weights. Where the
workflow's own genome is large, the base stands in for its map at the same resolution.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from support import program, reference
from support.coolfile import write_map
from support.maps import example_map

TINY = {"chr1": 3_000_000, "chr2": 1_200_000, "chrM": 16_000}
DISTILLER = (
    "10000000,5000000,2500000,1000000,500000,250000,100000,50000,25000,10000,5000,2000,1000"
)
FOUR_DN = "5000,10000,25000,50000,100000,250000,500000,1000000,2500000"

# What the program is called; cooler by a link.
NAMES = ("ziggurat", "cooler")

# (what runs it, command line after the program's name, file to compare)
LINES = [
    ("distiller-nf", f"zoomify --nproc 2 --out L.mcool --resolutions {DISTILLER} --balance in.1000.cool", "L.mcool"),
    ("distiller-nf options", f"zoomify --nproc 2 --out L.mcool --resolutions {DISTILLER} --balance --balance-args \"--mad-max 7\" in.1000.cool", "L.mcool"),
    ("distiller-sm", "zoomify --nproc 2 --out X.mcool --resolutions 4DN --balance in.1000.cool > log.txt 2>&1", "X.mcool"),
    ("nf-core zoomify", "zoomify -r 2000,4000,8000 -n 2 -o P.mcool in.1000.cool", "P.mcool"),
    ("nf-core hic", "zoomify --balance -n 2 -o P.mcool in.1000.cool", "P.mcool"),
    ("docker-4dn", f"zoomify --balance --balance-args '--convergence-policy store_nan' -n 2 -o P.multires.cool -c 10000000 -r {FOUR_DN} in.1000.cool", "P.multires.cool"),
    ("docker-4dn raw", "zoomify -n 2 -o P.multires.cool -c 10000000 in.1000.cool", "P.multires.cool"),
    ("runHiC", "zoomify -p 2 -r 5000,20000 --balance --balance-args \"--mad-max 5 --min-nnz 10 --min-count 0 --ignore-diags 2\" -o OUT in.1000.cool", "OUT"),
    ("HiC-Pro", "zoomify --nproc 2 --balance in.1000.cool", "in.1000.mcool"),
    ("Omni-C", "zoomify --balance -p 16 in.1000.cool", "in.1000.mcool"),
    ("Galaxy", "zoomify -p ${GALAXY_SLOTS:-4} -c 10000000 -r 'B' -o 'dataset_1.dat' 'in.1000.cool'", "dataset_1.dat"),
    ("options after the map", "zoomify -p 80 in.1000.cool -r 1000,5000,10000 -o X.mcool --balance", "X.mcool"),
    ("args by =", "zoomify in.1000.cool --balance --balance-args='-p 8' -r 5000 -o X.mcool", "X.mcool"),
    ("nproc within", "zoomify in.1000.cool --balance --balance-args '--nproc 24 --cis-only' -r 5000 -o X.mcool", "X.mcool"),
    ("no mad-max", "zoomify in.1000.cool --balance --balance-args '--mad-max 0 --max-iters 1000' -r 5000 -o X.mcool", "X.mcool"),
    ("all diagonals", "zoomify in.1000.cool --balance --balance-args '--ignore-diags 1' --resolutions 2000,4000 -o X.mcool", "X.mcool"),
    ("nice steps", "zoomify in.1000.cool -r 5000N -o X.mcool", "X.mcool"),
    ("N", "zoomify in.1000.cool -r N -o X.mcool", "X.mcool"),
    ("Galaxy balance", "balance --mad-max 5 --min-nnz 10 --min-count 0 --ignore-diags 2 -f in.1000.cool", "in.1000.cool"),
    ("nf-core hic balance", "balance --force -p 2 in.1000.cool", "in.1000.cool"),
    ("coarsen", "coarsen -k 5 -n 2 -o X.cool in.1000.cool", "X.cool"),
]

# The same of what comes before: from contacts to maps of one resolution.
LOAD_LINES = [
    ("distiller-nf", "cload pairs -c1 2 -p1 3 -c2 4 -p2 5 --assembly hg38 chrom.sizes:1000 - out.cool < in.pairs", "out.cool"),
    ("nf-core hic", "cload pairs -c1 2 -p1 3 -c2 4 -p2 5 chrom.sizes:1000 in.pairs P.cool", "P.cool"),
    ("sanger-tol", "cload pairs -0 -c1 3 -p1 4 -c2 7 -p2 8 chrom.sizes:1000 in.bedpe P.cool", "P.cool"),
    ("load", "load -f bg2 --assembly hg38 chrom.sizes:1000 in.bg2 P.cool", "P.cool"),
    ("distiller-nf merge", "merge OUT.cool a.cool b.cool", "OUT.cool"),
]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    path = tmp_path_factory.mktemp("base") / "in.1000.cool"
    m = example_map(5, chroms=TINY, scale=30.0, trans=0.004)
    write_map(path, m)
    return path


def _run(name, line, folder):
    """Under `bash -ue` with a linked input and no terminal, as workflow engines run their jobs."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / name).symlink_to(Path(program.PROGRAM).resolve())
    return subprocess.run(
        ["bash", "-ue", "-o", "pipefail", "-c", f"{name} {line}"],
        cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
        env=dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"), check=False,
    )


def _datasets(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(
            lambda name, item: found.__setitem__(name, item[()])
            if isinstance(item, h5py.Dataset)
            else None
        )
    return found


@pytest.fixture(scope="module")
def cooler_lines():
    """cooler in a process of its own, which is started once: its start takes longer than most lines."""
    with LineRunner() as runner:
        yield runner


class LineRunner:
    """Runs command lines of cooler, words and a redirected standard input, each in a folder."""

    SCRIPT = Path(__file__).with_name("cooler_lines.py")

    def __enter__(self):
        self._process = subprocess.Popen(
            [sys.executable, self.SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(30)

    def run(self, folder, line):
        words = shlex.split(line)
        source = words[words.index("<") + 1] if "<" in words else None
        words = words[: words.index("<")] if source else words
        print(json.dumps([str(folder), words, source]), file=self._process.stdin, flush=True)
        assert self._process.stdout.readline() == "done\n", line


def _expected(runner, inputs, line, output):
    """What cooler leaves under the name of the output, by the same line."""
    words = line.replace("${GALAXY_SLOTS:-4}", "4").split(" > ")[0]

    def make(kept):
        folder = kept.with_name(f"{kept.name}.folder")
        folder.mkdir()
        try:
            for path in inputs:
                shutil.copyfile(path, folder / path.name)
            runner.run(folder, words)
            shutil.move(folder / output, kept)
        finally:
            shutil.rmtree(folder)

    return reference.cached(inputs, ["line", words, output], make)


@pytest.mark.parametrize(("line", "output"), [x[1:] for x in LINES], ids=[x[0] for x in LINES])
def test_line_runs_unchanged(line, output, base, cooler_lines, tmp_path):
    expected = _expected(cooler_lines, [base], line, output)
    for name in NAMES:
        folder = tmp_path / name
        folder.mkdir()
        check_line(name, line, output, base, folder)
        check_same(folder / output, expected)


def check_line(name, line, output, base, folder):
    in_place = line.startswith("balance")
    linked = folder / base.name
    if in_place:
        shutil.copyfile(base, linked)
    else:
        linked.symlink_to(base)
    before = base.read_bytes()
    done = _run(name, line, folder)
    assert done.returncode == 0, done.stderr
    said = done.stderr + done.stdout
    assert "error:" not in said.lower() and "exception:" not in said.lower()
    assert base.read_bytes() == before
    left = {path.name for path in folder.iterdir()} - {"tools", "log.txt", base.name}
    assert left == ({output} - {base.name}), "nothing beside the output"


def check_same(output, reference_output):
    got, expected = _datasets(output), _datasets(reference_output)
    assert sorted(got) == sorted(expected)
    for dataset, values in expected.items():
        if dataset.endswith("weight"):
            assert np.array_equal(np.isnan(got[dataset]), np.isnan(values)), dataset
            assert np.allclose(got[dataset], values, rtol=1e-10, atol=0, equal_nan=True), dataset
        else:
            assert np.array_equal(got[dataset], values), dataset


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Contacts in the forms that workflows have them, and two maps to merge."""
    folder = tmp_path_factory.mktemp("inputs")
    random = np.random.default_rng(8)
    names = np.array([*TINY, "chrUn"])[random.integers(0, 4, (4000, 2))]
    places = random.integers(1, 16_000, (4000, 2))
    pairs = ["## pairs format v1.0\n", "#columns: readID chr1 pos1 chr2 pos2 strand1 strand2\n"]
    bedpe = []
    for (a, b), (p, q) in zip(names.tolist(), places.tolist()):
        pairs.append(f".\t{a}\t{p}\t{b}\t{q}\t+\t-\n")
        bedpe.append(f"0\tx\t{a}\t{p}\t0\ty\t{b}\t{q}\n")
    m = example_map(6, chroms=TINY, scale=2.0)
    start, end = m.start.tolist(), m.end.tolist()
    chrom = [m.names[c] for c in m.chrom]
    bg2 = [
        f"{chrom[i]}\t{start[i]}\t{end[i]}\t{chrom[j]}\t{start[j]}\t{end[j]}\t{n}\n"
        for i, j, n in zip(m.bin1.tolist(), m.bin2.tolist(), m.count.tolist())
    ]
    sizes = [f"{name}\t{length}\n" for name, length in TINY.items()]
    texts = {"in.pairs": pairs, "in.bedpe": bedpe, "in.bg2": bg2, "chrom.sizes": sizes}
    for name, lines in texts.items():
        (folder / name).write_text("".join(lines))
    write_map(folder / "a.cool", m)
    write_map(folder / "b.cool", example_map(7, chroms=TINY, scale=2.0))
    return sorted(folder.iterdir())


@pytest.mark.parametrize(
    ("line", "output"), [x[1:] for x in LOAD_LINES], ids=[x[0] for x in LOAD_LINES]
)
def test_line_that_loads_runs_unchanged(line, output, inputs, cooler_lines, tmp_path):
    expected = _expected(cooler_lines, inputs, line, output)
    for name in NAMES:
        folder = tmp_path / name
        folder.mkdir()
        for path in inputs:
            (folder / path.name).symlink_to(path)
        done = _run(name, line, folder)
        assert done.returncode == 0, done.stderr
        said = done.stderr + done.stdout
        assert "error:" not in said.lower() and "exception:" not in said.lower()
        left = {path.name for path in folder.iterdir()} - {path.name for path in inputs}
        assert left == {"tools", output}
        check_same(folder / output, expected)


def test_versions_are_read_by_scripts(tmp_path):
    """As nf-core (first), and HiC-Pro, whose number must not be below 0.7.6, read it."""
    first = _run("cooler", '--version 2>&1 | sed "s/cooler, version //"', tmp_path)
    assert first.returncode == 0 and first.stdout.strip().count(".") == 2
    shutil.rmtree(tmp_path / "tools")
    number = _run("cooler", "--version 2>&1 | awk '{print $NF}'", tmp_path).stdout.strip()
    assert tuple(map(int, number.split("."))) >= (0, 7, 6)


def test_a_dash_pasted_from_a_document_is_explained(base, tmp_path):
    (tmp_path / base.name).symlink_to(base)
    done = _run("ziggurat", f"zoomify --balance --balance-args '–nproc 8' {base.name}", tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "dash" in done.stderr.lower()

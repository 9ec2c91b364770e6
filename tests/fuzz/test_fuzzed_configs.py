"""Damaged files for --config: options, or a usage error in one line that names the file."""

import random
from pathlib import Path

import pytest

from support.program import not_crashed, one_line, run, run_ok

pytestmark = pytest.mark.ours

FILES = 60
JUNK = [b"", b"\0", b"\xff", b"[", b"]", b'"', b"'", b"=", b"\n", b"#", b",", b"++", b"--", b"[zoomify]",
        b"[[a]]", b"-1", b"1e999", b"99999999999999999999", b"config = 'c.toml'\n", b"a.b.c = 1\n"]  # fmt: skip


def sound():
    text = run_ok("zoomify", "-r", "1000,2000", "-p", "2", "--balance", "--balance-args", "-p 3 'a b'",
                  "in.cool", "--print-config").out  # fmt: skip
    return text.encode()


def damaged(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            data[at:at] = rng.choice(JUNK)
        elif kind == 1:
            del data[at : at + rng.randint(1, 40)]
        elif kind == 2 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        else:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other : other + rng.randint(1, 60)]
    return bytes(data)


@pytest.fixture
def n_files(request):
    return 3000 if request.config.getoption("--long") else FILES


def test_damaged_config_files(n_files):
    good = sound()
    taken = 0
    rng = random.Random(61)
    for n in range(n_files):
        data = damaged(rng, good)
        Path("c.toml").write_bytes(data)
        result = not_crashed(run("zoomify", "--config", "c.toml", "--print-config", "in.cool"))
        assert result.code in (0, 2), f"file {n}, {data!r}: {result}"
        if result.code == 2:
            assert one_line(result), f"file {n}, {data!r}"
        taken += result.code == 0
    # The damage is light, so both ways are taken.
    assert 0 < taken < n_files

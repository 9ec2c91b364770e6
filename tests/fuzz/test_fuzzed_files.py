"""Sound maps with random damage: bits flipped, bytes overwritten, parts cut out, doubled, spliced.

Whatever comes of it is an orderly end: a pyramid, or a refusal in one line that names the file.
(Not every damage can be seen: a count that is stored as it is may be changed into another.) The
readers are processes of their own, so a crash of the HDF5 library within one is told like any
other fault. The same seed makes the same files; one found wanting is left in the test's folder.
"""

import random

import pytest

from support.coolfile import write_map, write_pyramid
from support.maps import example_map
from support.program import refused, run

pytestmark = pytest.mark.ours

# A reader gives up a map after five seconds of processor time, which last longer on a busy machine.
SECONDS = 60
FILES_FOR_EACH_SEED = 50
SEEDS = 20
LONG_SEEDS = 2000

SMALL = {"x": 31_000, "y": 9_500}
NUMBERS = [0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]


def sound_files():
    m = example_map(321, SMALL, scale=20)
    kinds = {
        "usual": {},
        "contiguous": {"filters": {}},
        "newer": {"libver": ("v110", "v110"), "filters": {"chunks": 64, "fletcher32": True}},
        "names": {"vlen_names": True, "enum": False},
        "chunks": {"filters": {"chunks": 50, "compression": "gzip", "shuffle": True}},
    }
    for name, how in kinds.items():
        yield write_map(name, m, **how)
    yield write_pyramid("pyramid", {1000: m})


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return [(folder / path).read_bytes() for path in sound_files()]


def damage(content, others, random_):
    at = random_.randrange(len(content))
    length = random_.choice([1, 8, 64, 512])
    kind = random_.randrange(6)
    if kind == 0:
        content[at] ^= 1 << random_.randrange(8)
    elif kind == 1:
        content[at : at + length] = random_.randbytes(length)
    elif kind == 2:
        width = random_.choice([1, 2, 4, 8])
        number = random_.choice(NUMBERS) % 256**width
        content[at : at + width] = number.to_bytes(width, "little")
    elif kind == 3:
        del content[at : at + length]
    elif kind == 4:
        content[at:at] = content[at : at + length]
    else:
        other = random_.choice(others)
        content[at : at + length] = other[at : at + length]


# Most of a file is data and padding; damage where HDF5 keeps its structure tells more.
MARKS = [b"TREE", b"SNOD", b"HEAP", b"OHDR", b"FRHP", b"BTHD", b"FADB", b"FAHD", b"\x89HDF"]


def near_a_mark(content, random_):
    places = [i for mark in MARKS for i in [content.find(mark)] if i >= 0]
    at = random_.choice(places) + random_.randrange(96)
    content[at : at + 1] = random_.randbytes(1)


def damaged(originals, random_):
    content = bytearray(random_.choice(originals))
    for _ in range(random_.choice([1, 1, 2, 5])):
        if random_.random() < 0.3:
            near_a_mark(content, random_)
        else:
            damage(content, originals, random_)
    if random_.random() < 0.1:
        del content[random_.randrange(len(content)) :]
    return content


def check_one(content, tmp_path):
    (tmp_path / "in.cool").write_bytes(content)
    output = tmp_path / "out.mcool"
    command = ("zoomify", "-p", "1", "--quiet", "-r", "2000", "-o", output, "in.cool")
    result = run(*command, timeout_s=SECONDS)
    if result.code == 0:
        output.unlink()
    else:
        refused(result, "in.cool", code=1, absent=[output])
        assert len(result.err.splitlines()) == 1, f"one line wanted: {result}"


def seeds(config):
    return LONG_SEEDS if config.getoption("--long") else SEEDS


def pytest_generate_tests(metafunc):
    metafunc.parametrize("seed", range(seeds(metafunc.config)))


def test_damaged_files(seed, originals, tmp_path):
    random_ = random.Random(seed)
    for _ in range(FILES_FOR_EACH_SEED):
        check_one(damaged(originals, random_), tmp_path)

"""What a file of the corpus is, and the helpers its makers share."""

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import h5py
import numpy as np

from support.coolfile import write_map
from support.maps import example_map

VARIANTS = []

REFUSE, ACCEPT, EITHER = "refuse", "accept", "either"


@dataclass(frozen=True)
class Variant:
    """`make(path)` writes the file and returns the map that is in it; None when it is broken.

    verdict: REFUSE with a line that matches `says`, which names the object and the fault; ACCEPT
    with the map's pixels; EITHER of both, but never other pixels.
    """

    name: str
    verdict: str
    make: callable
    says: str = ""


def _register(verdict, make, name, says=""):
    VARIANTS.append(Variant(name or make.__name__, verdict, make, says))
    return make


def refused(says, name=None):
    """A broken file: its maker's result does not count."""
    return lambda make: _register(REFUSE, make, name, says)


def accepted(name=None):
    """An odd file that is sound."""
    return lambda make: _register(ACCEPT, make, name)


def either(says, name=None):
    """A file that may be refused, but not misread."""
    return lambda make: _register(EITHER, make, name, says)


@cache
def _base():
    return example_map(301)


def base():
    """The map that is spoiled: 125 bins of 1 kb on four chromosomes, some 7,000 pixels."""
    return _base().with_columns(count=_base().count.copy())


# Several chunks a column, so that one of them can be damaged.
CHUNKED = {"compression": "gzip", "compression_opts": 6, "shuffle": True, "chunks": 1000}


def write(path, m=None, **how):
    """A sound file of `m`; `how` as for write_map. Returns the map."""
    m = base() if m is None else m
    write_map(path, m, **how)
    return m


@contextmanager
def edited(path, m=None, libver="earliest", **how):
    """A sound file, open to be changed."""
    write(path, m, libver=libver, **how)
    with h5py.File(path, "r+", libver=libver) as file:
        yield file


def change(path, dataset, fn, **how):
    """Rewrite one column of a sound file: fn changes the values in place."""
    with edited(path, **how) as file:
        values = file[dataset][:]
        fn(values)
        file[dataset][:] = values


def replace(path, dataset, data=None, m=None, **options):
    """Put another dataset in the place of one; options as for create_dataset."""
    with edited(path, m) as file:
        attributes = dict(file[dataset].attrs)
        del file[dataset]
        made = file.create_dataset(dataset, data=data, **options)
        made.attrs.update(attributes)


def patch(path, offset, content):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(content)


def read_bytes(path):
    with open(path, "rb") as file:
        return bytearray(file.read())


def write_bytes(path, content):
    with open(path, "wb") as file:
        file.write(content)


def row_start(m, at_least=3):
    """Position of the first pixel of a row in the middle that has some pixels."""
    sizes = np.diff(m.bin1_offset())
    rows = np.flatnonzero(sizes >= at_least)
    return int(m.bin1_offset()[rows[len(rows) // 2]])

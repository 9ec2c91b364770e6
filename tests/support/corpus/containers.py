"""The file as a container: its ends, its signatures, its groups and links."""

import gzip
import os
import struct
import subprocess
import sys

import h5py
import numpy as np

from support.coolfile import put_map, write_pyramid
from support.corpus.variant import (
    accepted,
    base,
    edited,
    either,
    patch,
    read_bytes,
    refused,
    write,
    write_bytes,
)

DAMAGED = r"truncat|not an HDF5|cannot|no cooler|damaged|empty|missing"


def cut(path, length):
    write(path)
    size = os.path.getsize(path)
    os.truncate(path, length(size))


for name, length, says in (
    ("cut_to_0_bytes", lambda n: 0, "empty"),
    ("cut_to_7_bytes", lambda n: 7, "not an HDF5 file"),
    ("cut_in_superblock", lambda n: 50, DAMAGED),
    ("cut_at_10_percent", lambda n: n // 10, "truncated"),
    ("cut_at_50_percent", lambda n: n // 2, "truncated"),
    ("cut_at_90_percent", lambda n: n * 9 // 10, "truncated"),
    ("last_byte_missing", lambda n: n - 1, "truncated"),
):
    refused(says, name)(lambda path, length=length: cut(path, length))


@accepted()
def bytes_after_the_end(path):
    """What lies past the file's own end is nobody's."""
    m = write(path)
    with open(path, "ab") as file:
        file.write(b"left over" * 1000)
    return m


for name, offset, content, says in (
    ("signature_zeroed", 0, bytes(8), "not an HDF5 file"),
    ("superblock_version_99", 8, b"\x63", DAMAGED),
    ("superblock_address_size_0", 13, b"\0", DAMAGED),
    ("superblock_address_size_255", 13, b"\xff", DAMAGED),
    ("superblock_leaf_rank_0", 16, b"\0\0", DAMAGED),
    ("superblock_end_far", 40, struct.pack("<Q", 1 << 50), "truncated"),
    ("superblock_end_near", 40, struct.pack("<Q", 100), DAMAGED),
    ("superblock_root_in_data", 64, struct.pack("<Q", 3000), DAMAGED),
    ("superblock_root_past_end", 64, struct.pack("<Q", 1 << 40), DAMAGED),
):

    def _patched(path, offset=offset, content=content):
        write(path)
        patch(path, offset, content)

    refused(says, name)(_patched)


@refused("not an HDF5 file")
def text_file(path):
    write_bytes(path, b"chr1\t0\t1000\tchr1\t0\t1000\t5\n" * 100)


@refused("not an HDF5 file")
def gzipped_file(path):
    write(path)
    write_bytes(path, gzip.compress(read_bytes(path)))


@refused("directory")
def directory(path):
    os.mkdir(path)


@refused("not a regular file|cannot open")
def pipe(path):
    os.mkfifo(path)


def overwrite_signature(path, signature, which, **how):
    write(path, **how)
    content = read_bytes(path)
    at = [i for i in range(len(content) - 4) if content[i : i + 4] == signature][which]
    content[at : at + 4] = b"XXXX"
    write_bytes(path, content)


NEWEST = {"libver": ("v110", "v110")}
for signature, which, how in (
    (b"TREE", 0, {}),
    (b"HEAP", 0, {}),
    (b"HEAP", -1, {}),
    (b"SNOD", 0, {}),
    (b"SNOD", -1, {}),
    (b"GCOL", 0, {"vlen_names": True}),
    (b"OHDR", 0, NEWEST),
    (b"FADB", 0, {**NEWEST, "filters": {"chunks": 100}}),
    (b"FAHD", 0, {**NEWEST, "filters": {"chunks": 100}}),
):
    label = f"signature_{signature.decode()}_{'first' if which == 0 else 'last'}"
    refused(DAMAGED, label)(
        lambda path, signature=signature, which=which, how=how: overwrite_signature(
            path, signature, which, **how
        )
    )


OF_AN_INDEX = ((b"TREE", {}), (b"OHDR", NEWEST), (b"FADB", {**NEWEST, "filters": {"chunks": 100}}))
for signature, how in OF_AN_INDEX:

    @accepted(f"signature_{signature.decode()}_of_an_index")
    def _index(path, signature=signature, how=how):
        """The last of its kind belongs to bin1_offset, which is rebuilt."""
        overwrite_signature(path, signature, -1, **how)
        return base()


@refused("cannot open|already open")
def marked_as_being_written(path):
    """Its writer died: the superblock still says that it is open."""
    write(path, libver=("v110", "v110"))
    dying = (
        "import h5py, os, sys; f = h5py.File(sys.argv[1], 'r+', libver=('v110', 'v110')); "
        "f.attrs['x'] = 1; f.flush(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", dying, path], check=True)


# ----- groups and links


for group in ("pixels", "bins", "chroms"):

    @refused(f"{group}", f"group_{group}_missing")
    def _group(path, group=group):
        write(path, drop=[group])

    @refused(f"{group}|no cooler", f"group_{group}_is_a_dataset")
    def _dataset(path, group=group):
        with edited(path) as file:
            del file[group]
            file.create_dataset(group, data=np.zeros(10, [("bin1_id", "i8"), ("count", "i4")]))


@accepted()
def group_indexes_missing(path):
    return write(path, drop=["indexes"])


@either("pixels|look up|link")
def group_indexes_is_a_dataset(path):
    with edited(path) as file:
        del file["indexes"]
        file["indexes"] = np.arange(4)
    return base()


def in_place_of_counts(path, make):
    with edited(path) as file:
        counts = file["pixels/count"][:]
        del file["pixels/count"]
        make(file, counts)


for name, link in (
    ("soft_link_to_itself", h5py.SoftLink("/pixels/count")),
    ("soft_link_to_nothing", h5py.SoftLink("/nowhere")),
    ("external_link_to_a_text_file", h5py.ExternalLink("/etc/passwd", "/x")),
):
    refused("count", f"count_is_a_{name}")(
        lambda path, link=link: in_place_of_counts(
            path, lambda file, _: file.__setitem__("pixels/count", link)
        )
    )


@refused("count")
def count_is_an_external_link_to_a_map(path):
    """Nothing outside the file is read, sound or not."""
    write("elsewhere.bin")
    link = h5py.ExternalLink("elsewhere.bin", "/pixels/count")
    in_place_of_counts(path, lambda file, _: file.__setitem__("pixels/count", link))


@refused("pixels")
def pixels_is_an_external_link(path):
    write("elsewhere.bin")
    with edited(path) as file:
        del file["pixels"]
        file["pixels"] = h5py.ExternalLink("elsewhere.bin", "/pixels")


@refused("pixels")
def soft_links_in_a_circle(path):
    with edited(path) as file:
        del file["pixels"]
        file["pixels"] = h5py.SoftLink("/loop")
        file["loop"] = h5py.SoftLink("/pixels")


@accepted()
def pixels_are_soft_linked(path):
    with edited(path) as file:
        file.create_group("really")
        file.move("pixels", "really/here")
        file["pixels"] = h5py.SoftLink("/really/here")
    return base()


@accepted()
def columns_are_hard_linked(path):
    with edited(path) as file:
        file["kept/twice"] = file["pixels/count"]
    return base()


@accepted()
def groups_that_hold_themselves(path):
    with edited(path) as file:
        file["notes/deep/er/x"] = np.arange(10)
        file["notes/self"] = file["notes"]
        file["link"] = h5py.SoftLink("/nowhere")
        file["outside"] = h5py.ExternalLink("/etc/passwd", "/")
    return base()


@accepted()
def groups_nested_3000_deep(path):
    with edited(path) as file:
        group = file
        for _ in range(3000):
            group = group.create_group("d")
    return base()


@accepted()
def groups_by_the_thousand(path):
    with edited(path) as file:
        for i in range(3000):
            file.create_group(f"other/{i:05}")
    return base()


@accepted()
def links_ordered_by_creation(path):
    with edited(path) as file:
        file.create_group("ordered", track_order=True)["x"] = 1
    return base()


@refused("resolutions")
def pyramid_without_a_resolution(path):
    write_pyramid(path, {1000: base()})


@refused("cells")
def single_cell_file(path):
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "HDF5::SCOOL", "format-version": 1})
        put_map(file.create_group("cells/one"), base())
        for table in ("bins", "chroms"):
            file.copy(f"cells/one/{table}", file, table)


# ----- versions and kinds of container


for name, how in (
    ("format_of_hdf5_1_8", {"libver": ("earliest", "v108")}),
    ("format_of_hdf5_1_10", NEWEST),
    ("format_of_hdf5_1_10_contiguous", {**NEWEST, "filters": {}}),
    ("format_of_hdf5_1_10_one_chunk", {**NEWEST, "filters": {"chunks": 10**9}}),
    ("format_of_hdf5_1_10_array_of_chunks", {**NEWEST, "filters": {"chunks": 100}}),
    ("format_of_hdf5_1_10_unlimited", {**NEWEST, "filters": {"chunks": 100, "maxshape": (None,)}}),
):
    accepted(name)(lambda path, how=how: write(path, **how))


@either("cannot open|version")
def format_of_the_newest_hdf5(path):
    return write(path, libver="latest")


def with_container(path, m=None, **options):
    """A sound map in a file made with other options of h5py.File."""
    m = base() if m is None else m
    with h5py.File(path, "w", **options) as file:
        put_map(file, m)
    return m


for name, options in (
    ("user_block_of_512_bytes", {"userblock_size": 512}),
    ("user_block_of_1_mb", {"userblock_size": 1 << 20}),
    ("pages", {"fs_strategy": "page", "fs_persist": True}),
    ("pages_of_64_kb", {"fs_strategy": "page", "fs_page_size": 65536}),
    ("free_space_aggregated", {"fs_strategy": "aggregate", "fs_persist": True, "fs_threshold": 1}),
    ("offsets_aligned", {"alignment_threshold": 1, "alignment_interval": 4096}),
    ("order_tracked", {"track_order": True}),
):
    accepted(name)(lambda path, options=options: with_container(path, **options))


@refused(DAMAGED)
def user_block_said_elsewhere(path):
    """The signature lies at 512, but the addresses count from 1024."""
    with_container(path, userblock_size=512)
    patch(path, 512 + 24, struct.pack("<Q", 1024))


@refused("cannot open|no cooler|damaged|truncated|missing")
def one_member_of_a_family(path):
    with h5py.File("part%d", "w", driver="family", memb_size=4096) as file:
        put_map(file, base())
    os.rename("part0", path)

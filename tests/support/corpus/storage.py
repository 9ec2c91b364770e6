"""How columns are stored: damaged chunks, rare filters and layouts, sizes that cannot be."""

import struct
import zlib

import h5py
import numpy as np

from support.corpus.tables import PIXELS, label
from support.corpus.variant import (
    CHUNKED,
    accepted,
    base,
    edited,
    either,
    patch,
    read_bytes,
    refused,
    replace,
    write,
    write_bytes,
)

CHUNKS = {"filters": CHUNKED}


# ----- damage within chunks


def chunk_place(path, column, index):
    """(offset, size) of a stored chunk."""
    with h5py.File(path, "r") as file:
        dataset = file[column].id
        info = dataset.get_chunk_info(min(index, dataset.get_num_chunks() - 1))
    return info.byte_offset, info.size


def flip(path, column, at=0.5, n=4, index=1, **how):
    write(path, **how)
    offset, size = chunk_place(path, column, index)
    position = offset + min(int(size * at), size - n)
    content = read_bytes(path)[position : position + n]
    patch(path, position, bytes(byte ^ 0xFF for byte in content))


for column in (*PIXELS, "bins/start", "bins/chrom", "chroms/length", "chroms/name"):
    refused(column, f"{label(column)}_chunk_flipped")(
        lambda path, column=column: flip(path, column, **CHUNKS)
    )
for name, at in (("head", 0.0), ("checksum", 1.0)):
    refused("pixels/count", f"chunk_{name}_flipped")(
        lambda path, at=at: flip(path, "pixels/count", at, 1, **CHUNKS)
    )

FLETCHER = {"filters": {"chunks": 1000, "fletcher32": True}}
for column in PIXELS:
    refused(column, f"{label(column)}_fletcher32_wrong")(
        lambda path, column=column: flip(path, column, n=1, **FLETCHER)
    )


def store_chunk(path, content, mask=0, **how):
    """Put other bytes in the place of the first chunk of counts."""
    with edited(path, **(how or CHUNKS)) as file:
        file["pixels/count"].id.write_direct_chunk((0,), content, mask)


def shuffled(values):
    """The shuffle filter: first bytes of all values, then second bytes, and so on."""
    return np.frombuffer(values.tobytes(), "u1").reshape(-1, values.itemsize).T.tobytes()


def deflate_bomb(n_mb):
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(n_mb)) + packer.flush()


FIRST = base().count[:1000].astype("<i4")
for name, content in (
    ("decodes_to_too_little", zlib.compress(shuffled(FIRST[:10]))),
    ("decodes_to_too_much", zlib.compress(shuffled(np.resize(FIRST, 1010)))),
    ("decodes_to_256_mb", deflate_bomb(256)),
    ("decodes_to_nothing", zlib.compress(b"")),
    ("cut", zlib.compress(shuffled(FIRST))[:-9]),
    ("of_no_bytes", b"\0"),
    ("followed_by_bytes", zlib.compress(shuffled(FIRST)) + b"more"),
    ("of_raw_deflate", zlib.compress(shuffled(FIRST))[2:-4]),
    ("with_a_dictionary", b"\x78\xbb" + zlib.compress(shuffled(FIRST))[2:]),
):
    decide = either if name == "followed_by_bytes" else refused
    decide("pixels/count", f"chunk_{name}")(
        lambda path, content=content: store_chunk(path, content) or base()
    )


@accepted()
def chunk_stored_without_its_filters(path):
    """Writers may skip filters chunk by chunk and say so in the chunk's mask."""
    store_chunk(path, FIRST.tobytes(), 0b11)
    return base()


@accepted()
def chunk_stored_without_shuffle(path):
    store_chunk(path, zlib.compress(FIRST.tobytes()), 0b01)
    return base()


@accepted()
def chunk_stored_without_deflate(path):
    store_chunk(path, shuffled(FIRST), 0b10)
    return base()


@refused("pixels/count")
def chunk_mask_says_more_filters(path):
    """Bytes that are compressed although the mask says they are not."""
    store_chunk(path, zlib.compress(shuffled(FIRST), 1), 0b11)


@refused("pixels/count")
def filter_unknown(path):
    write(path, **CHUNKS)
    with h5py.File(path, "r") as file:
        address = h5py.h5o.get_info(file["pixels/count"].id).addr
    content = read_bytes(path)
    at = content.index(b"deflate\0", address) - 8
    content[at : at + 2] = struct.pack("<H", 32000)
    content[at + 4 : at + 6] = b"\0\0"
    write_bytes(path, content)


@refused("pixels/count")
def chunk_address_past_the_end(path):
    write(path, **CHUNKS)
    offset, _ = chunk_place(path, "pixels/count", 1)
    content = read_bytes(path)
    at = content.index(struct.pack("<Q", offset))
    content[at : at + 8] = struct.pack("<Q", 1 << 40)
    write_bytes(path, content)


@refused("pixels/count")
def chunk_size_of_4_gb(path):
    write(path, **CHUNKS)
    offset, size = chunk_place(path, "pixels/count", 1)
    content = read_bytes(path)
    at = content.index(struct.pack("<Q", offset))
    key = content.rindex(struct.pack("<I", size), 0, at)
    content[key : key + 4] = b"\xff\xff\xff\xff"
    write_bytes(path, content)


# ----- filters and layouts that are sound

LAYOUTS = {
    "contiguous": {"filters": {}},
    "chunks_of_1": {"filters": {"chunks": 1}},
    "chunks_of_7": {"filters": {"chunks": 7, "compression": "gzip"}},
    "chunks_of_one_less": {"filters": {**CHUNKED, "chunks": base().nnz - 1}},
    "chunks_that_fit": {"filters": {**CHUNKED, "chunks": base().nnz}},
    "unlimited": {"filters": {**CHUNKED, "maxshape": (None,)}},
    "without_filters": {"filters": {"chunks": 1000}},
    "gzip_0": {"filters": {**CHUNKED, "compression_opts": 0}},
    "gzip_9": {"filters": {**CHUNKED, "compression_opts": 9}},
    "without_shuffle": {"filters": {**CHUNKED, "shuffle": False}},
    "shuffle_alone": {"filters": {"chunks": 1000, "shuffle": True}},
    "fletcher32": FLETCHER,
    "fletcher32_and_gzip": {"filters": {**CHUNKED, "fletcher32": True}},
    "lzf": {"filters": {"chunks": 1000, "compression": "lzf", "shuffle": True}},
}
for name, how in LAYOUTS.items():
    accepted(f"layout_{name}")(lambda path, how=how: write(path, **how))


def values_of(column):
    m = base()
    return {"pixels/bin1_id": m.bin1, "pixels/bin2_id": m.bin2, "pixels/count": m.count}[column]


def with_plist(path, column, prepare, dtype=None):
    """One column created with HDF5's own property list."""
    values = values_of(column)
    values = values.astype(dtype or values.dtype)
    with edited(path) as file:
        del file[column]
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        prepare(plist)
        datatype = h5py.h5t.py_create(values.dtype)
        space = h5py.h5s.create_simple(values.shape)
        h5py.h5d.create(file.id, column.encode(), datatype, space, plist)
        file[column][:] = values
    return base()


def chunked(*filters):
    def prepare(plist):
        plist.set_chunk((1000,))
        for name, *values in filters:
            getattr(plist, f"set_{name}")(*values)

    return prepare


FILTERS = {
    "deflate_then_shuffle": chunked(("deflate", 6), ("shuffle",)),
    "deflate_twice": chunked(("deflate", 6), ("deflate", 1)),
    "shuffle_twice": chunked(("shuffle",), ("shuffle",), ("deflate", 6)),
    "fletcher32_first": chunked(("fletcher32",), ("shuffle",), ("deflate", 6)),
    "szip": chunked(("szip", h5py.h5z.SZIP_NN_OPTION_MASK, 8)),
    "scale_offset": chunked(("scaleoffset", h5py.h5z.SO_INT, 0)),
    "nbit": chunked(("filter", h5py.h5z.FILTER_NBIT, 0, ())),
}
for name, prepare in FILTERS.items():
    for column in ("pixels/count", "pixels/bin1_id"):
        decide = either(column, f"{label(column)}_{name}")
        decide(lambda path, column=column, prepare=prepare: with_plist(path, column, prepare))


@accepted()
def layout_compact(path):
    """Data within the object's header, as small tables may be."""
    with edited(path) as file:
        values = file["chroms/length"][:]
        del file["chroms/length"]
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple(values.shape)
        h5py.h5d.create(file.id, b"chroms/length", h5py.h5t.STD_I32LE, space, plist)
        file["chroms/length"][:] = values
    return base()


@accepted()
def chunk_lengths_that_differ(path):
    lengths = {"pixels/bin1_id": 1000, "pixels/bin2_id": 333, "pixels/count": 4096}
    return write(path, chunk_lengths=lengths)


@accepted()
def chunk_larger_than_the_cache(path):
    """Chunks over the 1 MiB that HDF5 keeps, as some converters make them."""
    with edited(path) as file:
        for column in PIXELS:
            values = file[column][:]
            del file[column]
            file.create_dataset(
                column, data=values, chunks=(1 << 20,), maxshape=(None,), compression="gzip"
            )
    return base()


@accepted()
def committed_datatypes(path):
    with edited(path) as file:
        file["types/id"] = np.dtype("<i8")
        for column in PIXELS[:2]:
            values = file[column][:]
            del file[column]
            file.create_dataset(column, data=values, dtype=file["types/id"])
    return base()


@refused("pixels/count")
def chunks_never_stored(path):
    """A writer that died, or a hole in the file: zeros that nobody wrote are not counts."""
    counts = base().count
    with edited(path) as file:
        del file["pixels/count"]
        made = file.create_dataset("pixels/count", counts.shape, "i4", chunks=(1000,))
        made[2000:] = counts[2000:]


@accepted()
def chunks_never_stored_and_filled(path):
    m = base()
    counts = m.count.copy()
    counts[:2000] = 7
    with edited(path) as file:
        del file["pixels/count"]
        made = file.create_dataset(
            "pixels/count", (m.nnz,), "i4", chunks=(1000,), fillvalue=7, compression="gzip"
        )
        made[2000:] = counts[2000:]
    return m.with_columns(count=counts)


@accepted()
def contiguous_and_never_stored(path):
    m = base()
    replace(path, "pixels/count", shape=(m.nnz,), dtype="i4", fillvalue=3)
    return m.with_columns(count=np.full(m.nnz, 3, "i4"))


TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i8", ">i2", ">i4", ">u8", "f2", "f4", ">f4", ">f8"]
for dtype in TYPES:

    @accepted(f"counts_{dtype.replace('>', 'big_endian_')}")
    def _counts(path, dtype=dtype):
        counts = np.minimum(base().count, 100)
        if np.dtype(dtype).kind == "f":
            counts = counts + 0.25
        return write(path, base().with_columns(count=counts.astype(dtype)))


for dtype in ("i2", "i4", "u4", "u8", "u1", ">i8", ">u2"):
    accepted(f"ids_{dtype.replace('>', 'big_endian_')}")(
        lambda path, dtype=dtype: write(path, id_dtype=dtype)
    )
for dtype in ("i8", "u4", ">i4"):
    accepted(f"positions_{dtype.replace('>', 'big_endian_')}")(
        lambda path, dtype=dtype: write(path, position_dtype=dtype)
    )
for dtype in ("u1", "i2", "i8", ">i4"):
    accepted(f"chrom_codes_{dtype.replace('>', 'big_endian_')}")(
        lambda path, dtype=dtype: write(path, enum=False, chrom_dtype=dtype)
    )


def named_bins(path, dtype):
    replace(path, "bins/chrom", np.array(base().names, dtype)[base().chrom], dtype=dtype)
    return base()


for name, dtype in (("fixed", np.dtype("S32")), ("vlen", h5py.string_dtype())):
    accepted(f"chrom_names_{name}")(lambda path, dtype=dtype: named_bins(path, dtype))


@accepted()
def names_padded_with_blanks(path):
    with edited(path) as file:
        del file["chroms/name"]
        datatype = h5py.h5t.C_S1.copy()
        datatype.set_size(12)
        datatype.set_strpad(h5py.h5t.STR_SPACEPAD)
        space = h5py.h5s.create_simple((4,))
        made = h5py.h5d.create(file.id, b"chroms/name", datatype, space)
        padded = np.array([name.encode().ljust(12) for name in base().names], "S12")
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, padded, mtype=datatype)
    return base()


@accepted()
def more_columns(path):
    with edited(path) as file:
        file["bins/weight"] = np.linspace(0, 1, base().nbins)
        file["bins/label"] = np.array(["b"] * base().nbins, object)
        file["bins/matrix"] = np.zeros((base().nbins, 3))
        file["chroms/alias"] = np.array(["a", "b", "c", "d"], object)
    return base()


@accepted()
def more_pixel_columns_of_odd_kinds(path):
    with edited(path) as file:
        file["pixels/extra"] = np.random.default_rng(1).random(base().nnz)
        file["pixels/tag"] = np.full(base().nnz, b"t")
    return base()


PARTS = {"no_pixels": slice(0, 0), "one_pixel": slice(0, 1), "the_last_pixel": slice(-1, None)}
for name, part in PARTS.items():
    accepted(name)(lambda path, part=part: write(path, base().take(part)))
accepted("tables_longer_than_the_map")(lambda path: write(path, surplus_rows=50))


# ----- shapes and sizes that cannot be


def shaped(path, make):
    with edited(path) as file:
        counts = file["pixels/count"][:]
        del file["pixels/count"]
        make(file, counts)


SHAPES = {
    "a_scalar": lambda file, x: file.create_dataset("pixels/count", data=5),
    "2d": lambda file, x: file.create_dataset("pixels/count", data=x.reshape(-1, 1)),
    "null": lambda file, x: file.create_dataset("pixels/count", data=h5py.Empty("i4")),
    "a_group": lambda file, x: file.create_group("pixels/count"),
    "a_datatype": lambda file, x: file.__setitem__("pixels/count", np.dtype("i4")),
    "empty": lambda file, x: file.create_dataset("pixels/count", (0,), "i4"),
    "outside_raw_data": lambda file, x: file.create_dataset(
        "pixels/count", x.shape, "i4", external=[("/etc/passwd", 0, x.nbytes)]
    ),
}
for name, make in SHAPES.items():
    refused("count", f"count_is_{name}")(lambda path, make=make: shaped(path, make))


def virtual(path, source):
    with edited(path, libver=("v110", "v110")) as file:
        counts = file["pixels/count"][:]
        file.move("pixels/count", "kept")
        layout = h5py.VirtualLayout(counts.shape, "i4")
        layout[:] = h5py.VirtualSource(source, "/kept", shape=counts.shape, dtype="i4")
        file.create_virtual_dataset("pixels/count", layout, fillvalue=0)
    return base()


refused("pixels/count", "count_is_virtual_elsewhere")(lambda path: virtual(path, "gone.cool"))
either("pixels/count", "count_is_virtual_within")(lambda path: virtual(path, "."))


def claimed(path, columns, n, chunk=None):
    """Columns that claim n elements of which only the first are stored."""
    with edited(path) as file:
        for column in columns:
            values = file[column][:]
            dtype = file[column].dtype
            del file[column]
            made = file.create_dataset(
                column, (n,), dtype, chunks=(chunk or 1000,), maxshape=(None,), compression="gzip"
            )
            if not chunk:
                made[: len(values)] = values
        if columns == PIXELS:
            file.attrs["nnz"] = n


for exponent in (33, 40, 62):
    refused("pixels", f"pixels_claim_2_to_{exponent}")(
        lambda path, n=1 << exponent: claimed(path, PIXELS, n)
    )
refused("pixels", "count_claims_2_to_40")(lambda path: claimed(path, PIXELS[2:], 1 << 40))
for column in ("bins/start", "chroms/length", "chroms/name"):
    refused(column, f"{label(column)}_claims_2_to_40")(
        lambda path, column=column: claimed(path, [column], 1 << 40)
    )
either("pixels/count", "chunk_of_4_gb_never_stored")(
    lambda path: claimed(path, PIXELS[2:], base().nnz, (1 << 30) - 1)
    or base().with_columns(count=np.zeros(base().nnz, "i4"))
)


@refused("bins|chroms|rows")
def bins_claim_2_to_31(path):
    """Three columns that agree, so that only what is stored contradicts."""
    claimed(path, ["bins/chrom", "bins/start", "bins/end"], 1 << 31)

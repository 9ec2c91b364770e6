"""The tables and attributes of a map: missing, contradicting, of other types."""

from dataclasses import replace as replaced

import h5py
import numpy as np

from support.corpus.variant import (
    accepted,
    base,
    change,
    edited,
    either,
    refused,
    replace,
    row_start,
    write,
)
from support.maps import make_map

COLUMNS = ("chroms/name", "chroms/length", "bins/chrom", "bins/start", "bins/end")
PIXELS = ("pixels/bin1_id", "pixels/bin2_id", "pixels/count")
INDEXES = ("indexes/bin1_offset", "indexes/chrom_offset")


def label(path):
    return path.replace("/", "_")


# ----- what is missing

for column in COLUMNS + PIXELS:
    refused(column.split("/")[1], f"{label(column)}_missing")(
        lambda path, column=column: write(path, drop=[column])
    )
for column in INDEXES:
    accepted(f"{label(column)}_missing")(lambda path, column=column: write(path, drop=[column]))


# ----- attributes

for attr in ("format", "bin-size", "bin-type", "storage-mode"):
    accepted(f"attribute_{attr}_missing")(
        lambda path, attr=attr: write(path, drop_attrs=(attr,))
    )

# Counts in attributes are informative; files that were edited often have old ones.
STALE = ("nnz", "nbins", "nchroms", "sum")
for name, value in (("stale", 3), ("negative", -1), ("huge", 2**62), ("text", "many")):
    accepted(f"attributes_of_counts_{name}")(
        lambda path, value=value: write(path, attrs=dict.fromkeys(STALE, value))
    )

for name, attrs, says in (
    ("format_unknown", {"format": "HDF5::Nothing"}, "format"),
    ("format_a_number", {"format": 7}, "format"),
    ("format_of_pyramids", {"format": "HDF5::MCOOL"}, "format"),
    ("format_version_99", {"format-version": 99}, "format-version"),
    ("format_version_99_as_text", {"format-version": "99"}, "format-version"),
    ("format_version_unfinished", {"format-version": np.uint8(255)}, "unfinished"),
    ("bin_size_0", {"bin-size": 0}, "bin-size"),
    ("bin_size_negative", {"bin-size": -1}, "bin-size"),
    ("bin_size_text", {"bin-size": "many"}, "bin-size"),
    ("bin_size_half_of_the_bins", {"bin-size": 500}, "bin-size"),
    ("bin_size_a_list", {"bin-size": np.array([1000, 2000])}, "bin-size"),
    ("bin_size_a_fraction", {"bin-size": 1000.5}, "bin-size"),
    ("bin_size_beyond_64_bits", {"bin-size": np.uint64(2**63)}, "bin-size"),
    ("storage_mode_unknown", {"storage-mode": "diagonal"}, "storage-mode"),
    ("storage_mode_a_number", {"storage-mode": 3}, "storage-mode"),
    ("bin_type_unknown", {"bin-type": "round"}, "bin-type"),
):
    refused(says, f"attribute_{name}")(lambda path, attrs=attrs: write(path, attrs=attrs))

FIXED = {k: np.bytes_(v) for k, v in {"format": "HDF5::Cooler", "bin-type": "fixed"}.items()}
for name, attrs in (
    ("of_32_bits_big_endian", {"bin-size": np.array(1000, ">i4"), "nnz": np.array(7, ">u2")}),
    ("of_fixed_length_text", {**FIXED, "storage-mode": np.bytes_("symmetric-upper")}),
    ("of_one_element", {"bin-size": np.array([1000]), "storage-mode": ["symmetric-upper"]}),
    ("as_text", {"bin-size": "1000", "format-version": "3"}),
    ("as_floats", {"bin-size": 1000.0, "nnz": 7.0}),
    ("of_other_kinds", {"x": h5py.Empty("f8"), "y": np.zeros((3, 4)), "z": ["a", "b"]}),
    ("of_format_version_2", {"format-version": 2}),
):
    accepted(f"attributes_{name}")(lambda path, attrs=attrs: write(path, attrs=attrs))


@accepted()
def attributes_by_the_hundred(path):
    """So many that they are stored as objects of their own."""
    many = {f"x{i:03}": "y" * 100 for i in range(300)}
    return write(path, attrs=many, libver=("v110", "v110"))


@accepted()
def attributes_of_64_kb(path):
    """As long as an attribute in an object's header may be."""
    return write(path, attrs={"metadata": np.bytes_(b"{" + b" " * 64000 + b"}")})


@either("attribute|metadata|cannot")
def attribute_of_references(path):
    with edited(path) as file:
        file.attrs["link"] = file["bins"].ref
        file.attrs["part"] = file["bins/start"].regionref[0:3]
        file.attrs["record"] = np.zeros(2, [("a", "i4"), ("b", "S3")])
    return base()


@accepted()
def attributes_of_cooler_0_5(path):
    attrs = {"format-version": 2, "id": "null", "library-version": "0.5.3"}
    return write(path, attrs=attrs, drop_attrs=("format", "storage-mode", "sum", "generated-by"))


# ----- columns of other types


def odd_type(path, column, make):
    with edited(path) as file:
        n = len(file[column])
        del file[column]
        make(file, n)


def low_level(file, column, n, datatype):
    """A column of a type that numpy has no word for; its content is zeros."""
    space = h5py.h5s.create_simple((n,))
    h5py.h5d.create(file.id, column.encode(), datatype, space)


def odd_integer():
    datatype = h5py.h5t.STD_I32LE.copy()
    datatype.set_precision(24)
    datatype.set_offset(3)
    return datatype


def three_bytes():
    datatype = h5py.h5t.STD_I32LE.copy()
    datatype.set_precision(24)
    datatype.set_size(3)
    return datatype


TYPES = {
    "text": lambda file, c, n: file.create_dataset(c, data=np.full(n, b"12")),
    "vlen_text": lambda file, c, n: file.create_dataset(c, data=["12"] * n),
    "records": lambda file, c, n: file.create_dataset(c, (n,), [("a", "i4"), ("b", "i4")]),
    "one_field_records": lambda file, c, n: file.create_dataset(c, (n,), [("count", "i4")]),
    "complex": lambda file, c, n: file.create_dataset(c, (n,), "c16"),
    "arrays": lambda file, c, n: file.create_dataset(c, (n,), np.dtype(("i4", (2,)))),
    "lists": lambda file, c, n: file.create_dataset(c, (n,), h5py.vlen_dtype("i4")),
    "booleans": lambda file, c, n: file.create_dataset(c, (n,), "?"),
    "enumeration": lambda file, c, n: file.create_dataset(
        c, (n,), h5py.enum_dtype({"NO": 0, "YES": 1}, "i4")
    ),
    "references": lambda file, c, n: file.create_dataset(c, (n,), h5py.ref_dtype),
    "opaque": lambda file, c, n: file.create_dataset(c, (n,), "V8"),
    "bits": lambda file, c, n: low_level(file, c, n, h5py.h5t.STD_B32LE),
    "times": lambda file, c, n: low_level(file, c, n, h5py.h5t.UNIX_D32LE),
    "long_doubles": lambda file, c, n: low_level(file, c, n, h5py.h5t.NATIVE_LDOUBLE),
    "three_bytes": lambda file, c, n: low_level(file, c, n, three_bytes()),
    "24_bits_in_32": lambda file, c, n: low_level(file, c, n, odd_integer()),
}
for name, make in TYPES.items():
    for column in ("pixels/count", "pixels/bin1_id", "pixels/bin2_id"):
        refused(column, f"{label(column)}_of_{name}")(
            lambda path, column=column, make=make: odd_type(
                path, column, lambda file, n: make(file, column, n)
            )
        )
for column in ("chroms/length", "bins/start", "bins/end", "bins/chrom"):
    refused(column, f"{label(column)}_of_text")(
        lambda path, column=column: odd_type(
            path, column, lambda file, n: file.create_dataset(column, data=np.full(n, b"12"))
        )
    )
    refused(column, f"{label(column)}_of_fractions")(
        lambda path, column=column: odd_type(
            path, column, lambda file, n: file.create_dataset(column, data=np.full(n, 0.5))
        )
    )


@refused("chroms/name")
def chroms_name_of_numbers(path):
    replace(path, "chroms/name", np.arange(4))


@refused("pixels/bin1_id")
def pixels_bin1_id_of_fractions(path):
    replace(path, "pixels/bin1_id", base().bin1 + 0.5)


@refused("bins/chrom")
def bins_chrom_named_otherwise(path):
    members = {name: 3 - i for i, name in enumerate(base().names)}
    replace(path, "bins/chrom", base().chrom.astype("i4"), dtype=h5py.enum_dtype(members, "i4"))


@either("bins/chrom")
def bins_chrom_with_a_nameless_code(path):
    members = {name: i for i, name in enumerate(base().names[:-1])}
    replace(path, "bins/chrom", base().chrom.astype("i4"), dtype=h5py.enum_dtype(members, "i4"))
    return base()


# ----- pixels

MIDDLE = row_start(base())
PIXEL_FAULTS = {
    "bin2_is_nbins": ("bin2_id", lambda x: x.__setitem__(-1, base().nbins)),
    "bin2_is_2_to_62": ("bin2_id", lambda x: x.__setitem__(MIDDLE + 1, 1 << 62)),
    "bin2_is_2_to_32": ("bin2_id", lambda x: x.__setitem__(MIDDLE + 1, 1 << 32)),
    "bin2_negative": ("bin2_id", lambda x: x.__setitem__(MIDDLE, -1)),
    "bin2_lowest": ("bin2_id", lambda x: x.__setitem__(MIDDLE, -(1 << 63))),
    "bin1_negative": ("bin1_id", lambda x: x.__setitem__(0, -1)),
    "bin1_is_nbins": ("bin1_id", lambda x: x.__setitem__(-1, base().nbins)),
    "bin1_descends": ("bin1_id", lambda x: x.__setitem__(MIDDLE, x[MIDDLE] - 1)),
    "pixel_twice": ("bin2_id", lambda x: x.__setitem__(MIDDLE + 1, x[MIDDLE])),
    "below_the_diagonal": ("bin2_id", lambda x: x.__setitem__(MIDDLE, base().bin1[MIDDLE] - 1)),
}
for name, (column, spoil) in PIXEL_FAULTS.items():
    refused("pixel|row", f"pixels_{name}")(
        lambda path, column=column, spoil=spoil: change(path, f"pixels/{column}", spoil)
    )


@refused("pixel .* order")
def pixels_rows_far_out_of_order(path):
    m = base()
    order = np.arange(m.nnz)
    order[[m.nnz // 4, m.nnz // 2]] = m.nnz // 2, m.nnz // 4
    with edited(path) as file:
        for column in ("bin1_id", "bin2_id", "count"):
            file[f"pixels/{column}"][:] = file[f"pixels/{column}"][:][order]


@accepted()
def pixels_out_of_order_within_a_row(path):
    with edited(path) as file:
        for column in ("bin2_id", "count"):
            values = file[f"pixels/{column}"][:]
            values[[MIDDLE, MIDDLE + 1]] = values[[MIDDLE + 1, MIDDLE]]
            file[f"pixels/{column}"][:] = values
    return base()


def counts_with(value, dtype):
    counts = base().count.astype(dtype)
    counts[MIDDLE] = value
    return base().with_columns(count=counts)


for name, value, dtype in (
    ("nan", np.nan, "f8"),
    ("nan_of_32_bits", np.nan, "f4"),
    ("infinite", np.inf, "f8"),
    ("infinite_below", -np.inf, "f4"),
):
    refused("pixel|row|count", f"pixels_count_{name}")(
        lambda path, value=value, dtype=dtype: write(path, counts_with(value, dtype))
    )
for name, value, dtype in (
    ("negative", -5, "i4"),
    ("negative_fraction", -0.5, "f8"),
    ("zero", 0, "i4"),
    ("tiny", 5e-324, "f8"),
):
    accepted(f"pixels_count_{name}")(
        lambda path, value=value, dtype=dtype: write(path, counts_with(value, dtype))
    )


def all_counts(value, dtype):
    return base().with_columns(count=np.full(base().nnz, value, dtype))


for name, value, dtype in (
    ("int32", 2**31 - 1, "i4"),
    ("uint32", 2**32 - 1, "u4"),
    ("uint16", 2**16 - 1, "u2"),
    ("int8", 127, "i1"),
    ("int8_below", -128, "i1"),
):
    accepted(f"pixels_sums_outgrow_{name}")(
        lambda path, value=value, dtype=dtype: write(path, all_counts(value, dtype))
    )
for name, value, dtype in (
    ("int64", 2**62, "i8"),
    ("int64_below", -(2**62), "i8"),
    ("uint64", 2**64 - 1, "u8"),
):
    refused("count|sum", f"pixels_sums_outgrow_{name}")(
        lambda path, value=value, dtype=dtype: write(path, all_counts(value, dtype))
    )


def of_length(path, column, change_by):
    with edited(path) as file:
        values = file[column][:]
        dtype = file[column].dtype
        del file[column]
        file.create_dataset(column, data=np.resize(values, len(values) + change_by), dtype=dtype)


for column in ("pixels/bin2_id", "pixels/count", "bins/end", "bins/chrom", "chroms/length"):
    for name, change_by in (("short", -1), ("long", 1)):
        refused(column.split("/")[1], f"{label(column)}_too_{name}")(
            lambda path, column=column, by=change_by: of_length(path, column, by)
        )
for column in INDEXES:
    for name, change_by in (("short", -1), ("long", 1)):
        accepted(f"{label(column)}_too_{name}")(
            lambda path, column=column, by=change_by: of_length(path, column, by) or base()
        )


# ----- indexes: what the ids say is rebuilt from them

INDEX_FAULTS = {
    "descends": lambda x: x.__setitem__(len(x) // 2, x[len(x) // 2 - 1] - 3),
    "ends_elsewhere": lambda x: x.__setitem__(-1, x[-1] + 100),
    "begins_elsewhere": lambda x: x.__setitem__(0, 1),
    "negative": lambda x: x.__setitem__(len(x) // 2, -1),
    "off_by_one": lambda x: x.__setitem__(len(x) // 2, x[len(x) // 2] - 1),
    "huge": lambda x: x.fill(2**63 - 1),
}
for column in INDEXES:
    for name, spoil in INDEX_FAULTS.items():
        accepted(f"{label(column)}_{name}")(
            lambda path, column=column, spoil=spoil: change(path, column, spoil) or base()
        )
    for name, data in (("text", np.full(5, b"1")), ("fractions", np.full(5, 0.5)), ("scalar", 3)):
        accepted(f"{label(column)}_{name}")(
            lambda path, column=column, data=data: replace(path, column, data) or base()
        )


# ----- bins and chromosomes


def at(row, by):
    return lambda x: x.__setitem__(row, x[row] + by)


for name, column, spoil in (
    ("gap", "start", at(5, 10)),
    ("overlap", "start", at(5, -10)),
    ("first_not_at_0", "start", at(0, 1)),
    ("end_before_start", "end", lambda x: x.__setitem__(5, 1)),
    ("start_negative", "start", lambda x: x.__setitem__(5, -5)),
    ("end_far_away", "end", lambda x: x.__setitem__(5, 2**31 - 1)),
    ("all_empty", "end", lambda x: x.fill(0)),
):
    refused("bin", f"bins_{name}")(
        lambda path, column=column, spoil=spoil: change(path, f"bins/{column}", spoil)
    )


@refused("bin")
def bins_one_wider_than_the_others(path):
    with edited(path) as file:
        file["bins/end"][5] += 100
        file["bins/start"][6] += 100


for name, row, value in (
    ("out_of_range", -1, 4),
    ("negative", 3, -1),
    ("huge", 3, 2**31 - 1),
    ("interleaved", 5, 1),
):

    @refused("bin", f"bins_chrom_{name}")
    def _chrom(path, row=row, value=value):
        chrom = base().chrom.astype("i4")
        chrom[row] = value
        replace(path, "bins/chrom", chrom)


@refused("nowhere")
def bins_chrom_an_unknown_name(path):
    names = np.array(base().names, "S8")[base().chrom]
    names[5] = b"nowhere"
    replace(path, "bins/chrom", names)


for name, value in (("0", 0), ("negative", -1), ("within_its_bins", 1000)):
    refused("chr", f"chroms_length_{name}")(
        lambda path, value=value: change(
            path, "chroms/length", lambda x: x.__setitem__(0, value)
        )
    )


@refused("chroms/name")
def chroms_name_twice(path):
    change(path, "chroms/name", lambda x: x.__setitem__(1, x[0]))


@refused("chroms/name")
def chroms_name_empty(path):
    change(path, "chroms/name", lambda x: x.__setitem__(1, b""))


@refused("bins|chroms")
def no_bins(path):
    empty = np.zeros(0, "i8")
    m = replaced(base(), names=[], lengths=empty, chrom=empty, start=empty, end=empty)
    m = m.take(np.zeros(m.nnz, bool))
    with edited(path) as file:
        for column in COLUMNS[:2]:
            dtype = file[column].dtype
            del file[column]
            file.create_dataset(column, (0,), dtype)
        for column in COLUMNS[2:] + PIXELS:
            del file[column]
            file.create_dataset(column, (0,), "i4")


NAMES = {
    "with_slashes": ["a/b", "/", "..", "x//y"],
    "with_blanks": ["chr 1", " ", "tab\tname", " end "],
    "in_utf8": ["хромосома", "染色体", "ß", "é" * 20],
    "like_options": ["-r", "--out", "$(x)", "'\"\\"],
    "of_one_width": ["aaaa", "bbbb", "cccc", "dddd"],
    "of_300_bytes": ["n" * 300, "m" * 300, "c", "d"],
}
for name, names in NAMES.items():
    for vlen in (False, True):

        @accepted(f"chroms_name_{name}{'_vlen' if vlen else ''}")
        def _names(path, names=names, vlen=vlen):
            stored = np.array(names, object) if vlen else np.array([n.encode() for n in names])
            with edited(path, enum=False) as file:
                del file["chroms/name"]
                file["chroms/name"] = stored
            return replaced(base(), names=names)


@either("chroms/name")
def chroms_name_not_utf8(path):
    with edited(path, enum=False) as file:
        del file["chroms/name"]
        file["chroms/name"] = np.array([b"\xff\xfe", b"a", b"b", b"c"])
    return replaced(base(), names=["\udcff\udcfe", "a", "b", "c"])


@refused("chroms/name")
def chroms_name_of_64_mb(path):
    names = ["x" * 64_000_000, *base().names[1:]]
    replace(path, "chroms/name", np.array(names, object), dtype=h5py.string_dtype())


def contigs(n, length=350):
    """n contigs of one bin each beside the usual chromosomes."""
    m = base()
    chroms = dict(zip(m.names, m.lengths)) | {f"contig_{i:06}": length for i in range(n)}
    return make_map(chroms, m.bin_size, (m.bin1, m.bin2, m.count))


@accepted()
def contigs_by_the_thousand(path):
    return write(path, contigs(5_000), enum=False)


@accepted()
def contigs_100_000(path):
    return write(path, contigs(100_000), enum=False)


@accepted()
def chromosomes_beyond_32_bits(path):
    m = make_map({"long": 9_000_000_000, "b": 5_000_000_000}, 100_000_000)
    pixels = np.triu_indices(m.nbins)
    m = make_map(
        dict(zip(m.names, m.lengths)), m.bin_size, (*pixels, np.arange(len(pixels[0]), dtype="i4"))
    )
    return write(path, m, position_dtype="i8", enum=False)

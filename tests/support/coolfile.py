"""Writing small coolers of every kind a reader may meet, and reading any back, with h5py alone.

`write_map` writes what the usual tools write. Its keyword arguments depart from that in one point
each: integer widths, byte order, filters, chunk lengths, missing or wrong parts.
"""

import json
import os

import h5py
import numpy as np

from support.maps import Map

USUAL_FILTERS = {"compression": "gzip", "compression_opts": 6, "shuffle": True, "chunks": True}

COUNTED_ATTRS = ("nnz", "sum", "nbins", "nchroms")
DESCRIPTIVE_ATTRS = (
    "format",
    "format-version",
    "format-url",
    "bin-type",
    "storage-mode",
    "creation-date",
    "generated-by",
    "genome-assembly",
    "metadata",
)


class _Writer:
    """Creates datasets with one set of filters; chunk lengths may differ by dataset."""

    def __init__(self, filters, chunk_lengths):
        self._filters = USUAL_FILTERS if filters is None else filters
        self._chunk_lengths = chunk_lengths or {}

    def put(self, group, name, data, **more):
        options = dict(self._filters)
        wanted = self._chunk_lengths.get(f"{group.name.split('/')[-1]}/{name}")
        if wanted is None and options.get("chunks") is not True:
            wanted = options.get("chunks")
        if wanted is not None:
            options["chunks"] = (max(1, min(wanted, len(data))),)
        if not len(data):
            options.update(maxshape=(None,), chunks=True)
        return group.create_dataset(name, data=data, **{**options, **more})


def _attributes(m):
    attrs = {
        "format": "HDF5::Cooler",
        "format-version": np.int64(3),
        "format-url": "https://github.com/open2c/cooler",
        "generated-by": "test-data",
        "creation-date": "2024-01-01T00:00:00",
        "genome-assembly": "toy1",
        "metadata": json.dumps({"lab": "test"}),
        "storage-mode": "square" if m.square else "symmetric-upper",
        "bin-type": "fixed" if m.bin_size else "variable",
        "bin-size": np.int64(m.bin_size) if m.bin_size else "null",
        "nchroms": np.int64(len(m.names)),
        "nbins": np.int64(m.nbins),
        "nnz": np.int64(m.nnz),
    }
    if "count" in m.columns:
        is_float = m.count.dtype.kind == "f"
        total = (m.count if is_float else m.count.astype(object)).sum() if m.nnz else 0
        if is_float or -(2**63) <= total < 2**63:
            attrs["sum"] = np.float64(total) if is_float else np.int64(total)
    return attrs


def _put_chroms(group, m, out, position_dtype, vlen_names):
    if vlen_names:
        group.create_dataset(
            "name", data=np.array(m.names, dtype=object), dtype=h5py.string_dtype("utf-8")
        )
    else:
        width = max(len(name) for name in m.names)
        out.put(group, "name", np.array(m.names, dtype=f"S{width}"))
    out.put(group, "length", m.lengths.astype(position_dtype))


def _put_bins(group, m, out, position_dtype, enum, chrom_dtype):
    if enum:
        members = {name: i for i, name in enumerate(m.names)}
        out.put(group, "chrom", m.chrom.astype(np.int32), dtype=h5py.enum_dtype(members, "i4"))
    else:
        chrom = out.put(group, "chrom", m.chrom.astype(chrom_dtype))
        chrom.attrs["enum_path"] = "/chroms/name"
    out.put(group, "start", m.start.astype(position_dtype))
    out.put(group, "end", m.end.astype(position_dtype))
    for name, values in m.bin_columns.items():
        out.put(group, name, values)


def _put_pixels(group, m, out, id_dtype, surplus_rows):
    columns = {"bin1_id": m.bin1.astype(id_dtype), "bin2_id": m.bin2.astype(id_dtype), **m.columns}
    for name, values in columns.items():
        padding = np.zeros(surplus_rows, dtype=values.dtype)
        out.put(group, name, np.concatenate([values, padding]) if surplus_rows else values)


def put_map(
    group,
    m,
    *,
    filters=None,
    chunk_lengths=None,
    id_dtype="i8",
    position_dtype="i4",
    enum=True,
    chrom_dtype="i4",
    vlen_names=False,
    surplus_rows=0,
    attrs=None,
    drop_attrs=(),
    indexes=None,
    drop=(),
    column_attrs=None,
):
    """Write the map into an open group. See write_map."""
    out = _Writer(filters, chunk_lengths)
    _put_chroms(group.create_group("chroms"), m, out, position_dtype, vlen_names)
    _put_bins(group.create_group("bins"), m, out, position_dtype, enum, chrom_dtype)
    _put_pixels(group.create_group("pixels"), m, out, id_dtype, surplus_rows)
    tables = {
        "chrom_offset": m.chrom_offset(),
        "bin1_offset": m.sorted().bin1_offset(),
        **(indexes or {}),
    }
    index_group = group.create_group("indexes")
    for name, values in tables.items():
        out.put(index_group, name, np.asarray(values, dtype=np.int64))
    for name, value in {**_attributes(m), **m.attrs, **(attrs or {})}.items():
        if name not in drop_attrs:
            group.attrs[name] = value
    for path, values in (column_attrs or {}).items():
        group[path].attrs.update(values)
    for path in drop:
        del group[path]


def write_map(path, m, group="/", *, mode="w", libver="earliest", **how):
    """Write `m` as a collection; returns the path.

    filters: h5py's options for every dataset ({}: contiguous); chunk_lengths: by "group/dataset";
    id_dtype, position_dtype, chrom_dtype: types of ids, positions and of bins/chrom without enum;
    surplus_rows: zero rows past nnz; attrs / drop_attrs: other or missing attributes;
    indexes: other index tables; drop: parts to leave out; column_attrs: attributes by dataset.
    """
    with h5py.File(path, mode, libver=libver) as file:
        put_map(file if group == "/" else file.create_group(group), m, **how)
    return path


def write_pyramid(path, levels, root_attrs=None):
    """An .mcool of maps by resolution, with the usual marks on the root or those given."""
    with h5py.File(path, "w") as file:
        for resolution, m in levels.items():
            put_map(file.create_group(f"resolutions/{resolution}"), m)
        marks = root_attrs or {"format": "HDF5::MCOOL", "format-version": np.int64(2)}
        for name, value in marks.items():
            file.attrs[name] = value
    return path


def text(value):
    return value.decode(errors="surrogateescape") if isinstance(value, bytes) else value


def read_map(path, group="/"):
    """Any collection as a Map; values keep their stored types, ids and positions become int64."""
    with h5py.File(path, "r") as file:
        g = file[group]
        attrs = {name: text(value) for name, value in g.attrs.items()}
        bin_size = attrs.get("bin-size")
        return Map(
            [text(name) for name in g["chroms/name"][:]],
            g["chroms/length"][:].astype(np.int64),
            *(g[f"bins/{k}"][:].astype(np.int64) for k in ("chrom", "start", "end")),
            *(g[f"pixels/{k}"][:].astype(np.int64) for k in ("bin1_id", "bin2_id")),
            {k: g["pixels"][k][:] for k in g["pixels"] if k not in ("bin1_id", "bin2_id")},
            None if bin_size in (None, "null") else int(bin_size),
            attrs.get("storage-mode") == "square",
            {k: g["bins"][k][:] for k in g["bins"] if k not in ("chrom", "start", "end")},
            attrs,
        )


def read_indexes(path, group="/"):
    with h5py.File(path, "r") as file:
        return file[group]["indexes/chrom_offset"][:], file[group]["indexes/bin1_offset"][:]


def resolutions(path):
    with h5py.File(path, "r") as file:
        return sorted(int(name) for name in file["resolutions"])


def digest(path):
    import hashlib

    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def uri(path, resolution):
    return f"{os.fspath(path)}::/resolutions/{resolution}"

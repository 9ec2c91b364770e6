"""Collections as text, the form in which expected results are kept.

STEM.pixels.tsv, STEM.bins.tsv: tables, integers as such and floats with 17 digits.
STEM.pixels.same-as-input: the pixel table equals the input's in values and types; only the column
names are kept. STEM.attrs.tsv: attributes of the collection (where = ".") and of its datasets,
type and length of each dataset, chromosome names and lengths, and a digest of bin1_offset.
The stem is the group with "/" as "." ("root" for "/"); file.attrs.tsv is for a root that is no
collection itself.
"""

import hashlib
from pathlib import Path

import h5py
import numpy as np

from support.coolfile import text

_UNSTABLE = ("creation-date", "generated-by")
_LONGEST_LIST = 200


def _type_name(type_id):
    kind = type_id.get_class()
    if kind == h5py.h5t.STRING:
        size = "vlen" if type_id.is_variable_str() else f"fixed{type_id.get_size()}"
        return f"str:{size}:{'utf8' if type_id.get_cset() else 'ascii'}"
    if kind == h5py.h5t.ENUM:
        return f"enum:{type_id.get_super().dtype}:{type_id.get_nmembers()}"
    return str(type_id.dtype)


def _value(v):
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, (float, np.floating)):
        return f"{float(v):.17g}"
    return str(text(v))


def _attribute_rows(obj, where):
    rows = []
    for name in sorted(obj.attrs):
        attribute = h5py.h5a.open(obj.id, name.encode())
        value = obj.attrs[name]
        shown = ",".join(map(_value, np.atleast_1d(value))) if name not in _UNSTABLE else "*"
        shape = "x".join(map(str, attribute.shape)) or "scalar"
        rows.append((where, name, _type_name(attribute.get_type()), shape, shown))
    return rows


def _filters(dataset):
    plist = dataset.id.get_create_plist()
    names = {1: "gzip", 2: "shuffle"}
    shown = []
    for i in range(plist.get_nfilters()):
        code, _, options, _ = plist.get_filter(i)
        shown.append(names.get(code, f"f{code}") + (str(options[0]) if code == 1 else ""))
    return "+".join(shown)


def _write_table(path, header, rows):
    with open(path, "w") as out:
        for row in [header, *rows]:
            out.write("\t".join(map(_value, row)) + "\n")


def read_table(path):
    """(header, rows) of a tab-separated table."""
    lines = Path(path).read_text().splitlines()
    return lines[0].split("\t"), [line.split("\t") for line in lines[1:] if line]


def pixel_columns(group):
    return ["bin1_id", "bin2_id"] + sorted(k for k in group["pixels"] if not k.startswith("bin"))


def _nnz(group):
    return int(group.attrs.get("nnz", len(group["pixels/bin1_id"])))


def _same_as(base, columns, data):
    return all(
        "pixels/" + c in base
        and base["pixels/" + c].dtype == values.dtype
        and np.array_equal(base["pixels/" + c][:], values, equal_nan=values.dtype.kind == "f")
        for c, values in zip(columns, data)
    )


def _listing(values):
    joined = ",".join(values)
    if len(values) > _LONGEST_LIST:
        return "sha256:" + hashlib.sha256(joined.encode()).hexdigest()[:16]
    return joined


def _dump_group(group, stem, base):
    columns = pixel_columns(group)
    data = [group["pixels/" + c][: _nnz(group)] for c in columns]
    if _same_as(base, columns, data):
        _write_table(f"{stem}.pixels.same-as-input", columns, [])
    else:
        _write_table(f"{stem}.pixels.tsv", columns, zip(*data))

    names = [text(name) for name in group["chroms/name"][:]]
    extra = sorted(k for k in group["bins"] if k not in ("chrom", "start", "end"))
    bins = [[names[i] for i in group["bins/chrom"][:]]]
    bins += [group["bins/" + c][:] for c in ["start", "end"] + extra]
    _write_table(f"{stem}.bins.tsv", ["chrom", "start", "end"] + extra, zip(*bins))

    rows = _attribute_rows(group, ".")
    for part in ("bins", "chroms", "indexes", "pixels"):
        for name, dataset in sorted(group[part].items()):
            where = f"{part}/{name}"
            rows.append(
                (
                    where,
                    "(dataset)",
                    _type_name(dataset.id.get_type()),
                    dataset.shape[0],
                    _filters(dataset),
                )
            )
            rows += _attribute_rows(dataset, where)
    lengths = [str(v) for v in group["chroms/length"][:]]
    rows.append(("chroms", "(names)", "-", len(names), _listing(names)))
    rows.append(("chroms", "(lengths)", "-", len(lengths), _listing(lengths)))
    offset = group["indexes/bin1_offset"][:].astype("<i8")
    rows.append(
        (
            "indexes/bin1_offset",
            "(sha256)",
            "-",
            len(offset),
            hashlib.sha256(offset.tobytes()).hexdigest()[:16],
        )
    )
    _write_table(f"{stem}.attrs.tsv", ("where", "name", "type", "shape", "value"), rows)


def collections(file):
    """Paths of all collections in an open file."""
    found = []

    def visit(name, obj):
        if isinstance(obj, h5py.Group) and "pixels" in obj and "bins" in obj:
            found.append("/" + name)

    visit("", file)
    file.visititems(visit)
    return [path.rstrip("/") or "/" for path in found]


def dump_file(path, base_path, folder):
    """Write every collection of `path` as text into `folder`; returns the stems, sorted."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stems = []
    with h5py.File(path, "r") as file, h5py.File(base_path, "r") as base:
        found = collections(file)
        for group in found:
            stems.append(group.strip("/").replace("/", ".") or "root")
            _dump_group(file[group], folder / stems[-1], base)
        if "/" not in found:
            _write_table(
                folder / "file.attrs.tsv",
                ("where", "name", "type", "shape", "value"),
                _attribute_rows(file, "/"),
            )
    return sorted(stems)

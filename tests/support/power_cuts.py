"""What a disk may hold after the power failed: a journal of a run's changes, replayed in part.

The journal takes down each change of the watched folder, with its bytes, in the order of the calls.
A state of the disk is asked for by a number of changes that were made before the power went, and by
what of them had reached the disk:

- synced: only what was promised: a file's bytes up to its last fsync, a name once its folder was
  synced. The least that POSIX grants.
- metadata: every name and every size, but only synced bytes; the rest reads as zeros. So a rename
  without a sync before it shows zeros under the final name.
- torn: names as of some moment since the last sync; of the bytes since then each block of 4 KiB or
  not, by chance.

Names become durable in the order in which they were made; hard links are not modelled.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = 4096


@dataclass
class _File:
    durable: bytearray = field(default_factory=bytearray)
    pending: list = field(default_factory=list)  # (offset, bytes), or (new size, None)

    def sync(self):
        for change in self.pending:
            _apply(self.durable, *change)
        self.pending.clear()


def _grow(content, size):
    if len(content) < size:
        content.extend(bytes(size - len(content)))


def _apply(content, offset, data):
    if data is None:
        del content[offset:]
        _grow(content, offset)
    else:
        _grow(content, offset + len(data))
        content[offset : offset + len(data)] = data


def _synced(file):
    return bytes(file.durable)


def _metadata(file):
    content = bytearray(file.durable)
    for offset, data in file.pending:
        if data is None:
            _apply(content, offset, None)
        else:
            _grow(content, offset + len(data))
    return bytes(content)


def _torn(file, rng):
    content = bytearray(file.durable)
    for offset, data in file.pending:
        if data is None:
            _apply(content, offset, None)
            continue
        begin = 0
        while begin < len(data):
            end = min(len(data), begin + BLOCK - (offset + begin) % BLOCK)
            if rng.random() < 0.5:
                _apply(content, offset + begin, data[begin:end])
            begin = end
    return bytes(content)


class _Disk:
    """Names and files as a program sees them, and what of the names is durable."""

    def __init__(self, before):
        self.seen = {name: _File(bytearray(data)) for name, data in before.items()}
        self.durable = dict(self.seen)
        self.pending = []  # (folders concerned, change of names)

    def change_names(self, folders, change):
        change(self.seen)
        self.pending.append((folders, change))

    def sync_folder(self, folder):
        for folders, change in self.pending:
            if folder in folders:
                change(self.durable)
        self.pending = [(f, c) for f, c in self.pending if folder not in f]

    def durable_after(self, n):
        names = dict(self.durable)
        for _, change in self.pending[:n]:
            change(names)
        return names


def _put(name, file):
    return lambda names: names.__setitem__(name, file)


def _remove(name):
    return lambda names: names.pop(name, None)


def _move(old, new, file):
    """The new name stands for the file, whether or not the old one was ever durable."""

    def change(names):
        names.pop(old, None)
        names[new] = file

    return change


class Journal:
    """Give `note` every call of a run as it comes; then ask for states."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self._before = {
            str(p.relative_to(folder)): p.read_bytes()
            for p in self.folder.rglob("*")
            if p.is_file()
        }
        self.changes = []  # (name of the call, arguments)

    def _name(self, path):
        return os.path.relpath(path, self.folder)

    def note(self, call):
        name = self._name(call.path)
        if call.name == "openat":
            if call.args[2] & os.O_TRUNC and os.path.exists(call.path):
                self.changes.append(("resize", name, 0))
            elif call.args[2] & os.O_CREAT and not os.path.exists(call.path):
                self.changes.append(("create", name))
        elif call.name in ("pwrite64", "write"):
            self.changes.append(("write", name, call.offset, call.given()))
        elif call.name == "sendfile":
            self.changes.append(("write", name, call.offset, call.sent()))
        elif call.name == "ftruncate":
            self.changes.append(("resize", name, call.args[1]))
        elif call.name in ("fsync", "fdatasync"):
            kind = "sync folder" if os.path.isdir(call.path) else "sync"
            self.changes.append((kind, name))
        elif call.name == "rename":
            self.changes.append(("rename", name, self._name(call.new_path)))
        elif call.name == "unlink":
            self.changes.append(("remove", name))
        elif call.name not in ("mkdir", "rmdir"):  # folders come and go with their files
            raise NotImplementedError(f"no model of {call.name}")

    def disk_after(self, n):
        disk = _Disk(self._before)
        for kind, name, *more in self.changes[:n]:
            folder = os.path.dirname(name) or "."
            if kind == "create":
                disk.change_names({folder}, _put(name, _File()))
            elif kind == "write":
                disk.seen[name].pending.append(tuple(more))
            elif kind == "resize":
                disk.seen[name].pending.append((more[0], None))
            elif kind == "sync":
                disk.seen[name].sync()
            elif kind == "sync folder":
                disk.sync_folder(name)
            elif kind == "rename":
                folders = {folder, os.path.dirname(more[0]) or "."}
                disk.change_names(folders, _move(name, more[0], disk.seen[name]))
            elif kind == "remove":
                disk.change_names({folder}, _remove(name))
        return disk

    def states(self, n, rng, torn=3):
        """(policy, {name: bytes}) of what may be on the disk when the power goes after n changes."""
        disk = self.disk_after(n)
        yield "synced", {name: _synced(file) for name, file in disk.durable.items()}
        yield "metadata", {name: _metadata(file) for name, file in disk.seen.items()}
        for i in range(torn):
            names = disk.durable_after(rng.randint(0, len(disk.pending)))
            yield f"torn {i}", {name: _torn(file, rng) for name, file in names.items()}

"""Random mixes of options of `dump`, such as fit a map.

Left out is what the reference does not do as its help says, and test_dump.py tells by itself: the
one-based options where nothing else is joined, --columns for pixels, a header above no rows.
"""

import h5py

NUMBERS = ["g", ".12g", "03.2f", ".3e", "+.5g", " .4f", ".0f", "010.3f", "G", ".17g", "#.3g", "-12.4f"]
MANY_PIXELS = 60_000
FEW_PIXELS = 3_000


class Mixes:
    def __init__(self, random, path, group=""):
        self.random = random
        with h5py.File(path, "r") as file:
            collection = file[group or "/"]
            names = collection["chroms/name"][:]
            self.names = [n.decode() if isinstance(n, bytes) else n for n in names]
            self.lengths = collection["chroms/length"][:].astype(int).tolist()
            self.chrom_columns = list(collection["chroms"])
            self.bin_columns = list(collection["bins"])
            self.nnz = len(collection["pixels/bin1_id"])

    def often(self, share):
        return self.random.random() < share

    def some(self, names):
        return ",".join(self.random.sample(names, self.random.randint(1, min(4, len(names)))))

    def region(self):
        at = self.random.randrange(len(self.names))
        name, length = self.names[at], self.lengths[at]
        start, end = sorted(self.random.randint(0, length) for _ in range(2))
        return self.random.choice(
            [name, name, f"{name}:{start}-", f"{name}:{start:,}-{end:,}", f"{name}:{start}-{end}"]
        )

    def options(self):
        table = self.random.choice(["pixels"] * 6 + ["bins", "chroms"])
        chosen = ["-t", table] if table != "pixels" or self.often(0.2) else []
        if self.often(0.4):
            chosen.append("-H")
        if self.often(0.3):
            chosen += ["--na-rep", self.random.choice(["NA", "nan", "0", "", "."])]
        if self.often(0.4):
            chosen += ["--float-format", self.random.choice(NUMBERS)]
        if table == "pixels":
            return chosen + self.place() + self.columns()
        if self.often(0.4):
            chosen += ["-c", self.some(self.bin_columns if table == "bins" else self.chrom_columns)]
        return chosen

    def place(self):
        chosen = []
        if self.nnz > MANY_PIXELS or self.often(0.6):
            chosen += [self.random.choice(["-r", "--range"]), self.region()]
        if self.often(0.4):
            chosen += [self.random.choice(["-r2", "--range2"]), self.region()]
        if self.often(0.4):
            chosen.append(self.random.choice(["-f", "--fill-lower"]))
        if self.often(0.4):
            least = 1 if self.nnz < FEW_PIXELS else 500
            chosen += ["-k", str(self.random.choice([least, 777, 10_000, 1_000_000]))]
        return chosen

    def columns(self):
        chosen = []
        weights = [name for name in self.bin_columns if name in ("weight", "KR", "VC")]
        if weights and self.often(0.5):
            weight = self.random.choice(weights)
            balanced = weight == "weight" and self.often(0.6)
            chosen += ["-b"] if balanced else ["--weight-name", weight]
        if self.often(0.4):
            chosen.append("--join")
        if self.often(0.35):
            chosen += ["--annotate", self.some(self.bin_columns)]
        if chosen:
            chosen += [o for o in ("--one-based-ids", "--one-based-starts") if self.often(0.3)]
        return chosen if chosen or self.often(0.9) else ["--no-balance"]

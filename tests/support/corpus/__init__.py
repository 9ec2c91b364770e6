"""Files that readers of contact maps meet, each with one thing in it that is broken or odd.

Kinds of faults rather than single files: of the container (`containers`), of the tables and
attributes (`tables`), of storage and size (`storage`). VARIANTS names them all.
"""

from support.corpus import containers, storage, tables  # noqa: F401  (they register themselves)
from support.corpus.variant import ACCEPT, EITHER, REFUSE, VARIANTS, Variant

__all__ = ["ACCEPT", "EITHER", "REFUSE", "VARIANTS", "Variant"]

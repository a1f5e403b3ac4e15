"""Networks in shards: a folder of Parquet files, of which each process of a fit reads its own."""

from orthonet.files.shards.manifest import MANIFEST, is_shards
from orthonet.files.shards.reading import Shards
from orthonet.files.shards.writing import write_shards

__all__ = ["MANIFEST", "Shards", "is_shards", "write_shards"]

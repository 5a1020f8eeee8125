"""The stored form of a record: compressed, with the size and the digests of both forms."""

from __future__ import annotations

import hashlib
import zlib

from referee.store.errors import DamagedRow


def unpacked_record(match: int, body: bytes, digest: str, size: int, packed_crc: int | None) -> bytes:
    """A record as it was reported; a damaged one is an error, never handed out."""
    unpacking = zlib.decompressobj()
    try:
        # Bounded by the noted size, so that a damaged row cannot fill the memory.
        record = unpacking.decompress(body, max(0, size) + 1)
    except zlib.error:
        record = b""
    whole = unpacking.eof and not unpacking.unused_data and packed_crc == zlib.crc32(body)
    if not whole or len(record) != size or hashlib.sha256(record).hexdigest() != digest:
        raise DamagedRow(f"the record of match {match} is damaged: restore the database from a copy")
    return record

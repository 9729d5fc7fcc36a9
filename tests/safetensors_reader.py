"""Reads a safetensors file with Python's standard library alone, by the rules of the format's own
documentation: a stand-in for the public library, for tests and scripts.

read(path) gives (metadata, {name: (dtype, shape, values)}); a breach of the format raises ValueError.
"""
import json
import math
import pathlib
import struct
import zlib

SIZES = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "I16": 2,
         "U16": 2, "I8": 1, "U8": 1, "BOOL": 1}
CODES = {"F64": "d", "I64": "q", "U64": "Q", "F32": "f", "I32": "i", "U32": "I", "F16": "e",
         "I16": "h", "U16": "H", "I8": "b", "U8": "B", "BOOL": "?"}


def need(condition, what):
    if not condition:
        raise ValueError(what)


def without_twins(pairs):
    need(len({key for key, _ in pairs}) == len(pairs), "a key occurs twice")
    return dict(pairs)


def parse_header(content):
    need(len(content) >= 8, "no header")
    (n,) = struct.unpack("<Q", content[:8])
    need(n <= 100_000_000 and 8 + n <= len(content), "header too long")
    text = content[8:8 + n]
    need(text.startswith(b"{"), "the header does not begin with {")
    return 8 + n, json.loads(text.decode("utf-8"), object_pairs_hook=without_twins)


def read(path):
    content = pathlib.Path(path).read_bytes()
    start, header = parse_header(content)
    metadata = header.pop("__metadata__", {})
    need(all(isinstance(value, str) for value in metadata.values()), "metadata other than strings")
    tensors, end = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        first, last = entry["data_offsets"]
        count = math.prod(entry["shape"])
        need(first == end and last - first == count * SIZES[entry["dtype"]], f"{name}: wrong place")
        need(start + last <= len(content), f"{name}: beyond the end")
        end = last
        values = None
        if entry["dtype"] in CODES:
            values = list(struct.unpack(f"<{count}{CODES[entry['dtype']]}",
                                        content[start + first:start + last]))
        tensors[name] = (entry["dtype"], entry["shape"], values)
    need(start + end == len(content), "bytes that belong to no tensor")
    return metadata, tensors


def checksum(path):
    """The checksum a file of ours must carry: CRC-32 with its own digits read as 0."""
    content = pathlib.Path(path).read_bytes()
    start, header = parse_header(content)
    digits = header["__metadata__"]["checksum"].encode()
    mark = b'"checksum":"' + digits + b'"'
    need(content[:start].count(mark) == 1, "the checksum's place is not plain")
    at = content.index(mark) + len(mark) - 9
    return f"{zlib.crc32(content[:at] + b'0' * 8 + content[at + 8:]):08x}"

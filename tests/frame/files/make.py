#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of Arrow's as others write them. Usage: make.py, with pyarrow 26 or newer.

What is in them stands here alone; tests/lua/test_frame_arrow.lua says it again.
"""
import datetime
import pathlib

import numpy as np
import pyarrow as pa

HERE = pathlib.Path(__file__).parent
LONG = "a text of more than twelve bytes"


def types():
    """A column of each type that frame takes, some with missing values."""
    day, moment = datetime.date, datetime.datetime
    half = pa.array(np.array([1, 2.5, -4], "float16"))
    return pa.table({
        "i64": pa.array([1, -2, 3], pa.int64()),
        "i8": pa.array([1, -2, 3], pa.int8()),
        "u16": pa.array([1, 2, 65535], pa.uint16()),
        "u64": pa.array([1, 2, 2**64 - 1], pa.uint64()),
        "f16": half,
        "f32": pa.array([1.5, None, -4], pa.float32()),
        "f64": pa.array([0.1, 0.2, 0.3]),
        "bool": pa.array([True, False, True]),
        "str": pa.array(["a", "\u00e4", "a"]),
        "large": pa.array(["", None, LONG], pa.large_string()),
        "view": pa.array(["twelve bytes", LONG, None], pa.string_view()),
        "codes": pa.array(["p", None, "p"]).dictionary_encode(),
        "numbers": pa.array([7, 8, 7]).dictionary_encode(),
        "missing_i32": pa.array([1, None, 3], pa.int32()),
        "missing_bool": pa.array([True, None, False]),
        "null": pa.nulls(3),
        "date": pa.array([day(2024, 2, 29), None, day(1899, 12, 31)]),
        "time": pa.array([moment(2024, 2, 29, 12, 30, 0, 500000),
                          moment(1969, 12, 31, 23, 59, 59), None],
                         pa.timestamp("us")),
        "zoned": pa.array([moment(2000, 3, 1)] * 3, pa.timestamp("s", "UTC")),
    })


def write(name, table, stream=False, **options):
    """Writes a file, or a stream."""
    options = pa.ipc.IpcWriteOptions(**options)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(str(HERE / name), table.schema, options=options) as out:
        if isinstance(table, pa.Table):
            out.write_table(table, max_chunksize=2)
        else:
            for batch in table:
                out.write_batch(batch)


class Batches(list):
    """Batches of one schema."""
    schema = pa.schema([("c", pa.dictionary(pa.int8(), pa.string())),
                        ("x", pa.int32())])


def dictionaries():
    """Codes into dictionaries that grow, and that others replace."""
    lists = [["a", "b"], ["a", "b", "c"], ["c", "a"]]
    out = Batches()
    for i, words in enumerate(lists):
        codes = pa.DictionaryArray.from_arrays(
            pa.array([0, len(words) - 1, None], pa.int8()), words)
        out.append(pa.record_batch([codes, pa.array([i, i, i], pa.int32())],
                                   schema=Batches.schema))
    return out


def nested():
    """Types that frame lacks, around one that it has."""
    return pa.table({
        "list": pa.array([[1, 2], None, []]),
        "struct": pa.array([{"a": 1, "b": "x"}] * 3),
        "views": pa.array([[LONG], [], ["short"]], pa.list_(pa.string_view())),
        "binary": pa.array([b"a", b"b", None]),
        "map": pa.array([[("k", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
        "x": pa.array([1, 2, 3]),
        "decimal": pa.array([None] * 3, pa.decimal128(5, 2)),
        "text": pa.array(["a", LONG, "c"]),
    })


if __name__ == "__main__":
    write("types.arrow", types().combine_chunks())
    write("stream.arrows", types(), stream=True)
    few = types().select(["i64", "large", "view", "missing_bool"])
    write("lz4.arrow", few, compression="lz4")
    write("zstd.arrow", few, compression="zstd")
    write("nested.arrow", nested())
    write("deltas.arrows", dictionaries(), stream=True,
          emit_dictionary_deltas=True)

# SPDX-License-Identifier: Apache-2.0
"""Parquet's files as Arrow's streams, and back, for arrow.lua beside it.

    parquet.py read [columns] COUNT PATH... [COLUMN...]
    parquet.py write COMPRESSION

`read` writes a stream for each file to its standard output, one behind the other;
`write` reads a stream from its standard input and writes a file's bytes. Texts come
as codes into a dictionary, each column in one piece, so that it is read in place.
Exit status 3: pyarrow is not here; 4: a column is not there, and the output is the
names of those that are; 1: the last line of what it says is why.
"""

import os
import sys

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as e:
    print(e, file=sys.stderr)
    sys.exit(3)


def is_text(kind):
    """Are its values texts?"""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def read(path, columns, out):
    """Writes the file's columns as a stream."""
    schema = pq.read_schema(path)
    if columns is None:
        columns = schema.names
    elif not set(columns) <= set(schema.names):
        out.write("\n".join(schema.names).encode())
        out.flush()
        sys.exit(4)
    texts = [f.name for f in schema if is_text(f.type)]
    file = pq.ParquetFile(path, memory_map=True, read_dictionary=texts)
    table = file.read(columns=columns).select(columns)
    table = table.unify_dictionaries().combine_chunks()
    with pa.ipc.new_stream(pa.PythonFile(out, "w"), table.schema) as stream:
        stream.write_table(table)


def write(compression, out):
    """Writes the stream that comes as a file's bytes."""
    source = pa.memory_map(f"/proc/self/fd/{sys.stdin.fileno()}")
    table = pa.ipc.open_stream(source).read_all()
    pq.write_table(table, pa.PythonFile(out, "w"), compression=compression)


def main(words):
    """Does what the words say."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        if words[0] == "write":
            write(words[1], out)
            return
        has_columns = words[1] == "columns"
        rest = words[2 if has_columns else 1:]
        count = int(rest[0])
        for path in rest[1:1 + count]:
            try:
                read(path, rest[1 + count:] if has_columns else None, out)
            except (pa.ArrowException, OSError) as e:
                raise SystemExit(f"{path}: {first_line(e)}") from None


def first_line(error):
    """What it says, short."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (pa.ArrowException, OSError, ValueError, MemoryError) as e:
        sys.exit(first_line(e))

# SPDX-License-Identifier: Apache-2.0
"""Parquet's files as Arrow's streams, and back, for arrow.lua beside it.

    parquet.py read [columns] [groups=0,2] COUNT PATH... [COLUMN...]
    parquet.py metadata [columns] COUNT PATH... [COLUMN...]
    parquet.py write COMPRESSION

`read` writes a stream for each file to its standard output, one behind the other, of
all its row groups or those; `metadata` one of what row groups all files have, and one
of their columns without a row, which must be the same;
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


def names_of(schema, columns, out):
    """The columns that are wanted."""
    if columns is None:
        return schema.names
    if not set(columns) <= set(schema.names):
        out.write("\n".join(schema.names).encode())
        out.flush()
        sys.exit(4)
    return columns


def write_stream(table, out):
    """Writes a table, each column in one piece."""
    table = table.unify_dictionaries().combine_chunks()
    with pa.ipc.new_stream(pa.PythonFile(out, "w"), table.schema) as stream:
        stream.write_table(table)


def place(path):
    """A file's that is here, which pyarrow must not take for an address (s3:x)."""
    return os.path.abspath(path) if os.path.exists(path) else path


def open_file(path, schema):
    """The file, whose texts come as codes."""
    texts = [f.name for f in schema if is_text(f.type)]
    return pq.ParquetFile(place(path), memory_map=True, read_dictionary=texts)


def read(path, columns, groups, out):
    """Writes the file's columns as a stream."""
    schema = pq.read_schema(place(path))
    columns = names_of(schema, columns, out)
    file = open_file(path, schema)
    if groups is None:
        table = file.read(columns=columns)
    else:
        for group in groups:
            if group >= file.num_row_groups:
                raise OSError(f"there is no row group {group}: it has {file.num_row_groups},"
                              " the first is 0")
        table = file.read_row_groups(groups, columns=columns)
    write_stream(table.select(columns), out)


def check_same(path, fields, first, columns):
    """Are its columns those of the first file?"""
    for name in columns:
        here, there = (f.field(name).type if name in f.names else "missing"
                       for f in (fields, first[1]))
        if here != there:
            raise OSError(f'its column "{name}" is {here}, and that of {first[0]} {there}')


def metadata(paths, columns, out):
    """Writes what row groups there are, and an empty table."""
    rows, first = [], None
    for number, path in enumerate(paths):
        try:
            schema = pq.read_schema(place(path))
            if first is None:
                columns = names_of(schema, columns, out)
                first = path, schema
            check_same(path, schema, first, columns)
            told = pq.read_metadata(place(path))
            rows += [(number, i, told.row_group(i).num_rows, told.row_group(i).total_byte_size)
                     for i in range(told.num_row_groups)]
        except (pa.ArrowException, OSError) as e:
            raise SystemExit(f"{path}: {first_line(e)}") from None
    names = ["file", "row_group", "rows", "bytes"]
    write_stream(pa.table([pa.array([row[i] for row in rows], pa.int64()) for i in range(4)],
                          names=names), out)
    table = open_file(*first).schema_arrow.empty_table()
    write_stream(table.select(columns), out)


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
        rest = words[1:]
        has_columns = rest[0] == "columns"
        rest = rest[int(has_columns):]
        groups = None
        if rest[0].startswith("groups="):
            groups = [int(n) for n in rest.pop(0)[7:].split(",") if n]
        count = int(rest[0])
        columns = rest[1 + count:] if has_columns else None
        if words[0] == "metadata":
            metadata(rest[1:1 + count], columns, out)
            return
        for path in rest[1:1 + count]:
            try:
                read(path, columns, groups, out)
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

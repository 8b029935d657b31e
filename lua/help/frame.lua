-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for frame: its functions, and the methods of frames
-- (frame.DataFrame.NAME) and of series (frame.Series.NAME).
return {
["frame"] = [[
frame: tables with named columns, as pandas has them. df = frame.DataFrame{x =
{1, 2}}
makes one; df shows it, df.x and df["x"] are a column, df.y = df.x * 2 adds one,
df[df.x:gt(1)] are the rows where x is greater than 1. ?frame.DataFrame and
?frame.Series list what they can do.]],
["frame.DataFrame"] = [[
frame.DataFrame(data [, {columns = names}]): a frame of {name = values} (columns
in
alphabetical order, or as `columns` says), of {{"name", values}, ...} in that
order, or of
an array with two axes. Values are a list, an array, a series, or one value for
all rows; frame.NA stands for a missing one.
Methods: head tail filter iloc loc iterrows sort_values sort_index column select
assign
drop rename copy astype set_index reset_index isna notna dropna fillna duplicated
drop_duplicates sum mean
min max
median std var count nunique describe groupby merge pivot pivot_table to_csv to_parquet
to_feather to_device to_host
to_numpy (?frame.DataFrame.head says more)
Properties: columns shape dtypes index values device
Errors:  'the column "y" has 3 rows and "x" has 2'
Example: frame.DataFrame{x = {1, 2}}.shape[1] --> 2]],
["frame.Series"] = [[
frame.Series(values [, {name =, index = labels}]): a column by itself.
Arithmetic
(+ - * / // % ^) goes value by value, s:gt(3) and its like compare, & | ~ join
what they
give; s[label], s:iloc(i) read.
Methods: eq ne lt le gt ge between isin map apply abs sqrt exp log floor ceil
round isna
notna fillna dropna duplicated drop_duplicates filter head tail sort_values sort_index rename astype sum
mean min max
median std var count nunique unique quantile idxmax idxmin any all cumsum
value_counts
describe to_numpy tolist iloc loc (?frame.Series.gt says more)
Properties: values name dtype shape index
Example: frame.Series({3, 4}):sum() --> 7]],
["frame.read_csv"] = [[
frame.read_csv(path or list of paths [, options]): the rows of a file, or of
several one below the other. Types are found (i64, f64, bool, str) or given; a
column of whole numbers some of which are missing is f64. Quotes as RFC 4180
has them, newlines in them too.
Options: sep = ",", header = 0 (the row of names; false: none), names, usecols,
dtype = "f64" or {name = "i32"} (i8 to i64, u8 to u64, f16, f32, f64, bool, str),
nrows, chunksize, na_values, keep_default_na = true, quotechar, skiprows = 0,
index_col, device = false, on_bad_lines = "error" or "skip", threads = 0 (one a
processor).
With chunksize it is an iterator, for files larger than memory:
for part in frame.read_csv("x.csv", {chunksize = 100000}) do ... end
Errors:  'x.csv:7: column "n": "abc" is no i64; dtype = "str" takes it',
"x.csv:9: the line has 4 fields, and there are 3 columns"
Source:  RFC 4180; pandas.read_csv; lua/bind/frame/csv]],
["frame.read_parquet"] = [[
frame.read_parquet(path or list of paths [, {columns = names, index_col,
device = false, row_groups = {0, 2}}]): the rows of a file of Parquet, or of several one
below the other; of one file, the rows of some of its row groups, from 0 on.
pyarrow reads it, in a Python process of its own (of the virtual environment that is
active, else python3), and its columns are taken over as they lie. Texts are codes
into a dictionary; whole numbers some of which are missing become f64; dates and
times are texts, "2024-02-29 12:30:00", in UTC where they have a zone.
Errors:  'column "tags": its type is list, and frame has numbers, bools, texts and
dates (as texts)', "`pip install pyarrow` gets it"
Source:  pandas.read_parquet; lua/frame/parquet.py]],
["frame.read_parquet_metadata"] = [[
frame.read_parquet_metadata(path or list of paths [, {columns = names}]): what row
groups there are, a frame with the columns file (from 0 on), row_group (of that file),
rows and bytes (unpacked), and a frame of the files' columns without a row. Their
columns must be the same.
Errors:  'b.parquet: its column "x" is double, and that of a.parquet int64'
Source:  pyarrow.parquet.read_metadata; lua/frame/parquet.py]],
["frame.read_feather"] = [[
frame.read_feather(path or list of paths [, {columns = names, index_col,
device = false}]): the rows of a file of Feather, which is Arrow's: what
df:to_feather, pandas, pyarrow and polars write. No library is needed, but liblz4 or
libzstd where the columns are packed. Types as frame.read_parquet has them.
Errors:  "read_feather: x.feather: it is broken: its end is missing"
Source:  pandas.read_feather; lua/bind/frame/arrow]],
["frame.read_arrow"] = [[
frame.read_arrow(path or list of paths [, options]): as frame.read_feather, which
takes Arrow's files and its streams, too.
Source:  Arrow Columnar Format, Serialization and Interprocess Communication]],
["frame.concat"] = [[
frame.concat(list [, {ignore_index = false}]): frames (or series) one below the
other; a
column that one of them lacks is missing there.
Example: #frame.concat({frame.DataFrame{x = {1}}, frame.DataFrame{x = {2, 3}}}) --> 3]],
["frame.NA"] = [[
frame.NA: stands for a missing value in a list.
Example: frame.Series({"a", frame.NA}):count() --> 1]],
["frame.isna"] = [[
frame.isna(x): is a value missing, or which ones of a series' or a frame's.
Example: frame.isna(np.nan) --> true]],

["frame.DataFrame.head"] = [[
df:head([n = 5]): the first n rows; all but the last ones where n is negative.
Example: #frame.DataFrame{x = np.arange(9)}:head(2) --> 2]],
["frame.DataFrame.tail"] = [[
df:tail([n = 5]): the last n rows; all but the first ones where n is
negative.]],
["frame.DataFrame.filter"] = [[
df:filter(mask), df[mask]: the rows where the mask, a series or an array of
bools, is
true. Several conditions: df[df.x:gt(1) & df.y:lt(3)].
Errors:  "the mask has 2 rows and the frame 3"
Example: #frame.DataFrame{x = {1, 2, 3}}:filter({true, false, true}) --> 2]],
["frame.DataFrame.iloc"] = [[
df:iloc(i): row i, from 0 or (negative) from the end, as a table from names to
values;
of a list of positions a frame.
Example: frame.DataFrame{x = {5, 6}}:iloc(-1).x --> 6]],
["frame.DataFrame.loc"] = [[
df:loc(label): the first row with that label, as a table from names to
values.]],
["frame.DataFrame.iterrows"] = [[
for label, row in df:iterrows() do ... end: row by row, each as a table. Slow
where an
operation of whole columns does it.]],
["frame.DataFrame.sort_values"] = [[
df:sort_values(by [, {ascending = true, ignore_index = false}]): rows in the
order of a
column, or of a list of columns, the first one most. Missing values come last,
equal
rows stay as they were. `ascending` may be a list, too.
Example: frame.DataFrame{x = {2, 1}}:sort_values("x"):iloc(0).x --> 1]],
["frame.DataFrame.sort_index"] = [[
df:sort_index([{ascending = true}]): rows in the order of their labels.]],
["frame.DataFrame.column"] = [[
df:column(name): the column as a series, even where a method has that name, as
count.
Errors:  'there is no column "balanc"; did you mean "balance"?']],
["frame.DataFrame.select"] = [[
df:select(names), df[{"a", "b"}]: a frame of these columns, in that order.]],
["frame.DataFrame.assign"] = [[
df:assign{name = values}: a new frame with these columns as well, or in place of
those
with their names. A function gets the frame so far.
Example: frame.DataFrame{x = {1}}:assign{y = function(d) return d.x + 1 end}.y:sum() --> 2]],
["frame.DataFrame.drop"] = [[
df:drop(names): a new frame without a column, or several.]],
["frame.DataFrame.rename"] = [[
df:rename{old = "new"}: a new frame whose columns have other names.]],
["frame.DataFrame.to_device"] = [[
df:to_device(): a frame whose columns are arrays on the device in use; what is done with
it is computed there, by kernels (groupby, merge, rows) and np's functions of device
arrays. Texts are codes there, their dictionary stays on the host.]],
["frame.DataFrame.to_host"] = [[
df:to_host(): a frame whose columns are arrays on the host.]],
["frame.DataFrame.copy"] = [[
df:copy(): the same columns in a new frame; assigning to it leaves df as it
is.]],
["frame.DataFrame.astype"] = [[
df:astype(type), df:astype{name = type}: columns as "i64", "f64", "f32", "bool",
"str" ...]],
["frame.DataFrame.set_index"] = [[
df:set_index(names): a column, or several, as the rows' labels.]],
["frame.DataFrame.reset_index"] = [[
df:reset_index([{drop = false}]): the rows' labels as columns in front, or gone;
rows
are 0, 1, 2 ... again.]],
["frame.DataFrame.isna"] = [[
df:isna(): a frame of bools, true where a value is missing.]],
["frame.DataFrame.notna"] = [[
df:notna(): a frame of bools, true where a value is there.]],
["frame.DataFrame.dropna"] = [[
df:dropna([{subset = names, how = "any"}]): without the rows in which a value is
missing; "all": in which all are.]],
["frame.DataFrame.fillna"] = [[
df:fillna(value), df:fillna{name = value}: with this value where one is missing.
Errors:  'the column "name" holds texts, and 0 is none']],
["frame.DataFrame.duplicated"] = [[
df:duplicated([{subset = names, keep = "first"}]): where a row is there already,
compared in all columns or in these. keep: which of them counts as the one that is
no double, "first" or "last"; false: none. Missing values are equal to each other.
Errors:  'duplicated: there is no column "frut"; did you mean "fruit"?'
Example: frame.DataFrame{x = {1, 1, 2}}:duplicated():sum() --> 1]],
["frame.DataFrame.drop_duplicates"] = [[
df:drop_duplicates([{subset = names, keep = "first", ignore_index = false}]):
without the rows that df:duplicated names.
Example: #frame.DataFrame{x = {1, 1, 2}}:drop_duplicates() --> 2]],
["frame.DataFrame.sum"] = [[
df:sum([{numeric_only = false}]): a series of each column's sum; missing values
are
passed over. mean, min, max, median, std, var ({ddof = 1}) likewise.
Errors:  'the column "name" holds texts; df:sum{numeric_only = true} leaves such
out']],
["frame.DataFrame.mean"] = [[
df:mean([{numeric_only = false}]): a series of each column's mean.]],
["frame.DataFrame.min"] = [[
df:min([{numeric_only = false}]): a series of each column's smallest value.]],
["frame.DataFrame.max"] = [[
df:max([{numeric_only = false}]): a series of each column's largest value.]],
["frame.DataFrame.median"] = [[
df:median([{numeric_only = false}]): a series of each column's median.]],
["frame.DataFrame.std"] = [[
df:std([{numeric_only = false, ddof = 1}]): a series of each column's standard
deviation.]],
["frame.DataFrame.var"] = [[
df:var([{numeric_only = false, ddof = 1}]): a series of each column's
variance.]],
["frame.DataFrame.count"] = [[
df:count(): a series of how many values each column has, without missing
ones.]],
["frame.DataFrame.nunique"] = [[
df:nunique(): a series of how many different values each column has.]],
["frame.DataFrame.describe"] = [[
df:describe(): count, mean, std, min, quartiles and max of the columns of
numbers; of a
frame without any: count, unique, top, freq.]],
["frame.DataFrame.groupby"] = [[
df:groupby(name or list of names [, {as_index = true}]): rows with equal values
in
these columns. df:groupby("name").balance:max() is one value of each group, of
one
column; df:groupby("name")[{"a", "b"}]:mean() of several;
df:groupby("name"):agg{x =
"max", y = {"min", "mean"}, total = {"x", "sum"}} of each column another. Groups
stand in
the order of their keys; rows whose key is missing are in none.
Methods: sum mean min max count size std var median first last nunique agg
get_group each
(?frame.GroupBy.agg says more)
Errors:  'groupby: there is no column "nam"; did you mean "name"?'
Example: frame.DataFrame{k = {"a", "b", "a"}, x = {1, 2, 3}}:groupby("k").x:sum()["a"] --> 4]],
["frame.GroupBy.sum"] = [[g:sum(): each group's sum; of all columns or the chosen ones.
{numeric_only = true} leaves columns of texts out.]],
["frame.GroupBy.mean"] = [[g:mean(): each group's mean.]],
["frame.GroupBy.min"] = [[g:min(): each group's smallest value, of texts the first.]],
["frame.GroupBy.max"] = [[g:max(): each group's largest value, of texts the last.]],
["frame.GroupBy.count"] = [[g:count(): how many values each group has, without missing
ones.]],
["frame.GroupBy.size"] = [[g:size(): how many rows each group has.]],
["frame.GroupBy.std"] = [[g:std([{ddof = 1}]): each group's standard deviation.]],
["frame.GroupBy.var"] = [[g:var([{ddof = 1}]): each group's variance.]],
["frame.GroupBy.median"] = [[g:median(): the middle one of each group's values.]],
["frame.GroupBy.first"] = [[g:first(): the first value of each group that is there.]],
["frame.GroupBy.last"] = [[g:last(): the last value of each group that is there.]],
["frame.GroupBy.nunique"] = [[g:nunique(): how many different values each group has.]],
["frame.GroupBy.agg"] = [[
g:agg(what): "max"; {"min", "max"}, a column for each; {x = "max", y = {"min",
"mean"}}, by
column; {total = {"x", "sum"}}, a new name for a column's; or a function of each
group's
series.
Example: frame.DataFrame{k = {1, 1}, x = {2, 5}}:groupby("k"):agg{x = "max"}.x:iloc(0) --> 5]],
["frame.GroupBy.aggregate"] = [[g:aggregate(what): as g:agg(what).]],
["frame.GroupBy.get_group"] = [[g:get_group(key): a frame of one group's rows.]],
["frame.GroupBy.each"] = [[for key, part in g:each() do ... end: each group's rows.]],
["frame.DataFrame.merge"] = [[
df:merge(other [, {on, how = "inner", left_on, right_on, suffixes = {"_x",
"_y"}}]): the
rows of both whose keys are equal; on: a column or a list of columns, all that
both have
where it is not given. how: "inner", "left", "right" (with all rows of that
side),
"outer" (of both, in the order of the keys). Missing keys are equal to each
other.
Example: #frame.DataFrame{k = {1, 2}}:merge(frame.DataFrame{k = {2, 2}}) --> 2]],
["frame.DataFrame.pivot"] = [[
df:pivot{index = "a", columns = "b", values = "c"}: a row for each value of a, a
column
for each of b, values of c in the cells; each pair once.]],
["frame.DataFrame.pivot_table"] = [[
df:pivot_table{index = "a", columns = "b", values = "c" [, aggfunc = "mean",
fill_value]}:
the same of several rows each, of which aggfunc makes one value.]],
["frame.DataFrame.to_parquet"] = [[
df:to_parquet(path [, {compression = "snappy", columns = names, index = nil}]):
writes a file of Parquet, by pyarrow in a Python process of its own. compression:
snappy, zstd, gzip, lz4, brotli or none. Row labels other than 0, 1, 2 ... become
columns in front; {index = false} leaves them out. An older file stays as it was
until the new one is whole.
Errors:  "`pip install pyarrow` gets it"
Source:  pandas.DataFrame.to_parquet; lua/frame/parquet.py]],
["frame.DataFrame.to_feather"] = [[
df:to_feather(path [, {columns = names, index = nil}]): writes a file of Feather
(Arrow), which pandas, pyarrow and polars read; nothing of them is needed. Row labels
as df:to_parquet has them.
Errors:  "to_feather: x.feather: No space left on device"
Source:  pandas.DataFrame.to_feather; lua/bind/frame/arrow/arrow_write.c]],
["frame.DataFrame.to_csv"] = [[
df:to_csv([path] [, {sep = ",", index = true, header = true, na_rep = "",
columns}]): writes a file that frame.read_csv and pandas read; without a path it
gives the text. The rows' labels come first, unless index is false. header = false
leaves the names out, a list of names stands in their place. An older file stays
as it was until the new one is whole.
Errors:  "to_csv: header has 1 name for 2 columns", "to_csv: x.csv: No space left
on device; the older file is as it was"
Source:  pandas.DataFrame.to_csv; lua/bind/frame/csv/csv_out.c
Example: frame.DataFrame{x = {1.5}}:to_csv{index = false, header = false}:sub(1, 3) --> 1.5]],
["frame.DataFrame.to_numpy"] = [[
df:to_numpy(): an array with two axes of all columns, which hold numbers or
bools.]],

["frame.Series.eq"] = [[
s:eq(x): where a value equals x, a number, a text or another series; a missing
one
equals none. s:ne, lt, le, gt, ge likewise.
Example: frame.Series({1, 2}):eq(2):sum() --> 1]],
["frame.Series.ne"] = [[s:ne(x): where a value differs from x, or is missing.]],
["frame.Series.lt"] = [[s:lt(x): where a value is less than x.]],
["frame.Series.le"] = [[s:le(x): where a value is less than x or equals it.]],
["frame.Series.gt"] = [[s:gt(x): where a value is greater than x.]],
["frame.Series.ge"] = [[s:ge(x): where a value is greater than x or equals
it.]],
["frame.Series.between"] = [[
s:between(low, high): where a value is at least low and at most high.]],
["frame.Series.isin"] = [[
s:isin(list): where a value is one of the list's.
Example: frame.Series({"a", "b"}):isin({"b"}):sum() --> 1]],
["frame.Series.map"] = [[
s:map(f): f of each value that is there, called one by one; of a table its
fields.
Slow where arithmetic of the whole series does it.
Example: frame.Series({"a"}):map({a = 5}):iloc(0) --> 5]],
["frame.Series.apply"] = [[s:apply(f): as s:map(f).]],
["frame.Series.abs"] = [[s:abs(): without signs.]],
["frame.Series.sqrt"] = [[s:sqrt(): square roots.]],
["frame.Series.exp"] = [[s:exp(): e to the power of each.]],
["frame.Series.log"] = [[s:log(): natural logarithms.]],
["frame.Series.floor"] = [[s:floor(): the next whole number below.]],
["frame.Series.ceil"] = [[s:ceil(): the next whole number above.]],
["frame.Series.round"] = [[s:round([decimals = 0]): rounded, ties to even.]],
["frame.Series.isna"] = [[s:isna(): where a value is missing.]],
["frame.Series.notna"] = [[s:notna(): where a value is there.]],
["frame.Series.fillna"] = [[s:fillna(value): with this value where one is
missing.]],
["frame.Series.dropna"] = [[s:dropna(): the values that are there.]],
["frame.Series.duplicated"] = [[
s:duplicated([{keep = "first"}]): where a value is there already; "last": where it
comes again; false: where it is there more than once.
Example: frame.Series({3, 5, 3}):duplicated():tolist()[3] --> true]],
["frame.Series.drop_duplicates"] = [[
s:drop_duplicates([{keep = "first"}]): each value once, with its label.
Example: #frame.Series({3, 5, 3}):drop_duplicates() --> 2]],
["frame.Series.filter"] = [[s:filter(mask), s[mask]: where the mask is true.]],
["frame.Series.head"] = [[s:head([n = 5]): the first n values.]],
["frame.Series.tail"] = [[s:tail([n = 5]): the last n values.]],
["frame.Series.sort_values"] = [[
s:sort_values([{ascending = true}]): in order, missing values last.]],
["frame.Series.sort_index"] = [[
s:sort_index([{ascending = true}]): in the order of the labels.]],
["frame.Series.rename"] = [[s:rename(name): the same values by another name.]],
["frame.Series.astype"] = [[
s:astype(type): as "i64", "f64", "f32", "bool", "str" ...
Example: frame.Series({"4", "5"}):astype("i64"):sum() --> 9]],
["frame.Series.sum"] = [[s:sum(): the sum of the values that are there.]],
["frame.Series.mean"] = [[s:mean(): their mean.]],
["frame.Series.min"] = [[s:min(): the smallest, of texts the first in order.]],
["frame.Series.max"] = [[s:max(): the largest, of texts the last in order.]],
["frame.Series.median"] = [[s:median(): the middle one.]],
["frame.Series.std"] = [[s:std([{ddof = 1}]): the standard deviation.]],
["frame.Series.var"] = [[s:var([{ddof = 1}]): the variance.]],
["frame.Series.count"] = [[s:count(): how many values are there.]],
["frame.Series.nunique"] = [[s:nunique(): how many different ones.]],
["frame.Series.unique"] = [[
s:unique(): each value once, in the order in which they came.]],
["frame.Series.quantile"] = [[
s:quantile([q = 0.5]): between the values around that place of the sorted ones.
Example: frame.Series({1, 2, 3, 4}):quantile(0.25) --> 1.75]],
["frame.Series.idxmax"] = [[s:idxmax(): the label of the largest value.]],
["frame.Series.idxmin"] = [[s:idxmin(): the label of the smallest value.]],
["frame.Series.any"] = [[s:any(): is one of the bools true?]],
["frame.Series.all"] = [[s:all(): are all of the bools true?]],
["frame.Series.cumsum"] = [[s:cumsum(): the sums of the values up to each.]],
["frame.Series.value_counts"] = [[
s:value_counts([{normalize = false, sort = true, ascending = false, dropna =
true}]):
how often each value is there, the most frequent first.
Example: frame.Series({"a", "b", "a"}):value_counts()["a"] --> 2]],
["frame.Series.describe"] = [[
s:describe(): count, mean, std, min, quartiles, max; of texts and bools count,
unique,
top, freq.]],
["frame.Series.to_numpy"] = [[
s:to_numpy(), s.values: the values as an array, texts as a list. Bools some of
which are
missing are 1, 0 and nan.]],
["frame.Series.to_host"] = [[s:to_host(): the same values on the host.]],
["frame.Series.tolist"] = [[s:tolist(): the values as a list of Lua's.]],
["frame.Series.to_list"] = [[s:to_list(): as s:tolist().]],
["frame.Series.iloc"] = [[s:iloc(i): value i, from 0, or (negative) from the
end.]],
["frame.Series.loc"] = [[s:loc(label): the value of a label.]],
}

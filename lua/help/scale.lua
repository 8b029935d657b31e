-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for scale: its functions, and the methods of arrays in chunks
-- (scale.ChunkedArray), frames in parts (scale.DataFrame, scale.Series, scale.GroupBy),
-- clients (scale.Client) and futures (scale.Future).
local texts = {
["scale"] = [=[
scale: arrays cut into chunks, and functions called in other processes, as Dask has
them. x = scale.array(a, {chunks = {1000, 1000}}) cuts an array, scale.from_npy
and from_hdf5 read one by pieces that is larger than memory; y = x + x.T - x:mean(0) computes
nothing yet: it makes tasks, which y:graph() shows; y:compute() runs them and gives
an array of np. scale.map(f, list) calls f for each item. scale.Client says who runs
tasks: this process, its devices, or workers; scale.connect has Dask's scheduler do
so. np's elementwise functions are here too, scale.exp(x), and take arrays in chunks
under their own names, np.exp(x).]=],
["scale.array"] = [=[
scale.array(x [, {chunks = sizes}]): an array of np, or a list, cut into chunks.
chunks: elements of a chunk along each axis, {1000, 500}; one number for all axes;
-1 for a whole axis; a list of sizes in the place of a number; not given: about
16 MiB each.
Errors:  "array: chunks has 1 numbers and the array 2 axes"
Example: scale.array({1, 2, 3}, {chunks = 2}):sum():compute() --> 6]=],
["scale.from_npy"] = [=[
scale.from_npy(file [, {chunks = sizes}]): the array in a .npy file. Each chunk is
read when it is wanted, and read again rather than kept where memory is short.
Errors:  "it is not a .npy file"
Source:  NumPy's .npy format]=],
["scale.from_hdf5"] = [=[
scale.from_hdf5(file, name [, {chunks = sizes}]): the data set of that name in a file
of HDF5. Each chunk is read when it is wanted, and read again rather than kept where
memory is short. Not given, chunks are some of the file's own, about 16 MiB together.
Errors:  'from_hdf5: x.h5: there is no "y" in it'
Source:  h5py; lua/bind/h5]=],
["scale.matmul"] = [=[
scale.matmul(a, b): the matrix product of arrays with one or two axes, of which one
at least is in chunks; np.matmul(a, b) is the same.
Shapes:  (m, k), (k, n) -> (m, n)
Errors:  "matmul: inner sizes differ (3, 4), (3, 4)"
Example: scale.matmul(scale.array{{1, 2}}, np.ones({2, 1})):compute() --> array([[3]], f64)]=],
["scale.dot"] = [=[
scale.dot(a, b): as scale.matmul(a, b).]=],
["scale.submit"] = [=[
scale.submit(f, ...): calls f(...) where tasks run; gives a future at once, whose
f:result() is what f gave. Workers begin at once; in this process it runs when the
result is asked for. Arguments may be futures.
f goes there as Lua's own code with the values of the variables around it, as they
are now: numbers, texts, truths, arrays, tables of them. Any other is an error that
names the variable. What f does to them there is not seen here.
Errors:  'the upvalue "g" is a function, which cannot go where the tasks run'
Example: scale.submit(function(a, b) return a + b end, 2, 3):result() --> 5]=],
["scale.map"] = [=[
scale.map(f, list, ...): a list of futures, of f(item) for each item; of several
lists f gets an item of each.
Example: scale.gather(scale.map(function(x) return x * x end, {1, 2, 3}))[3] --> 9]=],
["scale.gather"] = [=[
scale.gather(futures): the results of a list of futures, in its order; raises what
the first of those that failed raised.
Example: #scale.gather(scale.map(function(x) return x end, {5, 6})) --> 2]=],
["scale.Client"] = [=[
scale.Client(): tasks run in this process, on the host, one by one. So it is without
any client, too.
scale.Client{n_workers = 4}: in so many processes of this program. Where one is
killed, another takes its place, and what was lost is computed again.
scale.Client{devices = 4}: on so many devices, or {devices = {"virtual:0"}}; chunks
are on the devices. WARPSHOP_VIRTUAL_DEVICES=4 in the environment makes virtual ones.
The newest client is the one in use; c:close() ends its workers.
Methods: close workers counts (?scale.Client.workers says more)
Errors:  "Client: n_workers is a number of processes, 1 to 64, not 0"
Example: tostring(scale.Client()) --> "scale.Client: host"]=],
["scale.connect"] = [=[
scale.connect(address): Dask's own scheduler, "tcp://host:8786", runs the tasks at its
workers, whose Python has warpshop (pip install ./python). Where they run, what moves
between workers or goes into files, and what is done again when one dies, is Dask's.
Gives a client, as scale.Client; c:workers() lists the workers, {name, address, threads}.
The Python here is that of the environment that is active, or python3, and needs Dask's
client: pip install distributed.
Errors:  "connect: no scheduler of Dask's answers at tcp://localhost:8786"
Source:  distributed.dask.org]=],
["scale.cluster"] = [=[
scale.cluster([{n_workers = 4, time = "1:00:00", ...}]): Slurm's srun starts Dask's
scheduler and so many workers on a cluster's nodes, and the tasks run there, as with
scale.connect; gives a client. The job ends with it (c:close()) or with the program;
within a job the workers are a step of that. What else is asked of Slurm: gpu partition
account qos mem constraint reservation nodelist exclude, as --device slurm:... has them.
gpus = 4 makes four workers with a GPU each, on which their chunks are; where
WARPSHOP_VIRTUAL_DEVICES is set, a virtual one, and Slurm is asked for none.
protocol = "ucx" moves results by UCX where Dask's workers have it, else "tcp". The
environment's Python, with distributed and warpshop in it, must be there on the nodes.
Errors:  "cluster: slurm: there is no srun here"
Source:  srun's manual page, distributed.dask.org]=],
["scale.Client.close"] = [=[
c:close(): ends the client's workers, and takes its files away.]=],
["scale.Client.workers"] = [=[
c:workers(): a list of {name =, pid =}, of the places at which tasks run.]=],
["scale.Client.counts"] = [=[
c:counts(): what was done so far: tasks that ran, those that ran again as a worker
died (again, deaths), results that were written to files (spilled) or dropped to be
made again (dropped), bytes in memory now (held) and at most (most_held). Of
scale.connect's: how many tasks Dask was given (ran).]=],
["scale.get_client"] = [=[
scale.get_client(): the client in use.]=],
["scale.memory"] = [=[
scale.memory: how many bytes of chunks may be in memory together, a quarter of this
machine's unless it is set: scale.memory = 2e9. Those that are read last go into
files in a private folder meanwhile. One task's own inputs and result are in memory
whatever it says, and so is what x:compute() gives.]=],
["scale.ChunkedArray"] = [=[
An array in chunks, of scale.array, scale.from_npy or scale.from_hdf5. Arithmetic and np's elementwise
functions make arrays in chunks; x["2:5, 0"] and x[3] are parts. It never changes.
Methods: compute persist graph rechunk astype transpose dot map_blocks sum prod mean
var std max min any all eq ne lt le gt ge (?scale.ChunkedArray.sum says more)
Properties: shape dtype ndim size nbytes chunks numblocks T]=],
["scale.ChunkedArray.compute"] = [=[
x:compute(): runs the tasks that x consists of, and gives an array of np, or a number
where x has no axes.]=],
["scale.ChunkedArray.persist"] = [=[
x:persist(): runs them and keeps the chunks where they are, so that what is computed
of x begins there; gives x.]=],
["scale.ChunkedArray.graph"] = [=[
x:graph(): the tasks that x:compute() would run, as text: which kinds of tasks follow
one another, and each with the place where it runs. x:graph():tasks() is a list of
{label, place, from}.]=],
["scale.ChunkedArray.rechunk"] = [=[
x:rechunk(sizes): the same array in other chunks.
Example: scale.array({1, 2, 3}):rechunk(1).numblocks[1] --> 3]=],
["scale.ChunkedArray.astype"] = [=[
x:astype(dtype): of another type.]=],
["scale.ChunkedArray.transpose"] = [=[
x:transpose([axes]): axes in another order; x.T turns them round.]=],
["scale.ChunkedArray.dot"] = [=[
x:dot(y): as scale.matmul(x, y).]=],
["scale.ChunkedArray.map_blocks"] = [=[
x:map_blocks(f [, {dtype =, chunks =}]): f(chunk) for each chunk, an array of np. Its
result has the chunk's shape, or that of chunks = {...}, a number for each axis.
f travels as with scale.submit.
Example: scale.array({3, 1, 2}, {chunks = 3}):map_blocks(np.sort):compute() --> array([1, 2, 3], i64)]=],
["scale.ChunkedArray.sum"] = [=[
x:sum([axis [, {keepdims = true}]]): along an axis, several ({0, 1}) or all. Chunks
are summed first, and those in a tree: another order than np.sum's, and always the
same one.
Example: scale.array({{1, 2}, {3, 4}}):sum(0):compute() --> array([4, 6], i64)]=],
["scale.ChunkedArray.prod"] = [=[
x:prod([axis]): the product, as x:sum.]=],
["scale.ChunkedArray.mean"] = [=[
x:mean([axis]): the sum by the number of elements; f64 of whole numbers.
Example: scale.array({1, 2}):mean():compute() --> 1.5]=],
["scale.ChunkedArray.var"] = [=[
x:var([axis]): the mean square of what is left of the mean.]=],
["scale.ChunkedArray.std"] = [=[
x:std([axis]): the root of x:var(axis).]=],
["scale.ChunkedArray.max"] = [=[
x:max([axis]): the largest, as x:sum.]=],
["scale.ChunkedArray.min"] = [=[
x:min([axis]): the least, as x:sum.]=],
["scale.ChunkedArray.any"] = [=[
x:any([axis]): is one not zero?]=],
["scale.ChunkedArray.all"] = [=[
x:all([axis]): is none zero?]=],
["scale.ChunkedArray.eq"] = [=[
x:eq(y), ne, lt, le, gt, ge: compares element by element.]=],
["scale.ChunkedArray.ne"] = [=[
x:ne(y): not equal, element by element.]=],
["scale.ChunkedArray.lt"] = [=[
x:lt(y): less, element by element.]=],
["scale.ChunkedArray.le"] = [=[
x:le(y): less or equal, element by element.]=],
["scale.ChunkedArray.gt"] = [=[
x:gt(y): greater, element by element.
Example: scale.array({1, 5}):gt(2):compute() --> array([false, true], bool)]=],
["scale.ChunkedArray.ge"] = [=[
x:ge(y): greater or equal, element by element.]=],
["scale.frame"] = [=[
scale.frame: frames whose rows are in parts, as Dask's DataFrame. scale.frame.read_csv
and scale.frame.read_parquet read files by pieces, scale.frame.from_frame cuts a frame. What is computed of one
makes tasks, one a part; df:compute() runs them and gives a frame.]=],
["scale.frame.read_csv"] = [=[
scale.frame.read_csv(file [, {blocksize = bytes, ...}]): the rows of a file in parts of
about so many bytes (32 MiB), each read when it is wanted. Other options are those of
frame.read_csv. Types are those of the first 1000 rows: {dtype = {x = "f64"}} says
others.
Errors:  "read_csv: skiprows is not there for a file in parts"]=],
["scale.frame.read_parquet"] = [=[
scale.frame.read_parquet(file or list of files [, {columns = names, blocksize = bytes,
split_row_groups = true}]): the rows of files of Parquet in parts, each read when it is
wanted, by pyarrow in a process of its own (?frame.read_parquet). A part is one row group,
or several that have about so many bytes (32 MiB, unpacked); with split_row_groups = true
each is one, with a number so many are, with false a file. Row labels without a name are
left out.
Errors:  "split_row_groups is true, false, or how many row groups a part has",
"`pip install pyarrow` gets it"
Source:  dask.dataframe.read_parquet; lua/scale/parquet.lua]=],
["scale.frame.from_frame"] = [=[
scale.frame.from_frame(df [, {npartitions = n}]): a frame in so many parts.
Example: scale.frame.from_frame(frame.DataFrame{x = {1, 2}}, {npartitions = 2}).x:sum() --> 3]=],
["scale.DataFrame"] = [=[
A frame in parts. df.x and df["x"] are a column, df[df.x:gt(1)] the rows where x is
greater than 1, df[{"x", "y"}] some columns, #df how many rows there are. Row labels
begin anew in each part, and at 0 in what df:compute() gives.
Methods: compute persist graph head filter assign select column drop rename astype
isna notna dropna fillna groupby map_partitions (?scale.DataFrame.head says more)
Properties: columns dtypes npartitions]=],
["scale.DataFrame.compute"] = [=[
df:compute(): runs its tasks, and gives a frame.]=],
["scale.DataFrame.persist"] = [=[
df:persist(): runs them and keeps the parts where they are; gives df.]=],
["scale.DataFrame.graph"] = [=[
df:graph(): the tasks that df:compute() would run, as text.]=],
["scale.DataFrame.head"] = [=[
df:head([n]): the first n rows (5), as a frame; reads as few parts as have them.]=],
["scale.DataFrame.filter"] = [=[
df:filter(mask): the rows where the mask holds, as df[mask].]=],
["scale.DataFrame.assign"] = [=[
df:assign{name = column}: with more columns: of a column in parts, a value, or a
function of df.
Example: scale.frame.from_frame(frame.DataFrame{x = {1, 2}}):assign{y = 3}.y:sum() --> 6]=],
["scale.DataFrame.column"] = [=[
df:column(name): a column, whatever it is called.]=],
["scale.DataFrame.groupby"] = [=[
df:groupby(names): rows with equal values there: sum, mean, min, max, count, agg. Each
part is grouped first, and those together.
Example: scale.frame.from_frame(frame.DataFrame{k = {1, 1}, x = {2, 3}}):groupby("k").x:sum():compute():iloc(0) --> 5]=],
["scale.DataFrame.map_partitions"] = [=[
df:map_partitions(f, ...): f(part, ...) of each part, a frame, must give a frame or a
series. f is called with a part without rows first, to see what comes out; it travels
as with scale.submit.]=],
["scale.Series"] = [=[
A column in parts. Arithmetic (+ - * / // % ^) goes value by value, s:gt(3) and its
like compare, & | ~ join what they give. sum, mean, min, max and count compute at once.
Methods: compute persist graph filter map_partitions sum mean min max count eq ne lt
le gt ge between isin abs sqrt exp log floor ceil round isna notna fillna astype
Properties: name dtype npartitions]=],
["scale.Series.compute"] = [=[
s:compute(): runs its tasks, and gives a series.]=],
["scale.Series.persist"] = [=[
s:persist(): runs them and keeps the parts where they are; gives s.]=],
["scale.Series.graph"] = [=[
s:graph(): the tasks that s:compute() would run, as text.]=],
["scale.Series.filter"] = [=[
s:filter(mask): the values where the mask holds.]=],
["scale.Series.map_partitions"] = [=[
s:map_partitions(f, ...): as ?scale.DataFrame.map_partitions.]=],
["scale.GroupBy"] = [=[
What df:groupby gives. gb.x and gb[{"x", "y"}] choose columns.
Methods: sum mean min max count agg (?scale.GroupBy.agg says more)]=],
["scale.GroupBy.agg"] = [=[
gb:agg{x = "max", y = {"min", "mean"}}: of each column what is asked; columns x, y_min,
y_mean, in the frame's order.]=],
["scale.Future"] = [=[
What scale.submit and scale.map give: the result of a call that runs elsewhere.
Methods: result done (?scale.Future.result says more)]=],
["scale.Future.result"] = [=[
f:result(): waits for the call, and gives what it gave, or raises what it raised.]=],
["scale.Future.done"] = [=[
f:done(): has the call ended? Does not wait.]=],
}

-- np's elementwise functions.
for name in ([[
abs absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and
bitwise_not bitwise_or bitwise_xor cbrt ceil clip copysign cos cosh deg2rad degrees
divide equal erf exp exp2 expm1 fabs floor floor_divide fmax fmin fmod greater
greater_equal heaviside hypot invert isfinite isinf isnan ldexp left_shift less
less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not
logical_or logical_xor maximum minimum mod multiply negative nextafter not_equal
positive power rad2deg radians reciprocal remainder right_shift rint sigmoid sign
signbit sin sinh sqrt square subtract tan tanh true_divide trunc where]]):gmatch("%S+")
do
  texts["scale." .. name] = ("scale.%s(...): np.%s of arrays in chunks, chunk by"
    .. " chunk; np.%s(...) is the same. ?np.%s says more."):format(name, name, name,
    name)
end

-- What each part does for itself, as a frame of its own.
for name in ("select drop rename astype dropna fillna isna notna"):gmatch("%S+") do
  texts["scale.DataFrame." .. name] = ("df:%s(...): as of a frame, part by part;"
    .. " ?frame.DataFrame.%s says more."):format(name, name)
end
for name in ([[eq ne lt le gt ge between isin abs sqrt exp log floor ceil round isna
notna fillna astype]]):gmatch("%S+") do
  texts["scale.Series." .. name] = ("s:%s(...): as of a series, part by part;"
    .. " ?frame.Series.%s says more."):format(name, name)
end
for name in ("sum mean min max count"):gmatch("%S+") do
  texts["scale.Series." .. name] = ("s:%s(): of all values that are there, computed"
    .. " at once."):format(name)
  texts["scale.GroupBy." .. name] = ("gb:%s(): of each group; ?frame.GroupBy lists"
    .. " more that frames have."):format(name)
end

return texts

-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for h5: files of HDF5 (h5.File), their groups (h5.Group) and
-- data sets (h5.Dataset).
local texts = {
["h5"] = [[
h5: files of HDF5, as h5py has them. f = h5.File("x.h5") opens one; f:keys() lists
what is in it, f["group/x"] is a data set, f["group/x"]["2:5, 0"] a part of it as an
array of np. f = h5.File("x.h5", "a") and f["group/x"] = array write one. libhdf5
does the work, and is loaded when the first file is opened.]],
["h5.File"] = [[
h5.File(path [, mode = "r"]): a file of HDF5. mode: "r" to read, "r+" to write to
one that is there, "a" to write to one that may be there, "w" for a new one. A file
is a group, the outermost; f:close() or `local f <close> = h5.File(path)` closes it.
Methods: keys create_dataset close (?h5.Group.keys says more)
Errors:  "File: x.h5: it is no HDF5 file", "`apt install hdf5-tools` ... gets it"
Source:  h5py.File; lua/h5/init.lua, lua/bind/h5]],
["h5.File.close"] = [[
f:close(): closes the file; its data sets cannot be read any more.]],
["h5.Group"] = [[
A group in a file of HDF5: f["name"] is what has that name in it, another group or a
data set; f["a/b"] goes on. f["name"] = array writes a data set, in the place of one
that is there. A name that a method has, too, is reached as f["./keys"].
Methods: keys create_dataset (?h5.Group.keys says more)
Errors:  'there is no "groop"; did you mean "group"?']],
["h5.Group.keys"] = [[
f:keys(): a list of the names in a file or a group, in their order.]],
["h5.Group.create_dataset"] = [[
f:create_dataset(name, {data = array [, dtype, chunks, compression,
compression_opts = 4]}): writes a data set, and the groups on the way. chunks: the
elements of a chunk along each axis, or true; compression = "gzip" packs each chunk,
compression_opts is how hard, 0 to 9. Chunks that are not given hold about 1 MiB.
Types:   bool (as h5py has it), i8 to u64, f16, f32, f64
Errors:  'it was opened to be read; h5.File(path, "a") can be written'
Source:  h5py.Group.create_dataset]],
["h5.Dataset"] = [[
An array in a file of HDF5. d["2:5, ::2, 0"] and d[3] read a part, as NumPy indexes
it (forwards), and nothing else; #d is the length of the first axis. Elements come
as np's types, whatever order of bytes they have in the file, packed or not.
Methods: read (?h5.Dataset.read says more)
Properties: shape ndim dtype chunks name
Errors:  '"x": its elements are texts, none of np's'
Source:  h5py.Dataset]],
["h5.Dataset.read"] = [[
d:read(): all of it as an array; as d[()] in h5py.]],
}

for _, name in ipairs{"keys", "create_dataset"} do
  texts["h5.File." .. name] = texts["h5.Group." .. name]
end

return texts

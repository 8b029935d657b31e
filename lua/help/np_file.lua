-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for arrays in files.
return {
["np.load"] = [[
np.load(path): the array in a .npy file (versions 1 to 3; no pickled objects), or
a table of the arrays in a .npz file, by their names.
Errors:  "it is shorter than its header says", "a checksum differs"]],
["np.save"] = [[
np.save(path, a): writes a .npy file that NumPy reads; ".npy" is put behind a
path without it.]],
["np.savez"] = [[
np.savez(path, a, b, ..., {name = c}): several arrays in one .npz file that
NumPy reads. Those without a name are arr_0, arr_1 ... np.load(path).name gives
them back.]],
["np.savez_compressed"] = [[
np.savez_compressed(path, a, b, ..., {name = c}): as savez, deflated.]],
["np.loadtxt"] = [[
np.loadtxt(fname [, dtype = "f64"] [, comments = "#"] [, delimiter]
[, converters] [, skiprows = 0] [, usecols] [, unpack] [, ndmin] [, max_rows]):
numbers from a text file, a line a row, or from a table of lines. Without a
delimiter, any white space. unpack: columns as rows.
Errors:  "line 3, column 1: "x" is no number"
Example: np.loadtxt({"1,2", "3,4"}, {delimiter = ",", usecols = 1}) --> array([2, 4], f64)]],
["np.genfromtxt"] = [[
np.genfromtxt(fname [, dtype] [, comments] [, delimiter] [, skip_header]
[, skip_footer] [, usecols] [, filling_values = nan] [, unpack] [, max_rows]): as
loadtxt; what is no number becomes the filling value.
Example: np.genfromtxt({"1,,3"}, {delimiter = ",", filling_values = 0}) --> array([1, 0, 3], f64)]],
["np.savetxt"] = [[
np.savetxt(fname, X [, fmt = "%.18e"] [, delimiter = " "] [, newline] [, header]
[, footer] [, comments = "# "]): writes one or two axes as text, a row a line.]],
["np.fromfile"] = [[
np.fromfile(file [, dtype = "f64"] [, count = -1] [, sep = ""] [, offset = 0]):
elements as they lie in memory, or, with a separator, numbers as text.]],
["np.tofile"] = [[
a:tofile(file [, sep = ""] [, format]): writes the elements in order, as they lie
in memory or as text with a separator. No shape or type: np.save keeps them.]],
["np.asnumpy"] = [[
np.asnumpy(a): the array on the host; a device or jax array is copied over.
Example: np.asnumpy(np.arange(2)) --> array([0, 1], i64)]],
}

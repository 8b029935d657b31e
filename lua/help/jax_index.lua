-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for indexing, sorting and running sums of jax arrays. Each
-- line "Example: code --> text" is run by tests/lua/test_jax_index.lua.
local help = {}

help["jax.at"] = [==[
x.at[i]:set(v), add, subtract, multiply (mul), divide, power, min, max: a new
array that differs from x in these elements, for every index that x[i] takes;
x.at[i]:apply(f), x.at[i]:get{mode = , fill_value = }. Where places repeat, all
updates of add and its like count, and of set the last.
mode:    "drop" (or "fill": places outside are left out), "clip"
Grad:    yes; of multiply with an array of places only unique_indices = true
Example: jnp.zeros(3).at[1]:set(5) --> Array([0, 5, 0], f32)
Example: jnp.zeros(3).at[{0, 0, 2}]:add(1) --> Array([2, 0, 1], f32)]==]

help["jax.index"] = [==[
x[i] of jax arrays and traced values: numbers, texts ("1:5:2, ..., None"),
arrays of integers (traced ones too), masks whose values are known, and tables
of these, one for each axis: x[{i, ":", j}]. A number gives an array without
axes. Places outside are moved to the nearest inside, as in JAX.
Example: jnp.arange(5)[jnp.array{3, -1}] --> Array([3, 4], i32)]==]

help["jax.lax.gather"] = [==[
lax.gather(x, indices, dimension_numbers, slice_sizes, {mode = ...}) and
lax.scatter, scatter_add, scatter_sub, scatter_mul, scatter_min, scatter_max(x,
indices, updates, dimension_numbers, {mode = , unique_indices = }): what x[i] and
x.at[i] are made of. lax.dynamic_slice(x, starts, sizes),
dynamic_update_slice(x, update, starts), dynamic_slice_in_dim,
dynamic_index_in_dim, dynamic_update_slice_in_dim,
dynamic_update_index_in_dim: windows at places that may be traced.
Example: jax.lax.dynamic_slice(jnp.arange(5), {3}, {2}) --> Array([3, 4], i32)]==]

help["jax.lax.sort"] = [==[
lax.sort(x or {x, y, ...}, dimension, is_stable, num_keys): sorts the last (or
this) axis by the first operand, or the first num_keys, and gives all of them.
lax.top_k(x, k, axis): the k largest, and their places.
Example: jax.lax.sort(jnp.array{3, 1, 2}) --> Array([1, 2, 3], i32)
Example: jax.lax.top_k(jnp.array{3, 1, 2}, 2) --> Array([3, 2], i32)]==]

help["jax.lax.cumsum"] = [==[
lax.cumsum, cumprod, cummax, cummin, cumlogsumexp(x, axis = 0, reverse = false):
running sums, products, extremes and logarithms of sums of exponentials.
Example: jax.lax.cummax(jnp.array{1, 3, 2}) --> Array([1, 3, 3], i32)]==]

help["jnp.nonzero"] = [==[
jnp.nonzero, argwhere, flatnonzero, where(condition), unique: as np's; under jit
give size = n (and fill_value), since a traced program has one shape for all
values. So do bincount (length = n); compress and extract need known conditions.
Example: jnp.nonzero(jnp.array{0, 3, 4}, {size = 3, fill_value = -1}) --> Array([1, 2, -1], i32)]==]

help["jnp.take"] = [==[
jnp.take(a, indices, axis, {mode = "fill", "clip" or "wrap"}), take_along_axis:
places outside give NaN (or the type's extreme). sort, argsort, lexsort,
partition, searchsorted, digitize, bincount, histogram, cumsum, cumprod, insert
and delete are as np's.
Example: jnp.take(jnp.array{1., 2}, jnp.array{1, 7}) --> Array([2, nan], f32)]==]

return help

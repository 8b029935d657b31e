-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for jax.lax's control flow. Each line "Example: code -->
-- text" is run by tests/lua/test_jax_control.lua.
local help = {
["jax.lax.scan"] = [[
jax.lax.scan(f, init, xs [, length] [, reverse] [, unroll]): a loop with a carry
over the first axis of xs. f(carry, x) returns the next carry and y; the results
are the last carry and all ys, stacked. init, xs and y may be tables, or nil.
Named: jax.lax.scan(f, init, xs, {length = 5, reverse = true})
Grad:    forward and backward
Errors:  "scan body function carry input and carry output must have equal types"
Example: (jax.lax.scan(function(c, x) return c + x end, 0, jnp.array{1, 2, 3})) --> Array(6, i32)]],
["jax.lax.psum"] = [[
jax.lax.psum(x, axis_name), pmean, pmax, pmin: of all devices along a mesh axis
(or several, in a list), in a function of jax.shard_map or jax.pmap. x may be a
table of arrays; psum(1, name) is how many devices there are.
Grad:    psum, pmean
Errors:  "unbound axis name: i"
Example: jax.pmap(function(x) return jax.lax.psum(x, "i") end, {axis_name = "i"})(jnp.ones(1)) --> Array([1], f32)]],
["jax.lax.all_gather"] = [[
jax.lax.all_gather(x, axis_name [, axis = 0] [, tiled = false]): every device's
x, along a new axis, or one behind the other along this one (tiled).
jax.lax.psum_scatter(x, axis_name [, scatter_dimension = 0] [, tiled = false]):
of the sum each device's part. jax.lax.all_to_all(x, axis_name, split_axis,
concat_axis [, tiled = false]): part k of each goes to device k.
Grad:    yes; gather and scatter are each other's
Example: jax.pmap(function(x) return jax.lax.all_gather(x, "i") end, {axis_name = "i"})(jnp.ones(1)).shape[2] --> 1]],
["jax.lax.ppermute"] = [[
jax.lax.ppermute(x, axis_name, {{from, to}, ...}): x of one device to another, each
named once, counted from 0; a device that gets nothing has zeros.
Grad:    yes
Errors:  "ppermute sources and destinations must be unique"
Example: jax.pmap(function(x) return jax.lax.ppermute(x, "i", {{0, 0}}) end, {axis_name = "i"})(jnp.ones(1)) --> Array([1], f32)]],
["jax.lax.axis_index"] = [[
jax.lax.axis_index(axis_name): the device's place along a mesh axis, from 0.
jax.lax.axis_size(axis_name): how many there are, a Lua number.
jax.lax.pcast(x, axis_name, {to = "varying"}), pvary(x, axis_name): x as a value
that may differ between devices, as a loop's first carry must be whose later ones
do.
Example: jax.pmap(function(x) return jax.lax.axis_index("i") + x end, {axis_name = "i"})(jnp.ones(1)) --> Array([1], f32)]],
["jax.lax.fori_loop"] = [[
jax.lax.fori_loop(lower, upper, body, init): body(i, carry) for i from lower up
to, and without, upper. With numbers as bounds it is a scan; with traced ones a
while_loop, which has no backward derivative.
Example: jax.lax.fori_loop(0, 5, function(i, c) return c + i end, 0) --> Array(10, i32, weak_type=True)]],
["jax.lax.while_loop"] = [[
jax.lax.while_loop(cond, body, init): carry = body(carry) for as long as
cond(carry), a bool scalar, holds.
Grad:    forward (jax.jvp, jax.jacfwd) only
Example: jax.lax.while_loop(function(c) return jax.lax.lt(c, 100) end, function(c) return c * 3 end, 1) --> Array(243, i32, weak_type=True)]],
["jax.lax.cond"] = [[
jax.lax.cond(pred, true_fun, false_fun, ...): one of two functions of the further
arguments. Both are traced; their results must have the same structure, shapes
and types. jnp.where chooses for each element.
Grad:    forward and backward
Example: jax.lax.cond(true, jnp.sin, jnp.cos, 0.0) --> Array(0, f32, weak_type=True)]],
["jax.lax.switch"] = [[
jax.lax.switch(index, branches, ...): branches[index + 1] of the further
arguments; the index counts from 0 and is cut to what there is.
Example: jax.lax.switch(1, {jnp.sin, jnp.cos}, 0.0) --> Array(1, f32, weak_type=True)]],
["jax.lax.select"] = [[
jax.lax.select(pred, on_true, on_false): on_true where pred holds, else on_false.
Shapes:  all equal, or pred a scalar
Example: jax.lax.select(true, jnp.array{1, 2}, jnp.array{3, 4}) --> Array([1, 2], i32)]],
["jax.lax.map"] = [[
jax.lax.map(f, xs): f of each item along the first axis of xs, one after the
other; jax.vmap does all at once.
Example: jax.lax.map(function(x) return x * x end, jnp.array{1, 2, 3}) --> Array([1, 4, 9], i32)]],
["jax.lax.associative_scan"] = [[
jax.lax.associative_scan(fn, elems [, reverse = false] [, axis = 0]): all partial
results of an associative fn(a, b), in about 2 log2(n) steps. fn gets many
elements at once and must treat each alone.
Example: jax.lax.associative_scan(function(a, b) return a + b end, jnp.array{1, 2, 3}) --> Array([1, 3, 6], i32)]],
["jax.lax.stop_gradient"] = [[
jax.lax.stop_gradient(x): x, to which no derivative goes.
Example: jax.grad(function(x) return x * jax.lax.stop_gradient(x) end)(3.0)
  --> Array(3, f32, weak_type=True)]],
}
for name, of in pairs{
  pmean = "psum", pmax = "psum", pmin = "psum", psum_scatter = "all_gather",
  all_to_all = "all_gather", axis_size = "axis_index", pcast = "axis_index",
  pvary = "axis_index",
} do
  help["jax.lax." .. name] = help["jax.lax." .. of]
end
return help

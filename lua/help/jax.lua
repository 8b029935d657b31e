-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for jax itself, jax.nn, jax.tree and jax.debug. Each line
-- "Example: code --> text" is run by tests/lua/test_jax_help.lua, which also
-- checks that no function is missing.
local help = {
["jax"] = [=[
jax: functions of arrays that are transformed: compiled (jit), differentiated
(grad), batched (vmap). Names, argument order and results are those of JAX;
options stand in a table behind the function. docs/jax.md is a short tour.
Example: jax.grad(function(x) return x ^ 3 end)(2.0)
  --> Array(12, f32, weak_type=True)
]=],
["jnp"] = [=[
jnp, jax.numpy: NumPy's functions for jax arrays, which are immutable (x.at
changes copies) and of 32 bits unless jax_enable_x64 is set.
Example: jnp.sin(jnp.zeros(2)) --> Array([0, 0], f32)
]=],
["jax.jit"] = [=[
jax.jit(f [, {static_argnums, donate_argnums, name}]): f, traced once for each
kind of arguments (shapes, types, trees, values of static ones) and compiled.
f:lower(x) shows what it became, f:why() why it was traced.
Errors:  an `if` on a traced value is an error that names jnp.where, lax.cond
Example: jax.jit(function(x) return x * 2 end)(jnp.ones(2)) --> Array([2, 2], f32)]=],
["jax.grad"] = [=[
jax.grad(f [, {argnums = 0, has_aux}]): the gradient of f, which gives a scalar.
Example: jax.grad(function(x) return jnp.sum(x * x) end)(jnp.ones(2)) --> Array([2, 2], f32)]=],
["jax.value_and_grad"] = [=[
jax.value_and_grad(f [, {argnums, has_aux}]): two results, f's and its gradient.
Example: select(2, jax.value_and_grad(function(x) return x * x end)(3.0))
  --> Array(6, f32, weak_type=True)]=],
["jax.vmap"] = [=[
jax.vmap(f [, {in_axes = 0, out_axes = 0}]), jax.vmap(f, in_axes, out_axes): f
for all of an axis at once. A list of axes has one for each argument; false: the
same for all.
Example: jax.vmap(function(x, y) return x * y end, {in_axes = {0, false}})(jnp.ones(2), 3.0) --> Array([3, 3], f32)]=],
["jax.jvp"] = [=[
jax.jvp(f, primals, tangents): f's result and its derivative along `tangents`.
Example: select(2, jax.jvp(jnp.sin, {0.0}, {2.0}))
  --> Array(2, f32, weak_type=True)]=],
["jax.vjp"] = [=[
jax.vjp(f, ...): f's result, and the function from its cotangent to those of the
arguments.
Example: select(2, jax.vjp(jnp.sin, 0.0))(3.0)
  --> Array(3, f32, weak_type=True)]=],
["jax.jacfwd"] = [=[
jax.jacfwd(f [, {argnums}]): all derivatives, one forward pass for each element
of the argument: for few arguments and many results.
Example: jax.jacfwd(function(x) return x * x end)(jnp.array({1, 2}, "f32")).shape[1] --> 2]=],
["jax.jacrev"] = [=[
jax.jacrev(f [, {argnums}]): all derivatives, one backward pass for each element
of the result: for many arguments and few results.
Example: jax.jacrev(jnp.sum)(jnp.ones(2)) --> Array([1, 1], f32)]=],
["jax.hessian"] = [=[
jax.hessian(f [, {argnums}]): the second derivatives of a scalar function.
Example: jax.hessian(function(x) return x ^ 3 end)(2.0) --> Array(12, f32)]=],
["jax.linearize"] = [=[
jax.linearize(f, ...): f's result here, and its derivative here as a function of
tangents, which computes only what depends on them.
Example: select(2, jax.linearize(jnp.sin, 0.0))(5.0)
  --> Array(5, f32, weak_type=True)]=],
["jax.make_jaxpr"] = [=[
jax.make_jaxpr(f [, {static_argnums}])(...): the program that f is, as JAX
prints it.
Example: jax.make_jaxpr(jnp.sin)(1.0) --> { lambda ; a:f32[]. let b:f32[] = sin a in (b,) }]=],
["jax.eval_shape"] = [=[
jax.eval_shape(f, ...): shape and type of f's results, without computing them.
Example: jax.eval_shape(jnp.sum, jnp.ones(3)) --> ShapeDtypeStruct(shape=(), dtype=float32)]=],
["jax.ShapeDtypeStruct"] = [=[
jax.ShapeDtypeStruct(shape, dtype): what stands for an array in eval_shape and
lower.
Example: jax.ShapeDtypeStruct({2, 3}, "f32") --> ShapeDtypeStruct(shape=(2, 3), dtype=float32)]=],
["jax.why"] = [=[
jax.why(f), f:why(): why a jitted function was traced, each time, and which
variables outside it set meanwhile. At the prompt: :why f.
Example: jax.why(jax.jit(jnp.sin)) --> it was not called yet]=],
["jax.lower"] = [=[
jax.lower(f, ...), f:lower(...) of a jitted f: its floors for such arguments:
:jaxpr(), :program() (what shares a kernel), :cuda_source(), :ptx(), :sass(),
:launches(), :cost_analysis(), :floors() all of them. A value has one name on
all floors. At the prompt: :floors f(x).
Example: jax.lower(jnp.sin, 1.0):jaxpr() --> { lambda ; a:f32[]. let b:f32[] = sin a in (b,) }]=],
["jax.custom_jvp"] = [=[
jax.custom_jvp(f): f with a derivative of your own, f:defjvp(function(primals,
tangents) return y, y_dot end), or one for each argument, f:defjvps(...).
Example: jax.custom_jvp(function(x) return x end)(1.0) --> error: No JVP defined]=],
["jax.custom_vjp"] = [=[
jax.custom_vjp(f): f with a gradient of your own: f:defvjp(fwd, bwd).
fwd(...) gives the result and what bwd needs; bwd(saved, g) gives the gradient
of each argument.
Example: jax.custom_vjp(function(x) return x end)(1.0) --> error: No VJP defined]=],
["jax.checkpoint"] = [=[
jax.checkpoint(f), jax.remat: f, computed again for its gradient instead of
keeping what it computed meanwhile.
Example: jax.grad(jax.checkpoint(jnp.sin))(0.0)
  --> Array(1, f32, weak_type=True)]=],
["jax.pure_callback"] = [=[
jax.pure_callback(f, result, ...): a Lua function of host arrays within a
program. `result` is a jax.ShapeDtypeStruct of what it gives.
Example: jax.pure_callback(np.sort, jax.ShapeDtypeStruct({2}, "f32"), jnp.array({2, 1}, "f32")) --> Array([1, 2], f32)]=],
["jax.debug.print"] = [=[
jax.debug.print(text, ...): prints when the program runs, with the values, in
order: "x = {}", "{0} {1:.3f}", or by name from a last table, "{loss}".]=],
["jax.debug.callback"] = [=[
jax.debug.callback(f, ...): calls f with the values when the program runs.]=],
["jax.device_put"] = [=[
jax.device_put(x [, device]): the arrays of a tree as jax arrays on the device
in use, or on one of jax.devices(): what is computed of them is computed there,
and where arrays of several devices meet, on the device in use. A sharding in
its place (?jax.P) lays them over a mesh.
Example: jax.device_put(np.ones(2)) --> Array([1, 1], f32)]=],
["jax.make_mesh"] = [=[
jax.make_mesh(sizes, names [, {devices}]): the first devices as a mesh with
named axes: make_mesh({4, 2}, {"x", "y"}). Fields: axis_names, axis_sizes,
shape, size, devices. All axes are Auto. jax.sharding.Mesh(devices, names): of
lists of devices.
Errors:  "Number of devices 2 must be >= the product of mesh_shape (8)"
Example: jax.make_mesh({1}, {"i"}) --> Mesh('i': 1, axis_types=(Auto,))]=],
["jax.P"] = [=[
jax.P(...), jax.sharding.PartitionSpec(...): for each axis of an array the mesh
axis that it is cut along, several in a list, or nil: P("x", nil, {"y", "z"}).
jax.sharding.NamedSharding(mesh, spec) goes to jax.device_put; x.sharding tells
an array's, x.addressable_shards lists its parts: {device, index, replica_id,
data}, where x[index] is what data holds. SingleDeviceSharding(device): whole.
Example: jax.P("x", nil) --> P('x', None)]=],
["jax.shard_map"] = [=[
jax.shard_map(f, {mesh, in_specs, out_specs [, check_vma = true]}): f on each
device of a mesh, on its own parts of the arguments. in_specs and out_specs are
a PartitionSpec for all, or a list (table) with one for each. f calls what its
devices do together: jax.lax.psum, all_gather, ppermute ... check_vma: a result
that may differ between devices must be cut along them.
Errors:  "not evenly divisible", "in_specs refers to 'k'", "require replication"
Example: jax.shard_map(function(x) return jax.lax.psum(x, "i") end, {mesh = jax.make_mesh({1}, {"i"}), in_specs = jax.P("i"), out_specs = jax.P()})(jnp.arange(2)) --> Array([0, 1], i32)]=],
["jax.pmap"] = [=[
jax.pmap(f [, {axis_name, in_axes = 0, out_axes = 0, axis_size, devices}]): f on
one device for each entry along the mapped axes; a list of axes has one for each
argument, false: the same for all. By way of jax.shard_map.
Errors:  "requires 9 logical devices, but only 8 are available"
Example: jax.pmap(function(x) return x * 2 end)(jnp.ones({1, 3})) --> Array([[2, 2, 2]], f32)]=],
["jax.block_until_ready"] = [=[
jax.block_until_ready(x): waits until the arrays of the tree are computed.
Example: jax.block_until_ready(jnp.ones(2)) --> Array([1, 1], f32)]=],
["jax.devices"] = [=[
jax.devices([backend]), jax.local_devices: the devices; arrays live on the
first. A virtual GPU counts as a gpu.]=],
["jax.device_count"] = [=[
jax.device_count([backend]), jax.local_device_count: how many devices there are.]=],
["jax.default_backend"] = [=[
jax.default_backend(): "gpu" (a real or virtual one) or "cpu".]=],
["jax.process_index"] = [=[
jax.process_index(), jax.process_count(): always 0 of 1.
Example: jax.process_count() --> 1]=],
["jax.clear_caches"] = [=[
jax.clear_caches(): forgets all compiled programs.]=],
["jax.default_matmul_precision"] = [=[
jax.default_matmul_precision(precision [, f]): how precise products of f32 are
on a real GPU, for the time of f() or from now on. "highest", "float32" and,
other than in JAX, "default": f32; "high", "tensorfloat32", "bfloat16" and
"fastest": TF32, ten bits of each factor's fraction, several times as fast.
Example: jax.default_matmul_precision("highest") --> nil]=],
["jax.config"] = [=[
jax.config.update(name, value): jax_enable_x64, jax_platforms,
jax_default_matmul_precision, jax_debug_nans (the first operation that gives NaN
is an error with its line), jax_debug_key_reuse (so is a key used twice),
jax_explain_cache_misses (each trace says why), jax_log_compiles,
jax_vectorize_small (arrays of up to 65536 elements, too, are read and written
16 bytes at a time).]=],
["jax.debug_nans"] = [=[
jax.debug_nans(f): f() with jax_debug_nans set.
Example: jax.debug_nans(function() return jnp.log(-1.0) end) --> error: encountered in log]=],
["jax.log_compiles"] = [=[
jax.log_compiles(f): f() with a note for each compilation.]=],
["jax.tree.map"] = [=[
jax.tree.map(f, tree, ...): f of each leaf; a table without a metatable is a
branch. jax.tree_util.tree_map is the same.
Example: jax.tree.map(function(x) return x + 1 end, {a = 1}).a --> 2]=],
["jax.tree.leaves"] = [=[
jax.tree.leaves(tree): the leaves, list items first, then names in order.
Example: #jax.tree.leaves{1, {2, 3}} --> 3]=],
["jax.tree.flatten"] = [=[
jax.tree.flatten(tree): the leaves, and the structure for jax.tree.unflatten.
Example: select(2, jax.tree.flatten{1, b = 2}) --> PyTreeDef({*,b=*})]=],
["jax.tree.unflatten"] = [=[
jax.tree.unflatten(structure, leaves): the tree of them.
Example: jax.tree.unflatten(jax.tree.structure{a = 1}, {5}).a --> 5]=],
["jax.tree.leaves_with_path"] = [=[
jax.tree.leaves_with_path(tree): a table of {path, leaf}.
Example: jax.tree.leaves_with_path{w = {5}}[1][1] --> w[1]]=],
["jax.tree.flatten_with_path"] = [=[
jax.tree.flatten_with_path(tree): the same, and the structure.
Example: select(2, jax.tree.flatten_with_path{1}) --> PyTreeDef({*})]=],
["jax.tree.transpose"] = [=[
jax.tree.transpose(outer, inner, tree): a tree whose leaves are trees, turned
inside out: inner on the outside.
Example: jax.tree.transpose(jax.tree.structure{0, 0}, jax.tree.structure{a = 0}, {{a = 1}, {a = 2}}).a[2] --> 2]=],
["jax.jacobian"] = [=[
jax.jacobian(f [, {argnums}]): ?jax.jacrev.]=],
["jax.device_get"] = [=[
jax.device_get(x): the arrays of a tree as np's arrays, on the host.
Example: jax.device_get(jnp.ones(1)) --> array([1], f32)]=],
["jax.tree.structure"] = [=[
jax.tree.structure(tree): its form, which == compares.
Example: jax.tree.structure{1} == jax.tree.structure{2} --> true]=],
["jax.tree.reduce"] = [=[
jax.tree.reduce(f, tree [, initial]): the leaves joined two by two.
Example: jax.tree.reduce(math.max, {1, {7, 3}}) --> 7]=],
["jax.tree.all"] = [=[
jax.tree.all(tree): whether all leaves are true.
Example: jax.tree.all{true, {false}} --> false]=],
["jax.tree.map_with_path"] = [=[
jax.tree.map_with_path(f, tree): f(path, leaf) for each leaf.
Example: jax.tree.map_with_path(function(path) return path end, {w = {1}}).w[1] --> w[1]]=],
}

-- One line each: what it computes.
local activations = {
  relu = "max(x, 0); its derivative at 0 is 0",
  relu6 = "x between 0 and 6",
  sigmoid = "1 / (1 + exp(-x))",
  softplus = "log(1 + exp(x))",
  sparse_plus = "0 to -1, (x + 1)^2 / 4 to 1, then x",
  silu = "x sigmoid(x)", swish = "x sigmoid(x)",
  mish = "x tanh(softplus(x))",
  log_sigmoid = "log(sigmoid(x))",
  soft_sign = "x / (|x| + 1)",
  selu = "1.0507 elu(x, 1.6733)",
  hard_tanh = "x between -1 and 1",
  hard_sigmoid = "relu6(x + 3) / 6",
  hard_silu = "x hard_sigmoid(x)", hard_swish = "x hard_sigmoid(x)",
}
for name, text in pairs(activations) do
  help["jax.nn." .. name] = ("jax.nn.%s(x): %s.\nGrad:    x\n" ..
    "Example: jax.nn.%s(jnp.zeros(3)).shape[1] --> 3"):format(name, text, name)
end
for name, row in pairs{
  elu = {"x [, alpha = 1]", "x where positive, else alpha (exp(x) - 1)"},
  celu = {"x [, alpha = 1]",
          "max(x, 0) + alpha (exp(min(x, 0) / alpha) - 1)"},
  gelu = {"x [, approximate = true]",
          "x Phi(x); false: exactly, not by tanh"},
  leaky_relu = {"x [, negative_slope = 0.01]", "x, or slope times x"},
  squareplus = {"x [, b = 4]", "(x + sqrt(x^2 + b)) / 2"},
  softmax = {"x [, axis = -1, where]", "exp(x) over its sum along the axis"},
  log_softmax = {"x [, axis = -1, where]", "log(softmax(x)), without overflow"},
  logsumexp = {"x [, axis]", "log(sum(exp(x))), without overflow"},
  standardize = {"x [, axis] [, mean] [, variance]",
                 "mean 0, variance 1"},
  identity = {"x", "x itself"}, tanh = {"x", "the hyperbolic tangent"},
  sparse_sigmoid = {"x", "0 up to -1, 1 from 1 on, a line between"},
  log1mexp = {"x", "log(1 - exp(-x)), near 0 as well"},
  logmeanexp = {"x [, axis] [, keepdims]", "log(mean(exp(x)))"},
} do
  help["jax.nn." .. name] = ("jax.nn.%s(%s): %s.\nGrad:    x\nExample: " ..
    "jax.nn.%s(jnp.zeros(1)).dtype --> f32"):format(name, row[1], row[2], name)
end
help["jax.nn.glu"] = [=[
jax.nn.glu(x [, axis = -1]): the first half times the sigmoid of the second.
Example: jax.nn.glu(jnp.zeros(4)) --> Array([0, 0], f32)]=]
help["jax.nn.one_hot"] = [=[
jax.nn.one_hot(x, num_classes [, dtype, axis]): 1 at the number's place along a
new axis (the last, or this), 0 elsewhere.
Example: jax.nn.one_hot(jnp.array{2}, 3) --> Array([[0, 0, 1]], f32)]=]
help["jax.nn.dot_product_attention"] = [=[
jax.nn.dot_product_attention(query, key, value [, bias] [, mask] [, scale]
[, is_causal] [, query_seq_lengths] [, key_value_seq_lengths]): each place of
the query gets the mean of the values whose keys are like it. mask: true where
a place is seen; is_causal: only places up to its own.
Shapes:  ([batch,] places, heads, features); fewer heads of keys are shared
Grad:    query, key, value, bias
Example: jax.nn.dot_product_attention(jnp.ones{2, 1, 3}, jnp.ones{2, 1, 3}, jnp.ones{2, 1, 3}).shape[1] --> 2]=]
help["jax.scipy.linalg"] = [=[
jax.scipy.linalg: block_diag, cho_factor, cho_solve, cholesky(a, lower), det,
eigh, expm, hilbert, inv, qr, solve, solve_triangular(a, b, trans, lower,
unit_diagonal), svd, toeplitz. cholesky is the upper triangle without `lower`.
Grad:    all
Example: jax.scipy.linalg.expm(jnp.zeros{1, 1}) --> Array([[1]], f32)]=]
help["jax.scipy.special"] = [=[
jax.scipy.special: beta, betainc, betaln, boxcox, boxcox1p, comb, digamma, entr,
erf, erfc, erfinv, exp1, expi, expit, factorial, gamma, gammainc, gammaincc,
gammaln, gammasgn, i0, i0e, i1, i1e, kl_div, log_ndtr, log_softmax, loggamma,
logit, logsumexp, multigammaln, ndtr, ndtri, poch, polygamma, psi, rel_entr,
softmax, xlog1py, xlogy, zeta.
Grad:    all but zeta's first and betainc's first two arguments
Example: jax.scipy.special.gammainc(2.0, 1.0) --> Array(0.26424113, f32, weak_type=True)]=]
help["jax.nn.initializers"] = [=[
jax.nn.initializers: weights from a key, init(key, shape [, dtype]):
glorot_uniform(), glorot_normal() (also xavier_), he_uniform(), he_normal()
(also kaiming_), lecun_uniform(), lecun_normal(), variance_scaling(scale, mode,
distribution), normal(stddev), uniform(scale), truncated_normal(stddev),
orthogonal(scale), delta_orthogonal(scale), constant(value); zeros and ones are
initializers themselves.
Example: jax.nn.initializers.zeros(nil, {2}) --> Array([0, 0], f32)]=]

-- Texts that tell of two names.
help["jax.remat"] = help["jax.checkpoint"]
help["jax.local_devices"] = help["jax.devices"]
help["jax.local_device_count"] = help["jax.device_count"]
for _, name in ipairs{"PartitionSpec", "NamedSharding", "SingleDeviceSharding"} do
  help["jax.sharding." .. name] = help["jax.P"]
end
help["jax.sharding.Mesh"] = help["jax.make_mesh"]
help["jax.process_count"] = help["jax.process_index"]

return help

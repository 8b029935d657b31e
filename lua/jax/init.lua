-- SPDX-License-Identifier: Apache-2.0
-- Puts `jax` and `jnp` together. use.jax and use.jnp are the tables that
-- scripts see; this file fills them when one is first used.
local use = ...
local jax, jnp = use.jax, use.jnp
setmetatable(jax, nil)
setmetatable(jnp, nil)

local core = use("core/core")
core.raise = use.raise
core.is_weak = use.is_weak
use("core/lax")
use("prims/elementwise")
use("prims/math")
use("prims/convert")
use("prims/shape")
use("prims/reduce")
use("prims/dot")
use("prims/conv")
use("prims/window")
use("prims/jit")
use("prims/scan")
use("prims/while")
use("prims/cond")
use("transforms/control")
use("prims/random")
use("prims/linalg")
use("prims/index")
use("prims/scatter")
use("prims/cumulative")
use("prims/sort")
use("prims/precision")
use("prims/collective")
use("prims/shard_map")
use("jnp/tracer")
use("explain/mistakes")
local api = use("transforms/api")
local tree = use("core/tree")

for _, name in ipairs{"make_jaxpr", "vmap", "jvp", "vjp", "grad",
                      "value_and_grad", "jit", "default_matmul_precision",
                      "device_put", "block_until_ready", "clear_caches",
                      "why"} do
  jax[name] = api[name]
end
local derivatives = use("transforms/derivatives")
local custom = use("transforms/custom")
local callback = use("transforms/callback")
for _, name in ipairs{"jacfwd", "jacrev", "hessian", "linearize",
                      "eval_shape"} do
  jax[name] = derivatives[name]
end
jax.ShapeDtypeStruct = use("core/struct").new
jax.custom_jvp, jax.custom_vjp = custom.custom_jvp, custom.custom_vjp
jax.checkpoint, jax.remat = custom.checkpoint, custom.checkpoint
jax.debug = {print = callback.print, callback = callback.callback}
jax.debug_nans = use("explain/nans").during
jax.log_compiles = use("explain/misses").log_during
jax.lower = function(f, ...)
  api.need_function("lower", f)
  if type(f) == "function" or not f.lower then f = api.jit(f) end
  return f:lower(...)
end
jax.pure_callback = callback.pure_callback
jax.shard_map = use("extra/shard_map").shard_map
jax.pmap = use("extra/pmap").pmap
jax.dlpack = {from_dlpack = use("jnp/create").from_dlpack}
jax.jacobian = derivatives.jacrev
jax.device_get = function(x)
  return tree.map(function(leaf)
    return type(leaf) == "number" and leaf or use.np.asarray(leaf)
  end, x)
end
jax.lax = use("core/lax")
jax.random = use("random/random")
jax.numpy = jnp
jax.config = use("core/config").public
local functions = use("jnp/jnp")
for name, f in pairs(functions) do jnp[name] = f end
jnp.types = nil
local indexing = use("jnp/indexing")
use.on_index{indexing.get, indexing.refuse_assignment}
use("jnp/windows")
use("jnp/lax_made")
jax.nn = use("extra/nn")
jax.nn.initializers = use("random/initializers")
jax.scipy = use("extra/scipy")
jax.tree, jax.tree_util = use("extra/trees").tree, use("extra/trees").tree_util
local devices = use("mesh/devices")
for _, name in ipairs{"devices", "local_devices", "device_count",
                      "local_device_count", "default_backend",
                      "process_index", "process_count"} do
  jax[name] = devices[name]
end
use.np_core.common_linalg(jnp)
use.np_core.ufuncs(jnp)

local meshes, shards = use("mesh/mesh"), use("mesh/shards")
jax.make_mesh, jax.P = meshes.make_mesh, meshes.PartitionSpec
jax.sharding = {
  Mesh = meshes.Mesh, NamedSharding = meshes.NamedSharding,
  PartitionSpec = meshes.PartitionSpec,
  SingleDeviceSharding = meshes.SingleDeviceSharding,
  AxisType = {Auto = "Auto", Explicit = "Explicit", Manual = "Manual"},
}
indexing.properties.sharding = shards.sharding_of
indexing.properties.addressable_shards = shards.shards_of
for name, f in pairs(use("extra/collectives")) do jax.lax[name] = f end

use("product_options")(jnp)
use("argument_names")(jax)
use("results")(jax, jnp)

-- ---- Names that are not there ----

use.guard_names(jax, "jax")
use.guard_names(jnp, "jnp", use("jnp/create").types)
for _, part in ipairs{"lax", "nn", "random", "tree", "tree_util", "scipy",
                      "debug", "sharding"} do
  use.guard_names(jax[part], "jax." .. part)
end
for _, part in ipairs{"linalg", "fft"} do
  use.guard_names(jnp[part], "jnp." .. part)
end
use.guard_names(jax.scipy.special, "jax.scipy.special")

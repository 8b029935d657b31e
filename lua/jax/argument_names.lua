-- SPDX-License-Identifier: Apache-2.0
-- The names of fixed arguments after the first, for functions that take theirs
-- by position: lax.rev(x, {dimensions = {0}}) is lax.rev(x, {0}).
local use = ...
local args = use("core/args")

local axes, axis, alpha = {"axes"}, {"axis", "index_dtype"}, {"alpha"}

return function(jax)
  -- jax itself calls lax by position: a table of its own for who does not.
  local lax = {}
  for name, f in pairs(jax.lax) do lax[name] = f end
  jax.lax = lax
  for _, name in ipairs{"full", "full_like"} do
    local f = lax[name]
    lax[name] = function(...) return args.done(f(...)) end
  end
  args.let_be_named(lax, {
    rev = {"dimensions"}, squeeze = {"dimensions"},
    expand_dims = {"dimensions"}, transpose = {"permutation"},
    broadcast = {"sizes"}, broadcast_in_dim = {"shape", "broadcast_dimensions"},
    reshape = {"new_sizes"}, convert_element_type = {"new_dtype"},
    slice = {"start_indices", "limit_indices", "strides"},
    slice_in_dim = {"start_index", "limit_index", "stride", "axis"},
    dynamic_slice = {"start_indices", "slice_sizes"},
    dynamic_slice_in_dim = {"start_index", "slice_size", "axis"},
    dynamic_update_slice = {"update", "start_indices"},
    index_in_dim = {"index", "axis", "keepdims"},
    pad = {"padding_value", "padding_config"}, round = {"rounding_method"},
    integer_pow = {"y"}, top_k = {"k", "axis"}, iota = {"size"},
    broadcasted_iota = {"shape", "dimension"}, concatenate = {"dimension"},
    reduce_max = axes, reduce_min = axes, reduce_sum = axes, reduce_prod = axes,
    reduce_and = axes, reduce_or = axes, reduce_xor = axes,
    argmax = axis, argmin = axis,
    collapse = {"start_dimension", "stop_dimension"}, split = {"sizes", "axis"},
    sort_key_val = {"values", "dimension", "is_stable"},
    reduce_precision = {"exponent_bits", "mantissa_bits"},
  })
  args.let_be_named(jax.nn, {
    elu = alpha, celu = alpha, leaky_relu = {"negative_slope"},
    gelu = {"approximate"}, glu = {"axis"}, squareplus = {"b"},
    softmax = {"axis", "where"}, log_softmax = {"axis", "where"},
    logmeanexp = {"axis", "keepdims"},
    standardize = {"axis", "mean", "variance", "epsilon"},
    one_hot = {"num_classes", "dtype", "axis"},
  })
  args.let_be_named(jax.scipy.special, {softmax = {"axis"},
                                        log_softmax = {"axis"}})
  args.let_be_named(jax.random, {
    split = {"num"}, fold_in = {"data"}, key = {"impl"}, PRNGKey = {"impl"},
  })
end

-- SPDX-License-Identifier: Apache-2.0
-- Indexing of jax arrays: programs as JAX prints them, what is refused and in
-- which words, and the help's examples. Values stand in tests/fixtures/jax.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal, raises = tap.test, tap.equal, tap.raises

local x = jnp.array({0, 1, 2, 3, 4}, "f32")
local i = jnp.array({0, 2, 1}, "i32")

test("a place that is traced", function()
  equal(tostring(jax.make_jaxpr(function(a, k) return a[k] end)(x, i[0])), [[
{ lambda ; a:f32[5] b:i32[]. let
    c:bool[] = lt b 0:i32[]
    d:i32[] = add b 5:i32[]
    e:i32[] = select_n c b d
    f:f32[1] = dynamic_slice[slice_sizes=(1,)] a e
    g:f32[] = squeeze[dimensions=(0,)] f
  in (g,) }]])
end)

test("a scatter in JAX's form", function()
  equal(tostring(jax.make_jaxpr(function(a)
    return a.at["1:3"]:multiply(2.)
  end)(x)), [[
{ lambda ; a:f32[5]. let
    b:i32[1] = broadcast_in_dim 1:i32[]
    c:f32[2] = broadcast_in_dim 2.0:f32[]
    d:f32[5] = scatter-mul[
      dimension_numbers=ScatterDimensionNumbers(update_window_dims=(0,), ]] ..
      [[inserted_window_dims=(), scatter_dims_to_operand_dims=(0,), ]] ..
      [[operand_batching_dims=(), scatter_indices_batching_dims=())
      indices_are_sorted=True
      mode=GatherScatterMode.FILL_OR_DROP
      unique_indices=True
      update_consts=()
      update_jaxpr={ lambda ; e:f32[] f:f32[]. let g:f32[] = mul e f in (g,) }
    ] a b c
  in (d,) }]])
end)

test("what is refused says the way out", function()
  raises("argument", "x = x.at[i]:set(y)", function() x[0] = 1 end)
  raises("argument", "x = x.at[i]:set(y)", function()
    jax.jit(function(y) y[0] = 1 return y end)(x)
  end)
  raises("argument", "x = x.at[i]:set(y)", function() x.at[0] = 1 end)
  raises("argument", "NonConcreteBooleanIndexError", function()
    jax.jit(function(y) return y[y:gt(1)] end)(x)
  end)
  raises("argument", "1-dimensional, but 2 were indexed", function()
    return x["0, 1"]
  end)
  raises("argument", "cannot be broadcast to (3,)", function()
    return x.at[i]:set(jnp.array{1., 2.})
  end)
  raises("argument", "give length = n", function()
    return jax.jit(jnp.bincount)(i)
  end)
  raises("argument", "one shape", function()
    return jax.jit(function(y) return jnp.nonzero(y) end)(x)
  end)
  raises("argument", "axis 7 is out of bounds", function()
    return jnp.cummax(jnp.ones{2, 3}, 7)
  end)
  raises("unsupported", "unique_indices", function()
    return jax.grad(function(v) return jnp.sum(x.at[i]:multiply(v)) end)(
      jnp.array{1., 2, 3})
  end)
end)

test("places of a narrow type reach all of an array", function()
  local to = jnp.array({255, 0}, "u8")
  local y = jnp.put(jnp.zeros(300), to, 1.0, {inplace = false})
  equal(y[255]:item() + y[0]:item(), 2.0)
  equal(jnp.put_along_axis(jnp.zeros(300), to, 1.0, 0,
                           {inplace = false})[255]:item(), 1.0)
end)

test("examples of the help", function()
  for name, text in pairs(dofile("lua/help/jax_index.lua")) do
    local count = 0
    for code, want in text:gmatch("Example: (.-) %-%-> ([^\n]+)") do
      count = count + 1
      local got = tostring((assert(load("return " .. code))()))
      equal(got, want)
    end
    assert(count > 0, name .. " has no example")
  end
end)

-- What JAX 0.10 gives: factors and exponents are of the array's type.
test("x.at[i]:divide and :power have the types that JAX gives", function()
  local function gives(got, text) equal(tostring(got), text) end
  local function array(t) return jnp.array({1, 2, 3}, t) end
  gives(array("f16").at[1]:divide(jnp.float32(3)),
        "Array([1, 0.6665, 3], f16)")
  gives(array("f16").at[1]:power(jnp.float32(1.5)),
        "Array([1, 2.828, 3], f16)")
  gives(array("i32").at[1]:power(1.5), "Array([1, 2, 3], i32)")
  gives(array("i32").at[2]:power(2), "Array([1, 2, 9], i32)")
  gives(array("u8").at[1]:power(jnp.array(2, "i32")), "Array([1, 4, 3], u8)")
  gives(array("u8").at[1]:divide(2), "Array([1, 1, 3], f32)")
  gives(array("i32").at[1]:divide(4), "Array([1, 0.5, 3], f32)")
  gives(array("u8").at[1]:set(300), "Array([1, 44, 3], u8)")
  gives(array("u8").at[1]:set(jnp.array(300.5, "f32")),
        "Array([1, 255, 3], u8)")
end)

tap.done()

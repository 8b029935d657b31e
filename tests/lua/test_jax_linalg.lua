-- SPDX-License-Identifier: Apache-2.0
-- jnp.linalg and jnp.fft: forward against backward derivatives, second
-- derivatives, and what np's own functions do with jax arrays.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal, raises = tap.test, tap.equal, tap.raises
local la = jnp.linalg

local rng = np.random.default_rng(11)
local function normal(...)
  return jnp.array(rng:standard_normal({...}):astype("f32"))
end

local square = normal(4, 4) + 3 * jnp.eye(4)
local positive = jnp.matmul(square, square.T) / 4 + jnp.eye(4)
local tall, wide = normal(5, 3), normal(3, 5)
local stack = jnp.stack{square, square.T + 1}

-- Name, function to a list of results, arguments.
local cases = {
  {"inv", function(a) return {la.inv(a)} end, square},
  {"inv of a stack", function(a) return {la.inv(a)} end, stack},
  {"solve", function(a, b) return {la.solve(a, b)} end, square, normal(4, 2)},
  {"solve, a stack", function(a, b) return {la.solve(a, b)} end, stack,
   normal(4)},
  {"det", function(a) return {la.det(a)} end, stack},
  {"det's slope", function(a)
    return {jax.grad(function(x) return jnp.sum(la.det(x)) end)(a)}
  end, stack},
  {"slogdet", function(a) return {(select(2, la.slogdet(a)))} end, stack},
  {"cholesky", function(a) return {la.cholesky(a)} end, positive},
  {"eigh", function(a) return {la.eigh(a)} end, positive},
  {"qr", function(a) return {la.qr(a)} end, tall},
  {"svd, tall", function(a) return {la.svd(a, false)} end, tall},
  {"svd, wide", function(a) return {la.svd(a, false)} end, wide},
  {"svdvals", function(a) return {la.svdvals(a)} end, wide},
  {"pinv", function(a) return {la.pinv(a)} end, tall},
  {"fft", function(x)
    local z = jnp.fft.fft(x, nil, 0)
    return {z.real, z.imag}
  end, tall},
  {"irfft", function(x, y)
    return {jnp.fft.irfft(np.complex(x, y), 6)}
  end, tall, normal(5, 3)},
}
for _, lower in ipairs{true, false} do
  for _, transpose in ipairs{true, false} do
    for _, left in ipairs{true, false} do
      table.insert(cases, {
        ("triangular_solve %s %s %s"):format(lower, transpose, left),
        function(a, b)
          return {jax.lax.linalg.triangular_solve(a, b, left, lower,
                                                  transpose)}
        end, square, normal(4, 4)})
    end
  end
end

for _, case in ipairs(cases) do
  local name, f, args = case[1], case[2], {table.unpack(case, 3)}
  test(name .. ": jvp and vjp are adjoint", function()
    local tangents = {}
    for i, x in ipairs(args) do tangents[i] = normal(table.unpack(x.shape)) end
    local outputs, pushed = jax.jvp(f, args, tangents)
    local cts = {}
    for i, y in ipairs(outputs) do cts[i] = normal(table.unpack(y.shape)) end
    local _, pull = jax.vjp(f, table.unpack(args))
    local pulled = table.pack(pull(cts))
    if #args == 1 and type(pulled[1]) == "table"
       and getmetatable(pulled[1]) == nil then
      pulled = pulled[1]
    end
    local left, right, size = 0, 0, 0
    for i, ct in ipairs(cts) do
      left = left + jnp.sum(ct * pushed[i]):item()
      size = size + jnp.sum(jnp.abs(ct * pushed[i])):item()
    end
    for i, t in ipairs(tangents) do
      right = right + jnp.sum(t * pulled[i]):item()
    end
    assert(math.abs(left - right) < 2e-3 * (1 + size),
           ("%.9g and %.9g"):format(left, right))
  end)
end

test("second derivatives", function()
  -- log det: the Hessian along t is -trace((a^-1 t)^2).
  local t = normal(4, 4)
  local function slope(a)
    local g = jax.grad(function(x) return (select(2, la.slogdet(x))) end)(a)
    return jnp.sum(g * t)
  end
  local got = jnp.sum(jax.grad(slope)(square) * t):item()
  local step = jnp.matmul(la.inv(square), t)
  np.testing.assert_allclose(got, -jnp.trace(jnp.matmul(step, step)):item(),
                             1e-3, 1e-4)
end)

test("factors under jit and vmap multiply to what was factored", function()
  local function again(a)
    local u, s, vt = la.svd(a, false)
    local q, r = la.qr(a)
    return {jnp.matmul(u * s, vt), jnp.matmul(q, r)}
  end
  for _, f in ipairs{again, jax.jit(again)} do
    for _, x in ipairs(f(tall)) do
      np.testing.assert_allclose(np.asarray(x), np.asarray(tall), 0, 1e-5)
    end
  end
  local both = jnp.stack{tall, tall * 2, tall - 1}
  for _, x in ipairs(jax.vmap(jax.jit(again))(both)) do
    np.testing.assert_allclose(np.asarray(x), np.asarray(both), 0, 1e-5)
  end
end)

test("complex pairs go through jit, vmap and np's names", function()
  local z = jax.jit(function(x) return jnp.fft.fft(x) * 2 end)(tall)
  local want = np.fft.fft(np.asarray(tall))
  np.testing.assert_allclose(np.asarray(z.real), want.real * 2, 1e-5, 1e-5)
  local back = jax.vmap(jnp.fft.ifft)(z).real / 2
  np.testing.assert_allclose(np.asarray(back), np.asarray(tall), 0, 1e-5)
  local same = np.fft.ifft(z).real / 2
  np.testing.assert_allclose(np.asarray(same), np.asarray(tall), 0, 1e-5)
  np.testing.assert_allclose(np.asarray(np.abs(z)),
                             np.abs(want) * 2, 1e-5, 1e-5)
end)

test("np.linalg takes jax arrays to jnp's", function()
  local x = np.linalg.inv(square)
  equal(tostring(x):sub(1, 5), "Array")
  equal(tostring(np.linalg.matrix_rank(square)):sub(1, 5), "Array")
end)

test("eig gives complex pairs, of known arrays", function()
  local w, v = la.eig(jnp.array{{0., 1}, {-1, 0}})
  equal(tostring(jnp.sort(w.imag)), "Array([-1, 1], f32)")
  equal(v.real.shape[2], 2)
  equal(tostring(la.eigvals(jnp.array{{2.}}).real), "Array([2], f32)")
  raises("unsupported", "linalg.eig: it computes known arrays", function()
    jax.jit(la.eig)(square)
  end)
end)

test("no inverse: inf and nan, as in JAX", function()
  equal(jnp.all(jnp.isfinite(la.inv(jnp.array{{1., 2}, {2, 4}}))):item(), false)
  equal(jnp.all(jnp.isnan(la.cholesky(jnp.array{{1., 2}, {2, 1}}))):item(),
        true)
end)

test("derivatives that are not there say so", function()
  raises("unsupported", "full_matrices = false", function()
    jax.grad(function(a)
      local u = la.svd(a)
      return u:sum()
    end)(tall)
  end)
  raises("unsupported", "mode \"reduced\"", function()
    jax.grad(function(a)
      local q = la.qr(a)
      return q:sum()
    end)(wide)
  end)
end)

test("the examples of the help are right", function()
  for name, text in pairs(dofile("lua/help/jax_linalg.lua")) do
    for code, want in text:gmatch("Example: (.-) %-%-> ([^\n]+)") do
      equal(tostring(assert(load("return " .. code))()), want, name)
    end
  end
end)

-- What JAX 0.10 gives: 300^2 exceeds f16.
test("norms of narrow floats are computed in their own type", function()
  local want = {
    f16 = {[2] = "inf", [1] = "700", [3] = "inf", [0] = "4", fro = "inf",
           sums = "2600"},
    bf16 = {[2] = "386", [1] = "700", [3] = "336", [0] = "4", fro = "1480",
            sums = "2592"},
  }
  for t, row in pairs(want) do
    local function norm(x, ...)
      return tostring(jnp.linalg.norm(x, ...))
    end
    local function text(number) return ("Array(%s, %s)"):format(number, t) end
    local v = (jnp.arange(5) - 3):astype(t) * 100
    local m = ((jnp.arange(12) - 3):astype(t) * 100):reshape{3, 4}
    equal(norm(v), text(row[2]))
    for order = 0, 3 do equal(norm(v, order), text(row[order])) end
    equal(norm(v, np.inf), text("300"))
    equal(norm(m), text(row.fro))
    equal(norm(m, "fro"), text(row.fro))
    equal(norm(m, np.inf), text(row.sums))
    for _, order in ipairs{2, -2, "nuc"} do
      raises("argument", "type " .. t .. " are not supported", function()
        jnp.linalg.norm(m, order)
      end)
    end
  end
end)

test("the largest of nothing is 0 as a norm", function()
  equal(jnp.linalg.norm(jnp.zeros(0), {ord = np.inf}):item(), 0.0)
end)

tap.done()

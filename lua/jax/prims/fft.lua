-- SPDX-License-Identifier: Apache-2.0
-- Fourier transforms. Complex values are two arrays, as everywhere here.
--
--   fft {inverse}     re, im -> re, im: along the last axis, divided by
--                     nothing; computed on the host, by FFTW
local use = ...
local core = use("core/core")
local batch = use("transforms/batch")
local ad = use("transforms/ad")
local linalg = use("prims/linalg")
local fftw = use.fft

local function transform(inverse, re, im)
  return core.bind(core.prims.fft, {inverse = inverse}, {re, im})
end

-- Both parts, zeros for one that is not there.
local function both(list)
  local re, im = list[1], list[2]
  return re or ad.zeros_like(im), im or ad.zeros_like(re)
end

core.define{
  name = "fft",
  eval = function(p, re, im)
    if not p.inverse then return {fftw.forward(re, im)} end
    local b, a = fftw.forward(im, re)
    return {a, b}
  end,
  shape = function(_, re)
    return {core.aval(re.shape, re.dtype), core.aval(re.shape, re.dtype)}
  end,
  batch = function(p, size, values, dims)
    return transform(p.inverse, batch.at(values[1], dims[1], 0, size),
                     batch.at(values[2], dims[2], 0, size)), {0, 0}
  end,
  -- Linear; its adjoint is the transform the other way.
  diff = {
    jvp = function(p, _, tangents)
      return transform(p.inverse, both(tangents))
    end,
    vjp = function(p, cts) return transform(not p.inverse, both(cts)) end,
  },
  emit = {run = linalg.on_host},
}

return {transform = transform}

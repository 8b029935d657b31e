-- expect: exercises/three-streams
-- All copies in, all kernels, all copies out: as good an order.
function three_streams(x)
  local n, out, d = #x, np.zeros(#x, "f32"), cuda.device_array(#x, "f32")
  local streams, pieces = {}, {}
  for k = 1, 3 do
    streams[k] = cuda.stream()
    pieces[k] = {(k - 1) * n // 3, k * n // 3}
  end
  local function each(f)
    for k, p in ipairs(pieces) do
      f(("%d:%d"):format(p[1], p[2]), p[2] - p[1], streams[k])
    end
  end
  each(function(p, _, s) d[p]:copy_from(x[p], s) end)
  each(function(p, count, s)
    bend{grid = count // 64 + 1, block = 64, stream = s}(d[p], count)
  end)
  each(function(p, _, s) d[p]:copy_to_host(out[p], s) end)
  each(function(_, _, s) s:synchronize() end)
  return out
end

-- The kernel twice(x, out, n) is there already. four_times(x): an array of the
-- host with 4 * x[i], made on the device, with one copy each way.
function four_times(x)
  -- BEGIN SOLUTION
  local n = #x
  local from = cuda.to_device(x)
  local to = cuda.device_array_like(from)
  twice[{(n + 127) // 128, 128}](from, to, n)
  twice[{(n + 127) // 128, 128}](to, from, n)
  return from:copy_to_host()
  -- END SOLUTION
  -- STARTER: local n, out = #x, np.zeros(#x, "f32")
  -- STARTER: local result = np.zeros(#x, "f32")
  -- STARTER: twice[{(n + 127) // 128, 128}](x, out, n)
  -- STARTER: twice[{(n + 127) // 128, 128}](out, result, n)
  -- STARTER: return result
end

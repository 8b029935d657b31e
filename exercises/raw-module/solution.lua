-- A colleague has sent a module with two kernels, and this note:
--   farthest_parts(int n, const float *x, float *parts): the greatest distance
--     from 0 among the n numbers of x. Blocks have 128 threads, always; as many
--     blocks as you like share the numbers. Block b leaves the greatest that it
--     met in parts[b]. Launch it again on the parts, with one block, and you
--     have it.
--   shrink(const float *by, float *x, int n): divides x by by[0], in place. A
--     thread for each number, blocks as you like.
-- raw_module(x) gives x, an array of the host, divided by its greatest distance
-- from 0, on the host again: everything lies between -1 and 1 then. Two copies
-- cross the bus, x and the result. x is not all 0.
function raw_module(x)
  -- BEGIN SOLUTION
  local n, blocks = #x, 32
  local dx = cuda.to_device(x)
  local parts = cuda.device_array(blocks, "f32")
  local greatest = cuda.device_array(1, "f32")
  farthest_parts[{blocks, 128}](n, dx, parts)
  farthest_parts[{1, 128}](blocks, parts, greatest)
  shrink[{(n + 255) // 256, 256}](greatest, dx, n)
  return dx:copy_to_host()
  -- END SOLUTION
  -- STARTER: local greatest = np.max(np.abs(x))
  -- STARTER: return x / greatest -- right, and nothing ran on the device
end

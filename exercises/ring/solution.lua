-- W workers stand in a ring, and worker w has row w of lists. Each row has W
-- pieces of the same size. In the end every worker is to have the sum of all
-- rows. One GPU plays all of them: worker w sends on stream[w], by the kernel
--   hand_on(const float *piece, float *to, int *sent, int *got, int n,
--           int is_added)
-- which adds a piece of n numbers to another (is_added is 1) or puts it in its
-- place (0), and counts the numbers that went out of one door and in at
-- another.
-- ring(lists) gives the rows, and how much each worker has sent and got. Let
-- each hand on to worker w + 1 alone (the last one to worker 0), one piece in a
-- step, all at the same time: W - 1 steps that add, then W - 1 that put in
-- place.
function ring(lists)
  local W, size = lists.shape[1], lists.shape[2] // lists.shape[1]
  local rows = cuda.to_device(lists)
  local sent = cuda.to_device(np.zeros(W, "i32"))
  local got = cuda.to_device(np.zeros(W, "i32"))
  local stream, done = {}, {}
  for w = 0, W - 1 do stream[w], done[w] = cuda.stream(), cuda.event() end
  local function hand(w, to, k, is_added)
    local piece = "%d, " .. k * size .. ":" .. (k + 1) * size
    local door = "%d:%d"
    hand_on{grid = (size + 127) // 128, block = 128, stream = stream[w]}(
      rows[piece:format(w)], rows[piece:format(to)],
      sent[door:format(w, w + 1)], got[door:format(to, to + 1)], size, is_added)
  end
  -- BEGIN SOLUTION
  -- Each door sees 2 (W - 1) pieces come and as many go, less than two rows
  -- each way, however many workers there are.
  for step = 0, 2 * W - 3 do
    for w = 0, W - 1 do
      if step > 0 then stream[w]:wait(done[(w - 1) % W]) end
    end
    for w = 0, W - 1 do
      hand(w, (w + 1) % W, (w - step) % W, step < W - 1 and 1 or 0)
      done[w]:record(stream[w])
    end
  end
  -- END SOLUTION
  -- STARTER: for k = 0, W - 1 do -- all to worker 0, and home again
  -- STARTER:   for w = 1, W - 1 do
  -- STARTER:     hand(w, 0, k, 1)
  -- STARTER:     cuda.synchronize()
  -- STARTER:   end
  -- STARTER:   for w = 1, W - 1 do
  -- STARTER:     hand(0, w, k, 0)
  -- STARTER:     cuda.synchronize()
  -- STARTER:   end
  -- STARTER: end
  cuda.synchronize()
  return rows:copy_to_host(), sent:copy_to_host(), got:copy_to_host()
end

-- An all-reduce of lists of bytes[i] bytes between W workers. A message of n
-- bytes takes start + n / speed microseconds, and all workers of a step send at
-- the same time.
-- The ring has 2 (W - 1) steps with one piece of W in each.
-- The tree has as many rounds up as it takes until one worker of W is left, and
-- as many down, with the whole list in each: where the number of those who are
-- left is odd, one has nobody to give to, and stays.
-- which_way(bytes, W, start, speed) gives the times of the ring, those of the
-- tree, and for each list which is quicker: 0 the ring, 1 the tree (the ring
-- where both take the same).
function which_way(bytes, W, start, speed)
  -- BEGIN SOLUTION
  local rounds, left = 0, W
  while left > 1 do
    rounds = rounds + 1
    left = (left + 1) // 2
  end
  local ring = 2 * (W - 1) * (start + bytes / W / speed)
  local tree = 2 * rounds * (start + bytes / speed)
  return ring, tree, np.greater(ring, tree):astype("i32")
  -- END SOLUTION
  -- STARTER: local ring = 2 * (W - 1) * (start + bytes / speed)
  -- STARTER: local tree = ring
  -- STARTER: return ring, tree, np.zeros(#bytes, "i32")
end

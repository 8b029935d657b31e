-- Rank r has T things to do, one after the other: kind[r][t] is 1 for a send
-- and 2 for a receive, to or from rank peer[r][t]; behind its last one stands
-- kind 0. A send to rank p waits until p has come to a receive from r, and a
-- receive from p waits until p has come to a send to r. When both are there,
-- both are through, and go on.
-- who_waits(kind, peer) gives for each rank how many things it has done when
-- nothing moves any more, and how many ranks are stuck then, with things to do.
function who_waits(kind, peer)
  local ranks, T = kind.shape[1], kind.shape[2]
  local done, stuck = np.zeros(ranks, "i32"), 0
  -- BEGIN SOLUTION
  local function now(r) -- what it stands at: kind and peer
    local t = done[r]
    if t == T then return 0 end
    return kind[r][t], peer[r][t]
  end
  repeat
    local has_moved = false
    for r = 0, ranks - 1 do
      local what, p = now(r)
      if what == 1 then
        local other, q = now(p)
        if other == 2 and q == r then
          done[r], done[p] = done[r] + 1, done[p] + 1
          has_moved = true
        end
      end
    end
  until not has_moved
  for r = 0, ranks - 1 do
    if now(r) ~= 0 then stuck = stuck + 1 end
  end
  -- END SOLUTION
  -- STARTER: for r = 0, ranks - 1 do -- as if nobody ever waited
  -- STARTER:   while done[r] < T and kind[r][done[r]] ~= 0 do
  -- STARTER:     done[r] = done[r] + 1
  -- STARTER:   end
  -- STARTER: end
  return done, stuck
end

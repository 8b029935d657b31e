-- Two kernels were timed in turns: old[k] and new[k] are the microseconds of
-- the k-th pair, old first. The first pair does not count: it has what is done
-- once in it.
-- in_turns(old, new) gives
--   the median of the quotients new[k] / old[k],
--   their spread: the median of their distances from it,
--   1 where the new one is faster, -1 where it is slower, and 0 where it is too
--     noisy to say: where the median is no farther from 1 than the spread.
function in_turns(old, new)
  -- BEGIN SOLUTION
  local quotient = new["1:"] / old["1:"]
  local median = np.median(quotient)
  local spread = np.median(np.abs(quotient - median))
  local verdict = 0
  if median < 1 - spread then verdict = 1 end
  if median > 1 + spread then verdict = -1 end
  return median, spread, verdict
  -- END SOLUTION
  -- STARTER: local quotient = np.mean(new) / np.mean(old)
  -- STARTER: return quotient, 0, quotient < 1 and 1 or -1
end

-- Task i takes minutes[i]. Arrow e says that task second[e] cannot begin before
-- task first[e] is done. Arrows and tasks stand in any order; no task waits for
-- itself by any way round. There are workers enough, and every task begins as
-- early as it can, the first ones at minute 0.
-- graph_of_tasks(minutes, first, second) gives the minute at which each task
-- begins, the minute at which all is done, and how many tasks are at work at
-- the same moment, at most. (A task that takes 3 minutes from minute 2 on is at
-- work at 2, 3 and 4.)
function graph_of_tasks(minutes, first, second)
  -- BEGIN SOLUTION
  -- Each round hands the news on by one arrow, and the last one brings none. A
  -- queue of tasks that wait for nothing more looks at each arrow once.
  local start = np.zeros(#minutes, "i32")
  repeat
    local has_changed = false
    for e = 0, #first - 1 do
      local ready = start[first[e]] + minutes[first[e]]
      if ready > start[second[e]] then
        start[second[e]] = ready
        has_changed = true
      end
    end
  until not has_changed
  local done, workers = start + minutes, 0
  for i = 0, #minutes - 1 do
    local at_work = np.logical_and(np.less_equal(start, start[i]),
                                   np.greater(done, start[i]))
    workers = math.max(workers, np.count_nonzero(at_work))
  end
  return start, np.max(done), workers
  -- END SOLUTION
  -- STARTER: local start = np.zeros(#minutes, "i32")
  -- STARTER: for e = 0, #first - 1 do
  -- STARTER:   start[second[e]] = start[first[e]] + minutes[first[e]]
  -- STARTER: end
  -- STARTER: return start, np.max(start + minutes), #minutes
end

-- Tasks, of which some are done. Arrow e says that task second[e] needs the
-- result of task first[e]. A task that is not done will run. The result of one
-- that is done lies at the worker place[i] alone. wanted[i] is 1 where its
-- result is asked for in the end.
-- Worker `dead` has died, and its results with it.
-- made_again gives for each task 1 if it is done and has to run again, else 0,
-- and how many tasks are to run in all.
-- Again runs what lay at the dead worker, and only where it is needed: it is
-- wanted, or a task that is to run needs it.
function made_again(first, second, done, place, wanted, dead)
  local n = #done
  local again = np.zeros(n, "i32")
  -- BEGIN SOLUTION
  local function is_lost(i)
    return done[i] == 1 and place[i] == dead and again[i] == 0
  end
  for i = 0, n - 1 do
    if is_lost(i) and wanted[i] == 1 then again[i] = 1 end
  end
  repeat
    local has_changed = false
    for e = 0, #first - 1 do
      local i, j = first[e], second[e]
      if is_lost(i) and (done[j] == 0 or again[j] == 1) then
        again[i] = 1
        has_changed = true
      end
    end
  until not has_changed
  return again, n - np.sum(done) + np.sum(again)
  -- END SOLUTION
  -- STARTER: for i = 0, n - 1 do -- all that it had
  -- STARTER:   if place[i] == dead then again[i] = 1 end
  -- STARTER: end
  -- STARTER: return again, np.sum(again)
end

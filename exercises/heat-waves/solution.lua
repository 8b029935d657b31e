-- Another library hands over readings of many stations, one a day: memory, a
-- list of all its numbers, and where the readings lie in it. That of station i
-- on day j is
--   memory[start + i * station_step + j * day_step]
-- A reading is hot that is more than limit above the mean of its station's
-- days. A day is in a wave where it ends `length` hot days in a row, 1 or more.
-- Days before day length - 1 cannot be, and are left out of the result.
-- heat_waves gives for each of the other days how many stations are in a wave,
-- and for each station on how many days it is. The only loop is one over
-- length.
function heat_waves(memory, start, stations, days, station_step, day_step,
                    limit, length)
  -- BEGIN SOLUTION
  local i = np.arange(stations):reshape(stations, 1)
  local j = np.arange(days)
  local t = memory[start + i * station_step + j * day_step]
  local hot = np.greater(t - np.mean(t, {axis = 1, keepdims = true}), limit)
  local ends = days - length + 1
  local wave = hot[(":, 0:%d"):format(ends)]
  for k = 1, length - 1 do
    wave = wave & hot[(":, %d:%d"):format(k, k + ends)]
  end
  return np.sum(wave, 0), np.sum(wave, 1)
  -- END SOLUTION
  -- STARTER: return np.zeros(days - length + 1, "i32"),
  -- STARTER:   np.zeros(stations, "i32")
end

-- Two parts of a table: train, from which is learned, and test, which stands
-- for rows that nobody has seen yet. Both have a row for each sample and the
-- same columns, `columns` of them. scaled gives both with each column scaled to
-- mean 0 and standard deviation 1, as far as one may know: with the means and
-- deviations of train. A column that is constant in train is not divided. The
-- deviation is that of np.std, which divides by the number of rows. np does it:
-- ml is not there where answers are judged.
function scaled(train, test, columns)
  -- BEGIN SOLUTION
  local mean = np.mean(train, 0)
  local deviation = np.std(train, 0)
  local scale = np.where(np.greater(deviation, 0), deviation, 1)
  return (train - mean) / scale, (test - mean) / scale
  -- END SOLUTION
  -- STARTER: return train, test
end

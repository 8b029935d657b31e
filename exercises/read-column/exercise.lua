-- SPDX-License-Identifier: Apache-2.0
-- Fields that hold no number, one after the other.
local BROKEN = {"abc", "", "-", "7x", "1-2", "--3", "+4", " 5", "6 ", "1.5",
  "1/2", "3:4"}

-- The text of a file and where its lines begin; `odd` every how many lines one
-- is broken, `first` the first of them.
local function file_of(case, rng)
  local bytes, starts = {}, {}
  local numbers = rng:ints(case.n * case.fields, -case.most, case.most)
  for i = 0, case.n - 1 do
    local fields = {}
    for f = 0, case.fields - 1 do
      fields[f + 1] = tostring(math.tointeger(numbers[i * case.fields + f]))
    end
    if case.odd and i >= case.first and (i - case.first) % case.odd == 0 then
      local which = (case.begin or 0) + (i - case.first) // case.odd
      if case.short then
        fields = table.move(fields, 1, case.column, 1, {})
      else
        fields[case.column + 1] = BROKEN[which % #BROKEN + 1]
      end
    end
    starts[i + 1] = #bytes
    local text = table.concat(fields, ",") .. "\n"
    for k = 1, #text do bytes[#bytes + 1] = text:byte(k) end
  end
  starts[case.n + 1] = #bytes
  return bytes, starts
end

local function array_of(rng, list)
  local out = rng:full(#list, 0)
  for i, v in ipairs(list) do out[i - 1] = v end
  return out
end

return {
  title = "A column of a text",
  task = "Each thread reads the number in one line's field; of broken fields"
    .. " the first line is named.",
  needs = {"vector-add"},
  minutes = 25,
  kernel = "read_column",
  signature = {
    {"in", "const unsigned char *", "text"},
    {"in", "const int *", "line"},
    {"out", "int *", "value"},
    {"inout", "int *", "broken"},
    {"value", "int", "n"},
    {"value", "int", "column"},
  },
  reference = "read_column",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 60000,
  make = function(case, rng)
    local bytes, starts = file_of(case, rng)
    return {
      text = array_of(rng, bytes), line = array_of(rng, starts),
      value = case.n, broken = rng:full(1, case.n), n = case.n,
      column = case.column,
    }, {blocks_for(case.n, case.block or 128), case.block or 128}
  end,
  cases = {
    {name = "200 lines, the second of 3 fields", n = 200, fields = 3,
      column = 1, most = 999},
    {name = "the first field", n = 100, fields = 4, column = 0, most = 99999},
    {name = "the last field", n = 100, fields = 4, column = 3, most = 99},
    {name = "one line of one field", n = 1, fields = 1, column = 0, most = 9},
    {name = "broken fields", n = 150, fields = 3, column = 1, most = 99,
      odd = 7, first = 33},
    {name = "nothing between two commas", n = 50, fields = 3, column = 1,
      most = 99, odd = 9, first = 20, begin = 1},
    {name = "a minus alone", n = 50, fields = 3, column = 1, most = 99,
      odd = 30, first = 25, begin = 2},
    {name = "the last field is broken", n = 64, fields = 2, column = 1,
      most = 99, odd = 5, first = 3},
    {name = "lines with too few fields", n = 81, fields = 4, column = 2,
      most = 99, odd = 20, first = 40, short = true},
    {name = "the first line is broken", n = 40, fields = 1, column = 0,
      most = 9, odd = 3, first = 0},
    {name = "numbers of nine digits", n = 40, fields = 2, column = 0,
      most = 999999999},
    {name = "many lines", n = 1009, fields = 5, column = 3, most = 9999,
      odd = 91, first = 500, block = 96, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "A thread walks along its line, from line[i] on, and stops before the"
      .. " newline at line[i + 1] - 1.",
    "Pass as many commas as `column` says. If the line ends first, the field is"
      .. " not there.",
    "A digit is a character from '0' to '9', and number = 10 * number +"
      .. " text[at] - '0' puts it behind those before it.",
    "The number was one only if there was a digit and the field ends behind it:"
      .. " at a comma or with the line. atomicMin(broken, i) keeps the first"
      .. " line.",
  },
  editorial = "A thread loads one byte at a time, and lanes side by side are a"
    .. " line apart: many sectors a request. Libraries first find all newlines"
    .. " and commas, a thread for each byte, scan their numbers, and then know"
    .. " where each field begins without a walk. Commas inside quotes take one"
    .. " more scan.",
  mutants = {
    {
      name = "minus-forgotten",
      replace = {"minus ? -number : number", "number"},
      explain = "The minus was passed over: the number behind it counts as"
        .. " positive.",
    },
    {
      name = "end-not-asked",
      replace = {"digits > 0 && (at == end || text[at] == ',')",
        "digits > 0"},
      explain = "A field such as 7x begins with digits, and is no number:"
        .. " behind the last digit must come a comma or the end of the line.",
    },
    {
      name = "empty-is-zero",
      replace = {"digits > 0 && (at ==", "(at =="},
      explain = "A field without a digit was taken for 0. It is broken: count"
        .. " the digits.",
    },
    {
      name = "over-the-line",
      replace = {"left > 0 && at < end", "left > 0"},
      explain = "A line with too few fields ends before the field comes, and"
        .. " the walk went on into the next line: stop where the line ends.",
    },
    {
      name = "next-field",
      replace = {"left = column;", "left = column + 1;"},
      explain = "That is the field behind the one that is asked for: fields are"
        .. " counted from 0.",
    },
    {
      name = "last-broken",
      replace = {"atomicMin(broken, i);", "atomicMax(broken, i);"},
      explain = "broken comes in as n, which is larger than every line's"
        .. " number: the first line is the least, by atomicMin.",
    },
    {
      name = "plain-store",
      replace = {"atomicMin(broken, i);", "if (i < *broken) *broken = i;"},
      explain = "Several lines may be broken, and their threads write the same"
        .. " cell: reading, comparing and writing must be one step, atomicMin.",
    },
    {
      name = "broken-not-set",
      replace = {"    value[i] = 0;\n", ""},
      explain = "The value of a broken field is to be 0. Nobody wrote it, and"
        .. " what stood there before is anything.",
    },
    {
      name = "one-digit",
      replace = {"10 * number + text[at] - '0'", "text[at] - '0'"},
      explain = "Only the last digit is left: ten times what came before has to"
        .. " be added.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  if (i >= n) return;
  int at = line[i], end = line[i + 1] - 1, left = column;
  for (; left > 0 && at < end; at++)
    if (text[at] == ',') left--;
  bool minus = text[at] == '-';
  if (minus) at++;
  int number = 0, digits = 0;
  for (; text[at] >= '0' && text[at] <= '9'; at++) {
    number = 10 * number + text[at] - '0';
    digits++;
  }
  // Here the field must end: at a comma, or with the line.
  if (digits > 0 && (at == end || text[at] == ',')) {
    value[i] = minus ? -number : number;
  } else {
    value[i] = 0;
    atomicMin(broken, i);
  }]], [[
  if (threadIdx.x > 0) return;
  for (int last = min(i + (int)blockDim.x, n); i < last; i++) {
    int at = line[i], end = line[i + 1] - 1, left = column;
    for (; left > 0 && at < end; at++)
      if (text[at] == ',') left--;
    bool minus = text[at] == '-';
    if (minus) at++;
    int number = 0, digits = 0;
    for (; text[at] >= '0' && text[at] <= '9'; at++) {
      number = 10 * number + text[at] - '0';
      digits++;
    }
    if (digits > 0 && (at == end || text[at] == ',')) {
      value[i] = minus ? -number : number;
    } else {
      value[i] = 0;
      atomicMin(broken, i);
    }
  }]]},
      explain = "The first thread of each block reads all of its lines, and the"
        .. " others look on.",
    },
  },
}

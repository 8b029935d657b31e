-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "host",
  title = "Only the answer",
  task = "only_the_answer(x, limit): how many of x are above the limit, counted"
    .. " on the device by the kernel count_above. At most 4096 bytes come"
    .. " home.",
  minutes = 8,
  kernels = "kernels.cu",
  entry = "only_the_answer",
  signature = {
    {"in", "f32[]", "x"},
    {"value", "f32", "limit"},
    {"out", "i64", "count"},
  },
  reference = function(args)
    local count = 0
    for i = 0, #args.x - 1 do
      if args.x[i] > args.limit then count = count + 1 end
    end
    args.count[0] = count
  end,
  tolerance = {ulp = 0, reason = "a count is exact"},
  make = function(case, rng)
    return {x = rng:steps(case.n, 0, 100, 1 / 4), limit = case.limit}
  end,
  cases = {
    {name = "100000 readings", n = 100000, limit = 89},
    {name = "fewer than threads", n = 100, limit = 50},
    {name = "one reading", n = 1, limit = 50},
    {name = "none above", n = 3000, limit = 100},
    {name = "all above", n = 5001, limit = -1},
    {name = "20011 readings", n = 20011, limit = 12.5, hidden = true},
  },
  goal = {"bytes_to_host <= 4096", "copies <= 2", "launches >= 1"},
  hints = {
    "The starter counts on the host, and so all readings come home. The kernel"
      .. " counts where they are.",
    "Make room for one count a thread: cuda.device_array(256, \"i32\").",
    "One block of 256 threads is enough: each takes every 256th reading.",
    "np.sum adds the 256 counts on the host.",
  },
  editorial = "One launch and two copies: 4 n bytes go in, and 256 counts,"
    .. " 1024 bytes, come home, whatever n is. One block keeps one"
    .. " multiprocessor busy; four blocks, with a count for each of 1024"
    .. " threads, would still be within the 4096 bytes. Lesson 17 adds up on"
    .. " the device, by atomicAdd, and so does the exercise sum: then four"
    .. " bytes come home.",
  mutants = {
    {
      name = "all-come-home",
      replace = {"  return np.sum(seen",
        "  dx:copy_to_host()\n  return np.sum(seen"},
      breaks = "bytes_to_host <= 4096",
      explain = "The readings came home, and nobody needs them there.",
    },
    {
      name = "zeros-sent",
      replace = {'cuda.device_array(256, "i32")',
        'cuda.to_device(np.zeros(256, "i32"))'},
      breaks = "copies <= 2",
      explain = "The kernel writes every count: the zeros went in vain.",
    },
    {
      name = "not-launched",
      replace = {"  count_above[{1, 256}](dx, seen, limit, #x)\n",
        "  seen = cuda.to_device(np.array({np.sum(x:gt(limit))}, \"i32\"))\n"},
      breaks = "launches >= 1",
      explain = "The host counted, and the device was shown the answer.",
    },
    {
      name = "first-thread-only",
      replace = {"return np.sum(seen:copy_to_host())",
        "return seen:copy_to_host()[0]"},
      explain = "That is what thread 0 has seen: the other 255 have counted,"
        .. " too.",
    },
    {
      name = "largest-count",
      replace = {"np.sum(seen", "np.max(seen"},
      explain = "The largest of the counts is one thread's: they have to be"
        .. " added.",
    },
    {
      name = "half-of-the-readings",
      replace = {"limit, #x)", "limit, (#x + 1) // 2)"},
      explain = "The last argument says how many readings there are; the rest"
        .. " was not looked at.",
    },
    {
      name = "zero-as-limit",
      replace = {"seen, limit, #x", "seen, 0, #x"},
      explain = "The limit is the one that was given, not 0.",
    },
  },
}

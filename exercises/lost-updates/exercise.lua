-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Lost payments",
  task = "Mend the kernel: each payment is added to its account, and largest[0]"
    .. " is the largest one.",
  needs = {"vector-add"},
  minutes = 10,
  kernel = "book",
  signature = {
    {"in", "const int *", "to"},
    {"in", "const int *", "amount"},
    {"inout", "int *", "account"},
    {"inout", "int *", "largest"},
    {"value", "int", "n"},
  },
  reference = "lost_updates",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 20000,
  make = function(case, rng)
    local block = case.block or 128
    return {
      to = rng:ints(case.n, 0, case.accounts - 1),
      amount = rng:ints(case.n, 1, 5000),
      account = rng:ints(case.accounts, 0, 1000), largest = rng:full(1, 0),
      n = case.n,
    }, {(case.n + block - 1) // block, block}
  end,
  cases = {
    {name = "500 payments, 10 accounts", n = 500, accounts = 10},
    {name = "one payment", n = 1, accounts = 1},
    {name = "one account", n = 300, accounts = 1},
    {name = "1009 payments, blocks of 64", n = 1009, accounts = 100,
      block = 64},
    {name = "as many accounts as payments", n = 256, accounts = 256},
    {name = "large", n = 20011, accounts = 50, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "Two payments to one account: both threads read the old sum, both add, both"
      .. " write. What is left?",
    "atomicAdd(&account[...], ...) reads, adds and writes in one step.",
    "The second line reads largest[0], compares, and writes later. atomicMax"
      .. " does all of that in one step.",
  },
  editorial = "Two atomics a payment: n additions that are spread over the"
    .. " accounts, and n times atomicMax at one cell, at which all threads"
    .. " meet. Whole numbers come out the same in any order. The exercise sum"
    .. " adds up a block before it goes to the one cell, and a largest can be"
    .. " found so as well; histogram-shared does that for many cells.",
  mutants = {
    {
      name = "sum-not-mended",
      replace = {"atomicAdd(&account[to[i]], amount[i])",
        "account[to[i]] += amount[i]"},
      explain = "+= reads, adds and writes in three steps, and another payment"
        .. " to the same account comes between.",
    },
    {
      name = "check-then-write",
      replace = {"atomicMax(&largest[0], amount[i])",
        "if (amount[i] > largest[0]) largest[0] = amount[i]"},
      explain = "Between the comparison and the write another thread may have"
        .. " written a larger amount, which is then lost.",
    },
    {
      name = "check-then-exchange",
      replace = {"atomicMax(&largest[0], amount[i])",
        "if (amount[i] > atomicAdd(&largest[0], 0))"
        .. " atomicExch(&largest[0], amount[i])"},
      explain = "Two atomics are two steps: between the reading and the"
        .. " exchange another thread may write a larger amount. atomicMax is"
        .. " one.",
    },
    {
      name = "smallest",
      replace = {"atomicMax", "atomicMin"},
      explain = "largest[0] keeps the 0 that it begins with: whatever is larger"
        .. " has to take its place, by atomicMax.",
    },
    {
      name = "last-payment",
      replace = {"atomicAdd(&account[to[i]], amount[i])",
        "atomicExch(&account[to[i]], amount[i])"},
      explain = "This replaces what is on the account by the payment; it is to"
        .. " be added.",
    },
    {
      name = "own-account",
      replace = {"&account[to[i]]", "&account[to[i] == i ? i : 0]"},
      explain = "The payments go to account 0: the account is to[i].",
    },
    {
      name = "counted-only",
      replace = {"atomicAdd(&account[to[i]], amount[i])",
        "atomicAdd(&account[to[i]], 1)"},
      explain = "This counts the payments; their amounts are to be added.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[=[
  atomicAdd(&account[to[i]], amount[i]);
  atomicMax(&largest[0], amount[i]);]=], [=[
  if (threadIdx.x > 0) return;
  for (int k = i; k < i + blockDim.x && k < n; k++) {
    atomicAdd(&account[to[k]], amount[k]);
    atomicMax(&largest[0], amount[k]);
  }]=]},
      explain = "The first thread of each block books all of its payments,"
        .. " one after the other, and the others have nothing to do.",
    },
  },
}

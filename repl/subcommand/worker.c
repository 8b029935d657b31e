// SPDX-License-Identifier: Apache-2.0
// warpshop scale-worker: a process that computes for another one of warpshop's, which
// starts it (lua/bind/scale).
#include "repl/subcommand/worker.h"

#include "lua/bind/scale/scale.h"
#include "repl/eval/eval.h"
#include "repl/shop.h"

int sub_scale_worker(struct shop *s) {
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  return lscale_work(s->L) ? EXIT_MACHINE : EXIT_PASSED;
}

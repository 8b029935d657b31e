// SPDX-License-Identifier: Apache-2.0
#ifndef REPL_SUBCOMMAND_WORKER_H
#define REPL_SUBCOMMAND_WORKER_H

struct shop;

// What runs under the name scale-worker, which no table has: lua/bind/scale starts it.
int sub_scale_worker(struct shop *s);

#endif

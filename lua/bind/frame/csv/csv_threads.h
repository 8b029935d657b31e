// SPDX-License-Identifier: Apache-2.0
// Threads that take the blocks one by one.
#ifndef LUA_BIND_FRAME_CSV_CSV_THREADS_H
#define LUA_BIND_FRAME_CSV_CSV_THREADS_H

#include "lua/bind/frame/csv/csv_inside.h"

// The file from `from` to `to`, which its end may cut short, in the worker's room
// unless it is in the buffer, with a newline behind. NULL: csv_run ends.
const char *csv_block_text(struct csv_worker *w, int64_t from, int64_t to,
                           size_t *n);

// How many for so many things to do.
int csv_threads(const struct csv *c, int64_t most);
// Runs `work` on so many threads at once, each with a worker; the error that stopped
// one of them, or that the caller wants no more of it.
enum err csv_run(struct csv *c, int threads, void (*work)(struct csv_worker *w),
                 struct err_info *e);
// The next of c->block_count blocks; -1: there is none, or it is to stop.
int64_t csv_take_block(struct csv *c);
int64_t csv_take_one(struct csv *c, int64_t count); // of other things
void csv_stop(struct csv *c, enum err err, const struct err_info *e);
// `cancelled`, where the caller wants no more of it.
static inline enum err csv_go_on(const struct csv *c, struct err_info *e) {
  if (c->options.is_cancelled && c->options.is_cancelled())
    return err_set(e, ERR_CANCELLED, "stopped by Ctrl-C");
  return ERR_OK;
}

#endif

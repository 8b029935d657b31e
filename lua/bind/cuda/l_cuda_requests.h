// SPDX-License-Identifier: Apache-2.0
// The requests of a launch that cuda.profile(f, {requests = true}) recorded, and
// the arrays that they reach.
#ifndef LUA_BIND_CUDA_L_CUDA_REQUESTS_H
#define LUA_BIND_CUDA_L_CUDA_REQUESTS_H

#include "lua/bind/cuda/l_cuda.h"

#define LCUDA_REQUESTS "cuda.requests"

enum { LCUDA_REQUEST_ARRAYS = 32, LCUDA_REQUEST_DIMS = 8 };

struct lrequest_array {
  char name[64];     // the parameter, or the shared variable
  char variable[64]; // the prompt's name; ""
  uint64_t base, bytes;
  uint32_t elem_bytes; // 0: nobody knows
  int ndim;            // 0: a row
  int64_t shape[LCUDA_REQUEST_DIMS];
  bool is_shared; // each block has its own
};

struct lrequests {
  struct gpu_requests what;
  uint8_t *packed; // what.bytes
  int array_count;
  struct lrequest_array arrays[LCUDA_REQUEST_ARRAYS];
  char *kernel, *source, *file; // source: its lines are numbered from 1
};

// What the profile `p` is told when a launch runs: `params` as the virtual GPU
// got them, for the launch `record` of the device `d`.
void lrequests_note(lua_State *L, struct lrequests *p, struct ldevice *d,
                    const struct launch_record *record, const uint8_t *params);
// Pushes what `d`, a virtual GPU, has recorded, with the arrays of `noted`; nil
// where nothing was.
void lrequests_push(lua_State *L, struct ldevice *d,
                    const struct lrequests *noted);
void lrequests_open(lua_State *L);

// The requests of the counts (cuda.profile) at stack index `i`, which keep them;
// NULL where none were recorded.
const struct lrequests *lcuda_requests_at(lua_State *L, int i);
// The counts at stack index `i`, and their lines.
const struct gpu_counts *lcuda_counts_at(lua_State *L, int i,
                                         const struct gpu_line_counts **lines);
// What a real GPU counted itself of those launches, or NULL.
const struct gpu_hardware *lcuda_hardware_at(lua_State *L, int i);

#endif

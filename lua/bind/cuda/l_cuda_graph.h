// SPDX-License-Identifier: Apache-2.0
// Graphs: work of a stream that is recorded instead of done, and then launched
// as one. At most one capture runs in a Lua state.
#ifndef LUA_BIND_CUDA_L_CUDA_GRAPH_H
#define LUA_BIND_CUDA_L_CUDA_GRAPH_H

#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_stream.h"

enum { LGRAPH_STREAMS = 16 }; // that one capture may take in

// Where an event was recorded in a capture: what each of the captured streams
// had been asked for until then.
struct lgraph_mark {
  uint64_t capture; // which; 0: it was not recorded in one
  int node;         // of the record
  uint32_t seen[LGRAPH_STREAMS];
};

// Bytes of an array that a node reads or writes.
struct lgraph_use {
  struct storage *storage;
  size_t from, bytes;
  bool is_written;
  bool is_copied; // not by a kernel
};

enum lgraph_kind {
  LGRAPH_KERNEL,
  LGRAPH_COPY_IN,
  LGRAPH_COPY_OUT,
  LGRAPH_COPY_ON,
  LGRAPH_SET,
  LGRAPH_RECORD, // of an event, and a wait for one: edges, no nodes
  LGRAPH_WAIT,
};

static inline bool lgraph_is_capturing(const struct ldevice *d) {
  return d->owner->capture_device == d;
}

// True where work on the stream is captured now; false where nothing is. In a
// capture of other streams it ends that one and raises: `what` cannot be there.
bool lgraph_captures(lua_State *L, struct ldevice *d, const struct lstream *s,
                     const char *what);
// While anything of `d` is captured: ends that and raises "WHAT in a capture:
// WHY".
void lgraph_refuse(lua_State *L, struct ldevice *d, const char *what,
                   const char *why);

// What a launch that was given the value at `at` does to the storage `used`.
struct lgraph_use lgraph_use_of(lua_State *L, int at, struct storage *used,
                                bool is_written);
// Work that is captured. uses[i] belongs to parameter i of the kernel.
void lgraph_add_launch(lua_State *L, const struct llauncher *l,
                       const uint8_t *params, const struct lgraph_use *uses);
void lgraph_add_copy(lua_State *L, enum lgraph_kind kind,
                     const struct lstream *s, struct lgraph_use to,
                     struct lgraph_use from);
void lgraph_add_set(lua_State *L, const struct lstream *s, struct lgraph_use to,
                    uint32_t word, unsigned width);
void lgraph_add_record(lua_State *L, const struct lstream *s,
                       struct lgraph_mark *mark);
// False, and nothing is done, where neither the stream nor the event is part of
// a capture.
bool lgraph_add_wait(lua_State *L, struct lstream *s, int stream_at,
                     const struct lgraph_mark *mark);

// Methods of streams.
int lgraph_begin_capture(lua_State *L);
int lgraph_end_capture(lua_State *L);
int lgraph_is_capturing_stream(lua_State *L);

int lcuda_open_graph(lua_State *L);

#endif

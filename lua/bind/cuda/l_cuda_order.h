// SPDX-License-Identifier: Apache-2.0
// What waits for what, as a Lua program asked for it: two uses of one array
// that nothing orders are found, whatever the results are. Watching begins with
// the first stream that is made on a virtual GPU; until then all of these do
// nothing.
#ifndef LUA_BIND_CUDA_L_CUDA_ORDER_H
#define LUA_BIND_CUDA_L_CUDA_ORDER_H

#include "gpu/order.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/cuda/l_cuda_stream.h"

// The counter `chain` begins anew.
void lorder_restart_chain(struct lcuda *c);
// A stream and an event are made and go.
void lorder_add_stream(struct ldevice *d, struct lstream *s);
void lorder_drop_stream(struct lcuda *c, struct lstream *s);

// The bytes of the storage between the array's first element and its last.
void lorder_extent(const struct array *a, size_t *from, size_t *bytes);
// The call `what` queues a command on a stream (NULL: the default one), which
// then uses arrays.
void lorder_queue(lua_State *L, struct ldevice *d, const struct lstream *s,
                  const char *what);
struct lbytes {
  struct storage *of;
  size_t from, bytes;
};
void lorder_use(lua_State *L, struct ldevice *d, const struct lstream *s,
                struct lbytes b, bool is_written);
void lorder_use_array(lua_State *L, struct ldevice *d, const struct lstream *s,
                      const struct array *a, bool is_written);
// The host reads or writes an array of its own.
void lorder_use_on_host(lua_State *L, const struct array *a, bool is_written);

void lorder_record(struct ldevice *d, const struct lstream *s,
                   struct order_clock *event);
void lorder_wait(const struct lstream *s, const struct order_clock *event);
// The host waits.
void lorder_host_stream(struct ldevice *d, const struct lstream *s);
void lorder_host_event(struct ldevice *d, const struct order_clock *event);
void lorder_host_device(struct ldevice *d);

void lorder_close(struct lcuda *c);
int lcuda_open_order(lua_State *L);

#endif

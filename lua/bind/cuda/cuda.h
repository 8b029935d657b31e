// SPDX-License-Identifier: Apache-2.0
// What the `cuda` table has for jax, for what opens Lua and for the judge's
// process; the types are those of l_cuda.h and l_cuda_module.h. The room's other
// headers are its own.
#ifndef LUA_BIND_CUDA_CUDA_H
#define LUA_BIND_CUDA_CUDA_H

#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_requests.h"

// ---- The table ----

int lcuda_open(lua_State *L, const struct bind_options *options);
void lcuda_open_methods(lua_State *L);      // on arrays, once np is open
struct ldevice *lcuda_device(lua_State *L); // the current one, opened

// ---- Memory ----

// Memory from the pool, for arrays of jax.
struct device_storage *ldevice_alloc_pooled(lua_State *L, struct ldevice *d,
                                            size_t bytes);
struct device_storage *device_storage_of(const struct storage *s);
// Deleted by being donated: its memory goes to others, and arrays of it are errors
// from now on.
void device_storage_delete(struct device_storage *ds);
// Its block stays, freed or not, until it is let go of as often.
void device_storage_pin(struct device_storage *ds);
void device_storage_unpin(struct device_storage *ds);
// Another library has its memory, and may write to it, until it is taken back as often.
void device_storage_lend(struct device_storage *ds, bool is_written);
void device_storage_take_back(struct device_storage *ds);
// Storage over memory of another library's, which `d` has at that address. `lender`, whose
// reference is taken, goes once the last array of it is gone and its work is done.
struct device_storage *ldevice_adopt(struct ldevice *d, gpu_ptr address,
                                     size_t bytes, struct storage *lender);
// Keeps `held` (a reference is taken) until the work queued so far is done.
void ldevice_hold(struct ldevice *d, struct storage *held);
void ldevice_drain(struct ldevice *d); // frees what has retired
// Raises `device-lost` or `use-after-free` when the device array cannot be
// used on `d`; `what` names it.
void ldevice_check_storage(lua_State *L, struct ldevice *d,
                           const struct storage *s, const char *what);
// Pushes a copy of the array at 1 on `d`, in memory from the pool.
int lcuda_push_pooled(lua_State *L, struct ldevice *d);
bool lpool_is_used(const struct ldevice *d);

// ---- Launches ----

// Binds the launcher's kernel to `d` and checks its sizes, where that is new.
void lcuda_prepare(lua_State *L, struct llauncher *l, struct ldevice *d);
// Queues a launch whose parameters are packed: the launcher's kernel is bound
// to `d`. used[i] is the storage behind parameter i, or NULL.
enum err lcuda_launch_packed(lua_State *L, struct ldevice *d,
                             struct llauncher *l, uint8_t *params,
                             struct storage *const *used, struct err_info *e);
// Work that was just queued reads or writes the storage.
void lcuda_mark_use(struct ldevice *d, struct storage *s, bool is_read);
// Makes each kernel of a program that was compiled elsewhere, from `source`, a
// global of its name. The program is taken.
void lmodule_give(lua_State *L, struct nvrtc_program *p, const char *source,
                  const char *file);

// ---- Waiting, failures, devices that come back ----

void ldevice_wait_seq(lua_State *L, struct ldevice *d, uint64_t seq);
// Raises what `e` says, after recovery where the device needs one.
int ldevice_fail(lua_State *L, struct ldevice *d, const struct err_info *e)
    __attribute__((noreturn));
// The server was found dead while nothing of ours ran: starts it again and
// restores arrays. True when it was dead and now lives.
bool ldevice_revive(lua_State *L, struct ldevice *d);
// Takes note of a server that was replaced while it held nothing of ours.
void ldevice_sync(struct ldevice *d);

// ---- What is said and counted ----

// Through base/log, each text once; nothing in a sandbox.
void lcuda_say_once(struct lcuda *c, bool is_warning, const char *text);
static inline void lcuda_count(struct lcuda *c, enum gpu_call which,
                               uint64_t n) {
  c->calls.count[which] += n;
}
// Counts from now on, beginning with what arrays take.
void lcuda_start_counting(lua_State *L);

// The calls of a program in their order, with the host's time; what is queued also with
// the device's, from events before and behind it.
enum ltrace_kind {
  LTRACE_COPY_IN,
  LTRACE_COPY_OUT,
  LTRACE_COPY_ON,
  LTRACE_KERNEL,
  LTRACE_GRAPH,
  LTRACE_STREAM_WAIT, // a stream waits for an event
  LTRACE_HOST_WAIT,   // the host waited
};

enum { LTRACE_MOST = 1024, LTRACE_HOST = -1 };

// Times are in microseconds since the trace began.
struct ltrace {
  int count;
  long left_out; // events that found no room
  double begin_s;
  struct ltrace_event {
    enum ltrace_kind kind;
    int stream; // its number, 0: the default one; LTRACE_HOST
    size_t bytes;
    double queued_us; // when it was; of a wait of the host its beginning
    // When it ran, by the device; a wait of the host by the host. NAN: nobody knows.
    double start_us, end_us;
    char name[48]; // of a kernel
  } list[LTRACE_MOST];
};

// From here on calls are kept in `t`; NULL: no longer.
void lcuda_trace(lua_State *L, struct ltrace *t);
// [] Waits for what was queued since, and asks when it ran; raises what a kernel did
// wrong. Before lcuda_trace(L, NULL).
int lcuda_trace_finish(lua_State *L);

struct lorder_finding {
  char file[64]; // of the later call, "" where nobody knows
  int line, other_line;
  char text[640];
};
// What was found, the oldest first; NULL and 0 where nothing was.
const struct lorder_finding *lorder_findings(const struct lcuda *c, int *count);

// pooled(f, ...) -> f's results. The arrays that it makes on a real GPU have no guard
// page behind them, and their memory is that of arrays which are gone: with one
// a kernel of a few microseconds would wait for 100 (l_cuda_pool.c).
int lcuda_l_pooled(lua_State *L);

// ---- l_cuda_peer.c: groups of real GPUs, for lua/jax/mesh/groups.lua ----

// comm_join(ids) -> NCCL's version as a number; or nil and why the devices cannot be
// a group. Servers that run are started anew, and their arrays are carried over.
int lcomm_l_join(lua_State *L);
// comm_queue(ids, kind, op, root, sends, outs) -> whether they are a group still; what
// all ranks do is then queued. Contiguous device arrays, sends[r] and outs[r] of rank
// r - 1: nil where a rank has none.
int lcomm_l_queue(lua_State *L);
// comm_pairs(ids, {{from, x, to, out}, ...}) -> the same for what goes from rank to
// rank, all at once.
int lcomm_l_pairs(lua_State *L);
// comm_array(id, dtype, shape, is_pooled) -> a new array there
int lcomm_l_array(lua_State *L);

#endif

// SPDX-License-Identifier: Apache-2.0
// Theory of operation: before the doors are closed the device server is started
// and the exercise's kernels, which the judge compiled, are loaded there. From
// then on the two speak through memory that both map, so the process needs
// neither files nor sockets for it, and no other server can be started. A launch
// is waited for at once, and charged; which call waits for which is judged by what
// was asked for (gpu/order.h), so nothing is lost by that.
#include "grade/learner/learner_host.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "gpu/nvrtc/cache/cache.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/state/bind.h"

#define CPU_LIMIT_S 60.0

// Without what compiles, chooses devices, measures times or changes limits.
static const char *const allowed[] = {
    "to_device",         "to_host",
    "device_array",      "device_array_like",
    "pinned_array",      "pinned_array_like",
    "mapped_array",      "stream",
    "mapped_array_like", "event",
    "synchronize",
};

static void restrict_cuda(lua_State *L) {
  lua_getglobal(L, "cuda");
  lua_newtable(L); // [all, some]
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
    lua_getfield(L, -2, allowed[i]);
    lua_setfield(L, -2, allowed[i]);
  }
  bind_guard_names(L, "cuda", 0);
  lua_setglobal(L, "cuda");
  lua_pop(L, 1);
}

struct gpu_device *host_open(lua_State *L, const void *record, size_t bytes,
                             const char *text, const char *file) {
  struct nvrtc_program *p;
  if (!nvrtc_record_read(record, bytes, &p))
    luaL_error(L, "the exercise's kernels came damaged");
  lmodule_give(L, p, text, file);
  struct gpu_device *d = lcuda_device(L)->gpu;
  remote_set_cpu_deadline(d, CPU_LIMIT_S);
  restrict_cuda(L);
  return d;
}

void host_start(lua_State *L, uint64_t budget) {
  struct lcuda *c = lcuda_of(L);
  c->grid_budget = budget;
  lcuda_start_counting(L);
}

static void add_order(const struct lorder_finding *f, struct learner_note *n) {
  *n = (struct learner_note){
      .kind = LEARNER_NOTE_ORDER,
      .line = f->line ? f->line : f->other_line, // a result, which nobody read
      .other_line = f->other_line,
  };
  snprintf(n->text, sizeof n->text, "%s", f->text);
}

int host_finish(lua_State *L, struct gpu_calls *calls,
                struct learner_note notes[LEARNER_MAX_NOTES]) {
  const struct lcuda *c = lcuda_of(L);
  int count;
  const struct lorder_finding *f = lorder_findings(c, &count);
  *calls = c->calls;
  count = count < LEARNER_MAX_NOTES ? count : LEARNER_MAX_NOTES;
  for (int i = 0; i < count; i++)
    add_order(&f[i], &notes[i]);
  return count;
}

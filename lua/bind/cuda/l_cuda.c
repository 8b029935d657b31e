// SPDX-License-Identifier: Apache-2.0
// The `cuda` table: devices, switches, and the struct lcuda behind them.
#include <dlfcn.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/memory_left.h"
#include "base/str.h"
#include "gpu/capability.h"
#include "gpu/nvml/nvml.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_args.h"
#include "lua/bind/cuda/l_cuda_array.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_debug.h"
#include "lua/bind/cuda/l_cuda_far.h"
#include "lua/bind/cuda/l_cuda_finding.h"
#include "lua/bind/cuda/l_cuda_graph.h"
#include "lua/bind/cuda/l_cuda_host.h"
#include "lua/bind/cuda/l_cuda_image.h"
#include "lua/bind/cuda/l_cuda_launch.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_peer.h"
#include "lua/bind/cuda/l_cuda_placement.h"
#include "lua/bind/cuda/l_cuda_pool.h"
#include "lua/bind/cuda/l_cuda_profile.h"
#include "lua/bind/cuda/l_cuda_range.h"
#include "lua/bind/cuda/l_cuda_stream.h"
#include "lua/bind/cuda/l_cuda_texture.h"
#include "lua/bind/cuda/l_cuda_time.h"
#include "lua/bind/cuda/l_cuda_wait.h"

// ---- Devices ----

bool lcuda_is_cancelled(void *context) {
  (void)context;
  return bind_is_interrupted();
}

static void print_device(void *context, const char *text, size_t bytes) {
  struct lcuda *c = context;
  bind_print(c->main, text, bytes);
}

// What a kernel prints, its launch itself has said.
static void drop_text(void *context, const char *text, size_t bytes) {
  (void)context, (void)text, (void)bytes;
}

static struct ldevice *device_find(struct lcuda *c, const char *id) {
  for (struct ldevice *d = c->devices; d; d = d->next)
    if (strcmp(d->id, id) == 0 || (d->far && strcmp(d->far->name, id) == 0))
      return d;
  return NULL;
}

struct ldevice *lcuda_device_of(struct lcuda *c, const struct gpu_device *gpu) {
  for (struct ldevice *d = c->devices; d; d = d->next)
    if (d->gpu == gpu)
      return d;
  return NULL;
}

enum { MAX_MULTIPROCESSORS = 256 };

// WARPSHOP_MULTIPROCESSORS, for virtual GPUs; 0: as many as they have.
static uint32_t default_multiprocessors(const char *id) {
  const char *text = getenv("WARPSHOP_MULTIPROCESSORS");
  long n = text && strncmp(id, "virtual", 7) == 0 ? strtol(text, NULL, 10) : 0;
  return n < 1                     ? 0
         : n > MAX_MULTIPROCESSORS ? MAX_MULTIPROCESSORS
                                   : (uint32_t)n;
}

// Half of what we may have: the other half is the program's own, its host
// arrays among it.
static uint64_t default_memory(const char *id) {
  return strncmp(id, "virtual", 7) == 0 ? memory_allowed("") / 2 : 0;
}

// WARPSHOP_CAPABILITY, such as 9.0; ERR_ARGUMENT says what there is.
static enum err default_capability(const char *id, uint32_t *out,
                                   struct err_info *e) {
  const char *text = getenv("WARPSHOP_CAPABILITY");
  char list[80];
  *out = 0;
  if (!text || strncmp(id, "virtual", 7) != 0)
    return ERR_OK;
  gpu_list_capabilities(list, sizeof list);
  if (!(*out = gpu_parse_capability(text)))
    return err_set(e, ERR_ARGUMENT,
                   "WARPSHOP_CAPABILITY is \"%.20s\"; the virtual GPU can "
                   "have %s",
                   text, list);
  return ERR_OK;
}

// WARPSHOP_SCHEDULE_SEED, which --schedule-seed sets; 0: by number.
static uint64_t default_seed(const char *id) {
  const char *text = getenv("WARPSHOP_SCHEDULE_SEED");
  bool is_virtual = strncmp(id, "virtual", 7) == 0;
  return text && is_virtual ? strtoull(text, NULL, 10) & INT64_MAX : 0;
}

// Starts a server for `id`; the device opens there while Lua goes on.
static struct ldevice *device_open(lua_State *L, struct lcuda *c,
                                   const char *id, struct err_info *e) {
  struct ldevice *d = device_find(c, id);
  if (d)
    return d;
  struct remote_options options = {
      .device = id,
      .arena = array_arena(L),
      .gpu = {.print = print_device,
              .context = c,
              .shares_events = c->options.shares_events},
      .is_cancelled = lcuda_is_cancelled,
      .context = c,
      .deadline_s = c->deadline_s,
  };
  struct gpu_device *gpu;
  struct lfar *far = NULL;
  char far_id[16];
  if (lfar_is_name(c, id)) {
    if (lfar_open(c, id, &far, &options, far_id, e) != ERR_OK)
      return NULL;
    id = far_id;
  }
  options.gpu.memory_bytes = c->options.device_memory_bytes
                                 ? c->options.device_memory_bytes
                             : far ? 0
                                   : default_memory(id);
  options.gpu.multiprocessors = default_multiprocessors(id);
  options.gpu.schedule_seed = default_seed(id);
  if (default_capability(id, &options.gpu.capability, e) != ERR_OK ||
      remote_open(&options, &gpu, e) != ERR_OK) {
    lfar_free(c, far);
    return NULL;
  }
  d = xcalloc(1, sizeof *d);
  d->owner = c;
  d->far = far;
  d->gpu = gpu;
  d->generation = remote_generation(gpu);
  d->settings = options.gpu;
  snprintf(d->id, sizeof d->id, "%s", id);
  d->next = c->devices;
  c->devices = d;
  return d;
}

// What is in no list any more.
static void device_end(struct lcuda *c, struct ldevice *d) {
  for (int i = 0; i < LCUDA_RECORDS; i++)
    lkernel_unref(d->records[i].kernel);
  for (struct device_storage *s = d->storages; s; s = s->next)
    s->device = NULL;
  lpeer_end(c, d);
  lcuda_forget_objects(d);
  d->gpu->backend->close(d->gpu);
  // Only now does nothing read the host memory that was kept for its copies.
  for (int i = 0; i < d->retired_count; i++)
    storage_unref(d->retired[i].held);
  free(d->retired);
  lpool_forget(d);
  lfar_free(c, d->far);
  free(d);
}

void lcuda_end_counter(struct ldevice *d) {
  if (d->counter)
    device_end(d->owner, d->counter);
  d->counter = NULL;
}

static void device_close(struct lcuda *c, struct ldevice *d) {
  struct ldevice **link = &c->devices;
  while (*link != d)
    link = &(*link)->next;
  *link = d->next;
  if (c->current == d)
    c->current = NULL;
  lcuda_end_counter(d);
  device_end(c, d);
}

// A server that was killed before it had opened held nothing of ours: another
// takes its place, once, without a word.
static enum err device_info(struct ldevice *d, struct err_info *e) {
  if (d->has_info)
    return ERR_OK;
  enum err err = d->gpu->backend->info(d->gpu, &d->info, e);
  if (err == ERR_DEVICE_LOST && !lfar_is_lost(d) &&
      remote_restart(d->gpu, e) == ERR_OK) {
    ldevice_sync(d);
    err = d->gpu->backend->info(d->gpu, &d->info, e);
  }
  d->has_info = err == ERR_OK;
  if (d->has_info)
    lfar_note_info(d);
  return err;
}

// What is tried where this one does not open: the GPU after it (a sick one is left
// alone), and the virtual one in the end.
static void take_next(struct lcuda *c) {
  unsigned ordinal;
  bool is_gpu = sscanf(c->wanted, "cuda:%u", &ordinal) == 1;
  if (is_gpu && (int)ordinal + 1 < nvml_count_visible())
    snprintf(c->wanted, sizeof c->wanted, "cuda:%u", ordinal + 1);
  else
    snprintf(c->wanted, sizeof c->wanted, "virtual:0");
}

// There is no node, or nothing to use on it: the error says so, and what follows.
static void leave_far(struct ldevice *d, struct err_info *e) {
  struct str text = STR_INIT;
  remote_leave_line(d->gpu);
  lfar_leave(d, &text);
  size_t used = strlen(e->text);
  if (text.len)
    snprintf(e->text + used, sizeof e->text - used, "\n  %s", text.data);
  str_free(&text);
}

static struct ldevice *open_current(lua_State *L, struct lcuda *c) {
  struct err_info e = {0};
  if (!c->current)
    c->current = device_open(L, c, c->wanted, &e);
  if (c->current && device_info(c->current, &e) == ERR_OK) {
    snprintf(c->wanted, sizeof c->wanted, "%s", c->current->id);
    return c->current;
  }
  if (c->current && c->current->far)
    leave_far(c->current, &e);
  if (e.code == ERR_CANCELLED) {
    bind_clear_interrupt();
    bind_error_info(L, &e);
  }
  if (c->is_explicit || strcmp(c->wanted, "virtual:0") == 0)
    bind_error_info(L, &e);
  char old[sizeof c->wanted];
  memcpy(old, c->wanted, sizeof old);
  take_next(c);
  log_say(LOG_NOTE, "%s does not open (%s); using %s", old, e.text, c->wanted);
  if (c->current)
    device_close(c, c->current);
  return lcuda_device(L);
}

struct ldevice *lcuda_device(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  if (!c->current || !c->current->has_info)
    return open_current(L, c);
  ldevice_sync(c->current);
  return c->current;
}

const char *bind_device_id(lua_State *L) {
  return lcuda_of(L)->wanted;
}

#define NO_GPU                                                                 \
  "this is a virtual GPU, simulated on the CPU: results are a GPU's, times "   \
  "are not"

void bind_note_no_gpu(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  if (!c->is_explicit && !strncmp(c->wanted, "virtual", 7))
    lcuda_say_once(c, false, NO_GPU);
}

void bind_reap(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  nvrtc_reap(c->nvrtc);
  for (struct ldevice *d = c->devices; d; d = d->next) {
    remote_reap(d->gpu);
    if (d->counter)
      remote_reap(d->counter->gpu);
  }
}

struct ldevice *lcuda_open_device(lua_State *L, const char *id) {
  struct err_info e = {0};
  struct ldevice *d = device_open(L, lcuda_of(L), id, &e);
  if (!d || device_info(d, &e) != ERR_OK)
    bind_error_info(L, &e);
  ldevice_sync(d);
  return d;
}

static struct ldevice *start_counter(lua_State *L, struct ldevice *d,
                                     struct err_info *e) {
  struct lcuda *c = d->owner;
  struct gpu_device *gpu;
  struct remote_options options = {
      .device = d->id,
      .arena = array_arena(L),
      .gpu = {.print = drop_text, .counts_hardware = true},
      .is_cancelled = lcuda_is_cancelled,
      .context = c,
  };
  if (remote_open(&options, &gpu, e) != ERR_OK)
    return NULL;
  struct ldevice *counter = xcalloc(1, sizeof *counter);
  counter->owner = c;
  counter->gpu = gpu;
  counter->generation = remote_generation(gpu);
  counter->settings = options.gpu;
  snprintf(counter->id, sizeof counter->id, "%s", d->id);
  return counter;
}

// What need not be tried, or NULL.
static const char *refuse_counter(const struct ldevice *d) {
  enum { EXCLUSIVE_PROCESS = 3 };
  if (d->far)
    return "the GPU is another machine's, and only a program that runs there "
           "reads them";
  if (d->info.attributes[GPU_ATTR_COMPUTE_MODE] == EXCLUSIVE_PROCESS)
    return "the GPU takes one process at a time (compute mode "
           "EXCLUSIVE_PROCESS), and counting needs a second one: an "
           "administrator allows that with nvidia-smi -c DEFAULT";
  return NULL;
}

struct ldevice *lcuda_counter(lua_State *L, struct ldevice *d) {
  struct err_info e = {0};
  const char *why = refuse_counter(d);
  if (why)
    bind_error(L, ERR_UNSUPPORTED, "%s", why);
  if (!d->counter)
    d->counter = start_counter(L, d, &e);
  if (!d->counter || device_info(d->counter, &e) != ERR_OK) {
    lcuda_end_counter(d);
    bind_error_info(L, &e);
  }
  ldevice_sync(d->counter);
  return d->counter;
}

bool lcuda_is_device_id(const char *id) {
  unsigned ordinal;
  char rest;
  return (sscanf(id, "cuda:%u%c", &ordinal, &rest) == 1 ||
          sscanf(id, "virtual:%u%c", &ordinal, &rest) == 1) &&
         strlen(id) < 16;
}

static bool is_name(const struct lcuda *c, const char *id) {
  return lcuda_is_device_id(id) || lfar_is_name(c, id);
}

static uint64_t take_setting(lua_State *L, const char *key, lua_Integer least,
                             lua_Integer most, uint64_t now) {
  if (lua_getfield(L, 2, key) != LUA_TNIL) {
    int is_whole;
    lua_Integer n = lua_tointegerx(L, -1, &is_whole);
    if (!is_whole || n < least || n > most)
      bind_error(L, ERR_ARGUMENT,
                 "cuda.select: %s is a whole number from %lld to %lld", key,
                 (long long)least, (long long)most);
    now = (uint64_t)n;
  }
  lua_pop(L, 1);
  return now;
}

// "9.0", or the number 9.0.
static uint32_t take_capability(lua_State *L, uint32_t now) {
  if (lua_getfield(L, 2, "capability") != LUA_TNIL) {
    char text[16] = "", list[80];
    if (lua_type(L, -1) == LUA_TNUMBER)
      snprintf(text, sizeof text, "%.1f", (double)lua_tonumber(L, -1));
    else if (lua_type(L, -1) == LUA_TSTRING)
      snprintf(text, sizeof text, "%s", lua_tostring(L, -1));
    gpu_list_capabilities(list, sizeof list);
    now = gpu_parse_capability(text);
    if (!now)
      bind_error(L, ERR_ARGUMENT,
                 "cuda.select: capability is %s; the virtual GPU can have %s",
                 luaL_tolstring(L, -1, NULL), list);
  }
  lua_pop(L, 1);
  return now;
}

static void check_settings(lua_State *L, const char *id) {
  if (lua_type(L, 2) != LUA_TTABLE)
    bind_error(L, ERR_ARGUMENT, "cuda.select: settings are a table, not %s",
               luaL_typename(L, 2));
  if (strncmp(id, "virtual", 7) != 0)
    bind_error(L, ERR_ARGUMENT,
               "cuda.select: %s is a real GPU, which has the memory, the "
               "multiprocessors and the capability that it has",
               id);
  lua_pushnil(L);
  while (lua_next(L, 2)) {
    lua_pop(L, 1);
    const char *key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (strcmp(key, "multiprocessors") != 0 && strcmp(key, "memory") != 0 &&
        strcmp(key, "schedule_seed") != 0 && strcmp(key, "capability") != 0)
      bind_error(L, ERR_ARGUMENT,
                 "cuda.select has no setting \"%s\"; there are "
                 "multiprocessors, memory, capability and schedule_seed",
                 luaL_tolstring(L, -1, NULL));
  }
}

// Settings of a virtual GPU hold from its start on: where they differ from
// those it has, it starts again.
static void configure(lua_State *L, struct ldevice *d) {
  const struct gpu_options *now = &d->settings;
  struct gpu_options to = *now;
  to.memory_bytes =
      take_setting(L, "memory", 1, (lua_Integer)1 << 46, now->memory_bytes);
  to.multiprocessors = (uint32_t)take_setting(
      L, "multiprocessors", 1, MAX_MULTIPROCESSORS, now->multiprocessors);
  to.schedule_seed =
      take_setting(L, "schedule_seed", 0, LUA_MAXINTEGER, now->schedule_seed);
  to.capability = take_capability(L, now->capability);
  if (to.memory_bytes == now->memory_bytes &&
      to.multiprocessors == now->multiprocessors &&
      to.schedule_seed == now->schedule_seed &&
      to.capability == now->capability)
    return;
  ldevice_wait(L, d, GPU_ALL_STREAMS);
  d->settings = to;
  remote_configure(d->gpu, &to);
  ldevice_reset(L, d);
  d->has_info = false;
}

// cuda.select(id [, settings]): the device that kernels and new device arrays
// use.
static int l_select(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  const char *id = luaL_checkstring(L, 1);
  lua_settop(L, 2);
  struct err_info e = {0};
  if (!is_name(c, id))
    bind_error(L, ERR_ARGUMENT,
               "cuda.select: no device is called \"%s\"; there are names such "
               "as \"cuda:0\" and \"virtual:0\" (cuda.devices() lists them)",
               id);
  if (!lua_isnil(L, 2))
    check_settings(L, id);
  struct ldevice *d = device_find(c, id);
  if (d && lfar_is_lost(d)) {
    if (strcmp(d->id, id) == 0)
      bind_error(L, ERR_DEVICE_LOST,
                 "the job of %s has ended; cuda.select(\"%s\") asks for "
                 "another node",
                 id, d->far->name);
    device_close(c, d);
  }
  bool was_open = device_find(c, id) != NULL;
  d = device_open(L, c, id, &e);
  if (d && !lua_isnil(L, 2))
    configure(L, d);
  if (!d || device_info(d, &e) != ERR_OK) {
    if (d && !was_open)
      device_close(c, d);
    if (e.code == ERR_CANCELLED)
      bind_clear_interrupt();
    bind_error_info(L, &e);
  }
  c->current = d;
  c->is_explicit = true;
  snprintf(c->wanted, sizeof c->wanted, "%s", d->id);
  return 0;
}

// ---- What a device is ----

static int device_tostring(lua_State *L) {
  lua_getfield(L, 1, "id");
  lua_getfield(L, 1, "name");
  lua_getfield(L, 1, "arch");
  lua_pushfstring(L, "%s %s%s%s", lua_tostring(L, 2), lua_tostring(L, 3),
                  lua_isnil(L, 4) ? "" : " ",
                  lua_isnil(L, 4) ? "" : lua_tostring(L, 4));
  return 1;
}

static void set_device_meta(lua_State *L) {
  if (luaL_newmetatable(L, "cuda.device")) {
    lua_pushcfunction(L, device_tostring);
    lua_setfield(L, -2, "__tostring");
    lcuda_set_device_methods(L);
  }
  lua_setmetatable(L, -2);
}

static void push_attributes(lua_State *L, const struct gpu_device_info *info) {
  lua_createtable(L, 0, GPU_ATTR_COUNT);
  for (int a = 0; a < GPU_ATTR_COUNT; a++)
    bind_set_integer(L, gpu_attribute_name(a), info->attributes[a]);
}

static void push_device(lua_State *L, const struct gpu_device_info *info) {
  lua_createtable(L, 0, 8); // [device]
  bind_set_text(L, "id", info->id);
  bind_set_text(L, "name", info->name);
  bind_set_text(L, "arch", info->arch);
  if (info->driver[0])
    bind_set_text(L, "driver", info->driver);
  if (info->tier[0])
    bind_set_text(L, "compiled", info->tier);
  bind_set_integer(L, "total_memory", (lua_Integer)info->total_bytes);
  bind_set_integer(L, "free_memory", (lua_Integer)info->free_bytes);
  lua_pushboolean(L, info->is_checked);
  lua_setfield(L, -2, "is_checked");
  push_attributes(L, info);
  lua_setfield(L, -2, "attributes");
  set_device_meta(L);
}

// Memory that is free changes, so it is asked for anew.
static struct gpu_device_info fresh_info(lua_State *L, struct ldevice *d) {
  struct gpu_device_info info;
  struct err_info e = {0};
  bool is_known = d->gpu->backend->info(d->gpu, &info, &e) == ERR_OK;
  if (!is_known && ldevice_revive(L, d))
    is_known = d->gpu->backend->info(d->gpu, &info, &e) == ERR_OK;
  if (!is_known)
    ldevice_fail(L, d, &e);
  if (!d->far)
    return info;
  d->info.free_bytes = info.free_bytes;
  return d->info;
}

static int l_device(lua_State *L) {
  struct gpu_device_info info = fresh_info(L, lcuda_device(L));
  push_device(L, &info);
  return 1;
}

static int l_devices(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  lua_newtable(L); // [list]
  int gpus = nvml_count_visible(), all = gpus + gpu_virtual_count();
  for (int i = 0; i < all; i++) {
    char id[24], name[128] = "virtual GPU";
    snprintf(id, sizeof id, i < gpus ? "cuda:%d" : "virtual:%d",
             i < gpus ? i : i - gpus);
    struct ldevice *d = device_find(c, id);
    if (d && d->has_info) {
      push_device(L, &d->info);
    } else {
      if (i < gpus && !nvml_read_name(i, name, sizeof name))
        snprintf(name, sizeof name, "NVIDIA GPU");
      lua_createtable(L, 0, 2);
      bind_set_text(L, "id", id);
      bind_set_text(L, "name", name);
      set_device_meta(L);
    }
    lua_rawseti(L, -2, i + 1);
  }
  for (struct ldevice *d = c->devices; d; d = d->next)
    if (d->far && d->has_info) {
      push_device(L, &d->info);
      lua_rawseti(L, -2, ++all);
    }
  return 1;
}

// True on the virtual GPU, too, with a line that says what that is.
static int l_is_available(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  struct err_info e = {0};
  bool is_virtual = !strncmp(c->wanted, "virtual", 7);
  bool is_there = is_virtual || nvml_count_visible() > 0;
  if (c->current && c->current->far) {
    is_there = true;
  } else if (is_virtual) {
    lcuda_say_once(c, false, NO_GPU);
  } else if (is_there) {
    struct ldevice *d = device_open(L, c, "cuda:0", &e);
    is_there = d && device_info(d, &e) == ERR_OK;
    if (d && !is_there && d != c->current)
      device_close(c, d);
  }
  lua_pushboolean(L, is_there);
  return 1;
}

static int l_mem_info(lua_State *L) {
  struct gpu_device_info info = fresh_info(L, lcuda_device(L));
  lua_pushinteger(L, (lua_Integer)info.free_bytes);
  lua_pushinteger(L, (lua_Integer)info.total_bytes);
  return 2;
}

// ---- Switches ----

static bool check_switch(lua_State *L, const char *what) {
  if (!lua_isboolean(L, 1))
    bind_error(L, ERR_ARGUMENT, "%s takes true or false, not %s", what,
               luaL_typename(L, 1));
  return lua_toboolean(L, 1);
}

static int l_set_checked(lua_State *L) {
  lcuda_of(L)->is_checked = check_switch(L, "cuda.set_checked");
  return 0;
}

static int l_set_guarded(lua_State *L) {
  lcuda_of(L)->is_guarded = check_switch(L, "cuda.set_guarded");
  return 0;
}

static int l_set_deadline(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  double seconds = luaL_optnumber(L, 1, 0);
  if (!(seconds >= 0))
    bind_error(L, ERR_ARGUMENT,
               "cuda.set_deadline takes seconds from 0 (no deadline) up");
  c->deadline_s = seconds;
  for (struct ldevice *d = c->devices; d; d = d->next)
    remote_set_deadline(d->gpu, seconds);
  return 0;
}

static int l_set_budget(lua_State *L) {
  lua_Integer n = luaL_optinteger(L, 1, 0), all = luaL_optinteger(L, 2, 0);
  if (n < 0 || all < 0)
    bind_error(L, ERR_ARGUMENT,
               "cuda.set_budget takes numbers of instructions, of a thread and "
               "of all warps together; 0 is the device's own limit");
  lcuda_of(L)->budget = (uint64_t)n;
  lcuda_of(L)->grid_budget = (uint64_t)all;
  return 0;
}

static int l_synchronize(lua_State *L) {
  lgraph_refuse(L, lcuda_device(L), "cuda.synchronize()",
                "nothing of it runs yet, so there is nothing to wait for; "
                "graph:launch(stream) comes first, then the wait");
  ldevice_wait(L, lcuda_device(L), GPU_ALL_STREAMS);
  lorder_host_device(lcuda_device(L));
  lcuda_count(lcuda_of(L), GPU_CALL_SYNCHRONIZATIONS, 1);
  return 0;
}

static int l_version(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  struct nvrtc_found found;
  struct err_info e;
  lua_createtable(L, 0, 2);
  bind_set_text(L, "warpshop", WARPSHOP_VERSION);
  if (nvrtc_find(c->nvrtc, &found, &e) == ERR_OK) {
    lua_pushfstring(L, "%d.%d", found.major, found.minor);
    lua_setfield(L, -2, "nvrtc");
  }
  if (c->current && c->current->has_info && c->current->info.driver[0])
    bind_set_text(L, "driver", c->current->info.driver);
  return 1;
}

// ---- The last launch ----

static void set_measured(lua_State *L, const char *key, double us) {
  if (us >= 0)
    bind_set_number(L, key, us);
}

static int l_last_launch(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  const struct launch_note *n = &c->last;
  if (!n->kernel)
    return 0;
  lua_createtable(L, 0, 14);
  bind_set_text(L, "kernel", n->kernel->name);
  bind_set_integer(L, "number", (lua_Integer)n->number);
  lcuda_push_triple(L, n->grid);
  lua_setfield(L, -2, "grid");
  lcuda_push_triple(L, n->block);
  lua_setfield(L, -2, "block");
  bind_set_integer(L, "bytes_in", (lua_Integer)n->bytes_in);
  bind_set_integer(L, "bytes_out", (lua_Integer)n->bytes_out);
  set_measured(L, "kernel_us", n->kernel_us);
  set_measured(L, "copy_in_us", n->copy_in_us);
  set_measured(L, "copy_out_us", n->copy_out_us);
  set_measured(L, "wait_us", n->wait_us);
  bind_set_text(L, "constants", n->constants);
  lua_pushboolean(L, n->used_host_arrays);
  lua_setfield(L, -2, "used_host_arrays");
  lua_pushboolean(L, n->checked);
  lua_setfield(L, -2, "checked");
  lcuda_push_diagnostics(L, c->notes_device, c->notes, c->note_count);
  lua_setfield(L, -2, "notes");
  return 1;
}

// ---- Opening ----

static int state_gc(lua_State *L) {
  struct lcuda *c = lua_touserdata(L, 1);
  lkernel_unref(c->last.kernel);
  c->last.kernel = NULL;
  while (c->devices)
    device_close(c, c->devices);
  lorder_close(c);
  nvrtc_close(c->nvrtc);
  c->nvrtc = NULL;
  if (c->nvtx)
    dlclose(c->nvtx);
  c->nvtx = NULL;
  return 0;
}

// The device that was asked for; else the first GPU, else the virtual one.
static void choose_device(lua_State *L, struct lcuda *c) {
  const char *wanted = c->options.device;
  if (!wanted || !wanted[0])
    wanted = getenv("WARPSHOP_DEVICE");
  c->is_explicit = wanted && wanted[0];
  if (!c->is_explicit)
    wanted = nvml_count_nodes() > 0 && nvml_count_visible() > 0 ? "cuda:0"
                                                                : "virtual:0";
  if (!is_name(c, wanted) || strlen(wanted) >= sizeof c->wanted)
    bind_error(L, ERR_ARGUMENT,
               "no device is called \"%s\": the names are cuda:0, cuda:1 ... "
               "and virtual:0",
               wanted);
  snprintf(c->wanted, sizeof c->wanted, "%s", wanted);
}

static struct lcuda *push_state(lua_State *L,
                                const struct bind_options *options) {
  struct lcuda *c = lua_newuserdatauv(L, sizeof *c, 0);
  memset(c, 0, sizeof *c);
  c->main = L;
  c->options = *options;
  c->deadline_s = options->deadline_s;
  c->budget = options->budget;
  c->is_checked = true;
  c->is_guarded = true;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, state_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, "cuda.state");
  bind_state_of(L)->cuda = c;
  return c;
}

// The server opens the device and the worker loads the compiler while Lua and
// the prompt start.
static void start_early(lua_State *L, struct lcuda *c) {
  struct err_info e = {0};
  if (nvrtc_open(NULL, &c->nvrtc, &e) != ERR_OK)
    bind_error_info(L, &e);
  if (!c->options.has_no_compiler)
    nvrtc_warm_up(c->nvrtc);
  if (c->options.is_deviceless)
    return;
  c->current = device_open(L, c, c->wanted, &e);
  if (!c->current && c->is_explicit)
    bind_error_info(L, &e);
}

int lcuda_open(lua_State *L, const struct bind_options *options) {
  static const luaL_Reg functions[] = {
      {"select", l_select},
      {"devices", l_devices},
      {"device", l_device},
      {"is_available", l_is_available},
      {"mem_info", l_mem_info},
      {"set_checked", l_set_checked},
      {"set_guarded", l_set_guarded},
      {"set_deadline", l_set_deadline},
      {"set_budget", l_set_budget},
      {"synchronize", l_synchronize},
      {"version", l_version},
      {"last_launch", l_last_launch},
      {NULL, NULL},
  };
  struct lcuda *c = push_state(L, options);
  choose_device(L, c);
  start_early(L, c);
  luaL_newlib(L, functions); // [cuda]
  lcuda_open_arrays(L);
  lcuda_open_pool(L);
  lcuda_open_module(L);
  lcuda_open_image(L);
  lcuda_open_host(L);
  lcuda_open_args(L);
  lcuda_open_launch(L);
  lcuda_open_stream(L);
  lcuda_open_graph(L);
  lcuda_open_order(L);
  lcuda_open_calls(L);
  lcuda_open_texture(L);
  lcuda_open_placement(L);
  lcuda_open_peer(L);
  lcuda_open_time(L);
  lcuda_open_profile(L);
  lcuda_open_debug(L);
  lcuda_open_range(L);
  return 1;
}

// SPDX-License-Identifier: Apache-2.0
// A real GPU says that some thread of some launch went wrong, or that the work
// does not end, and no more. The launches since the last wait that went well
// are run again on the virtual GPU, in their order, until one makes a mistake;
// it names the line, the thread and the array. Memory begins with what the
// host had put there; what nobody knows is zeros, and the message says so.
//
// cuda.profile replays launches too, before they run: a real GPU does not count
// for us. Then the device's own memory has the inputs.
#include "lua/bind/cuda/l_cuda_replay.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_finding.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_profile.h"
#include "lua/bind/cuda/l_cuda_resources.h"
#include "lua/bind/cuda/l_cuda_texture.h"
#include "lua/bind/cuda/l_cuda_variable.h"
#include "lua/bind/cuda/l_cuda_wait.h"

#define REPLAY_S 5.0 // of all launches together

// After a hang the question is where it hangs: what a thread, and all together,
// may do until that is answered (a quarter of a second of one core).
enum { HANG_BUDGET = 1 << 23, HANG_GRID_BUDGET = 1 << 25 };

// A launch that the GPU counts runs several times; of its deadline so much.
enum { MEASURE_RUNS = 10 };

enum outcome {
  NO_MISTAKE,
  FOUND,      // the error table is on the stack
  STILL_RUNS, // it was cut off before anything was found
  GONE        // it used memory of which nothing is known any more
};

struct replayed_module {
  const struct lmodule *of;
  struct nvrtc_program *program;
  gpu_handle handle;
};

struct replay {
  struct ldevice *real, *virtual;
  const struct launch_record *record;
  struct launch_record again; // with the virtual GPU's addresses
  uint64_t first, last;       // numbers of the launches that run again
  struct replayed_module *modules;
  int module_count;
  struct replayed_block {
    gpu_ptr of; // where the real one begins
    struct device_storage *block;
  } * blocks;
  int block_count;
  struct lobject_twins twins; // of textures and surfaces
  struct str unknown;         // names of arrays whose contents are gone
  bool has_stale_variables;   // likewise
  bool has_gone;              // arrays without contents: they are gone
  bool has_lost; // of `again`: an array's address that none has now
  bool is_alive; // the real GPU's memory can be read
  bool is_hang;
  bool is_measured; // on the real GPU, in a server that counts
  enum outcome outcome;
  void (*run)(lua_State *L, struct ldevice *v,
              const struct launch_record *record,
              gpu_handle function); // of lcuda_with_copies
};

static bool is_whole(const struct launch_record *r) {
  return r->kernel && (r->param_bytes || !r->kernel->param_bytes);
}

const struct launch_record *ldevice_last_record(const struct ldevice *d) {
  const struct launch_record *r = &d->records[d->launches % LCUDA_RECORDS];
  return d->launches && r->number == d->launches && is_whole(r) ? r : NULL;
}

// ---- Inputs ----

static gpu_ptr stand_in(lua_State *L, struct replay *r,
                        const struct device_storage *ds, bool has_pointers);
static gpu_ptr stand_in_for_freed(lua_State *L, struct replay *r,
                                  const struct lblock *freed);

static void note_unknown(lua_State *L, struct replay *r,
                         const struct device_storage *ds) {
  char name[80];
  bool is_named = array_variable_name(L, &ds->base, name, sizeof name);
  str_addf(&r->unknown, "%s%s", r->unknown.len ? ", " : "",
           is_named ? name : "an array");
}

// Makes of an address of the real GPU one of the virtual GPU; false where no block is
// known. A launch may have used what has been given back since, but for the one
// that is about to run.
static bool translate_address(lua_State *L, struct replay *r, gpu_ptr *p,
                              bool has_pointers) {
  const struct device_storage *ds = *p ? ldevice_find(r->real, *p) : NULL;
  struct lblock freed;
  if (ds && !ds->base.is_freed)
    *p = stand_in(L, r, ds, has_pointers) + (*p - ds->base.address);
  else if (*p && !r->is_alive && ldevice_find_freed(r->real, *p, &freed))
    *p = stand_in_for_freed(L, r, &freed) + (*p - freed.address);
  else
    return false;
  return true;
}

// Addresses of the real GPU's blocks, which lie among other words.
static void translate_words(lua_State *L, struct replay *r, uint8_t *words,
                            size_t bytes) {
  for (size_t i = 0; i + sizeof(gpu_ptr) <= bytes; i += sizeof(gpu_ptr)) {
    gpu_ptr p;
    memcpy(&p, words + i, sizeof p);
    if (translate_address(L, r, &p, false))
      memcpy(words + i, &p, sizeof p);
  }
}

static void read_real(lua_State *L, struct replay *r, const struct storage *s,
                      void *out) {
  struct err_info e = {0};
  struct gpu_finding f[LCUDA_FINDINGS];
  struct gpu_device *real = r->real->gpu;
  enum err err =
      real->backend->copy_out(real, out, s->address, s->bytes, 0, &e);
  if (!err)
    err = remote_wait(real, GPU_ALL_STREAMS, &e);
  // A virtual GPU says that nobody wrote some of it, and has copied it all.
  if (err == ERR_UNINITIALISED)
    real->backend->findings(real, f, LCUDA_FINDINGS);
  else if (err)
    bind_error_info(L, &e);
}

static void write_block(lua_State *L, struct replay *r,
                        const struct storage *to, const void *from,
                        size_t bytes) {
  struct err_info e = {0};
  struct gpu_device *gpu = r->virtual->gpu;
  if (gpu->backend->copy_in(gpu, to->address, from, bytes, 0, &e) ||
      remote_wait(gpu, GPU_ALL_STREAMS, &e))
    bind_error_info(L, &e);
}

static void set_block(lua_State *L, struct replay *r, const struct storage *to,
                      uint32_t word, unsigned width) {
  struct err_info e = {0};
  struct gpu_device *gpu = r->virtual->gpu;
  struct gpu_fill fill = {.to = to->address,
                          .value = word,
                          .width = width,
                          .count = to->bytes / width};
  if (gpu->backend->mem_set(gpu, &fill, &e))
    bind_error_info(L, &e);
}

// Where the host still has what the block began with, or NULL.
static const char *host_copy(const struct device_storage *ds) {
  const struct storage *s = &ds->base;
  if (ds->twin_of)
    return ds->twin_of->host;
  if (storage_is_as_copied(s->copied_from, s->copied_version))
    return (const char *)s->copied_from->host + ds->copied_offset;
  return NULL;
}

static void fill_block(lua_State *L, struct replay *r,
                       const struct device_storage *ds,
                       const struct storage *to, bool has_pointers) {
  const char *from = r->is_alive ? NULL : host_copy(ds);
  bool is_known = ds->twin_of || ds->known_until >= r->first;
  size_t bytes = ds->base.bytes;
  if (bytes == 0)
    return;
  if (r->is_alive || (from && has_pointers)) {
    uint8_t *between = lua_newuserdatauv(L, bytes, 0);
    if (r->is_alive)
      read_real(L, r, &ds->base, between);
    else
      memcpy(between, from, bytes);
    if (has_pointers)
      translate_words(L, r, between, bytes);
    write_block(L, r, to, between, bytes);
    lua_pop(L, 1);
  } else if (ds->fill_width) {
    set_block(L, r, to, ds->fill_word, ds->fill_width);
  } else if (from) {
    write_block(L, r, to, from, bytes);
  } else if (!is_known || ds->base.copied_from) {
    set_block(L, r, to, 0, 1);
    is_known = false;
  } // else nothing was ever put there: that may be the mistake
  if (!r->is_alive && !is_known)
    note_unknown(L, r, ds);
}

static struct device_storage *find_block(const struct replay *r, gpu_ptr of) {
  for (int i = 0; i < r->block_count; i++)
    if (r->blocks[i].of == of)
      return r->blocks[i].block;
  return NULL;
}

static struct device_storage *add_block(lua_State *L, struct replay *r,
                                        gpu_ptr of, size_t bytes,
                                        unsigned flags) {
  struct device_storage *block = ldevice_alloc(L, r->virtual, bytes, flags);
  r->blocks =
      xrealloc(r->blocks, ((size_t)r->block_count + 1) * sizeof *r->blocks);
  r->blocks[r->block_count++] = (struct replayed_block){of, block};
  return block;
}

// The virtual GPU's block that stands for a block of the real one. What the pool
// gave may have been a larger array's before: it has the room that the GPU sees.
static gpu_ptr stand_in(lua_State *L, struct replay *r,
                        const struct device_storage *ds, bool has_pointers) {
  struct device_storage *block = find_block(r, ds->base.address);
  size_t bytes = r->is_alive ? ds->base.bytes : device_storage_block(ds);
  if (block)
    return block->base.address;
  if (r->is_measured && ds->is_mapped)
    bind_error(L, ERR_UNSUPPORTED,
               "a launch on mapped memory of the host is not counted: a copy "
               "of it would not go the same way");
  block = add_block(L, r, ds->base.address, bytes, ds->flags);
  block->stands_for = ds->twin_of ? ds->twin_of : &ds->base;
  if (ds->pool_bytes && !r->is_alive)
    set_block(L, r, &block->base, 0, 1);
  fill_block(L, r, ds, &block->base, has_pointers);
  return block->base.address;
}

static gpu_ptr stand_in_for_freed(lua_State *L, struct replay *r,
                                  const struct lblock *freed) {
  struct device_storage *block = find_block(r, freed->address);
  if (block)
    return block->base.address;
  block = add_block(L, r, freed->address, freed->bytes, 0);
  set_block(L, r, &block->base, 0, 1);
  r->has_gone = true;
  return block->base.address;
}

static gpu_ptr stand_in_for(lua_State *L, void *context,
                            const struct device_storage *ds) {
  return stand_in(L, context, ds, false);
}

// A texture or a surface, where the parameter is declared as one.
static void translate_object(lua_State *L, struct replay *r, int i) {
  const struct arg_plan *p = &r->record->kernel->plan[i];
  const char *type = lkernel_decl(r->record->kernel)->params[i].declared;
  uint64_t number;
  if (!type || p->bytes != sizeof number ||
      (!strstr(type, "cudaTextureObject_t") &&
       !strstr(type, "cudaSurfaceObject_t")))
    return;
  memcpy(&number, r->again.params + p->offset, sizeof number);
  number = lobject_twin(L, &r->twins, number);
  if (number)
    memcpy(r->again.params + p->offset, &number, sizeof number);
}

static void translate(lua_State *L, struct replay *r) {
  const struct lkernel *k = r->record->kernel;
  r->again = *r->record;
  r->has_lost = false;
  r->twins.real = r->real;
  r->twins.virtual = r->virtual;
  r->twins.is_alive = r->is_alive;
  r->twins.stand_in = stand_in_for;
  r->twins.context = r;
  for (int i = 0; i < k->param_count; i++) {
    gpu_ptr p;
    uint8_t *at = r->again.params + k->plan[i].offset;
    if (k->plan[i].kind == ARG_UINT)
      translate_object(L, r, i);
    if (k->plan[i].kind == ARG_BYTES)
      translate_words(L, r, at, k->plan[i].bytes);
    if (k->plan[i].kind != ARG_POINTER)
      continue;
    memcpy(&p, at, sizeof p);
    bool has_pointers = lkernel_decl(k)->params[i].pointer_levels > 1;
    if (translate_address(L, r, &p, has_pointers))
      memcpy(at, &p, sizeof p);
    else // a number may be no array's address: that may be the mistake
      r->has_lost |= p && !r->record->has_bare;
  }
  for (; r->twins.unknown > 0; r->twins.unknown--)
    str_addf(&r->unknown, "%sa CUDA array", r->unknown.len ? ", " : "");
}

// ---- The run ----

// What counts or is stepped is as on any virtual GPU; what went wrong is the
// code of the real one, as far as the virtual one knows its dialect.
static void choose_arch(const struct replay *r, char *out, size_t bytes) {
  enum { NEWEST = 90 };
  const struct ldevice *d =
      r->is_alive && !r->is_measured ? r->virtual : r->real;
  int number = lcuda_arch_number(d->info.arch);
  snprintf(out, bytes, "compute_%d", number < NEWEST ? number : NEWEST);
}

// Which variables there are, PTX tells; a real GPU gets the code that it has of the
// module anyway.
static void load_again(lua_State *L, struct replay *r,
                       struct replayed_module *n) {
  struct gpu_device *gpu = r->virtual->gpu;
  struct nvrtc_program *native = NULL;
  struct err_info e = {0};
  if (r->is_measured)
    native = lmodule_compile(L, n->of, r->virtual->info.arch,
                             !r->virtual->info.takes_cubin);
  const struct nvrtc_program *p = native ? native : n->program;
  enum err err =
      gpu->backend->module_load(gpu, p->code, p->code_bytes, &n->handle, &e);
  nvrtc_program_free(native);
  if (err)
    bind_error_info(L, &e);
}

// The launch's module, as it is loaded on the virtual GPU.
static const struct replayed_module *module_again(lua_State *L,
                                                  struct replay *r) {
  const struct lmodule *m = r->record->kernel->module;
  char arch[24];
  for (int i = 0; i < r->module_count; i++)
    if (r->modules[i].of == m)
      return &r->modules[i];
  r->modules =
      xrealloc(r->modules, ((size_t)r->module_count + 1) * sizeof *r->modules);
  struct replayed_module *n = &r->modules[r->module_count++];
  *n = (struct replayed_module){.of = m};
  choose_arch(r, arch, sizeof arch);
  n->program = lmodule_compile(L, m, arch, true);
  load_again(L, r, n);
  struct lmodule_again again = {m, r->virtual, n->handle, r->is_alive,
                                r->first};
  if (!lmodule_copy_variables(L, &again, n->program))
    r->has_stale_variables = true;
  return n;
}

static gpu_handle function_again(lua_State *L, struct replay *r) {
  const struct gpu_backend *b = r->virtual->gpu->backend;
  const struct replayed_module *m = module_again(L, r);
  struct gpu_function_info info;
  struct err_info e = {0};
  gpu_handle function;
  uint32_t shared = r->record->shared_bytes;
  if (b->function_get(r->virtual->gpu, m->handle,
                      lkernel_decl(r->record->kernel)->mangled, &function,
                      &info, &e) ||
      (shared &&
       b->function_set_max_shared(r->virtual->gpu, function, shared, &e)))
    bind_error_info(L, &e);
  return function;
}

static uint32_t flags_again(const struct replay *r) {
  uint32_t flags = r->record->flags;
  if (r->is_alive)
    flags |= GPU_LAUNCH_COUNT;
  if (r->is_alive && !r->is_measured)
    flags |= lcuda_profile_flags(r->virtual->owner);
  return flags;
}

static enum err launch_again(lua_State *L, struct replay *r,
                             struct err_info *e) {
  struct gpu_device *gpu = r->virtual->gpu;
  struct gpu_launch l = {
      .shared_bytes = r->record->shared_bytes,
      .flags = flags_again(r),
      .budget = r->is_hang ? HANG_BUDGET : 0,
      .grid_budget = r->is_hang ? HANG_GRID_BUDGET : 0,
      .node = r->record->node,
      .param_bytes = r->record->param_bytes,
      .params = r->again.params,
      .function = function_again(L, r),
  };
  memcpy(l.grid, r->record->grid, sizeof l.grid);
  memcpy(l.block, r->record->block, sizeof l.block);
  if (gpu->backend->launch(gpu, &l, e) != ERR_OK)
    bind_error_info(L, e);
  return remote_wait(gpu, GPU_ALL_STREAMS, e);
}

// The record lets the finding's words find kernel and parameters.
static void remember(struct replay *r) {
  struct ldevice *v = r->virtual;
  struct launch_record *slot = &v->records[++v->launches % LCUDA_RECORDS];
  lkernel_unref(slot->kernel);
  *slot = r->again;
  slot->number = v->launches;
  lkernel_ref(slot->kernel);
}

static void begin(lua_State *L, struct replay *r) {
  r->virtual = lcuda_open_device(L, "virtual:0");
  ldevice_wait(L, r->virtual, GPU_ALL_STREAMS);
}

// Runs r->record again; the error table is pushed when it made a mistake.
static enum outcome run_again(lua_State *L, struct replay *r) {
  struct gpu_finding f[LCUDA_FINDINGS];
  struct err_info e = {0};
  struct ldevice *v = r->virtual;
  translate(L, r);
  if (r->has_lost)
    return GONE;
  enum err err = launch_again(L, r, &e);
  remember(r);
  int n = v->gpu->backend->findings(v->gpu, f, LCUDA_FINDINGS);
  bool is_found = n > 0 && f[0].severity == GPU_ERROR &&
                  (f[0].kind != ERR_TIMEOUT || r->is_hang);
  if (is_found)
    lcuda_push_failure(L, v, &e, f, n);
  return is_found ? FOUND : err ? STILL_RUNS : NO_MISTAKE;
}

// Leaves the error table, or nil when the virtual GPU found nothing.
static int replay_body(lua_State *L) {
  struct replay *r = lua_touserdata(L, 1);
  double end = clock_s() + REPLAY_S;
  begin(L, r);
  for (uint64_t n = r->first; n <= r->last && !r->outcome; n++) {
    double left = end - clock_s();
    r->record = &r->real->records[n % LCUDA_RECORDS];
    if (left <= 0)
      r->outcome = STILL_RUNS;
    if (left <= 0 || !is_whole(r->record))
      continue;
    remote_set_deadline(r->virtual->gpu, left);
    r->outcome = run_again(L, r);
  }
  if (r->outcome != FOUND)
    lua_pushnil(L);
  return 1;
}

static void put_away(struct replay *r) {
  struct err_info e;
  struct ldevice *v = r->virtual;
  if (v)
    remote_set_deadline(v->gpu, v->owner->deadline_s);
  for (int i = 0; i < r->module_count; i++) {
    if (r->modules[i].handle)
      v->gpu->backend->module_unload(v->gpu, r->modules[i].handle, &e);
    nvrtc_program_free(r->modules[i].program);
  }
  free(r->modules);
  lobject_twins_free(&r->twins);
  for (int i = 0; i < r->block_count; i++)
    storage_unref(&r->blocks[i].block->base);
  free(r->blocks);
  str_free(&r->unknown);
}

static int copies_body(lua_State *L) {
  struct replay *r = lua_touserdata(L, 1);
  r->virtual = lcuda_open_device(L, "virtual:0");
  ldevice_wait(L, r->real, GPU_ALL_STREAMS);
  translate(L, r);
  gpu_handle function = function_again(L, r);
  remember(r);
  r->run(L, r->virtual, &r->again, function);
  return 1;
}

void lcuda_with_copies(lua_State *L, struct ldevice *d,
                       const struct launch_record *record,
                       void (*run)(lua_State *L, struct ldevice *v,
                                   const struct launch_record *record,
                                   gpu_handle function)) {
  struct replay r = {.real = d,
                     .record = record,
                     .unknown = STR_INIT,
                     .is_alive = true,
                     .run = run};
  lua_pushcfunction(L, copies_body);
  lua_pushlightuserdata(L, &r);
  int status = lua_pcall(L, 1, 1, 0);
  put_away(&r);
  if (status != LUA_OK)
    lua_error(L);
}

static int count_body(lua_State *L) {
  struct replay *r = lua_touserdata(L, 1);
  struct gpu_finding f[LCUDA_FINDINGS];
  struct err_info e = {0};
  r->virtual = lcuda_open_device(L, "virtual:0");
  struct ldevice *v = r->virtual;
  ldevice_wait(L, r->real, GPU_ALL_STREAMS);
  translate(L, r);
  enum err err = launch_again(L, r, &e);
  lcuda_profile_replayed(L, r->real, r->record, r->again.params);
  // What the kernel does wrong is the real launch's to say.
  v->gpu->backend->findings(v->gpu, f, LCUDA_FINDINGS);
  if (err == ERR_TIMEOUT || err == ERR_CANCELLED)
    bind_error_info(L, &e);
  return 0;
}

void lcuda_count_on_virtual(lua_State *L, struct ldevice *d,
                            const struct launch_record *record) {
  struct replay r = {
      .real = d, .record = record, .unknown = STR_INIT, .is_alive = true};
  lua_pushcfunction(L, count_body);
  lua_pushlightuserdata(L, &r);
  int status = lua_pcall(L, 1, 0, 0);
  put_away(&r);
  if (status != LUA_OK)
    lua_error(L);
}

// ---- On the GPU itself ----

// Leaves what it counted, as bytes.
static int measure_body(lua_State *L) {
  struct replay *r = lua_touserdata(L, 1);
  struct gpu_hardware *out = lua_touserdata(L, 2);
  struct err_info e = {0};
  r->virtual = lcuda_counter(L, r->real);
  struct gpu_device *gpu = r->virtual->gpu;
  remote_set_deadline(gpu, MEASURE_RUNS * r->real->owner->deadline_s);
  ldevice_wait(L, r->real, GPU_ALL_STREAMS);
  translate(L, r);
  if (launch_again(L, r, &e) || gpu->backend->hardware(gpu, out, &e))
    bind_error_info(L, &e);
  return 0;
}

// The error on top, as a text; one of the user's own is raised on.
static void take_reason(lua_State *L, struct str *why) {
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "kind");
    bool is_stop = !strcmp(luaL_optstring(L, -1, ""), "cancelled");
    lua_pop(L, 1);
    if (is_stop)
      lua_error(L);
    lua_getfield(L, -1, "message");
    lua_remove(L, -2);
  }
  str_add(why, luaL_tolstring(L, -1, NULL));
  lua_pop(L, 2);
}

bool lcuda_count_on_hardware(lua_State *L, struct ldevice *d,
                             const struct launch_record *record,
                             struct gpu_hardware *out, struct str *why) {
  struct replay r = {.real = d,
                     .record = record,
                     .unknown = STR_INIT,
                     .is_alive = true,
                     .is_measured = true};
  lua_pushcfunction(L, measure_body);
  lua_pushlightuserdata(L, &r);
  lua_pushlightuserdata(L, out);
  int status = lua_pcall(L, 2, 0, 0);
  put_away(&r);
  if (status == LUA_OK)
    return true;
  // Whatever it was, the next one begins with a server that is whole.
  lcuda_end_counter(d);
  take_reason(L, why);
  return false;
}

static bool can_replay(enum err kind) {
  return kind == ERR_OUT_OF_BOUNDS || kind == ERR_MISALIGNED ||
         kind == ERR_USE_AFTER_FREE || kind == ERR_TRAP || kind == ERR_ASSERT ||
         kind == ERR_TIMEOUT;
}

// The first launch that may be to blame: the oldest one that nobody has waited
// for with success, else the last one; 0: none is remembered.
static uint64_t first_suspect(const struct ldevice *d) {
  uint64_t first = 0;
  for (int i = 0; i < LCUDA_RECORDS; i++) {
    const struct launch_record *r = &d->records[i];
    bool is_suspect = r->number && !r->is_done && is_whole(r);
    if (is_suspect && (!first || r->number < first))
      first = r->number;
  }
  return first || !ldevice_last_record(d) ? first : d->launches;
}

static void describe(const struct replay *r, struct str *note) {
  const char *what = r->first == r->last
                         ? "the last launch"
                         : "the launches since the last synchronisation";
  if (r->outcome == FOUND)
    str_add(note, "Found by running the launch again on the virtual GPU.");
  else if (r->outcome == STILL_RUNS)
    str_addf(note,
             "Run again on the virtual GPU, %s made no mistake until that was "
             "cut off after %g s.",
             what, REPLAY_S);
  else if (r->outcome == GONE)
    str_add(note, "It could not be run again on the virtual GPU: memory that "
                  "was used has been given back since.");
  else if (r->is_hang)
    str_addf(note,
             "Run again on the virtual GPU, %s came to an end and made no "
             "mistake: it may need more time than cuda.set_deadline allows, "
             "or wait for a block that does not run yet.",
             what);
  else
    str_addf(note,
             "Run again on the virtual GPU, %s made no mistake: another one "
             "may be to blame.",
             what);
  if (r->unknown.len)
    str_addf(note, " What %s held was not known.", r->unknown.data);
  if (r->has_gone)
    str_add(note, " What arrays that are gone held was not known.");
  if (r->has_stale_variables)
    str_add(note, " The module's variables began as the host had set them; "
                  "what earlier launches made of them was not known.");
}

bool lcuda_push_replayed(lua_State *L, struct ldevice *d,
                         const struct err_info *e, struct str *note) {
  struct replay r = {.real = d,
                     .unknown = STR_INIT,
                     .first = first_suspect(d),
                     .last = d->launches,
                     .is_hang = e->code == ERR_TIMEOUT};
  if (!can_replay(e->code) || !r.first)
    return false;
  lua_pushcfunction(L, replay_body);
  lua_pushlightuserdata(L, &r);
  int status = lua_pcall(L, 1, 1, 0);
  bool is_found = status == LUA_OK && r.outcome == FOUND;
  if (status == LUA_OK)
    describe(&r, note);
  else
    str_addf(note, "It could not be run again on the virtual GPU: %s",
             luaL_tolstring(L, -1, NULL));
  if (status != LUA_OK)
    lua_pop(L, 1);
  if (!is_found)
    lua_pop(L, 1);
  put_away(&r);
  return is_found;
}

// SPDX-License-Identifier: Apache-2.0
// A real GPU says that some thread of some launch went wrong, and no more. The
// launch is run again on the virtual GPU, which names the line, the thread and
// the array. Inputs come from the host copies that still hold what was copied;
// others are zeros, and the message says so.
//
// cuda.profile replays launches too, before they run: a real GPU does not count
// for us. Then the device's own memory has the inputs.
#include <lauxlib.h>
#include <string.h>

#include "base/str.h"
#include "gpu/remote/remote.h"
#include "lua/bind/l_cuda_texture.h"

#define REPLAY_S 5.0

struct replay {
  struct ldevice *real, *virtual;
  const struct launch_record *record;
  struct launch_record again; // with the virtual GPU's addresses
  struct nvrtc_program *program;
  gpu_handle module;
  const struct device_storage *from[GPU_MAX_PARAMS];
  struct device_storage *blocks[GPU_MAX_PARAMS];
  int block_count;
  struct lobject_twins twins; // of textures and surfaces
  struct str unknown;         // names of arrays whose contents are gone
  bool is_alive;              // the real GPU's memory can be read
  void (*run)(lua_State *L, struct ldevice *v,
              const struct launch_record *record); // of lcuda_with_copies
};

const struct launch_record *ldevice_last_record(const struct ldevice *d) {
  const struct launch_record *r = &d->records[d->launches % LCUDA_RECORDS];
  bool is_kept = r->kernel && (r->param_bytes || !r->kernel->param_bytes);
  return d->launches && r->number == d->launches && is_kept ? r : NULL;
}

// ---- Inputs ----

// Where the block's contents still are on the host, or NULL.
static const char *known_contents(const struct device_storage *ds) {
  const struct storage *s = &ds->base;
  if (ds->twin_of)
    return ds->twin_of->host;
  // The launch itself may have set was_written; what counts is that nothing
  // else did, which only the host copy's version can tell.
  if (s->copied_from && s->copied_version == s->copied_from->version)
    return (const char *)s->copied_from->host + ds->copied_offset;
  return NULL;
}

static void note_unknown(lua_State *L, struct replay *r,
                         const struct device_storage *ds) {
  char name[80];
  bool is_named = lcuda_variable_name(L, &ds->base, name, sizeof name);
  str_addf(&r->unknown, "%s%s", r->unknown.len ? ", " : "",
           is_named ? name : "an array");
}

// From the real GPU's memory to the virtual one's.
static void copy_block(lua_State *L, struct replay *r,
                       const struct device_storage *ds,
                       const struct storage *to) {
  struct err_info e = {0};
  void *between = lua_newuserdatauv(L, to->bytes, 0);
  struct gpu_device *real = r->real->gpu, *virtual = r->virtual->gpu;
  enum err err = real->backend->copy_out(real, between, ds->base.address,
                                         to->bytes, 0, &e);
  if (!err)
    err = remote_wait(real, GPU_ALL_STREAMS, &e);
  if (!err)
    err = virtual->backend->copy_in(virtual, to->address, between, to->bytes, 0,
                                    &e);
  if (!err)
    err = remote_wait(virtual, GPU_ALL_STREAMS, &e);
  if (err)
    bind_error_info(L, &e);
  lua_pop(L, 1);
}

static void fill_block(lua_State *L, struct replay *r,
                       const struct device_storage *ds,
                       const struct storage *to) {
  const struct gpu_backend *b = r->virtual->gpu->backend;
  struct gpu_device *gpu = r->virtual->gpu;
  struct err_info e = {0};
  enum err err;
  if (r->is_alive) {
    if (to->bytes)
      copy_block(L, r, ds, to);
    return;
  }
  const char *from = known_contents(ds);
  if (!from || ds->base.was_written)
    note_unknown(L, r, ds);
  if (to->bytes == 0)
    return;
  if (from)
    err = b->copy_in(gpu, to->address, from, to->bytes, 0, &e);
  else
    err = b->mem_set(gpu, to->address, 0, 1, to->bytes, 0, &e);
  if (err != ERR_OK)
    bind_error_info(L, &e);
}

// The virtual GPU's block that stands for a block of the real one.
static gpu_ptr stand_in(lua_State *L, struct replay *r,
                        const struct device_storage *ds) {
  for (int i = 0; i < r->block_count; i++)
    if (r->from[i] == ds)
      return r->blocks[i]->base.address;
  struct device_storage *block =
      ldevice_alloc(L, r->virtual, ds->base.bytes, ds->flags);
  block->stands_for = ds->twin_of ? ds->twin_of : &ds->base;
  r->from[r->block_count] = ds;
  r->blocks[r->block_count++] = block;
  fill_block(L, r, ds, &block->base);
  return block->base.address;
}

static gpu_ptr stand_in_for(lua_State *L, void *context,
                            const struct device_storage *ds) {
  return stand_in(L, context, ds);
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
    if (k->plan[i].kind != ARG_POINTER)
      continue;
    memcpy(&p, at, sizeof p);
    const struct device_storage *ds = p ? ldevice_find(r->real, p) : NULL;
    if (!ds || ds->base.is_freed)
      continue;
    p = stand_in(L, r, ds) + (p - ds->base.address);
    memcpy(at, &p, sizeof p);
  }
  for (int n = 0; n < r->twins.unknown; n++)
    str_addf(&r->unknown, "%sa CUDA array", r->unknown.len ? ", " : "");
}

// ---- The run ----

static enum err launch_again(lua_State *L, struct replay *r,
                             struct err_info *e) {
  struct gpu_device *gpu = r->virtual->gpu;
  const struct gpu_backend *b = gpu->backend;
  const struct nvrtc_kernel *decl = lkernel_decl(r->record->kernel);
  struct gpu_function_info info;
  struct gpu_launch l = {
      .shared_bytes = r->record->shared_bytes,
      .flags = r->record->flags | (r->is_alive ? GPU_LAUNCH_COUNT : 0),
      .param_bytes = r->record->param_bytes,
      .params = r->again.params,
  };
  memcpy(l.grid, r->record->grid, sizeof l.grid);
  memcpy(l.block, r->record->block, sizeof l.block);
  if (b->module_load(gpu, r->program->code, r->program->code_bytes, &r->module,
                     e) != ERR_OK ||
      b->function_get(gpu, r->module, decl->mangled, &l.function, &info, e) !=
          ERR_OK ||
      b->launch(gpu, &l, e) != ERR_OK)
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

// Leaves the error table, or nil when the virtual GPU found nothing.
static int replay_body(lua_State *L) {
  struct replay *r = lua_touserdata(L, 1);
  struct gpu_finding f[LCUDA_FINDINGS];
  struct err_info e = {0};
  r->virtual = lcuda_open_device(L, "virtual:0");
  struct ldevice *v = r->virtual;
  r->program = lmodule_compile(L, r->record->kernel->module, v->info.arch,
                               !v->info.takes_cubin);
  ldevice_wait(L, v, GPU_ALL_STREAMS);
  remote_set_deadline(v->gpu, REPLAY_S);
  translate(L, r);
  launch_again(L, r, &e);
  remember(r);
  int n = v->gpu->backend->findings(v->gpu, f, LCUDA_FINDINGS);
  if (n > 0 && f[0].severity == GPU_ERROR && f[0].kind != ERR_TIMEOUT)
    lcuda_push_failure(L, v, &e, f, n);
  else
    lua_pushnil(L);
  return 1;
}

static void put_away(struct replay *r) {
  struct err_info e;
  struct ldevice *v = r->virtual;
  if (v && r->module)
    v->gpu->backend->module_unload(v->gpu, r->module, &e);
  if (v)
    remote_set_deadline(v->gpu, v->owner->deadline_s);
  lobject_twins_free(&r->twins);
  for (int i = 0; i < r->block_count; i++)
    storage_unref(&r->blocks[i]->base);
  nvrtc_program_free(r->program);
}

static int copies_body(lua_State *L) {
  struct replay *r = lua_touserdata(L, 1);
  r->virtual = lcuda_open_device(L, "virtual:0");
  ldevice_wait(L, r->real, GPU_ALL_STREAMS);
  translate(L, r);
  remember(r);
  r->run(L, r->virtual, &r->again);
  return 1;
}

void lcuda_with_copies(lua_State *L, struct ldevice *d,
                       const struct launch_record *record,
                       void (*run)(lua_State *L, struct ldevice *v,
                                   const struct launch_record *record)) {
  struct replay r = {.real = d,
                     .record = record,
                     .unknown = STR_INIT,
                     .is_alive = true,
                     .run = run};
  lua_pushcfunction(L, copies_body);
  lua_pushlightuserdata(L, &r);
  int status = lua_pcall(L, 1, 1, 0);
  put_away(&r);
  str_free(&r.unknown);
  if (status != LUA_OK)
    lua_error(L);
}

static int count_body(lua_State *L) {
  struct replay *r = lua_touserdata(L, 1);
  struct gpu_finding f[LCUDA_FINDINGS];
  struct err_info e = {0};
  r->virtual = lcuda_open_device(L, "virtual:0");
  struct ldevice *v = r->virtual;
  r->program = lmodule_compile(L, r->record->kernel->module, v->info.arch,
                               !v->info.takes_cubin);
  ldevice_wait(L, r->real, GPU_ALL_STREAMS);
  translate(L, r);
  enum err err = launch_again(L, r, &e);
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
  str_free(&r.unknown);
  if (status != LUA_OK)
    lua_error(L);
}

static bool can_replay(enum err kind) {
  return kind == ERR_OUT_OF_BOUNDS || kind == ERR_MISALIGNED ||
         kind == ERR_USE_AFTER_FREE || kind == ERR_TRAP || kind == ERR_ASSERT;
}

bool lcuda_push_replayed(lua_State *L, struct ldevice *d,
                         const struct err_info *e, struct str *note) {
  struct replay r = {
      .real = d, .record = ldevice_last_record(d), .unknown = STR_INIT};
  if (!can_replay(e->code) || !r.record)
    return false;
  lua_pushcfunction(L, replay_body);
  lua_pushlightuserdata(L, &r);
  int status = lua_pcall(L, 1, 1, 0);
  put_away(&r);
  bool is_found = status == LUA_OK && !lua_isnil(L, -1);
  if (!is_found)
    lua_pop(L, 1);
  if (is_found)
    str_add(note, "Found by running the launch again on the virtual GPU.");
  else if (status == LUA_OK)
    str_add(note, "Run again on the virtual GPU, the last launch made no "
                  "mistake: another one may be to blame.");
  if (status == LUA_OK && r.unknown.len)
    str_addf(note, " What %s held was not known.", r.unknown.data);
  str_free(&r.unknown);
  return is_found;
}

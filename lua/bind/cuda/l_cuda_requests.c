// SPDX-License-Identifier: Apache-2.0
// Requests that were recorded, as a value that keeps them, and which array an
// address belongs to. What they look like is repl/picture's.
#include "lua/bind/cuda/l_cuda_requests.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/finding/finding.h"
#include "lua/bind/cuda/l_cuda_finding.h"
#include "lua/bind/cuda/l_cuda_memory.h"
#include "lua/bind/cuda/l_cuda_module.h"

// ---- Arrays that the launch was given ----

// The shape of the Lua array that begins at `offset` of the storage.
static void take_shape(const struct array *a, size_t offset,
                       struct lrequest_array *out) {
  if (a->offset != offset || !array_is_contiguous(a) ||
      a->ndim > LCUDA_REQUEST_DIMS)
    return;
  out->ndim = a->ndim;
  memcpy(out->shape, a->shape, (size_t)a->ndim * sizeof *a->shape);
  out->elem_bytes = dtype_bytes(a->dtype);
  out->bytes = (uint64_t)array_count(a) * out->elem_bytes;
}

static void name_array(lua_State *L, const struct device_storage *ds,
                       size_t offset, struct lrequest_array *out) {
  const struct storage *named = ds->stands_for ? ds->stands_for
                                : ds->twin_of  ? ds->twin_of
                                               : &ds->base;
  if (!array_push_variable(L, named, out->variable, sizeof out->variable)) {
    out->variable[0] = 0;
    return;
  }
  take_shape(array_test(L, -1), offset, out);
  lua_pop(L, 1);
}

static void add_param(lua_State *L, struct lrequests *p, struct ldevice *d,
                      const struct launch_record *record, int i, uint64_t at) {
  const struct arg_plan *plan = &record->kernel->plan[i];
  const struct nvrtc_param *param = &lkernel_decl(record->kernel)->params[i];
  uint64_t real = 0;
  memcpy(&real, record->params + plan->offset, sizeof real);
  const struct device_storage *ds = real ? ldevice_find(d, real) : NULL;
  if (!ds || p->array_count == LCUDA_REQUEST_ARRAYS)
    return;
  struct lrequest_array *a = &p->arrays[p->array_count++];
  size_t offset = real - ds->base.address;
  *a = (struct lrequest_array){.base = at,
                               .bytes = ds->base.bytes - offset,
                               .elem_bytes = lcuda_elem_bytes(param)};
  if (param->name)
    snprintf(a->name, sizeof a->name, "%s", param->name);
  else
    snprintf(a->name, sizeof a->name, "argument %d", i + 1);
  name_array(L, ds, offset, a);
}

void lrequests_note(lua_State *L, struct lrequests *p, struct ldevice *d,
                    const struct launch_record *record, const uint8_t *params) {
  const struct lkernel *k = record->kernel;
  const struct lmodule *m = k->module;
  p->array_count = 0;
  for (int i = 0; i < k->param_count; i++) {
    uint64_t at = 0;
    if (k->plan[i].kind != ARG_POINTER)
      continue;
    memcpy(&at, params + k->plan[i].offset, sizeof at);
    add_param(L, p, d, record, i, at);
  }
  free(p->kernel);
  free(p->source);
  free(p->file);
  p->kernel = xstrdup(k->name);
  p->source = xstrdup(nvrtc_numbered_part(m->source, m->file));
  p->file = xstrdup(m->file);
}

// ---- Shared variables ----

static uint32_t bytes_of_type(const char *type, size_t n) {
  static const struct {
    const char *name;
    uint32_t bytes;
  } types[] = {{"float", 4},
               {"double", 8},
               {"int", 4},
               {"unsigned", 4},
               {"unsigned int", 4},
               {"char", 1},
               {"unsigned char", 1},
               {"short", 2},
               {"unsigned short", 2},
               {"bool", 1},
               {"half", 2},
               {"__half", 2},
               {"long long", 8},
               {"unsigned long long", 8},
               {"float2", 8},
               {"float4", 16},
               {"double2", 16},
               {"int2", 8},
               {"int4", 16},
               {"uint32_t", 4},
               {"int32_t", 4},
               {"uint8_t", 1},
               {"uint64_t", 8},
               {"int64_t", 8}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i].name) == n && !memcmp(types[i].name, type, n))
      return types[i].bytes;
  return 0;
}

// "float[4][8]": its element and its shape.
static void read_type(const char *type, struct lrequest_array *out) {
  size_t n = strcspn(type, "[\n");
  uint32_t bytes = bytes_of_type(type, n);
  int64_t count = 1;
  int ndim = 0;
  int64_t shape[LCUDA_REQUEST_DIMS];
  for (const char *c = type + n; *c == '[' && ndim < LCUDA_REQUEST_DIMS;) {
    char *end;
    shape[ndim] = strtoll(c + 1, &end, 10);
    count *= shape[ndim++];
    c = *end == ']' ? end + 1 : "";
  }
  out->elem_bytes = bytes;
  if (!bytes || count <= 0 || (uint64_t)count * bytes != out->bytes)
    return; // of dynamic memory, or of a constant that is not known
  out->ndim = ndim;
  memcpy(out->shape, shape, sizeof shape);
}

static void shape_shared(const char *declarations, struct lrequest_array *a) {
  char want[sizeof a->name + 16];
  snprintf(want, sizeof want, "declare %s ", a->name);
  const char *line = strstr(declarations, want);
  if (line)
    read_type(line + strlen(want), a);
}

static void add_shared(struct lrequests *r) {
  struct str declarations = STR_INIT;
  finding_find_shared(r->source ? r->source : "", &declarations);
  for (uint32_t n = 0; n < r->what.shared_count; n++) {
    if (r->array_count == LCUDA_REQUEST_ARRAYS)
      break;
    struct lrequest_array *a = &r->arrays[r->array_count++];
    *a = (struct lrequest_array){.base = r->what.shared[n].base,
                                 .bytes = r->what.shared[n].bytes,
                                 .is_shared = true};
    finding_demangle(r->what.shared[n].name, a->name, sizeof a->name);
    if (declarations.len)
      shape_shared(declarations.data, a);
  }
  str_free(&declarations);
}

// ---- The value ----

static int requests_gc(lua_State *L) {
  struct lrequests *r = luaL_checkudata(L, 1, LCUDA_REQUESTS);
  free(r->packed);
  free(r->kernel);
  free(r->source);
  free(r->file);
  memset(r, 0, sizeof *r);
  return 0;
}

void lrequests_push(lua_State *L, struct ldevice *d,
                    const struct lrequests *noted) {
  struct err_info e = {0};
  struct lrequests *r = lua_newuserdatauv(L, sizeof *r, 0);
  memset(r, 0, sizeof *r);
  luaL_setmetatable(L, LCUDA_REQUESTS);
  *r = *noted;
  r->kernel = xstrdup(noted->kernel ? noted->kernel : "");
  r->source = xstrdup(noted->source ? noted->source : "");
  r->file = xstrdup(noted->file ? noted->file : "");
  const struct gpu_backend *b = d->gpu->backend;
  enum err err = b->requests ? b->requests(d->gpu, &r->what, &r->packed, &e)
                             : ERR_NOT_FOUND;
  if (err == ERR_NOT_FOUND) {
    lua_pop(L, 1);
    lua_pushnil(L);
  } else if (err) {
    bind_error_info(L, &e);
  } else {
    add_shared(r);
  }
}

void lrequests_open(lua_State *L) {
  luaL_newmetatable(L, LCUDA_REQUESTS);
  lua_pushcfunction(L, requests_gc);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
}

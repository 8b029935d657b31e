// SPDX-License-Identifier: Apache-2.0
// What waits for what: Lua's calls as commands of streams (gpu/order.h), and
// the findings in words.
//
// A pointer that a kernel takes as const is read, any other is written, whatever
// the kernel does with it. Work of jax goes to the default stream, which waits
// for all streams and for which all wait, so its arrays need no watching.
#include "lua/bind/cuda/l_cuda_order.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_finding.h"

enum { MAX_FINDINGS = 32, MAX_SITES = 4096 };

// One call of the program's: where it stands, and its name.
struct site {
  char file[64];
  int line;
  char what[64];
};

struct lorder {
  struct order *order;
  struct site *sites;
  int site_count, current; // the call that is running
  struct lorder_finding findings[MAX_FINDINGS];
  int finding_count;
};

static struct lorder *watching(const struct ldevice *d) {
  return d->has_info && d->info.is_checked ? d->owner->order : NULL;
}

// Any number that is the device's own.
static int number_of(const struct ldevice *d) {
  return (int)strtol(strchr(d->id, ':') + 1, NULL, 10);
}

static int stream_of(struct lorder *o, const struct ldevice *d,
                     const struct lstream *s) {
  return s && s->order >= 0 ? s->order
                            : order_default_stream(o->order, number_of(d));
}

// ---- Streams ----

// Watching begins.
static void start(struct lcuda *c) {
  if (c->order)
    return;
  c->order = xcalloc(1, sizeof *c->order);
  c->order->order = order_new();
}

void lorder_restart_chain(struct lcuda *c) {
  start(c);
  order_restart_chain(c->order->order);
}

void lorder_add_stream(struct ldevice *d, struct lstream *s) {
  struct lcuda *c = d->owner;
  s->order = -1;
  if (!d->has_info || !d->info.is_checked)
    return;
  start(c);
  order_default_stream(c->order->order, number_of(d));
  s->order = order_add_stream(c->order->order, number_of(d), false);
}

void lorder_drop_stream(struct lcuda *c, struct lstream *s) {
  if (c->order && s->order >= 0)
    order_drop_stream(c->order->order, s->order);
  s->order = -1;
}

// ---- Findings ----

static int site_here(lua_State *L, struct lorder *o, const char *what) {
  struct site here = {.line = 0};
  bind_find_line(L, here.file, sizeof here.file, &here.line);
  snprintf(here.what, sizeof here.what, "%s", what);
  for (int i = o->site_count - 1; i >= 0; i--)
    if (o->sites[i].line == here.line && !strcmp(o->sites[i].file, here.file) &&
        !strcmp(o->sites[i].what, here.what))
      return i;
  if (o->site_count == MAX_SITES)
    return MAX_SITES - 1;
  o->sites = xrealloc(o->sites, (size_t)(o->site_count + 1) * sizeof here);
  o->sites[o->site_count] = here;
  return o->site_count++;
}

static bool was_found(const struct lorder *o, const struct lorder_finding *f) {
  for (int i = 0; i < o->finding_count; i++)
    if (o->findings[i].line == f->line &&
        o->findings[i].other_line == f->other_line &&
        !strcmp(o->findings[i].file, f->file))
      return true;
  return false;
}

static void add_finding(lua_State *L, const struct lorder_finding *f) {
  struct lcuda *c = lcuda_of(L);
  struct lorder *o = c->order;
  if (!c->is_checked || was_found(o, f) || o->finding_count == MAX_FINDINGS)
    return;
  o->findings[o->finding_count++] = *f;
  char *text = *f->file ? xasprintf("%s:%d  %s", f->file, f->line, f->text)
                        : xstrdup(f->text);
  lcuda_say_once(c, true, text);
  free(text);
}

static const char *verb(bool is_written) {
  return is_written ? "writes" : "reads";
}

static void name_of(lua_State *L, const struct storage *s, char *out,
                    size_t bytes) {
  if (!array_variable_name(L, s, out, bytes))
    snprintf(out, bytes, "an array");
}

// "line 7" of the same file; of the prompt's lines, each of which is a text of
// its own, the line itself.
static void place_of(lua_State *L, const struct site *at, const char *file,
                     char *out, size_t bytes) {
  if (!strcmp(at->file, file) && *file != '[') {
    snprintf(out, bytes, "line %d", at->line);
    return;
  }
  snprintf(out, bytes, "%s:%d", at->file, at->line);
  bind_push_line(L, out);
  if (*at->file == '[' && lua_isstring(L, -1))
    snprintf(out, bytes, "`%s`", lua_tostring(L, -1));
  lua_pop(L, 1);
}

static void find_between(lua_State *L, struct lorder *o,
                         const struct storage *s, const struct order_use *use,
                         const struct order_use *other) {
  const struct site *now = &o->sites[use->site];
  const struct site *then = &o->sites[other->site];
  struct lorder_finding f = {.line = now->line, .other_line = then->line};
  char name[80], place[100];
  name_of(L, s, name, sizeof name);
  place_of(L, then, now->file, place, sizeof place);
  snprintf(f.file, sizeof f.file, "%s", now->file);
  snprintf(f.text, sizeof f.text,
           "no order: %s %s %s, which %s of %s %s on another stream, and "
           "nothing makes the one wait for the other; record an event behind "
           "the first, event:record(stream), and let the other stream wait, "
           "stream:wait(event), or synchronize between the two",
           now->what, verb(use->is_written), name, then->what, place,
           verb(other->is_written));
  add_finding(L, &f);
}

static void find_on_host(lua_State *L, struct lorder *o,
                         const struct storage *s, const struct order_use *use,
                         const struct order_use *other) {
  const struct site *then = &o->sites[other->site];
  struct lorder_finding f = {.other_line = then->line};
  char name[80], place[100];
  bool has_line = bind_find_line(L, f.file, sizeof f.file, &f.line);
  name_of(L, s, name, sizeof name);
  place_of(L, then, has_line ? f.file : then->file, place, sizeof place);
  snprintf(f.text, sizeof f.text,
           "no order: %s %s, which %s of %s %s, and nothing has waited for "
           "that; stream:synchronize(), or event:synchronize() of an event "
           "behind it, must come before",
           !has_line         ? "the function returns"
           : use->is_written ? "the host writes"
                             : "the host reads",
           name, then->what, place, verb(other->is_written));
  add_finding(L, &f);
}

// ---- Commands ----

// What it takes to know what a command waits for.
static void charge(const struct lcuda *c) {
  double streams = order_streams(c->order->order);
  enum { A_UNIT = 64 };
  if (c->options.charge)
    c->options.charge(c->options.meter, streams * streams / A_UNIT);
}

void lorder_queue(lua_State *L, struct ldevice *d, const struct lstream *s,
                  const char *what) {
  struct lorder *o = watching(d);
  if (!o)
    return;
  charge(d->owner);
  order_queue(o->order, stream_of(o, d, s));
  d->owner->calls.count[GPU_CALL_CHAIN] = order_chain(o->order);
  o->current = site_here(L, o, what);
}

void lorder_use(lua_State *L, struct ldevice *d, const struct lstream *s,
                struct lbytes b, bool is_written) {
  struct lorder *o = watching(d);
  struct order_use use = {b.from, b.from + b.bytes, is_written, 0}, other;
  if (!o || !b.bytes)
    return;
  use.site = o->current;
  if (order_use(o->order, &b.of->uses, stream_of(o, d, s), &use, &other))
    find_between(L, o, b.of, &use, &other);
}

void lorder_extent(const struct array *a, size_t *from, size_t *bytes) {
  int64_t low = 0, high = (int64_t)dtype_bytes(a->dtype);
  for (int k = 0; k < a->ndim; k++) {
    int64_t reach = (a->shape[k] - 1) * a->strides[k];
    if (a->shape[k] == 0)
      high = low;
    low += reach < 0 && high > low ? reach : 0;
    high += reach > 0 && high > low ? reach : 0;
  }
  *from = a->offset + (size_t)low;
  *bytes = (size_t)(high - low);
}

void lorder_use_array(lua_State *L, struct ldevice *d, const struct lstream *s,
                      const struct array *a, bool is_written) {
  size_t from, bytes;
  if (!watching(d) || !array_count(a))
    return;
  lorder_extent(a, &from, &bytes);
  lorder_use(L, d, s, (struct lbytes){a->storage, from, bytes}, is_written);
}

void lorder_use_on_host(lua_State *L, const struct array *a, bool is_written) {
  struct lorder *o = lcuda_of(L)->order;
  struct order_use use = {.is_written = is_written}, other;
  size_t bytes;
  if (!o || array_is_device(a) || !a->storage->uses || !array_count(a))
    return;
  lorder_extent(a, &use.from, &bytes);
  use.to = use.from + bytes;
  if (order_use(o->order, &a->storage->uses, ORDER_HOST, &use, &other))
    find_on_host(L, o, a->storage, &use, &other);
}

// ---- Waiting ----

void lorder_record(struct ldevice *d, const struct lstream *s,
                   struct order_clock *event) {
  struct lorder *o = watching(d);
  if (o)
    order_record(o->order, stream_of(o, d, s), event);
}

void lorder_wait(const struct lstream *s, const struct order_clock *event) {
  struct lorder *o = watching(s->device);
  if (o && s->order >= 0)
    order_wait(o->order, s->order, event);
}

void lorder_host_stream(struct ldevice *d, const struct lstream *s) {
  struct lorder *o = watching(d);
  if (o)
    order_host_stream(o->order, stream_of(o, d, s));
}

void lorder_host_event(struct ldevice *d, const struct order_clock *event) {
  struct lorder *o = watching(d);
  if (o)
    order_host_event(o->order, event);
}

void lorder_host_device(struct ldevice *d) {
  struct lorder *o = watching(d);
  if (o)
    order_host_device(o->order, number_of(d));
}

// ---- In Lua ----

const struct lorder_finding *lorder_findings(const struct lcuda *c,
                                             int *count) {
  *count = c->order ? c->order->finding_count : 0;
  return *count ? c->order->findings : NULL;
}

// cuda.unordered(): what was found since it was last asked.
static int l_unordered(lua_State *L) {
  struct lcuda *c = lcuda_of(L);
  int count;
  const struct lorder_finding *f = lorder_findings(c, &count);
  lua_createtable(L, count, 0); // [list]
  for (int i = 0; i < count; i++) {
    lua_createtable(L, 0, 4);
    bind_set_text(L, "message", f[i].text);
    bind_set_text(L, "file", f[i].file);
    bind_set_integer(L, "line", f[i].line);
    bind_set_integer(L, "other_line", f[i].other_line);
    lua_rawseti(L, -2, i + 1);
  }
  if (c->order)
    c->order->finding_count = 0;
  return 1;
}

void lorder_close(struct lcuda *c) {
  if (!c->order)
    return;
  order_free(c->order->order);
  free(c->order->sites);
  free(c->order);
  c->order = NULL;
}

int lcuda_open_order(lua_State *L) {
  lua_pushcfunction(L, l_unordered);
  lua_setfield(L, -2, "unordered");
  return 0;
}

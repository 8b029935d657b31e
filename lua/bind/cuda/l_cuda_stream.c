// SPDX-License-Identifier: Apache-2.0
// Streams and events. Their handles die with the device server; they are made
// anew when they are next used.
#include "lua/bind/cuda/l_cuda_stream.h"

#include <lauxlib.h>

#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_calls.h"
#include "lua/bind/cuda/l_cuda_graph.h"
#include "lua/bind/cuda/l_cuda_order.h"
#include "lua/bind/cuda/l_cuda_wait.h"

struct levent {
  int number;             // from 1, as a stream's
  struct ldevice *device; // NULL until it is recorded
  uint64_t generation;
  gpu_handle handle;
  bool is_recorded;
  struct order_clock clock;
  struct lgraph_mark mark; // where a capture recorded it last
};

#define NO_WAITING                                                             \
  "nothing of it runs yet, so there is nothing to wait for; "                  \
  "graph:launch(stream) comes first, then the wait"

// ---- Streams ----

gpu_handle lstream_handle(lua_State *L, struct lstream *s, struct ldevice *d) {
  struct err_info e = {0};
  if (!s)
    return 0;
  if (s->device != d)
    bind_error(L, ERR_ARGUMENT,
               "this stream belongs to %s, and the kernel "
               "runs on %s",
               s->device ? s->device->id : "a closed device", d->id);
  if (s->handle && s->generation == d->generation)
    return s->handle;
  s->handle = 0;
  if (d->gpu->backend->stream_create(d->gpu, &s->handle, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  s->generation = d->generation;
  return s->handle;
}

static int l_stream(lua_State *L) {
  struct ldevice *d = lcuda_device(L);
  struct lstream *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (struct lstream){.number = ++lcuda_of(L)->stream_count, .device = d};
  lorder_add_stream(d, s);
  luaL_setmetatable(L, LCUDA_STREAM);
  lstream_handle(L, s, d);
  return 1;
}

static int stream_synchronize(lua_State *L) {
  struct lstream *s = luaL_checkudata(L, 1, LCUDA_STREAM);
  lgraph_refuse(L, s->device, "s:synchronize()", NO_WAITING);
  ldevice_wait(L, s->device, lstream_handle(L, s, s->device));
  lorder_host_stream(s->device, s);
  lcuda_count(s->device->owner, GPU_CALL_SYNCHRONIZATIONS, 1);
  return 0;
}

static int stream_query(lua_State *L) {
  struct lstream *s = luaL_checkudata(L, 1, LCUDA_STREAM);
  struct ldevice *d = s->device;
  struct err_info e = {0};
  lgraph_refuse(L, d, "s:query()", NO_WAITING);
  enum err err = d->gpu->backend->poll(d->gpu, lstream_handle(L, s, d), &e);
  if (err != ERR_OK && err != ERR_NOT_READY)
    ldevice_fail(L, d, &e);
  if (err == ERR_OK)
    lorder_host_stream(d, s);
  lua_pushboolean(L, err == ERR_OK);
  return 1;
}

static int stream_gc(lua_State *L) {
  struct lstream *s = luaL_checkudata(L, 1, LCUDA_STREAM);
  struct err_info e;
  if (s->handle && s->device && s->generation == s->device->generation &&
      lcuda_device_of(lcuda_of(L), s->device->gpu))
    s->device->gpu->backend->stream_destroy(s->device->gpu, s->handle, &e);
  s->handle = 0;
  lorder_drop_stream(lcuda_of(L), s);
  return 0;
}

// Which one it is, the same on another day: an address tells nothing.
static int stream_tostring(lua_State *L) {
  struct lstream *s = luaL_checkudata(L, 1, LCUDA_STREAM);
  lua_pushfstring(L, "stream %d on %s", s->number,
                  s->device ? s->device->id : "a closed device");
  return 1;
}

// ---- Events ----

static struct levent *check_recorded(lua_State *L, int i) {
  struct levent *ev = luaL_checkudata(L, i, LCUDA_EVENT);
  if (ev->mark.capture)
    bind_error(L, ERR_ARGUMENT,
               "this event was recorded in a capture, where it orders the "
               "nodes of the graph and is never reached itself: record it "
               "again outside, behind graph:launch()");
  if (!ev->is_recorded)
    bind_error(L, ERR_ARGUMENT,
               "this event was never recorded: call "
               "e:record() behind the work");
  if (ev->generation != ev->device->generation)
    bind_error(L, ERR_DEVICE_LOST,
               "this event was recorded before %s was "
               "reset: record it again",
               ev->device->id);
  return ev;
}

static int l_event(lua_State *L) {
  struct levent *ev = lua_newuserdatauv(L, sizeof *ev, 0);
  *ev = (struct levent){.number = ++lcuda_of(L)->event_count};
  luaL_setmetatable(L, LCUDA_EVENT);
  return 1;
}

// e:record([stream]): marks the point behind all work queued so far.
static int event_record(lua_State *L) {
  struct levent *ev = luaL_checkudata(L, 1, LCUDA_EVENT);
  struct lstream *s =
      lua_isnoneornil(L, 2) ? NULL : luaL_checkudata(L, 2, LCUDA_STREAM);
  struct ldevice *d = s ? s->device : lcuda_device(L);
  struct err_info e = {0};
  if (lgraph_captures(L, d, s, "e:record()")) {
    lgraph_add_record(L, s, &ev->mark);
    lua_settop(L, 1);
    return 1;
  }
  ev->mark.capture = 0;
  gpu_handle stream = lstream_handle(L, s, d);
  if (!ev->handle || ev->device != d || ev->generation != d->generation) {
    ev->is_recorded = false;
    if (d->gpu->backend->event_create(d->gpu, &ev->handle, &e) != ERR_OK)
      ldevice_fail(L, d, &e);
    ev->device = d;
    ev->generation = d->generation;
  }
  if (d->gpu->backend->event_record(d->gpu, ev->handle, stream, &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  ev->is_recorded = true;
  lorder_record(d, s, &ev->clock);
  lua_settop(L, 1);
  return 1;
}

// s:wait(e): work queued on the stream from now on waits for the event.
static int stream_wait(lua_State *L) {
  struct lstream *s = luaL_checkudata(L, 1, LCUDA_STREAM);
  struct levent *ev = luaL_checkudata(L, 2, LCUDA_EVENT);
  if (lgraph_add_wait(L, s, 1, &ev->mark)) {
    lua_settop(L, 1);
    return 1;
  }
  check_recorded(L, 2);
  struct err_info e = {0};
  if (ev->device != s->device)
    bind_error(L, ERR_ARGUMENT,
               "the event was recorded on %s, and the stream "
               "is of %s",
               ev->device->id, s->device->id);
  gpu_handle stream = lstream_handle(L, s, s->device);
  ltrace_begin(s->device, stream);
  if (s->device->gpu->backend->stream_wait(s->device->gpu, stream, ev->handle,
                                           &e) != ERR_OK)
    ldevice_fail(L, s->device, &e);
  ltrace_queued(s->device->owner, s, LTRACE_STREAM_WAIT, NULL);
  lorder_wait(s, &ev->clock);
  lua_settop(L, 1);
  return 1;
}

static bool is_done(lua_State *L, struct levent *ev) {
  struct ldevice *d = ev->device;
  struct err_info e = {0};
  enum err err = d->gpu->backend->event_poll(d->gpu, ev->handle, &e);
  if (err != ERR_OK && err != ERR_NOT_READY)
    ldevice_fail(L, d, &e);
  return err == ERR_OK;
}

// Other work may be queued behind the event, so all of the device's is waited
// for: simple, and right.
static int event_synchronize(lua_State *L) {
  struct levent *ev = check_recorded(L, 1);
  lgraph_refuse(L, ev->device, "e:synchronize()", NO_WAITING);
  if (!is_done(L, ev))
    ldevice_wait(L, ev->device, GPU_ALL_STREAMS);
  lorder_host_event(ev->device, &ev->clock);
  lcuda_count(ev->device->owner, GPU_CALL_SYNCHRONIZATIONS, 1);
  return 0;
}

static int event_query(lua_State *L) {
  struct levent *ev = check_recorded(L, 1);
  bool is_over = is_done(L, ev);
  if (is_over)
    lorder_host_event(ev->device, &ev->clock);
  lua_pushboolean(L, is_over);
  return 1;
}

// from:elapsed(to): milliseconds; waits for both.
static int event_elapsed(lua_State *L) {
  struct levent *from = check_recorded(L, 1), *to = check_recorded(L, 2);
  struct ldevice *d = from->device;
  struct err_info e = {0};
  double ms;
  lgraph_refuse(L, d, "e:elapsed()", NO_WAITING);
  if (to->device != d)
    bind_error(L, ERR_ARGUMENT, "the events were recorded on two devices");
  if (!is_done(L, from) || !is_done(L, to))
    ldevice_wait(L, d, GPU_ALL_STREAMS);
  if (d->gpu->backend->event_elapsed(d->gpu, from->handle, to->handle, &ms,
                                     &e) != ERR_OK)
    ldevice_fail(L, d, &e);
  lorder_host_event(d, &from->clock);
  lorder_host_event(d, &to->clock);
  lua_pushnumber(L, ms);
  return 1;
}

static int event_gc(lua_State *L) {
  struct levent *ev = luaL_checkudata(L, 1, LCUDA_EVENT);
  struct err_info e;
  if (ev->handle && ev->generation == ev->device->generation &&
      lcuda_device_of(lcuda_of(L), ev->device->gpu))
    ev->device->gpu->backend->event_destroy(ev->device->gpu, ev->handle, &e);
  ev->handle = 0;
  order_clock_free(&ev->clock);
  return 0;
}

static int event_tostring(lua_State *L) {
  struct levent *ev = luaL_checkudata(L, 1, LCUDA_EVENT);
  if (ev->mark.capture)
    lua_pushfstring(L, "event %d, recorded in a capture", ev->number);
  else if (!ev->is_recorded)
    lua_pushfstring(L, "event %d, not recorded yet", ev->number);
  else
    lua_pushfstring(L, "event %d, recorded on %s", ev->number, ev->device->id);
  return 1;
}

// ---- Opening ----

static const luaL_Reg stream_methods[] = {
    {"synchronize", stream_synchronize},
    {"query", stream_query},
    {"wait", stream_wait},
    {"begin_capture", lgraph_begin_capture},
    {"end_capture", lgraph_end_capture},
    {"is_capturing", lgraph_is_capturing_stream},
    {NULL, NULL},
};

static const luaL_Reg event_methods[] = {
    {"record", event_record},
    {"synchronize", event_synchronize},
    {"query", event_query},
    {"elapsed", event_elapsed},
    {NULL, NULL},
};

static void open_type(lua_State *L, const char *name, const luaL_Reg *methods,
                      lua_CFunction gc, lua_CFunction tostring) {
  luaL_newmetatable(L, name); // [metatable]
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, gc);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, gc);
  lua_setfield(L, -2, "__close");
  lua_pushcfunction(L, tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pop(L, 1);
}

int lcuda_open_stream(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"stream", l_stream}, {"event", l_event}, {NULL, NULL}};
  open_type(L, LCUDA_STREAM, stream_methods, stream_gc, stream_tostring);
  open_type(L, LCUDA_EVENT, event_methods, event_gc, event_tostring);
  luaL_setfuncs(L, functions, 0);
  return 0;
}

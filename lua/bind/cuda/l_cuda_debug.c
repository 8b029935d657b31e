// SPDX-License-Identifier: Apache-2.0
// cuda.debug: a launch stepped on the virtual GPU, in code built with -G. A
// launch of a real GPU is stepped with copies of its inputs, and then runs.
//
// The back end knows the commands (gpu/debug_command.def); here a stop becomes
// a table, and a value a Lua value.
#include "lua/bind/cuda/l_cuda_debug.h"

#include <ctype.h>
#include <errno.h>
#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/finding/finding.h"
#include "gpu/remote/remote.h"
#include "lua/bind/cuda/l_cuda_finding.h"
#include "lua/bind/cuda/l_cuda_module.h"
#include "lua/bind/cuda/l_cuda_replay.h"

enum { MAX_OPTIONS = 64, MAX_NESTING = 32 };

// While cuda.debug runs its function.
struct lcuda_debug {
  int options; // reference to its second argument
  bool is_stepping;
  lua_Integer stops;
};

// One launch under the debugger.
struct session {
  struct ldevice *device; // a virtual GPU
  const struct launch_record *record;
  gpu_handle twin; // the kernel as it was loaded without -G, or 0
  struct nvrtc_program *program;
  gpu_handle module;
  bool is_begun;
  struct gpu_debug_stop stop;
  struct err_info e;
  char text[GPU_DEBUG_TEXT_BYTES];
};

// ---- Commands ----

static enum err wait_for_answer(struct session *s) {
  struct gpu_device *gpu = s->device->gpu;
  enum err err = remote_wait(gpu, GPU_ALL_STREAMS, &s->e);
  if (err == ERR_CANCELLED) // it stands still where it was
    bind_clear_interrupt();
  else if (err)
    return err;
  return gpu->backend->debug_answer(gpu, &s->stop, s->text, sizeof s->text,
                                    &s->e);
}

static enum err ask(struct session *s, const char *command) {
  struct gpu_device *gpu = s->device->gpu;
  s->text[0] = 0;
  enum err err = gpu->backend->debug_command(gpu, command, &s->e);
  return err ? err : wait_for_answer(s);
}

static void must_ask(lua_State *L, struct session *s, const char *command) {
  if (ask(s, command))
    bind_error_info(L, &s->e);
}

// ---- Values ----

static const char *skip_space(const char *s) {
  return s + strspn(s, " \t");
}

static const char *push_string(lua_State *L, const char *s) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (; *s && *s != '"'; s++) {
    s += *s == '\\' && s[1];
    luaL_addchar(&b, *s);
  }
  luaL_pushresult(&b);
  return *s ? s + 1 : s;
}

static const char *push_value(lua_State *L, const char *s, int nesting);

// { [name =] value, ... }
static const char *push_list(lua_State *L, const char *s, int nesting) {
  lua_newtable(L);
  for (lua_Integer n = 1; *(s = skip_space(s)) && *s != '}';) {
    size_t word = strspn(s, "abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    bool is_named = word && !strncmp(s + word, " = ", 3);
    if (is_named) {
      lua_pushlstring(L, s, word);
      s += word + 3;
    }
    s = push_value(L, s, nesting + 1);
    if (is_named)
      lua_rawset(L, -3);
    else
      lua_rawseti(L, -2, n++);
    s = skip_space(s);
    s += *s == ',';
  }
  return *s ? s + 1 : s;
}

// A number, true, false, "text" or {list}; pushes nil for anything else.
static const char *push_value(lua_State *L, const char *s, int nesting) {
  s = skip_space(s);
  size_t n = strcspn(s, ",}\n");
  char *end;
  if (nesting > MAX_NESTING) {
    lua_pushnil(L);
    return s + n;
  }
  luaL_checkstack(L, 4, NULL);
  if (*s == '{')
    return push_list(L, s + 1, nesting);
  if (*s == '"')
    return push_string(L, s + 1);
  if (!strncmp(s, "true", 4) || !strncmp(s, "false", 5)) {
    lua_pushboolean(L, *s == 't');
    return s + n;
  }
  errno = 0;
  long long whole = strtoll(s, &end, 10);
  if (end == s + n && end > s && !errno)
    lua_pushinteger(L, whole);
  else if (strtod(s, &end), end > s)
    lua_pushnumber(L, strtod(s, &end));
  else
    lua_pushnil(L);
  return s + n;
}

// "name = value" lines as a table
static void push_values(lua_State *L, const char *text) {
  lua_newtable(L);
  for (const char *s = text; *s;) {
    const char *equals = strstr(s, " = "), *line = strchr(s, '\n');
    if (!equals || (line && equals > line))
      break;
    lua_pushlstring(L, s, (size_t)(equals - s));
    s = push_value(L, equals + 3, 0);
    lua_rawset(L, -3);
    s = strchr(s, '\n');
    if (!s)
      break;
    s++;
  }
}

// ---- Stops ----

// The next instruction, as it stands in the PTX text.
static void set_ptx(lua_State *L, const struct session *s) {
  const char *c = s->program->code, *end = c + s->program->code_bytes;
  for (int line = 1; line < s->stop.ptx_line && c < end; line++) {
    const char *newline = memchr(c, '\n', (size_t)(end - c));
    c = newline ? newline + 1 : end;
  }
  const char *newline = c < end ? memchr(c, '\n', (size_t)(end - c)) : NULL;
  if (newline && s->stop.ptx_line > 0) {
    while (c < newline && isspace((unsigned char)*c))
      c++;
    lua_pushlstring(L, c, (size_t)(newline - c));
  } else {
    lua_pushnil(L);
  }
  lua_setfield(L, -2, "ptx");
}

static void set_finding(lua_State *L, struct session *s) {
  struct err_info none = {0};
  if (s->stop.reason == GPU_DEBUG_FINDING)
    lcuda_push_failure(L, s->device, &none, &s->stop.finding, 1);
  else
    lua_pushnil(L);
  lua_setfield(L, -2, "finding");
}

// Fills the table on top.
static void fill_stop(lua_State *L, struct session *s) {
  static const char *const reasons[] = {"begun",   "breakpoint", "watch",
                                        "finding", "step",       "interrupted",
                                        "ended",   "beginning"};
  const struct gpu_debug_stop *at = &s->stop;
  bool is_known = at->reason >= 0 && at->reason <= GPU_DEBUG_NO_EARLIER;
  lua_pushstring(L, is_known ? reasons[at->reason] : "?");
  lua_setfield(L, -2, "reason");
  lua_pushstring(L, at->file);
  lua_setfield(L, -2, "file");
  lua_pushstring(L, at->function);
  lua_setfield(L, -2, "func");
  lua_pushstring(L, s->text);
  lua_setfield(L, -2, "text");
  lua_pushboolean(L, at->has_focus);
  lua_setfield(L, -2, "is_live");
  bind_set_integer(L, "number", at->number);
  bind_set_integer(L, "line", at->line);
  bind_set_integer(L, "warp", at->warp);
  bind_set_integer(L, "mask", at->lanes);
  bind_set_integer(L, "lanes", __builtin_popcount(at->lanes));
  bind_set_integer(L, "born", __builtin_popcount(at->born));
  bind_set_integer(L, "depth", at->depth);
  bind_set_integer(L, "steps", (lua_Integer)at->steps);
  lcuda_push_triple(L, at->block);
  lua_setfield(L, -2, "block");
  lcuda_push_triple(L, at->thread);
  lua_setfield(L, -2, "thread");
  lua_pushstring(L, s->record->kernel->module->source);
  lua_setfield(L, -2, "source");
  set_ptx(L, s);
  set_finding(L, s);
}

static struct session *check_session(lua_State *L) {
  struct session **s = lua_touserdata(L, lua_upvalueindex(1));
  if (!*s)
    bind_error(L, ERR_ARGUMENT, "the launch that stopped here has ended");
  return *s;
}

// But Ctrl-C is an error here as it is everywhere, also where it came before the device
// had begun.
static int fail_softly(lua_State *L, const struct session *s) {
  if (s->e.code == ERR_CANCELLED)
    return bind_error_info(L, &s->e);
  lua_pushnil(L);
  lua_pushstring(L, s->e.text);
  return 2;
}

// stop.locals, fetched when it is asked for.
static int stop_index(lua_State *L) {
  const char *key = lua_tostring(L, 2);
  if (!key || strcmp(key, "locals") != 0)
    return 0;
  struct session *s = check_session(L);
  struct gpu_debug_stop at = s->stop;
  if (ask(s, "values"))
    lua_newtable(L);
  else
    push_values(L, s->text);
  s->stop = at;
  lua_pushvalue(L, -1);
  lua_setfield(L, 1, "locals");
  return 1;
}

// stop.command(text): the answer, or nil and why not; the table then says where
// the launch stands.
static int stop_command(lua_State *L) {
  struct session *s = check_session(L);
  if (ask(s, luaL_checkstring(L, 1)))
    return fail_softly(L, s);
  lua_pushvalue(L, lua_upvalueindex(2));
  fill_stop(L, s);
  lua_pushnil(L);
  lua_setfield(L, -2, "locals");
  lua_pushstring(L, s->text);
  return 1;
}

// stop.eval(expression): its value, or nil and why not.
static int stop_eval(lua_State *L) {
  struct session *s = check_session(L);
  struct gpu_debug_stop at = s->stop;
  lua_pushfstring(L, "values %s", luaL_checkstring(L, 1));
  enum err err = ask(s, lua_tostring(L, -1));
  if (err)
    return fail_softly(L, s);
  s->stop = at;
  push_values(L, s->text);
  lua_getfield(L, -1, "value");
  return 1;
}

// Pushes the stop's table; `holder` is where the session's pointer lies.
static void push_stop(lua_State *L, struct session *s, int holder) {
  static const struct {
    const char *name;
    lua_CFunction run;
  } calls[] = {{"command", stop_command}, {"eval", stop_eval}};
  lua_newtable(L);
  fill_stop(L, s);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    lua_pushvalue(L, holder);
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, calls[i].run, 2);
    lua_setfield(L, -2, calls[i].name);
  }
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, holder);
  lua_pushcclosure(L, stop_index, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

// ---- Breakpoints from a table ----

// A command that is being written; too long a one is refused as it is cut.
struct line {
  char text[1024];
  size_t used;
};

static void add(struct line *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(c->text + c->used, sizeof c->text - c->used, fmt, ap);
  va_end(ap);
  c->used += (size_t)n;
  if (c->used >= sizeof c->text)
    c->used = sizeof c->text - 1;
}

static void add_triple(lua_State *L, int at, const char *key,
                       struct line *out) {
  uint32_t x[3] = {0};
  int type = lua_getfield(L, at, key);
  if (type == LUA_TNUMBER)
    x[0] = (uint32_t)luaL_checkinteger(L, -1);
  for (int i = 0; type == LUA_TTABLE && i < 3; i++) {
    lua_rawgeti(L, -1, i + 1);
    x[i] = (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  if (type != LUA_TNIL)
    add(out, " %s %u,%u,%u", key, x[0], x[1], x[2]);
}

// {line = 4, file =, func =, block = {..}, thread = {..}, condition = "i > 3"},
// a line's number, or a function's name
static void add_break(lua_State *L, struct session *s, int at) {
  struct line command = {.used = 0};
  add(&command, "break ");
  if (lua_type(L, at) == LUA_TTABLE) {
    if (lua_getfield(L, at, "file") == LUA_TSTRING)
      add(&command, "%s:", lua_tostring(L, -1));
    if (lua_getfield(L, at, "line") == LUA_TNIL)
      lua_getfield(L, at, "func");
    add(&command, "%s", luaL_tolstring(L, -1, NULL));
    lua_settop(L, at);
    add_triple(L, at, "block", &command);
    add_triple(L, at, "thread", &command);
    if (lua_getfield(L, at, "condition") == LUA_TSTRING)
      add(&command, " if %s", lua_tostring(L, -1));
  } else {
    add(&command, "%s", luaL_tolstring(L, at, NULL));
  }
  must_ask(L, s, command.text);
  lua_settop(L, at);
}

// break_at: one breakpoint or a list of them; says whether there is any.
static bool add_breaks(lua_State *L, struct session *s, int options) {
  int type = lua_getfield(L, options, "break_at");
  int at = lua_gettop(L);
  lua_Integer count = type == LUA_TTABLE ? (lua_Integer)lua_rawlen(L, at) : 0;
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, at, i);
    add_break(L, s, lua_gettop(L));
    lua_pop(L, 1);
  }
  if (!count && type != LUA_TNIL)
    add_break(L, s, at);
  lua_settop(L, at - 1);
  return type != LUA_TNIL;
}

// ---- A launch ----

// The kernel's source once more, with -G.
static void compile_debug(lua_State *L, struct session *s) {
  const struct lmodule *m = s->record->kernel->module;
  struct lmodule with = *m;
  char *options[MAX_OPTIONS];
  int count = 0;
  for (int i = 0; i < m->option_count && count < MAX_OPTIONS - 1; i++)
    if (strcmp(m->options[i], "-G") != 0 &&
        strcmp(m->options[i], "--device-debug") != 0 &&
        strcmp(m->options[i], "-lineinfo") != 0)
      options[count++] = m->options[i];
  options[count++] = (char *)"-G";
  with.options = options;
  with.option_count = count;
  s->program = lmodule_compile(L, &with, s->device->info.arch, true);
}

static void declare_shared(struct session *s) {
  struct str declarations = STR_INIT;
  finding_find_shared(s->record->kernel->module->source, &declarations);
  for (char *line = declarations.data, *end; (end = strchr(line, '\n'));
       line = end + 1) {
    *end = 0;
    ask(s, line); // a type that is not known leaves words
  }
  str_free(&declarations);
}

static void begin(lua_State *L, struct session *s) {
  const struct launch_record *r = s->record;
  struct gpu_device *gpu = s->device->gpu;
  const struct gpu_backend *b = gpu->backend;
  struct gpu_function_info info;
  struct gpu_launch l = {.shared_bytes = r->shared_bytes,
                         .flags = r->flags,
                         .param_bytes = r->param_bytes,
                         .params = r->params};
  memcpy(l.grid, r->grid, sizeof l.grid);
  memcpy(l.block, r->block, sizeof l.block);
  compile_debug(L, s);
  const char *name = lkernel_decl(r->kernel)->mangled;
  if (b->module_load(gpu, s->program->code, s->program->code_bytes, &s->module,
                     &s->e) ||
      b->function_get(gpu, s->module, name, &l.function, &info, &s->e) ||
      (l.shared_bytes &&
       b->function_set_max_shared(gpu, l.function, l.shared_bytes, &s->e)) ||
      b->debug_begin(gpu, &l, s->twin, &s->e))
    bind_error_info(L, &s->e);
  s->is_begun = true;
  if (wait_for_answer(s))
    bind_error_info(L, &s->e);
  declare_shared(s);
}

// What to do next: the answer of on_stop, on top. NULL: give up.
static const char *next_command(lua_State *L) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    const char *command = lua_tostring(L, -1);
    return strcmp(command, "quit") != 0 ? command : NULL;
  }
  return lua_type(L, -1) == LUA_TBOOLEAN && !lua_toboolean(L, -1) ? NULL
                                                                  : "continue";
}

// [session, options, holder]: runs it to its end; true when on_stop gave up.
static int session_body(lua_State *L) {
  struct session *s = lua_touserdata(L, 1);
  struct lcuda_debug *g = s->device->owner->debug;
  begin(L, s);
  bool has_breaks = add_breaks(L, s, 2);
  const char *command = has_breaks ? "run" : "start";
  bool has_on_stop = lua_getfield(L, 2, "on_stop") != LUA_TNIL; // [4]
  do {
    must_ask(L, s, command);
    g->stops += s->stop.reason != GPU_DEBUG_ENDED;
    lua_settop(L, 4);
    if (has_on_stop) {
      lua_pushvalue(L, 4);
      push_stop(L, s, 3);
      lua_call(L, 1, 1);
    }
    command = has_on_stop ? next_command(L) : "continue";
  } while (command && (s->stop.reason != GPU_DEBUG_ENDED ||
                       strcmp(command, "continue") != 0));
  lua_pushboolean(L, !command);
  return 1;
}

// Ends the session; a launch that has not ended leaves no trace.
static void end(struct session *s) {
  struct gpu_device *gpu = s->device->gpu;
  struct err_info e;
  if (s->is_begun && !gpu->backend->debug_end(gpu, &e))
    remote_wait(gpu, GPU_ALL_STREAMS, &e);
  if (s->module)
    gpu->backend->module_unload(gpu, s->module, &e);
  nvrtc_program_free(s->program);
}

// Leaves whether it was given up.
static void run_session(lua_State *L, struct ldevice *v,
                        const struct launch_record *record, gpu_handle twin) {
  struct lcuda_debug *g = v->owner->debug;
  struct session *s = xcalloc(1, sizeof *s);
  s->device = v;
  s->record = record;
  s->twin = twin;
  lua_pushcfunction(L, session_body);
  lua_pushlightuserdata(L, s);
  lua_rawgeti(L, LUA_REGISTRYINDEX, g->options);
  struct session **holder = lua_newuserdatauv(L, sizeof *holder, 0);
  *holder = s;
  lua_pushvalue(L, -1); // keeps it where it can be found afterwards
  lua_insert(L, -5);    // [.., holder, body, session, options, holder]
  g->is_stepping = true;
  int status = lua_pcall(L, 3, 1, 0);
  g->is_stepping = false;
  *holder = NULL;
  end(s);
  free(s);
  lua_remove(L, -2); // the holder
  if (status != LUA_OK)
    lua_error(L);
}

bool lcuda_debug_launch(lua_State *L, struct ldevice *d,
                        const struct launch_record *record) {
  if (record->kernel->param_bytes > sizeof record->params)
    bind_error(L, ERR_UNSUPPORTED,
               "%s takes %u bytes of parameters: a launch is stepped with up "
               "to %d",
               record->kernel->name, record->kernel->param_bytes,
               (int)sizeof record->params);
  if (d->info.is_checked)
    run_session(L, d, record, record->kernel->function);
  else
    lcuda_with_copies(L, d, record, run_session);
  bool is_given_up = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is_given_up;
}

bool lcuda_debug_wants(const struct lcuda *o) {
  return o->debug && !o->debug->is_stepping;
}

// ---- cuda.debug ----

// cuda.debug(f, {break_at =, on_stop =}): how often it stopped.
static int l_debug(lua_State *L) {
  struct lcuda *o = lcuda_of(L);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 2);
  }
  luaL_checktype(L, 2, LUA_TTABLE);
  if (o->debug)
    bind_error(L, ERR_ARGUMENT, "cuda.debug inside cuda.debug");
  struct lcuda_debug debug = {0};
  lua_pushvalue(L, 2);
  debug.options = luaL_ref(L, LUA_REGISTRYINDEX);
  o->debug = &debug;
  lua_pushvalue(L, 1);
  int status = lua_pcall(L, 0, 0, 0);
  o->debug = NULL;
  luaL_unref(L, LUA_REGISTRYINDEX, debug.options);
  if (status != LUA_OK)
    lua_error(L);
  lua_pushinteger(L, debug.stops);
  return 1;
}

int lcuda_open_debug(lua_State *L) {
  lua_pushcfunction(L, l_debug);
  lua_setfield(L, -2, "debug");
  return 0;
}

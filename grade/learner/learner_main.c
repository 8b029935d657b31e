// SPDX-License-Identifier: Apache-2.0
// warpshop-learner: the third program, which runs a learner's Lua for the judge.
//
// Theory of operation: read the request; open a Lua state without files,
// processes and debug, with np and jax on the host, and load all of the
// library; close every door (learner_confine.c); only then run the learner's
// text under a count of its work, call its function, and send what it returned.
// What is right is not known in here, nor is what was asked of others.
#include <fts.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/wire.h"
#include "gpu/remote/remote.h"
#include "grade/learner/learner_confine.h"
#include "grade/learner/learner_count.h"
#include "grade/learner/learner_host.h"
#include "grade/learner/learner_wire.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

// A quarter for Lua's own, half for arrays (their file is twice as large as may
// be used), a quarter for what C takes on the way.
enum { QUARTER_BYTES = 256 << 20 };

struct run {
  struct count count;
  struct learner_ask ask;
  char *text, *record, *kernels, *library;
  struct learner_value want[LEARNER_MAX_VALUES], in[LEARNER_MAX_VALUES];
  struct learner_tell tell;
  char output[LEARNER_OUTPUT];
};

static struct run *run_of(lua_State *L) {
  return bind_state_of(L)->options.context;
}

// ---- The request ----

static bool read_request(struct run *run, int fd) {
  struct learner_ask *q = &run->ask;
  if (!wire_read(fd, q, sizeof *q) || q->magic != LEARNER_MAGIC)
    return false;
  run->text = xcalloc(1, (size_t)q->text_bytes + 1);
  run->record = xcalloc(1, (size_t)q->record_bytes + 1);
  run->kernels = xcalloc(1, (size_t)q->kernels_bytes + 1);
  run->library = xmalloc(q->library_bytes + 1);
  if (!wire_read(fd, run->text, q->text_bytes) ||
      !wire_read(fd, run->record, q->record_bytes) ||
      !wire_read(fd, run->kernels, q->kernels_bytes) ||
      !wire_read(fd, run->library, q->library_bytes) ||
      !wire_read(fd, run->want, (size_t)q->result_count * sizeof *run->want))
    return false;
  for (int i = 0; i < q->input_count; i++) {
    struct learner_value *v = &run->in[i];
    if (!wire_read(fd, v, sizeof *v))
      return false;
    v->data = v->is_array ? xmalloc(v->bytes + 1) : NULL;
    if (v->is_array && !wire_read(fd, v->data, v->bytes))
      return false;
  }
  return true;
}

// ---- The state ----

static void keep_output(void *context, const char *text, size_t bytes) {
  struct run *run = context;
  size_t room = sizeof run->output - run->tell.output_bytes;
  bytes = bytes < room ? bytes : room;
  memcpy(run->output + run->tell.output_bytes, text, bytes);
  run->tell.output_bytes += (uint32_t)bytes;
}

#define REUSED_KEYS "learner.reused" // the list of random/parts.lua

// Loads lua/jax/core/core.lua as use("core/core") and so on: no file can be read
// later.
static void load_modules(lua_State *L, const char *jax) {
  char *roots[] = {(char *)jax, NULL};
  FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  for (FTSENT *f; walk && (f = fts_read(walk));) {
    const char *name = f->fts_path + strlen(jax) + 1;
    if (f->fts_info != FTS_F || !str_ends(name, ".lua"))
      continue;
    lua_getfield(L, LUA_REGISTRYINDEX, "warpshop.jax.use");
    lua_pushlstring(L, name, strlen(name) - strlen(".lua"));
    lua_call(L, 1, 0); // an error ends the process
  }
  if (walk)
    fts_close(walk);
}

// Is it of kind host?
static bool has_device(const struct run *run) {
  return run->ask.record_bytes > 0;
}

// setmetatable without __gc, whose calls nobody could count.
static int set_metatable(lua_State *L) {
  if (lua_type(L, 2) == LUA_TTABLE) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL)
      return luaL_error(L, "setmetatable: __gc is not for submissions");
    lua_pop(L, 1);
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static const char *const taken[] = {"load",    "coroutine", "loadstring",
                                    "require", "package",   "os",
                                    "io",      "debug"};

static int prepare(lua_State *L) {
  struct run *run = run_of(L);
  const char *jax = lua_touserdata(L, 1);
  struct array *first = array_push_host(L, DTYPE_F64, 0, NULL); // the arena
  (void)first;
  lua_getfield(L, LUA_REGISTRYINDEX, "warpshop.jax.use");
  lua_pushliteral(L, "init");
  lua_call(L, 1, 0);
  load_modules(L, jax);
  lua_getfield(L, LUA_REGISTRYINDEX, "warpshop.jax.use");
  lua_pushliteral(L, "random/parts");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "watch_keys");
  lua_call(L, 0, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, REUSED_KEYS);
  lua_getglobal(L, "jnp"); // the first look fills it
  lua_getfield(L, -1, "sin");
  lua_getglobal(L, "jax");
  lua_getfield(L, -1, "jit");
  lua_getfield(L, -2, "config"); // on the host: no device can be opened
  lua_getfield(L, -1, "update");
  lua_pushliteral(L, "jax_platforms");
  lua_pushliteral(L, "cpu");
  lua_call(L, 2, 0);
  lua_getglobal(L, "setmetatable");
  lua_pushcclosure(L, set_metatable, 1);
  lua_setglobal(L, "setmetatable");
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    lua_pushnil(L);
    lua_setglobal(L, taken[i]);
  }
  if (has_device(run)) {
    run->count.device = host_open(L, run->record, run->ask.record_bytes,
                                  run->kernels, run->ask.kernels_file);
  } else {
    lua_pushnil(L);
    lua_setglobal(L, "cuda");
  }
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "randomseed");
  lua_pushinteger(L, 1); // the same numbers each time
  lua_call(L, 1, 0);
  return 0;
}

static lua_State *open_state(struct run *run, struct err_info *e) {
  struct bind_options options = {
      .device = "virtual:0",
      .is_deviceless = !has_device(run),
      .has_no_compiler = true,
      .device_memory_bytes = HOST_MEMORY_BYTES,
      .charge = count_add,
      .may_take = count_may_take,
      .meter = &run->count,
      .sandboxed = true,
      .print = keep_output,
      .context = run,
      .memory_cap_bytes = QUARTER_BYTES,
      .chunks = run->library,
      .chunks_bytes = run->ask.library_bytes,
  };
  char *jax = file_own("lua/jax");
  if (!jax) {
    err_set(e, ERR_NOT_FOUND, "lua/jax is missing beside the program");
    return NULL;
  }
  lua_State *L = bind_new(&options, e);
  if (L) {
    lua_gc(L, LUA_GCSTOP); // nearly all of it stays
    lua_pushcfunction(L, prepare);
    lua_pushlightuserdata(L, jax);
    if (lua_pcall(L, 1, 0, 0)) {
      err_set(e, ERR_INTERNAL, "%s", luaL_tolstring(L, -1, NULL));
      L = NULL; // the process ends
    } else {
      bind_collect_later(L);
    }
  }
  free(jax);
  return L;
}

// ---- The learner's text ----

static void finish(struct run *run, enum learner_end end, const char *text) {
  run->tell.end = end;
  snprintf(run->tell.text, sizeof run->tell.text, "%s", text ? text : "");
}

// The line of the learner's that is running, or last called what is.
static int current_line(lua_State *L) {
  const struct run *run = run_of(L);
  lua_Debug ar;
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (!strcmp(ar.source + (*ar.source == '@'), run->ask.file) &&
        ar.currentline > 0)
      return ar.currentline;
  }
  return 0;
}

// "file.lua:3: words" -> "words", and 3.
static const char *without_place(const struct run *run, const char *text,
                                 int *line) {
  size_t n = strlen(run->ask.file);
  if (strncmp(text, run->ask.file, n) || text[n] != ':')
    return text;
  char *end;
  long at = strtol(text + n + 1, &end, 10);
  if (end == text + n + 1 || *end != ':')
    return text;
  *line = at > 0 && at < 1 << 20 ? (int)at : 0;
  return end + 1 + (end[1] == ' ');
}

// What an error says; calls nothing of the learner's.
static const char *error_text(lua_State *L, int i) {
  if (lua_type(L, i) == LUA_TSTRING)
    return lua_tostring(L, i);
  if (lua_istable(L, i)) {
    lua_pushliteral(L, "message");
    if (lua_rawget(L, i) == LUA_TSTRING)
      return lua_tostring(L, -1);
  }
  return "it raises an error that is no text";
}

static int on_error(lua_State *L) {
  struct run *run = run_of(L);
  if (count_is_over(&run->count))
    return 1;
  int line = current_line(L);
  finish(run, LEARNER_RAISED, without_place(run, error_text(L, 1), &line));
  run->tell.line = line;
  if (!strcmp(bind_error_kind(L, 1), err_kind(ERR_DEVICE_LOST)))
    run->tell.end = LEARNER_DIED;
  return 1;
}

static void push_input(lua_State *L, const struct learner_value *v) {
  if (v->is_array) {
    struct array *a = array_push_host(L, v->dtype, v->ndim, v->shape);
    memcpy(array_data(a), v->data, v->bytes);
    array_touch(a);
  } else if (dtype_kind(v->dtype) == 'f') {
    lua_pushnumber(L, v->number);
  } else if (v->dtype == DTYPE_BOOL) {
    lua_pushboolean(L, v->integer != 0);
  } else {
    lua_pushinteger(L, v->integer);
  }
}

// Runs the text, then its function; the results are left on the stack.
static int run_text(lua_State *L) {
  struct run *run = run_of(L);
  lua_call(L, 0, 0);
  lua_pushglobaltable(L);
  lua_pushstring(L, run->ask.entry);
  if (lua_rawget(L, -2) != LUA_TFUNCTION) {
    char *text =
        xasprintf("the file defines no global function %s", run->ask.entry);
    finish(run, LEARNER_NO_ENTRY, text);
    free(text);
    return 0;
  }
  for (int i = 0; i < run->ask.input_count; i++)
    push_input(L, &run->in[i]);
  lua_call(L, run->ask.input_count, run->ask.result_count);
  return run->ask.result_count;
}

// ---- Results ----

static bool is_as_wanted(const struct learner_value *w, enum dtype t) {
  char want = dtype_kind(w->dtype), have = dtype_kind(t);
  return want == 'f' ? strchr("bifu", have) != NULL
                     : have == want || (want != 'b' && strchr("biu", have));
}

static void refuse(struct run *run, const struct learner_value *w,
                   const char *what) {
  char *text = xasprintf("the result %s %s", w->name, what);
  finish(run, LEARNER_RESULT, text);
  free(text);
}

static void refuse_array(struct run *run, const struct learner_value *w,
                         const struct array *a) {
  char have[ARRAY_SHAPE_TEXT], want[ARRAY_SHAPE_TEXT];
  char *what = xasprintf(
      "is an array of %s of the shape %s; %s of the shape %s "
      "is asked for",
      dtype_name(a->dtype), array_shape_text(have, a->ndim, a->shape),
      dtype_name(w->dtype), array_shape_text(want, w->ndim, w->shape));
  refuse(run, w, what);
  free(what);
}

static bool has_shape(const struct array *a, const struct learner_value *w) {
  bool is_same = a->ndim == w->ndim;
  for (int d = 0; d < w->ndim && is_same; d++)
    is_same = a->shape[d] == w->shape[d];
  return is_same;
}

// A result at stack index `i` becomes `w`'s data, or is refused.
static bool take_result(lua_State *L, int i, struct learner_value *w) {
  struct run *run = run_of(L);
  array_fetch_jax(L, i);
  struct array *a = array_test(L, i);
  w->data = NULL;
  if (a && array_is_device(a)) {
    refuse(run, w, "is on a device");
    return false;
  }
  if (a)
    array_await(L, a, false); // what is on its way is no result yet
  if (a && (!has_shape(a, w) || !is_as_wanted(w, a->dtype))) {
    refuse_array(run, w, a);
    return false;
  }
  if (a) {
    struct array *whole = array_push_host(L, a->dtype, a->ndim, a->shape);
    array_assign(L, whole, a);
    w->dtype = a->dtype;
    w->bytes = (uint64_t)array_count(a) * dtype_bytes(a->dtype);
    w->data = array_data(whole);
    return true; // the copy stays on the stack
  }
  w->bytes = 0;
  bool is_number = lua_type(L, i) == LUA_TNUMBER ||
                   (lua_type(L, i) == LUA_TBOOLEAN && w->dtype == DTYPE_BOOL);
  if (is_number && !w->ndim) {
    bool is_whole = !lua_isnumber(L, i) || lua_isinteger(L, i);
    enum dtype t = is_whole ? DTYPE_I64 : DTYPE_F64;
    w->integer =
        lua_isboolean(L, i) ? lua_toboolean(L, i) : lua_tointeger(L, i);
    w->number = is_whole ? (double)w->integer : lua_tonumber(L, i);
    if (is_as_wanted(w, t) || lua_isboolean(L, i)) {
      w->dtype = t;
      return true;
    }
  }
  char *what =
      xasprintf("is %s; %s of %s is asked for", bind_value_text(L, i),
                w->is_array ? "an array" : "a number", dtype_name(w->dtype));
  refuse(run, w, what);
  free(what);
  return false;
}

static int take_results(lua_State *L) {
  struct run *run = run_of(L);
  for (int i = 0; i < run->ask.result_count; i++)
    if (!take_result(L, i + 1, &run->want[i]))
      return 0;
  finish(run, LEARNER_DONE, "");
  return lua_gettop(L); // so that the copies live
}

// A mistake that a kernel made counts, whether the learner's Lua went on or not.
static void note_mistake(lua_State *L) {
  struct run *run = run_of(L);
  const struct lcuda_mistake *m = &lcuda_of(L)->mistake;
  if (!m->is_there || count_is_over(&run->count))
    return;
  finish(run, LEARNER_RAISED, m->text);
  run->tell.line = m->line;
  memcpy(run->tell.kind, m->kind, sizeof m->kind);
  memcpy(run->tell.code, m->code, sizeof m->code);
}

// ---- Notes ----

// The line in "submission.lua:12"; 0 where there is none.
static int line_of(const char *place) {
  const char *colon = place ? strrchr(place, ':') : NULL;
  return colon ? (int)strtol(colon + 1, NULL, 10) : 0;
}

static const char *text_at(lua_State *L, const char *key) {
  lua_pushstring(L, key);
  lua_rawget(L, -2);
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1); // the table holds it
  return text ? text : "";
}

// What jax.random was asked for with one key.
static void add_keys(lua_State *L) {
  struct run *run = run_of(L);
  lua_getfield(L, LUA_REGISTRYINDEX, REUSED_KEYS);
  for (int i = 1; run->tell.note_count < LEARNER_MAX_NOTES &&
                  lua_rawgeti(L, -1, i) == LUA_TTABLE;
       i++, lua_pop(L, 1)) {
    struct learner_note *n = &run->tell.notes[run->tell.note_count++];
    *n = (struct learner_note){.kind = LEARNER_NOTE_KEY,
                               .line = line_of(text_at(L, "at")),
                               .other_line = line_of(text_at(L, "other_at"))};
    snprintf(n->text, sizeof n->text,
             "random.%s uses a key that random.%s of line %d has used: both "
             "draw from the same bits; split the key, and use each part once",
             text_at(L, "name"), text_at(L, "other_name"), n->other_line);
  }
}

static void finish_notes(lua_State *L) {
  struct run *run = run_of(L);
  run->tell.note_count = host_finish(L, &run->tell.calls, run->tell.notes);
  lua_checkstack(L, 8); // the results lie there
  add_keys(L);
}

static void run_learner(lua_State *L) {
  struct run *run = run_of(L);
  char *name = xasprintf("@%s", run->ask.file);
  lua_pushcfunction(L, on_error);
  if (luaL_loadbufferx(L, run->text, strlen(run->text), name, "t")) {
    finish(run, LEARNER_SYNTAX,
           without_place(run, error_text(L, lua_gettop(L)), &run->tell.line));
    return;
  }
  lua_pushcfunction(L, run_text);
  lua_insert(L, -2);
  run->tell.end = LEARNER_DONE;
  host_start(L, run->ask.budget);
  count_start(L, run->ask.budget);
  int rc = lua_pcall(L, 1, LUA_MULTRET, 1);
  count_stop(L);
  if (rc == LUA_ERRMEM)
    finish(run, LEARNER_MEMORY, "it uses more memory than there is for it");
  if (count_is_over(&run->count))
    finish(run, LEARNER_BUDGET, "");
  run->tell.work = run->count.work;
  note_mistake(L);
  if (rc || run->tell.end != LEARNER_DONE)
    return;
  lua_pushcfunction(L, take_results);
  lua_replace(L, 1);
  if (lua_pcall(L, run->ask.result_count, LUA_MULTRET, 0))
    finish(run, LEARNER_MEMORY, "its results take more memory than there is");
}

// ---- The answer ----

static bool answer(struct run *run, int fd) {
  run->tell.magic = LEARNER_MAGIC;
  if (!wire_write(fd, &run->tell, sizeof run->tell) ||
      !wire_write(fd, run->output, run->tell.output_bytes))
    return false;
  for (int i = 0; run->tell.end == LEARNER_DONE && i < run->ask.result_count;
       i++)
    if (!wire_write(fd, &run->want[i], sizeof run->want[i]) ||
        !wire_write(fd, run->want[i].data, run->want[i].bytes))
      return false;
  return true;
}

static int say_error(struct run *run, int fd, const struct err_info *e) {
  run->tell.end = -1;
  snprintf(run->tell.text, sizeof run->tell.text, "%s", e->text);
  answer(run, fd);
  return 3;
}

int main(int argc, char **argv) {
  struct err_info e = {0};
  if (argc != 2 || strcmp(argv[1], "--run")) {
    fputs("warpshop-learner runs Lua for the judge of warpshop, which starts "
          "it; run `warpshop` instead.\n",
          stderr);
    return 2;
  }
  int fd = 3;
  confine_start(fd);
  setrlimit(RLIMIT_FSIZE,
            &(struct rlimit){4u * QUARTER_BYTES, 4u * QUARTER_BYTES});
  struct run *run = xcalloc(1, sizeof *run);
  if (!read_request(run, fd))
    return 2;
  lua_State *L = open_state(run, &e);
  if (!L || learner_confine(QUARTER_BYTES * 2, run->ask.cpu_limit_s, &e))
    return say_error(run, fd, &e);
  run_learner(L);
  finish_notes(L);
  bool is_sent = answer(run, fd);
  _exit(is_sent ? 0 : 2); // nothing of the learner's runs at the end
}

// SPDX-License-Identifier: Apache-2.0
// :access [LINE] [LAUNCH], :map [ARRAY] [N] [by lane] [LAUNCH]: pictures of a launch, from what the virtual GPU
// recorded of it. Without a launch, the last one runs again on copies of its
// arrays, once: what was recorded of it is kept until there is another.
#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text/text.h"
#include "gpu/roof.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/picture/picture.h"
#include "repl/tui/tui.h"

// ---- What was recorded ----

static const char kept_key = 0; // of the registry: {launch, counts}

// Pushes the number of the last launch.
static void push_last(lua_State *L) {
  shop_push_field(L, "cuda", "last_launch");
  lua_call(L, 0, 1);
  if (lua_istable(L, -1))
    lua_getfield(L, -1, "number");
  else
    lua_pushinteger(L, 0);
  lua_remove(L, -2);
}

// [function or nil] -> counts with requests
static int record(lua_State *L) {
  lua_settop(L, 1);
  push_last(L); // [function, last]
  if (lua_isnil(L, 1) &&
      lua_rawgetp(L, LUA_REGISTRYINDEX, &kept_key) == LUA_TTABLE) {
    lua_rawgeti(L, -1, 1);
    if (lua_compare(L, -1, 2, LUA_OPEQ)) {
      lua_rawgeti(L, -2, 2);
      return 1;
    }
  }
  lua_settop(L, 1);
  shop_push_field(L, "cuda", "profile"); // [function, profile]
  lua_pushvalue(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushboolean(L, true);
  lua_setfield(L, -2, "requests");
  lua_call(L, 2, 1); // [function, counts]
  if (!lcuda_requests_at(L, 2))
    return 1; // nothing was launched
  lua_createtable(L, 2, 0);
  push_last(L);
  lua_rawseti(L, -2, 1);
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, 2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_key);
  return 1;
}

// Did a kernel do something wrong, as the error on top says? Then it ran, and
// what it did is worth a picture all the more.
static bool is_kernels_mistake(lua_State *L) {
  int top = lua_gettop(L);
  bool is_mistake = false;
  if (lua_istable(L, top) &&
      lua_getfield(L, top, "diagnostics") == LUA_TTABLE) {
    lua_getfield(L, top, "kind");
    const char *kind = lua_tostring(L, -1);
    is_mistake =
        kind && strcmp(kind, "compile") != 0 && lua_rawlen(L, top + 1) > 0;
  }
  lua_settop(L, top);
  return is_mistake;
}

// Pushes the counts of what `expression` launches, of the last launch without one;
// NULL where that failed, and it was said.
static const struct lrequests *
record_launch(struct shop *s, const char *expression, const char *name) {
  lua_State *L = s->L;
  int status = command_push_launch(s, expression, name);
  if (status == COMMAND_NO_LAUNCH)
    return NULL;
  if (status == LUA_OK) {
    lua_pushcfunction(L, record);
    lua_insert(L, -2);
    terminal_catch_interrupts(true);
    status = bind_pcall(L, 1, 1);
    terminal_catch_interrupts(false);
  }
  if (status != LUA_OK) {
    bool is_mistake = *expression && is_kernels_mistake(L);
    eval_show_error(s);
    return is_mistake ? record_launch(s, "", name) : NULL;
  }
  const struct lrequests *r = lcuda_requests_at(L, lua_gettop(L));
  if (!r) {
    lua_pop(L, 1);
    shop_warn(s, "No kernel was launched: give a launch, such as "
                 "k[{grid, block}](...).");
  }
  return r;
}

static struct picture_place place_of(const struct shop *s) {
  return (struct picture_place){.columns = s->screen.columns,
                                .rows = s->screen.rows,
                                .is_ascii = s->screen.is_ascii,
                                .is_plain = plain_is_wanted()};
}

// ---- :access ----

static bool is_name(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

bool command_access(struct shop *s, const char *args_text) {
  char *rest;
  long line = strtol(args_text, &rest, 10);
  const char *launch = rest + strspn(rest, " ");
  bool is_line = rest > args_text && (!*launch || is_name(*launch));
  launch = is_line ? launch : args_text;
  if (is_line && line < 1) {
    shop_warn(s, "Lines are numbered from 1: :access lists those that reach "
                 "memory.");
    return false;
  }
  const struct lrequests *r = record_launch(s, launch, "=:access");
  if (!r)
    return false;
  struct str out = STR_INIT;
  const struct gpu_line_counts *lines;
  const struct gpu_counts *counts =
      lcuda_counts_at(s->L, lua_gettop(s->L), &lines);
  struct picture_place place = place_of(s);
  bool is_there =
      picture_access(r, counts, lines, is_line ? (int)line : 0, &place, &out);
  if (is_there)
    shop_report(s, out.data);
  else
    shop_warn(s, "%s", out.data);
  str_free(&out);
  lua_pop(s->L, 1);
  return is_there;
}

// ---- :map ----

// "out 3 by lane", "3 k[{1, 32}](x)", "k[{1, 32}](x)": what is to be shown of which
// launch.
struct map_wish {
  char array[64]; // "": any
  long number;    // 0: all
  enum map_letter letter;
  const char *launch;
};

// "by lane ": takes it off the text.
static const char *read_letter(const char *text, enum map_letter *letter) {
  static const char *const words[] = {"warp", "lane", "block"};
  const char *word = text + strlen("by ");
  for (int i = 0; i < 3 && str_starts(text, "by "); i++) {
    size_t n = strlen(words[i]);
    if (!strncmp(word, words[i], n) && (!word[n] || word[n] == ' ')) {
      *letter = (enum map_letter)i;
      return word + n + strspn(word + n, " ");
    }
  }
  return text;
}

static struct map_wish read_wish(const char *text) {
  struct map_wish w = {.launch = text};
  size_t name = 0;
  char *end;
  text = read_letter(text, &w.letter);
  w.launch = text;
  if (is_name(*text))
    while (is_name(text[name]) || isdigit((unsigned char)text[name]))
      name++;
  const char *rest = text + name + strspn(text + name, " ");
  long number = strtol(rest, &end, 10);
  bool is_number = end > rest;
  const char *launch = read_letter(end + strspn(end, " "), &w.letter);
  // What begins as a name and goes on otherwise is the launch itself.
  bool is_wish = (name || is_number) && (!*launch || is_name(*launch)) &&
                 name < sizeof w.array && (!*rest || *rest != '[');
  if (!is_wish)
    return w;
  snprintf(w.array, sizeof w.array, "%.*s", (int)name, text);
  w.number = is_number ? number : 0;
  w.launch = launch;
  return w;
}

static void add_arrays(const struct map *m, struct str *out) {
  bool seen[LCUDA_REQUEST_ARRAYS] = {false};
  const char *between = "";
  for (int i = 0; i < m->count; i++) {
    int array = m->list[i].array;
    if (seen[array])
      continue;
    seen[array] = true;
    str_addf(out, "%s%s", between, m->r->arrays[array].name);
    between = ", ";
  }
}

// Where the picture begins; false where there is nothing of the kind.
static bool find_view(struct shop *s, const struct map *m,
                      const struct map_wish *w, struct map_view *v) {
  struct str arrays = STR_INIT;
  add_arrays(m, &arrays);
  int array = *w->array ? map_find(m, w->array) : 0;
  bool is_there = true;
  if (!m->count) {
    shop_warn(s, "The launch reaches no array in global or shared memory.");
    is_there = false;
  } else if (array < 0) {
    shop_warn(s, "The launch reaches no array %s; it reaches %s.", w->array,
              arrays.data);
    is_there = false;
  } else if (w->number < 0 || w->number > m->count) {
    shop_warn(s,
              "There is no access %ld: they are 1 to %d, and :map draws all.",
              w->number, m->count);
    is_there = false;
  }
  v->access = w->number ? (int)w->number - 1 : array;
  str_free(&arrays);
  return is_there;
}

static bool show_map_screen(struct shop *s, struct map *m, struct map_view v) {
  char *unread;
  screen_measure(&s->screen);
  if (!s->screen.is_terminal ||
      !map_screen_fits(s->screen.columns, s->screen.rows) ||
      !map_screen(m, v, &unread))
    return false;
  terminal_keep_keys(unread);
  free(unread);
  screen_measure(&s->screen);
  return true;
}

bool command_map(struct shop *s, const char *args_text) {
  struct map_wish wish = read_wish(args_text);
  const struct lrequests *r = record_launch(s, wish.launch, "=:map");
  if (!r)
    return false;
  struct map m;
  struct map_view v = {.letter = wish.letter};
  map_open(&m, r);
  bool is_there = find_view(s, &m, &wish, &v);
  if (is_there && (wish.number || !show_map_screen(s, &m, v))) {
    struct str out = STR_INIT;
    struct picture_place place = place_of(s);
    map_text(&m, v, wish.number > 0, *wish.array ? m.list[v.access].array : -1,
             &place, &out);
    shop_report(s, out.data);
    str_free(&out);
  }
  map_close(&m);
  lua_pop(s->L, 1);
  return is_there;
}

// ---- :blocks ----

static uint64_t whole(lua_State *L, int at, const char *key) {
  lua_getfield(L, at, key);
  uint64_t n = (uint64_t)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return n;
}

// [placement] -> its blocks as data; the caller frees the list.
static void read_blocks(lua_State *L, struct picture_blocks *b) {
  int at = lua_gettop(L);
  lua_getfield(L, at, "kernel");
  b->kernel = lua_tostring(L, -1); // the placement keeps it
  b->multiprocessors = (uint32_t)whole(L, at, "multiprocessors");
  b->at_once = (uint32_t)whole(L, at, "blocks_per_multiprocessor");
  b->clocks = whole(L, at, "clocks");
  lua_getfield(L, at, "blocks");
  int list = lua_gettop(L);
  b->count = lua_rawlen(L, list);
  b->list = xcalloc(b->count + 1, sizeof *b->list);
  for (size_t i = 0; i < b->count; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    int block = lua_gettop(L);
    b->list[i] = (struct picture_block){
        .number = (uint32_t)whole(L, block, "number"),
        .multiprocessor = (uint32_t)whole(L, block, "multiprocessor"),
        .start = whole(L, block, "start"),
        .stop = whole(L, block, "stop")};
    lua_pop(L, 1);
  }
}

// [function or nil] -> the placement of its last launch, of the last launch
static int place_launch(lua_State *L) {
  bool is_real = !str_starts(bind_device_id(L), "virtual");
  lua_settop(L, 1);
  if (is_real) {
    lua_pushcfunction(L, record);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 0);
  } else if (!lua_isnil(L, 1)) {
    lua_pushvalue(L, 1);
    lua_call(L, 0, 0);
  }
  shop_push_field(L, "cuda", "placement");
  if (is_real)
    lua_pushstring(L, "virtual:0");
  lua_call(L, is_real ? 1 : 0, 1);
  return 1;
}

bool command_blocks(struct shop *s, const char *args_text) {
  lua_State *L = s->L;
  int top = lua_gettop(L);
  int status = command_push_launch(s, args_text, "=:blocks");
  if (status == COMMAND_NO_LAUNCH)
    return false;
  if (status == LUA_OK) {
    lua_pushcfunction(L, place_launch);
    lua_insert(L, -2);
    terminal_catch_interrupts(true);
    status = bind_pcall(L, 1, 1);
    terminal_catch_interrupts(false);
  }
  if (status != LUA_OK) {
    eval_show_error(s);
    return false;
  }
  struct picture_blocks b;
  struct picture_place place = place_of(s);
  struct str out = STR_INIT;
  read_blocks(L, &b);
  picture_blocks(&b, &place, &out);
  shop_report(s, out.data);
  str_free(&out);
  free(b.list);
  lua_settop(L, top);
  return true;
}

// ---- :roofline ----

// NVIDIA's data sheet of the H200 (SXM), for launches on no real GPU.
static const struct picture_roof named_gpu = {.name = "NVIDIA H200",
                                              .bytes_per_us = 4.8e6,
                                              .f32_per_us = 67e6,
                                              .f64_per_us = 34e6};

// The device in use, where it is real and its driver says how fast it is, and
// what the last kernel took there.
static struct picture_roof find_roof(lua_State *L, double *us) {
  const struct ldevice *d = lcuda_device(L);
  struct gpu_roof_device own;
  *us = 0;
  if (d->info.is_checked)
    return named_gpu;
  gpu_roof_device(d->info.attributes, &own);
  if (own.bytes_per_us <= 0 || own.operations_per_us <= 0)
    return named_gpu;
  if (lcuda_of(L)->last.kernel_us > 0)
    *us = lcuda_of(L)->last.kernel_us;
  return (struct picture_roof){.name = d->info.name,
                               .bytes_per_us = own.bytes_per_us,
                               .f32_per_us = own.operations_per_us};
}

bool command_roofline(struct shop *s, const char *args_text) {
  const struct lrequests *r = record_launch(s, args_text, "=:roofline");
  if (!r)
    return false;
  const struct gpu_line_counts *lines;
  const struct gpu_counts *counts =
      lcuda_counts_at(s->L, lua_gettop(s->L), &lines);
  struct str out = STR_INIT;
  struct picture_place place = place_of(s);
  double us;
  struct picture_roof roof = find_roof(s->L, &us);
  roof.hardware = lcuda_hardware_at(s->L, lua_gettop(s->L));
  picture_roofline(r->kernel, counts, &roof, us, &place, &out);
  shop_report(s, out.data);
  str_free(&out);
  lua_pop(s->L, 1);
  return true;
}

// ---- :timeline ----

static const char trace_key = 0; // of the registry: the last one

// [function] -> the trace of its calls, also where one of them failed.
static struct ltrace *push_trace(lua_State *L) {
  struct ltrace *t = lua_newuserdatauv(L, sizeof *t, 0); // lcuda_trace fills it
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &trace_key);
  return t;
}

// "run.json rest" -> the file's name, which the caller frees; NULL: none.
static char *take_file(const char **text) {
  size_t n = strcspn(*text, " ");
  char *file = str_trimmed(*text, n);
  if (!str_ends(file, ".json")) {
    free(file);
    return NULL;
  }
  *text += n + strspn(*text + n, " ");
  return file;
}

static bool trace_line(struct shop *s, const char *expression) {
  lua_State *L = s->L;
  int top = lua_gettop(L);
  bool is_unfinished;
  s->is_one_line = true;
  int status = bind_compile(L, expression, "=:timeline", &is_unfinished);
  if (status == LUA_OK) {
    struct ltrace *t = push_trace(L); // [function, trace]
    lua_insert(L, -2);
    terminal_catch_interrupts(true);
    lcuda_trace(L, t);
    status = bind_pcall(L, 0, 0);
    if (status == LUA_OK) {
      lua_pushcfunction(L, lcuda_trace_finish);
      status = bind_pcall(L, 0, 0);
    }
    lcuda_trace(L, NULL);
    terminal_catch_interrupts(false);
  }
  if (status != LUA_OK)
    eval_show_error(s);
  lua_settop(L, top);
  return status == LUA_OK;
}

static bool write_trace(struct shop *s, const char *file,
                        const struct ltrace *t) {
  struct str json = STR_INIT;
  struct err_info e;
  picture_trace(t, &json);
  enum err err = file_write(file, json.data, json.len, 0666, &e);
  if (err)
    shop_warn(s, "%s", e.text);
  else
    shop_print(s, "%s: %d events, for chrome://tracing or ui.perfetto.dev",
               file, t->count);
  str_free(&json);
  return !err;
}

static void show_trace(struct shop *s, const struct ltrace *t) {
  struct str out = STR_INIT;
  struct picture_place place = place_of(s);
  bool is_virtual = str_starts(bind_device_id(s->L), "virtual");
  picture_timeline(t, is_virtual, &place, &out);
  shop_report(s, out.data);
  str_free(&out);
}

bool command_timeline(struct shop *s, const char *args_text) {
  lua_State *L = s->L;
  int top = lua_gettop(L);
  char *file = take_file(&args_text);
  bool is_fine = !*args_text || trace_line(s, args_text);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &trace_key);
  const struct ltrace *t = lua_touserdata(L, -1);
  if (is_fine && !t) {
    shop_warn(s, "Nothing to show yet: give a line, such as :timeline "
                 "k[{grid, block}](x).");
    is_fine = false;
  } else if (is_fine && file) {
    is_fine = write_trace(s, file, t);
  } else if (is_fine) {
    show_trace(s, t);
  }
  free(file);
  lua_settop(L, top);
  return is_fine;
}

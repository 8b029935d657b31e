// SPDX-License-Identifier: Apache-2.0
// :plot and :image: arrays as pictures (repl/plot), or as sentences where those
// are wanted. Arrays of a device are copied first, which is said.
#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/plot/plot.h"
#include "repl/tui/tui.h"

enum { MOST_ROWS = 20, MOST_COLUMNS = 100 };

struct request {
  struct shop *shop;
  const char *command; // ":plot"
  const char *text;    // the arguments, without options
  bool is_over, is_index;
  struct str copied; // what was copied from devices
  struct str out;
};

// ---- What was typed ----

// The i-th of the expressions in `text`, which commas part outside of brackets and
// strings; NULL past the last. To be freed.
static char *expression_at(const char *text, int i) {
  int depth = 0;
  char quote = 0;
  const char *from = text;
  for (const char *p = text;; p++) {
    if (*p && quote) {
      p += *p == '\\' && p[1];
      quote = *p == quote ? 0 : quote;
      continue;
    }
    quote = *p == '"' || *p == '\'' ? *p : 0;
    depth += *p && strchr("([{", *p) ? 1 : *p && strchr(")]}", *p) ? -1 : 0;
    if (*p && (*p != ',' || depth > 0))
      continue;
    if (i-- == 0)
      return str_trimmed(from, (size_t)(p - from));
    if (!*p)
      return NULL;
    from = p + 1;
  }
}

static bool is_name(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || (text[n] && strchr("_.", text[n])))
    n++;
  return n && !text[n];
}

// What value `i` of `count` is called, on Lua's stack: what was typed for it.
static const char *push_name(lua_State *L, const struct request *r, int i,
                             int count) {
  char *after = expression_at(r->text, count);
  char *name = expression_at(r->text, i);
  if (name && !after && *name)
    lua_pushstring(L, name);
  else
    lua_pushfstring(L, "value %d", i + 1); // a function gave several
  free(after);
  free(name);
  return lua_tostring(L, -1);
}

// The same, to which an index can be written.
static const char *push_base(lua_State *L, const char *name) {
  lua_pushfstring(L, is_name(name) ? "%s" : "(%s)", name);
  return lua_tostring(L, -1);
}

// ---- Its arrays ----

static void fetch(lua_State *L, struct request *r, int i, const char *name) {
  const struct array *a = array_test(L, i);
  char bytes[STR_BYTES];
  if (!a || !array_is_device(a))
    return;
  str_bytes(bytes, (double)array_count(a) * (double)dtype_bytes(a->dtype));
  str_addf(&r->copied, "%s%s: copied %s from %s", r->copied.len ? ", " : "",
           name, bytes, array_where(L, a));
  if (a->is_jax) {
    array_fetch_jax(L, i);
    return;
  }
  lua_getfield(L, i, "copy_to_host");
  lua_pushvalue(L, i);
  lua_call(L, 1, 1);
  lua_replace(L, i);
}

// Puts an array of f64 on the host in the place of the value at `i`.
static const struct array *take(lua_State *L, struct request *r, int i,
                                const char *name) {
  if (!array_test(L, i) && !lua_istable(L, i))
    bind_error(
        L, ERR_ARGUMENT,
        lua_isnil(L, i)
            ? message("%s: %s is nil: nothing was assigned to it")
            : message("%s takes arrays or lists of numbers, and %s is a %s"),
        r->command, name, luaL_typename(L, i));
  fetch(L, r, i, name);
  array_push_from(L, i, DTYPE_F64);
  lua_replace(L, i);
  const struct array *a = array_check_host(L, i, r->command);
  if (!array_count(a))
    bind_error(L, ERR_ARGUMENT,
               message("%s: %s is empty, there is nothing to show"), r->command,
               name);
  array_push_copy(L, a, DTYPE_F64); // one behind the other
  lua_replace(L, i);
  return array_test(L, i);
}

// ---- Running ----

static void print_all(struct request *r, bool is_picture, const char *caption) {
  struct shop *s = r->shop;
  if (is_picture)
    fwrite(r->out.data, 1, r->out.len, stdout);
  else
    shop_report(s, r->out.data);
  if (*caption || r->copied.len)
    shop_note(s, "%s%s%s", caption, *caption && r->copied.len ? " · " : "",
              r->copied.data);
}

static struct canvas canvas_of(const struct screen *s) {
  int rows = s->rows - 4, columns = s->columns - 1;
  return (struct canvas){
      .columns = columns < MOST_COLUMNS ? columns : MOST_COLUMNS,
      .rows = rows > MOST_ROWS ? MOST_ROWS
              : rows < 6       ? 6
                               : rows,
      .is_ascii = s->is_ascii,
      .colour = s->colours > 256  ? PICTURE_TRUE
                : s->colours > 16 ? PICTURE_256
                : s->colours      ? PICTURE_16
                                  : PICTURE_NONE,
  };
}

// Compiles what was typed, and calls `show` with the request and its values.
static bool run(struct request *r, lua_CFunction show, const char *chunk) {
  lua_State *L = r->shop->L;
  bool is_unfinished;
  r->shop->is_one_line = true;
  str_init(&r->out);
  str_init(&r->copied);
  int status = bind_compile(L, r->text, chunk, &is_unfinished);
  if (status == LUA_OK) {
    lua_pushcfunction(L, show);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, r);
    lua_insert(L, -2); // [show, request, function]
    terminal_catch_interrupts(true);
    status = bind_pcall(L, 2, 0);
    terminal_catch_interrupts(false);
  }
  if (status != LUA_OK)
    eval_show_error(r->shop);
  str_free(&r->out);
  str_free(&r->copied);
  return status == LUA_OK;
}

// [request, function]: the request; values stand from 2 on.
static struct request *begin(lua_State *L, int *count) {
  struct request *r = lua_touserdata(L, 1);
  lua_call(L, 0, LUA_MULTRET);
  *count = lua_gettop(L) - 1;
  luaL_checkstack(L, 20, NULL);
  return r;
}

// ---- :plot ----

static void check_line(lua_State *L, const struct array *a, const char *name) {
  char text[ARRAY_SHAPE_TEXT];
  if (a->ndim == 1)
    return;
  const char *base = push_base(L, name);
  array_shape_text(text, a->ndim, a->shape);
  if (a->ndim == 2)
    bind_error(
        L, ERR_ARGUMENT,
        message(
            ":plot takes arrays of one axis, and %s has the shape %s: %s[0] "
            "is its first row; :image %s shows all of it"),
        name, text, base, name);
  bind_error(L, ERR_ARGUMENT,
             message(":plot takes arrays of one axis, and %s has the shape %s: "
                     "%s:reshape(-1) is one"),
             name, text, base);
}

static void add_series(lua_State *L, struct request *r, struct chart *c, int i,
                       int count) {
  const char *name = push_name(L, r, i, count);
  const struct array *a = take(L, r, i + 2, name);
  check_line(L, a, name);
  c->series[c->count++] =
      (struct series){.name = name, .y = array_data(a), .count = a->shape[0]};
}

// The first of several is what the others are drawn over.
static void take_x(lua_State *L, struct chart *c) {
  struct series x = c->series[0];
  c->count--;
  memmove(c->series, c->series + 1, (size_t)c->count * sizeof x);
  c->x_name = x.name;
  c->is_points = !chart_rises(x.y, x.count);
  for (int k = 0; k < c->count; k++) {
    if (c->series[k].count != x.count)
      bind_error(
          L, ERR_ARGUMENT,
          message(":plot: %s has %d values and %s has %d: to draw one over the "
                  "other takes as many of both; :plot --index draws each over "
                  "its index"),
          x.name, (int)x.count, c->series[k].name, (int)c->series[k].count);
    c->series[k].x = x.y;
  }
}

// [request, function]
static int plot(lua_State *L) {
  int count;
  struct request *r = begin(L, &count);
  struct chart c = {.count = 0};
  if (count > CHART_MAX)
    bind_error(L, ERR_ARGUMENT,
               message(":plot draws %d arrays at most, and these are %d"),
               CHART_MAX, count);
  for (int i = 0; i < count; i++)
    add_series(L, r, &c, i, count);
  if (c.count > 1 && !r->is_index &&
      (r->is_over || chart_is_even(c.series[0].y, c.series[0].count)))
    take_x(L, &c);
  struct canvas on = canvas_of(&r->shop->screen);
  struct str caption = STR_INIT;
  bool is_plain = r->shop->screen.is_plain;
  if (is_plain) {
    chart_say(&c, &r->out);
  } else {
    chart_draw(&c, &on, &r->out);
    chart_caption(&c, &on, &caption);
  }
  print_all(r, !is_plain, caption.data);
  str_free(&caption);
  return 0;
}

static bool take_option(struct request *r, const char *name, bool *is_set) {
  size_t n = strlen(name);
  if (strncmp(r->text, name, n) || (r->text[n] && r->text[n] != ' '))
    return false;
  r->text += n + strspn(r->text + n, " ");
  return *is_set = true;
}

bool command_plot(struct shop *s, const char *args_text) {
  struct request r = {.shop = s, .command = ":plot", .text = args_text};
  while (take_option(&r, "--over", &r.is_over) ||
         take_option(&r, "--index", &r.is_index))
    ;
  if (*r.text)
    return run(&r, plot, "=:plot");
  shop_warn(s, "usage: :plot [--over | --index] ARRAYS\n"
               "  :plot y        over its index\n"
               "  :plot x, y     over x, where x rises in equal steps; --over: "
               "whatever x holds\n"
               "  :plot y1, y2   both over their index; --index: even where "
               "the first rises so\n");
  return false;
}

// ---- :image ----

static void refuse_shape(lua_State *L, const struct array *a,
                         const char *name) {
  char text[ARRAY_SHAPE_TEXT];
  const char *base = push_base(L, name);
  array_shape_text(text, a->ndim, a->shape);
  bind_error(
      L, ERR_ARGUMENT,
      a->ndim == 1 ? message(":image takes arrays of two axes, and %s has the "
                             "shape %s: :plot %s draws it")
      : a->ndim == 3 ? message(":image takes arrays of two axes, or height x "
                               "width x 3 or 4 colours, and %s has the shape "
                               "%s: %s[0] is its first part")
                     : message(":image takes arrays of two axes, and %s has "
                               "the shape %s; see %s.shape"),
      name, text, a->ndim == 1 ? name : base);
}

// In pixels, past the transcript, to which they mean nothing; false: in characters.
static bool paint(struct request *r, const struct pixels *p,
                  const struct canvas *as, struct str *caption) {
  enum graphics g = graphics_of(&r->shop->screen);
  if (g == GRAPHICS_NONE)
    return false;
  struct pixel_screen on = {.columns = as->columns,
                            .rows = as->rows,
                            .is_kitty = g == GRAPHICS_KITTY};
  graphics_cell(&on.cell_width, &on.cell_height);
  if (!pixels_paint(p, &on, &r->out))
    return false;
  fflush(stdout);
  fwrite(r->out.data, 1, r->out.len, transcript_terminal());
  fflush(transcript_terminal());
  pixels_paint_caption(p, &on, caption);
  return true;
}

// [request, function]
static int image(lua_State *L) {
  int count;
  struct request *r = begin(L, &count);
  if (count != 1)
    bind_error(L, ERR_ARGUMENT,
               message(":image shows one array, and these are %d values"),
               count);
  const char *name = push_name(L, r, 0, 1);
  const struct array *typed = array_test(L, 2);
  bool is_float = !typed || dtype_kind(typed->dtype) == 'f';
  const struct array *a = take(L, r, 2, name);
  bool has_colours = a->ndim == 3 && (a->shape[2] == 3 || a->shape[2] == 4);
  if (a->ndim != 2 && !has_colours)
    refuse_shape(L, a, name);
  struct pixels p = {.name = name,
                     .at = array_data(a),
                     .rows = a->shape[0],
                     .columns = a->shape[1],
                     .channels = has_colours ? (int)a->shape[2] : 1,
                     .full = is_float ? 1 : 255};
  struct canvas on = canvas_of(&r->shop->screen);
  struct str caption = STR_INIT;
  bool is_plain = r->shop->screen.is_plain;
  if (is_plain) {
    pixels_say(&p, &r->out);
  } else if (paint(r, &p, &on, &caption)) {
    str_clear(&r->out);
  } else {
    pixels_draw(&p, &on, &r->out);
    pixels_caption(&p, &on, &caption);
  }
  print_all(r, !is_plain, caption.data);
  str_free(&caption);
  return 0;
}

bool command_image(struct shop *s, const char *args_text) {
  struct request r = {.shop = s, .command = ":image", .text = args_text};
  if (*args_text)
    return run(&r, image, "=:image");
  shop_warn(s, "usage: :image ARRAY\n  one of two axes, or of height x width x "
               "3 or 4 colours\n");
  return false;
}

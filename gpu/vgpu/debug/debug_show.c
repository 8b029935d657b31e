// SPDX-License-Identifier: Apache-2.0
// What the debugger shows of a thread: variables, expressions, shared memory.
#include "gpu/vgpu/debug/debug_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/debug/debug_expr.h"
#include "gpu/vgpu/debug/debug_print.h"
#include "gpu/vgpu/debug/debug_value.h"
#include "gpu/vgpu/debug/debug_watch.h"
#include "gpu/vgpu/insn.h"
#include "gpu/vgpu/memory/memory.h"

static void add_value(const struct vg_view *v, const char *name,
                      const struct vg_value *x, bool is_plain) {
  struct str *t = &v->d->text;
  str_addf(t, "%s = ", name);
  vg_value_print(v, x, is_plain, t);
  str_add(t, "\n");
}

static void follow_reference(const struct vg_view *v, struct vg_value *x) {
  const struct ptx_dtype *t = ptx_dtype_plain(x->type);
  const uint8_t *at = vg_value_bytes(v, x);
  uint64_t address;
  if (!t || t->kind != PTX_D_REFERENCE || !at)
    return;
  memcpy(&address, at, sizeof address);
  *x = (struct vg_value){
      .type = t->inner, .is_memory = true, .address = address};
}

// Parameters first, then the innermost scope last, as they are written.
enum err vg_show_locals(struct vg_debug *d, bool is_plain, struct err_info *e) {
  struct vg_view v;
  enum err err = vg_view_open(d, &d->focus, d->level, &v, e);
  if (err)
    return err;
  if (!v.func && !is_plain)
    return err_set(e, ERR_NOT_FOUND,
                   "this code was built without -G: it has no variables");
  for (int i = 0; v.func && i < v.func->var_count; i++) {
    const struct ptx_dvar *x = &v.func->vars[i];
    struct vg_value value;
    struct err_info why;
    if (!*x->name || !vg_is_visible(&v, x))
      continue;
    if (vg_read_variable(&v, x, &value, &why) == ERR_OK) {
      follow_reference(&v, &value);
      add_value(&v, x->name, &value, is_plain);
    } else if (!is_plain) {
      str_addf(&d->text, "%s\n", why.text);
    }
  }
  if (!d->text.len && !is_plain)
    str_add(&d->text, "this function has no variables\n");
  return ERR_OK;
}

enum err vg_show_expression(struct vg_debug *d, const char *text, bool is_plain,
                            struct err_info *e) {
  struct vg_view v;
  struct vg_value x;
  enum err err = vg_view_open(d, &d->focus, d->level, &v, e);
  if (err || (err = vg_eval(&v, text, &x, e)))
    return err;
  if (!vg_value_bytes(&v, &x))
    return err_set(e, ERR_OUT_OF_BOUNDS, "%s: there is no memory at 0x%" PRIx64,
                   text, x.address);
  add_value(&v, is_plain ? "value" : text, &x, is_plain);
  return ERR_OK;
}

enum err vg_show_hex(struct vg_debug *d, const char *text, struct err_info *e) {
  struct vg_view v;
  struct vg_value x;
  enum err err = vg_view_open(d, &d->focus, d->level, &v, e);
  if (err || (err = vg_eval(&v, text, &x, e)))
    return err;
  const uint8_t *at = vg_value_bytes(&v, &x);
  uint64_t bytes = ptx_dtype_bytes(x.type), bits = 0;
  if (!at || !bytes || bytes > sizeof bits || x.bit_count)
    return err_set(e, ERR_ARGUMENT, "%s is no number of 1 to 8 bytes", text);
  memcpy(&bits, at, bytes);
  str_addf(&d->text, "%s = 0x%" PRIx64 "\n", text, bits);
  return ERR_OK;
}

// ---- All lanes of a warp ----

enum { LANE_ROW = 8, MAX_CELL = 40 };

// What one lane has for the expression; false: nothing, and why.
static bool lane_value(struct vg_debug *d, const char *text, int lane,
                       struct str *out, struct err_info *why) {
  struct vg_focus f = {d->focus.block, d->focus.warp, lane};
  struct vg_view v;
  struct vg_value x;
  bool fine =
      !vg_view_open(d, &f, d->level, &v, why) && !vg_eval(&v, text, &x, why);
  if (fine && !vg_value_bytes(&v, &x)) {
    err_set(why, ERR_OUT_OF_BOUNDS, "%s: there is no memory at 0x%" PRIx64,
            text, x.address);
    return false;
  }
  if (fine)
    vg_value_print(&v, &x, false, out);
  return fine;
}

// The same for people: in parentheses where the lane stands elsewhere; "-" where
// it has none. The first reason why is kept.
static bool lane_cell(struct vg_debug *d, const char *text, int lane,
                      vg_mask here, char out[MAX_CELL + 3],
                      struct err_info *why) {
  struct err_info e;
  struct str s = STR_INIT;
  bool fine = lane_value(d, text, lane, &s, &e);
  if (!fine && !*why->text)
    *why = e;
  bool is_here = here >> lane & 1;
  snprintf(out, MAX_CELL + 3, is_here || !fine ? "%.*s" : "(%.*s)", MAX_CELL,
           fine ? s.data : "-");
  str_free(&s);
  return fine;
}

enum err vg_show_lanes(struct vg_debug *d, const char *text,
                       struct err_info *e) {
  char cells[VG_LANES][MAX_CELL + 3];
  struct err_info why = {0};
  struct vg_spot spot;
  struct vg_warp *w = vg_debug_warp(d, &d->focus);
  int born = w ? __builtin_popcount(w->born) : 0, fine = 0, width = 0;
  bool is_parted = false;
  if (!vg_debug_spot(d, &d->focus, &spot))
    return err_set(e, ERR_NOT_FOUND, "the thread in focus does not run");
  for (int l = 0; l < born; l++) {
    fine += lane_cell(d, text, l, spot.lanes, cells[l], &why);
    is_parted |= *cells[l] == '(';
    int n = (int)strlen(cells[l]);
    width = n > width ? n : width;
  }
  if (!fine) {
    *e = why;
    return why.code;
  }
  for (int l = 0; l < born; l++) {
    if (l % LANE_ROW == 0)
      str_addf(&d->text, "lanes %2d-%-2d ", l,
               l + LANE_ROW <= born ? l + LANE_ROW - 1 : born - 1);
    bool is_last = l % LANE_ROW == LANE_ROW - 1 || l == born - 1;
    str_addf(&d->text, " %*s%s", width, cells[l], is_last ? "\n" : "");
  }
  if (is_parted)
    str_add(&d->text, "( ): lanes that are masked off here, with what they "
                      "have where they stand\n");
  if (fine < born)
    str_addf(&d->text, "-: %s\n", why.text);
  return ERR_OK;
}

enum err vg_show_cells(struct vg_debug *d, const char *text,
                       struct err_info *e) {
  struct vg_warp *w = vg_debug_warp(d, &d->focus);
  int born = w ? __builtin_popcount(w->born) : 0, fine = 0;
  for (int l = 0; l < born; l++) {
    struct str s = STR_INIT;
    bool has_value = lane_value(d, text, l, &s, e);
    fine += has_value;
    if (has_value)
      str_addf(&d->text, "%d %s\n", l, s.data);
    str_free(&s);
  }
  if (!born)
    return err_set(e, ERR_NOT_FOUND, "the thread in focus does not run");
  return fine ? ERR_OK : e->code;
}

// ---- Shared memory ----

static void list_shared(const struct vg_view *v) {
  struct vg_shared_var s;
  struct str *t = &v->d->text;
  for (int n = 0; vg_shared_var(v, n, &s); n++) {
    str_addf(t, "%s: ", s.name);
    vg_type_print(s.type, t);
    str_addf(t, ", %" PRIu64 " bytes at %" PRIu64 "\n", s.bytes,
             s.address - VG_WINDOW(VG_SLOT_SHARED));
  }
  if (!t->len)
    str_add(t, "this kernel has no shared variables\n");
}

// Elements FIRST:LAST, counted as they lie in memory.
static enum err show_range(const struct vg_view *v, const char *name,
                           const struct vg_value *x, const char *range,
                           struct err_info *e) {
  const struct ptx_dtype *t = ptx_dtype_plain(x->type);
  uint64_t count = 1;
  while (t && t->kind == PTX_D_ARRAY) {
    count *= t->count;
    t = ptx_dtype_plain(t->inner);
  }
  char *end;
  uint64_t first = strtoull(range, &end, 0), last = first;
  if (*end == ':')
    last = strtoull(end + 1, &end, 0);
  if (*end || !t || first > last || last >= count)
    return err_set(e, ERR_ARGUMENT,
                   "%s has elements 0:%" PRIu64 "; \"%s\" is no part of them",
                   name, count - 1, range);
  struct ptx_dtype part = {
      .kind = PTX_D_ARRAY, .name = "", .inner = t, .count = last - first + 1};
  struct vg_value y = {.type = &part,
                       .is_memory = true,
                       .address = x->address + first * ptx_dtype_bytes(t)};
  str_addf(&v->d->text, "%s[%" PRIu64 "..%" PRIu64 "] = ", name, first, last);
  vg_value_print(v, &y, false, &v->d->text);
  str_add(&v->d->text, "\n");
  return ERR_OK;
}

// [NAME [FIRST:LAST]]
enum err vg_show_shared(struct vg_debug *d, const char *args,
                        struct err_info *e) {
  struct vg_view v;
  struct vg_shared_var s;
  enum err err = vg_view_open(d, &d->focus, d->level, &v, e);
  if (err)
    return err;
  if (!*args) {
    list_shared(&v);
    return ERR_OK;
  }
  size_t n = strcspn(args, " \t");
  char *name = xstrndup(args, n);
  int i = 0;
  while (vg_shared_var(&v, i, &s) && strcmp(s.name, name) != 0)
    i++;
  bool is_found = vg_shared_var(&v, i, &s);
  const char *range = args + n + strspn(args + n, " \t");
  struct vg_value x = {.type = s.type, .is_memory = true, .address = s.address};
  if (!is_found)
    err = vg_show_expression(d, args, false, e); // such as tile[2]
  else if (*range)
    err = show_range(&v, name, &x, range, e);
  else
    add_value(&v, name, &x, false);
  free(name);
  return err;
}

// ---- Watches ----

enum err vg_add_watch(struct vg_debug *d, const char *text,
                      struct err_info *e) {
  struct vg_view v;
  struct vg_value x;
  struct vg_debug_watch *w = d->watches;
  while (w < d->watches + VG_MAX_WATCHES && w->number)
    w++;
  if (w == d->watches + VG_MAX_WATCHES)
    return err_set(e, ERR_ARGUMENT, "there are %d watches; delete some",
                   VG_MAX_WATCHES);
  enum err err = vg_view_open(d, &d->focus, d->level, &v, e);
  if (err || (err = vg_eval(&v, text, &x, e)))
    return err;
  uint64_t bytes = ptx_dtype_bytes(x.type);
  if (!x.is_memory)
    return err_set(e, ERR_ARGUMENT,
                   "%s is in a register: only memory can be watched; "
                   "\"break LINE if CONDITION\" looks at variables",
                   text);
  if (!bytes || bytes > VG_MAX_WATCH_BYTES || !vg_value_bytes(&v, &x))
    return err_set(e, ERR_ARGUMENT,
                   "%s has %" PRIu64 " bytes; up to %d can be watched: name "
                   "one element",
                   text, bytes, VG_MAX_WATCH_BYTES);
  *w = (struct vg_debug_watch){.number = ++d->last_number,
                               .text = xstrdup(text),
                               .type = x.type,
                               .address = x.address,
                               .block = v.focus.block,
                               .warp = v.focus.warp,
                               .lane = v.focus.lane,
                               .bytes = (uint32_t)bytes};
  vg_debug_watch_note(d, w);
  str_addf(&d->text, "watch %d: ", w->number);
  add_value(&v, text, &x, false);
  return ERR_OK;
}

// A value that a watch saw; NULL: one that nothing wrote.
static void add_watched(struct vg_debug *d, const struct vg_debug_watch *w,
                        const uint8_t *bytes) {
  struct vg_view v = {.d = d};
  struct vg_value x = {.type = w->type};
  if (bytes) {
    memcpy(x.bytes, bytes, w->bytes);
    vg_value_print(&v, &x, false, &d->text);
  } else {
    str_add(&d->text, "uninitialised");
  }
}

void vg_show_change(struct vg_debug *d, const struct vg_debug_watch *w,
                    const uint8_t *now) {
  str_addf(&d->text, "%s was ", w->text);
  add_watched(d, w, w->was_written ? w->old : NULL);
  str_add(&d->text, ", is ");
  add_watched(d, w, now);
  str_add(&d->text, "\n");
}

// SPDX-License-Identifier: Apache-2.0
// Source lines of a launch under the debugger, and breakpoints at them.
#include "gpu/vgpu/debug/debug_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/debug/debug.h"
#include "gpu/vgpu/debug/debug_expr.h"
#include "gpu/vgpu/insn.h"

// ---- Lines ----

static const struct ptx_insn *source_of(const struct vg_insn *i) {
  return i->ptx ? i->ptx : (i - 1)->ptx; // the marker at a function's end
}

int vg_debug_line(const struct vg_insn *i) {
  const struct ptx_insn *p = source_of(i);
  return p ? p->line : 0;
}

const struct vg_code *vg_debug_code(const struct vg_debug *d,
                                    const struct vg_insn *i) {
  for (int n = 0; n < d->module->ptx->func_count; n++) {
    const struct vg_code *c = &d->module->codes[n];
    if (c->insns && i >= c->insns && i < c->insns + c->insn_count)
      return c;
  }
  return NULL;
}

static const char *file_of(const struct ptx_module *m,
                           const struct vg_insn *i) {
  const struct ptx_insn *p = source_of(i);
  return p && p->file >= 0 && p->file < m->file_count ? m->files[p->file] : "";
}

static bool is_own(const struct ptx_module *m, const struct vg_insn *i) {
  const char *file = file_of(m, i);
  return vg_debug_line(i) > 0 && *file && ptx_is_own_file(file);
}

const char *vg_debug_file(const struct vg_debug *d, const struct vg_insn *i) {
  return file_of(d->module->ptx, i);
}

bool vg_debug_is_own(const struct vg_debug *d, const struct vg_insn *i) {
  return is_own(d->module->ptx, i);
}

// Where the first scope inside the function begins, or behind the line of the
// function's own name, in which its parameters are fetched; behind what was
// put there from a header of the toolkit.
const struct vg_insn *vg_debug_body(const struct vg_code *c) {
  const struct ptx_module *m = c->module->ptx;
  const struct ptx_dfunc *f = ptx_debug_func(m->debug, c->func);
  const struct vg_insn *i = c->insns, *end = c->insns + c->insn_count - 1;
  int line = vg_debug_line(i);
  if (f && f->body)
    while (i < end && i->ptx - c->func->code < f->body)
      i++;
  else
    while (i < end && vg_debug_line(i) == line)
      i++;
  const struct vg_insn *own = i;
  while (own < end && !is_own(m, own))
    own++;
  return own < end ? own : i < end ? i : c->insns;
}

const char *vg_debug_function(const struct vg_code *c) {
  const struct ptx_dfunc *f = ptx_debug_func(c->module->ptx->debug, c->func);
  return f && *f->name ? f->name : c->func->name;
}

// ---- Where a breakpoint stands ----

// "k.cu" names "/home/me/k.cu", too.
static bool is_file(const char *file, const char *wanted) {
  size_t n = strlen(file), w = strlen(wanted);
  if (n < w || strcmp(file + n - w, wanted))
    return false;
  return n == w || file[n - w - 1] == '/';
}

static bool is_in(const struct vg_debug *d, const struct vg_break *b,
                  const struct vg_insn *i) {
  return vg_debug_is_own(d, i) && is_file(vg_debug_file(d, i), b->file);
}

// The first line with code at or behind the one that was asked for.
static int line_with_code(const struct vg_debug *d, const struct vg_break *b) {
  int best = 0;
  for (int f = 0; f < d->module->ptx->func_count; f++) {
    const struct vg_code *c = &d->module->codes[f];
    for (int n = 0; n < c->insn_count - 1; n++) {
      int line = vg_debug_line(&c->insns[n]);
      if (line >= b->line && (!best || line < best) &&
          is_in(d, b, &c->insns[n]))
        best = line;
    }
  }
  return best;
}

static void add_place(struct vg_debug *d, struct vg_break *b,
                      const struct vg_insn *i) {
  b->at = xrealloc(b->at, (size_t)(b->at_count + 1) * sizeof *b->at);
  b->at[b->at_count++] = i;
  int f = (int)(vg_debug_code(d, i) - d->module->codes);
  if (!d->marks)
    d->marks = xcalloc((size_t)d->module->ptx->func_count, sizeof *d->marks);
  const struct vg_code *c = &d->module->codes[f];
  if (!d->marks[f])
    d->marks[f] = xcalloc((size_t)c->insn_count, 1);
  d->marks[f][i - c->insns]++;
}

// The lowest instruction of the line in each function: where a loop stands in
// one line, that is what comes before its first round.
static enum err place_at_line(struct vg_debug *d, struct vg_break *b,
                              struct err_info *e) {
  int line = line_with_code(d, b);
  if (!line)
    return err_set(e, ERR_NOT_FOUND, "%s has no code at line %d or behind",
                   b->file, b->line);
  b->line = line;
  for (int f = 0; f < d->module->ptx->func_count; f++) {
    const struct vg_code *c = &d->module->codes[f];
    const struct vg_insn *body = c->insn_count ? vg_debug_body(c) : NULL;
    for (int n = 0; n < c->insn_count - 1; n++) {
      const struct vg_insn *i = &c->insns[n];
      if (vg_debug_line(i) != line || !is_in(d, b, i))
        continue;
      // Parameters have their values only behind what fetches them.
      add_place(d, b, i == c->insns ? body : i);
      break;
    }
  }
  return ERR_OK;
}

// "k" names every k<...>, too.
static bool is_called(const struct vg_code *c, const char *wanted) {
  const char *name = vg_debug_function(c);
  size_t n = strlen(wanted);
  return !strncmp(name, wanted, n) && (!name[n] || name[n] == '<');
}

static enum err place_at_function(struct vg_debug *d, struct vg_break *b,
                                  struct err_info *e) {
  for (int f = 0; f < d->module->ptx->func_count; f++) {
    const struct vg_code *c = &d->module->codes[f];
    if (!c->insn_count || !is_called(c, b->function))
      continue;
    const struct vg_insn *i = vg_debug_body(c);
    add_place(d, b, i);
    b->line = vg_debug_line(i);
    snprintf(b->file, sizeof b->file, "%s", vg_debug_file(d, i));
  }
  if (!b->at_count)
    return err_set(e, ERR_NOT_FOUND, "there is no function %s in this module",
                   b->function);
  return ERR_OK;
}

enum err vg_break_place(struct vg_debug *d, struct vg_break *b,
                        struct err_info *e) {
  return *b->function ? place_at_function(d, b, e) : place_at_line(d, b, e);
}

void vg_break_clear(struct vg_debug *d, struct vg_break *b) {
  for (int n = 0; n < b->at_count; n++) {
    const struct vg_code *c = vg_debug_code(d, b->at[n]);
    d->marks[c - d->module->codes][b->at[n] - c->insns]--;
  }
  free(b->at);
  free(b->condition);
  memset(b, 0, sizeof *b);
}

// ---- Has a warp come to one? ----

static uint32_t thread_number(const struct vg_grid *g, const uint32_t t[3]) {
  const uint32_t *s = g->launch.block;
  return t[0] + s[0] * (t[1] + s[1] * t[2]);
}

// Those of the warp's lanes that the breakpoint is meant for.
static vg_mask wanted_lanes(const struct vg_break *b, const struct vg_warp *w) {
  if (b->has_block && memcmp(b->block, w->block->index, sizeof b->block) != 0)
    return 0;
  if (!b->has_thread)
    return w->active;
  uint32_t t = thread_number(w->block->grid, b->thread) - w->first_thread;
  return t < VG_LANES ? w->active & 1u << t : 0;
}

static bool stands_at(const struct vg_break *b, const struct vg_insn *i) {
  for (int n = 0; n < b->at_count; n++)
    if (b->at[n] == i)
      return true;
  return false;
}

struct vg_break *vg_break_hit(struct vg_debug *d, struct vg_warp *w,
                              int *lane) {
  const struct vg_code *c = w->leaf->frame->code;
  const uint8_t *marks = d->marks ? d->marks[c - d->module->codes] : NULL;
  if (!marks || !marks[w->pc - c->insns])
    return NULL;
  for (int n = 0; n < VG_MAX_BREAKS; n++) {
    struct vg_break *b = &d->breaks[n];
    if (!b->number || !stands_at(b, w->pc))
      continue;
    vg_mask lanes = wanted_lanes(b, w);
    // The thread in focus first, if it is one of them.
    bool is_mine = d->focus.block == w->block->number &&
                   d->focus.warp == w->number && lanes >> d->focus.lane & 1;
    if (is_mine && vg_break_holds(d, b, w, d->focus.lane)) {
      *lane = d->focus.lane;
      return b;
    }
    for (int l = 0; l < VG_LANES; l++)
      if (lanes >> l & 1 && vg_break_holds(d, b, w, l)) {
        *lane = l;
        return b;
      }
  }
  return NULL;
}

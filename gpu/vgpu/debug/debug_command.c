// SPDX-License-Identifier: Apache-2.0
// The commands of the debugger (gpu/debug_command.def) as text, and their
// answers.
#include "gpu/vgpu/debug/debug.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/debug/debug_expr.h"
#include "gpu/vgpu/debug/debug_go.h"
#include "gpu/vgpu/debug/debug_line.h"
#include "gpu/vgpu/debug/debug_show.h"
#include "gpu/vgpu/debug/debug_value.h"
#include "gpu/vgpu/insn.h"

// ---- Words and numbers ----

static const char *skip_space(const char *s) {
  return s + strspn(s, " \t");
}

// The word at *s, which ends up behind it; "" at the end.
static void take_word(const char **s, char *out, size_t size) {
  *s = skip_space(*s);
  size_t n = strcspn(*s, " \t");
  if (!strncmp(*s, "print/", 6) || !strncmp(*s, "p/", 2))
    n = strcspn(*s, "/"); // as in gdb
  snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), *s);
  *s += n;
}

static bool take_number(const char **s, uint32_t *out) {
  char *end;
  const char *p = skip_space(*s);
  if (!isdigit((unsigned char)*p))
    return false;
  unsigned long long n = strtoull(p, &end, 0);
  *s = end;
  *out = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
  return true;
}

// X, X,Y or X,Y,Z, in parentheses or not.
static bool take_dims(const char **s, uint32_t out[3]) {
  const char *p = skip_space(*s);
  bool has_paren = *p == '(';
  p += has_paren;
  out[0] = out[1] = out[2] = 0;
  for (int i = 0; i < 3; i++) {
    if (!take_number(&p, &out[i]))
      return false;
    p = skip_space(p);
    if (*p != ',')
      break;
    p++;
  }
  if (has_paren && *p++ != ')')
    return false;
  *s = p;
  return true;
}

static enum err want(struct err_info *e, const char *usage) {
  return err_set(e, ERR_ARGUMENT, "usage: %s", usage);
}

// ---- Breakpoints ----

// [FILE:]LINE or FUNCTION
static bool parse_place(struct vg_debug *d, const char *word,
                        struct vg_break *b) {
  const char *colon = strrchr(word, ':'), *line = colon ? colon + 1 : word;
  if (!isdigit((unsigned char)*line)) {
    snprintf(b->function, sizeof b->function, "%.*s",
             (int)sizeof b->function - 1, word);
    return *word != 0;
  }
  b->line = atoi(line);
  if (colon)
    snprintf(b->file, sizeof b->file, "%.*s",
             (int)(sizeof b->file - 1 < (size_t)(colon - word)
                       ? sizeof b->file - 1
                       : (size_t)(colon - word)),
             word);
  else
    snprintf(b->file, sizeof b->file, "%s",
             vg_debug_file(d, vg_debug_body(d->grid->code)));
  return line[strspn(line, "0123456789")] == 0 && b->line > 0;
}

static enum err check_inside(const uint32_t at[3], const uint32_t size[3],
                             const char *what, struct err_info *e) {
  if (at[0] < size[0] && at[1] < size[1] && at[2] < size[2])
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT,
                 "%s (%u,%u,%u) is not one of this launch, which has "
                 "(%u,%u,%u) of them",
                 what, at[0], at[1], at[2], size[0], size[1], size[2]);
}

// [block DIMS] [thread DIMS] [if CONDITION]
static enum err parse_filters(struct vg_debug *d, const char *s,
                              struct vg_break *b, struct err_info *e) {
  const struct gpu_launch *la = &d->grid->launch;
  char word[16];
  enum err err = ERR_OK;
  for (take_word(&s, word, sizeof word); *word && !err;
       take_word(&s, word, sizeof word)) {
    if (!strcmp(word, "if")) {
      s = skip_space(s);
      free(b->condition);
      b->condition = xstrdup(s);
      return *s ? ERR_OK : want(e, "break LINE if CONDITION");
    }
    bool is_block = !strcmp(word, "block");
    if (!is_block && strcmp(word, "thread") != 0)
      return err_set(e, ERR_ARGUMENT, "\"%s\" is neither block, thread nor if",
                     word);
    if (!take_dims(&s, is_block ? b->block : b->thread))
      return want(e, "break LINE block X,Y,Z thread X,Y,Z");
    if (is_block) {
      b->has_block = true;
      err = check_inside(b->block, la->grid, "block", e);
    } else {
      b->has_thread = true;
      err = check_inside(b->thread, la->block, "thread", e);
    }
  }
  return err;
}

static enum err parse_break(struct vg_debug *d, const char *s,
                            struct vg_break *b, struct err_info *e) {
  char word[sizeof b->file + 16];
  take_word(&s, word, sizeof word);
  if (!parse_place(d, word, b))
    return want(e, "break LINE or break FUNCTION");
  enum err err = parse_filters(d, s, b, e);
  if (!err)
    err = vg_break_place(d, b, e);
  return err || !b->condition
             ? err
             : vg_check_expression(d, b->at[0], b->condition, e);
}

static struct vg_break *free_break(struct vg_debug *d) {
  for (int i = 0; i < VG_MAX_BREAKS; i++)
    if (!d->breaks[i].number)
      return &d->breaks[i];
  return NULL;
}

static void describe_break(struct vg_debug *d, const struct vg_break *b) {
  struct str *t = &d->text;
  str_addf(t, "breakpoint %d at %s:%d", b->number, b->file, b->line);
  if (b->has_block)
    str_addf(t, ", block (%u,%u,%u)", b->block[0], b->block[1], b->block[2]);
  if (b->has_thread)
    str_addf(t, ", thread (%u,%u,%u)", b->thread[0], b->thread[1],
             b->thread[2]);
  if (b->condition)
    str_addf(t, ", if %s", b->condition);
  if (b->hits)
    str_addf(t, ", hit %" PRIu64 " time%s", b->hits, b->hits > 1 ? "s" : "");
  str_add(t, "\n");
}

static enum err command_break(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  struct vg_break *b = free_break(d);
  if (!b)
    return err_set(e, ERR_ARGUMENT, "there are %d breakpoints; delete some",
                   VG_MAX_BREAKS);
  enum err err = parse_break(d, s, b, e);
  if (err) {
    vg_break_clear(d, b);
    return err;
  }
  b->number = ++d->last_number;
  describe_break(d, b);
  return ERR_OK;
}

static void clear_watch(struct vg_debug_watch *x) {
  free(x->text);
  memset(x, 0, sizeof *x);
}

static enum err command_delete(struct vg_debug *d, const char *s,
                               struct err_info *e) {
  uint32_t wanted = 0;
  bool all = !*skip_space(s), any = false;
  if (!all && !take_number(&s, &wanted))
    return want(e, "delete [N]");
  for (int i = 0; i < VG_MAX_BREAKS; i++) {
    struct vg_break *b = &d->breaks[i];
    if (!b->number || (!all && (uint32_t)b->number != wanted))
      continue;
    vg_break_clear(d, b);
    any = true;
  }
  for (int i = 0; i < VG_MAX_WATCHES; i++) {
    struct vg_debug_watch *x = &d->watches[i];
    if (!x->number || (!all && (uint32_t)x->number != wanted))
      continue;
    clear_watch(x);
    any = true;
  }
  if (!any && !all)
    return err_set(e, ERR_NOT_FOUND, "there is no breakpoint or watch %u",
                   wanted);
  return ERR_OK;
}

static enum err command_breakpoints(struct vg_debug *d, const char *s,
                                    struct err_info *e) {
  (void)s, (void)e;
  for (int i = 0; i < VG_MAX_BREAKS; i++)
    if (d->breaks[i].number)
      describe_break(d, &d->breaks[i]);
  for (int i = 0; i < VG_MAX_WATCHES; i++)
    if (d->watches[i].number)
      str_addf(&d->text, "watch %d of %s\n", d->watches[i].number,
               d->watches[i].text);
  if (!d->text.len)
    str_add(&d->text, "no breakpoints\n");
  return ERR_OK;
}

// N [EXPRESSION]: without one the breakpoint counts always.
static enum err command_condition(struct vg_debug *d, const char *s,
                                  struct err_info *e) {
  uint32_t number;
  if (!take_number(&s, &number))
    return want(e, "condition N [EXPRESSION]");
  s = skip_space(s);
  for (int i = 0; i < VG_MAX_BREAKS; i++) {
    struct vg_break *b = &d->breaks[i];
    if (!b->number || (uint32_t)b->number != number)
      continue;
    enum err err = *s ? vg_check_expression(d, b->at[0], s, e) : ERR_OK;
    if (err)
      return err;
    free(b->condition);
    b->condition = *s ? xstrdup(s) : NULL;
    describe_break(d, b);
    return ERR_OK;
  }
  return err_set(e, ERR_NOT_FOUND, "there is no breakpoint %u", number);
}

static enum err command_watch(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  return *s ? vg_add_watch(d, s, e) : want(e, "watch ELEMENT");
}

// ---- Running ----

static bool goes_on(const struct vg_debug *d) {
  return d->stop.reason == GPU_DEBUG_STEPPED && d->stop.has_focus;
}

// [N]: that many times, as long as nothing else stops the launch.
static enum err repeat(struct vg_debug *d, const char *s, struct err_info *e,
                       enum vg_debug_how how) {
  uint32_t count = 1;
  if (*skip_space(s) && !take_number(&s, &count))
    return want(e, "a number of times");
  for (uint32_t i = 0; i < count; i++) {
    vg_debug_go(d, how);
    if (!goes_on(d))
      break;
  }
  return ERR_OK;
}

static enum err command_run(struct vg_debug *d, const char *s,
                            struct err_info *e) {
  (void)s, (void)e;
  vg_debug_replay(d, 0, NULL, NULL);
  vg_debug_go(d, VG_DEBUG_CONTINUE);
  return ERR_OK;
}

// The first thread comes to the first line of the kernel's body.
static enum err command_start(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  (void)s, (void)e;
  vg_debug_replay(d, 0, NULL, NULL);
  d->focus = (struct vg_focus){0};
  vg_debug_fill_stop(d, GPU_DEBUG_BEGUN);
  const struct vg_insn *body = vg_debug_body(d->grid->code);
  // PTX without lines begins where it begins.
  if (body > d->grid->code->insns && vg_debug_is_own(d, body))
    vg_debug_go(d, VG_DEBUG_START);
  return ERR_OK;
}

static enum err command_continue(struct vg_debug *d, const char *s,
                                 struct err_info *e) {
  (void)s, (void)e;
  vg_debug_go(d, VG_DEBUG_CONTINUE);
  return ERR_OK;
}

static enum err command_step(struct vg_debug *d, const char *s,
                             struct err_info *e) {
  return repeat(d, s, e, VG_DEBUG_STEP);
}

static enum err command_next(struct vg_debug *d, const char *s,
                             struct err_info *e) {
  return repeat(d, s, e, VG_DEBUG_NEXT);
}

static enum err command_stepi(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  return repeat(d, s, e, VG_DEBUG_STEPI);
}

static enum err command_finish(struct vg_debug *d, const char *s,
                               struct err_info *e) {
  (void)s, (void)e;
  vg_debug_go(d, VG_DEBUG_FINISH);
  return ERR_OK;
}

static enum err command_barrier(struct vg_debug *d, const char *s,
                                struct err_info *e) {
  (void)s, (void)e;
  vg_debug_go(d, VG_DEBUG_BARRIER);
  return ERR_OK;
}

// A breakpoint for one thread, that in focus where no other is named; taken away
// when it has stopped.
static enum err command_until(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  struct vg_break *b = free_break(d);
  if (!b)
    return err_set(e, ERR_ARGUMENT, "there are %d breakpoints; delete some",
                   VG_MAX_BREAKS);
  enum err err = parse_break(d, s, b, e);
  if (!err) {
    b->number = INT32_MAX;
    if (!b->has_block)
      memcpy(b->block, d->stop.block, sizeof b->block);
    if (!b->has_thread)
      memcpy(b->thread, d->stop.thread, sizeof b->thread);
    b->has_block = b->has_thread = true;
    vg_debug_go(d, VG_DEBUG_CONTINUE);
    if (d->stop.reason == GPU_DEBUG_BREAKPOINT && d->stop.number == INT32_MAX) {
      d->stop.reason = GPU_DEBUG_STEPPED;
      d->stop.number = 0;
    }
  }
  vg_break_clear(d, b);
  return err;
}

static enum err repeat_back(struct vg_debug *d, const char *s,
                            struct err_info *e, bool over) {
  uint32_t count = 1;
  if (*skip_space(s) && !take_number(&s, &count))
    return want(e, "a number of times");
  for (uint32_t i = 0; i < count; i++) {
    vg_debug_back(d, over);
    if (d->stop.reason != GPU_DEBUG_STEPPED)
      break;
  }
  return ERR_OK;
}

static enum err command_back(struct vg_debug *d, const char *s,
                             struct err_info *e) {
  return repeat_back(d, s, e, false);
}

static enum err command_back_next(struct vg_debug *d, const char *s,
                                  struct err_info *e) {
  return repeat_back(d, s, e, true);
}

static enum err command_back_continue(struct vg_debug *d, const char *s,
                                      struct err_info *e) {
  (void)s, (void)e;
  vg_debug_reverse_continue(d);
  return ERR_OK;
}

// ---- Whom to look at ----

static void refocus(struct vg_debug *d, struct vg_focus f) {
  int32_t reason = d->stop.reason;
  d->focus = f;
  vg_debug_fill_stop(d, (enum gpu_debug_reason)reason);
  if (reason != GPU_DEBUG_BEGUN && reason != GPU_DEBUG_ENDED)
    d->stop.reason = GPU_DEBUG_STEPPED;
}

static enum err command_block(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  uint32_t at[3];
  const uint32_t *grid = d->grid->launch.grid;
  if (!take_dims(&s, at))
    return want(e, "block X[,Y[,Z]]");
  enum err err = check_inside(at, grid, "block", e);
  if (err)
    return err;
  uint64_t number =
      at[0] + (uint64_t)grid[0] * (at[1] + (uint64_t)grid[1] * at[2]);
  if (!vg_debug_block(d, number))
    return err_set(e, ERR_NOT_FOUND,
                   "block (%u,%u,%u) %s; \"break LINE block %u,%u,%u\" stops "
                   "in it",
                   at[0], at[1], at[2],
                   number < atomic_load(&d->grid->next_block) ? "has ended"
                                                              : "has not begun",
                   at[0], at[1], at[2]);
  refocus(d, (struct vg_focus){number, 0, 0});
  return ERR_OK;
}

static enum err focus_thread(struct vg_debug *d, uint32_t thread,
                             struct err_info *e) {
  if (!vg_debug_block(d, d->focus.block))
    return err_set(e, ERR_NOT_FOUND, "the block in focus does not run");
  if (thread >= d->grid->threads)
    return err_set(e, ERR_ARGUMENT, "a block has %u threads", d->grid->threads);
  refocus(d, (struct vg_focus){d->focus.block, thread / VG_LANES,
                               (int)(thread % VG_LANES)});
  return ERR_OK;
}

static enum err command_thread(struct vg_debug *d, const char *s,
                               struct err_info *e) {
  uint32_t at[3];
  const uint32_t *size = d->grid->launch.block;
  if (!take_dims(&s, at))
    return want(e, "thread X[,Y[,Z]]");
  enum err err = check_inside(at, size, "thread", e);
  return err ? err
             : focus_thread(d, at[0] + size[0] * (at[1] + size[1] * at[2]), e);
}

static enum err command_warp(struct vg_debug *d, const char *s,
                             struct err_info *e) {
  uint32_t n;
  if (!take_number(&s, &n))
    return want(e, "warp N");
  return focus_thread(d, n < 32 ? n * VG_LANES : UINT32_MAX, e);
}

static enum err command_lane(struct vg_debug *d, const char *s,
                             struct err_info *e) {
  uint32_t n;
  if (!take_number(&s, &n))
    return want(e, "lane N");
  if (n >= VG_LANES)
    return err_set(e, ERR_ARGUMENT, "a warp has lanes 0 to %d", VG_LANES - 1);
  return focus_thread(d, d->focus.warp * VG_LANES + n, e);
}

// ---- Who is where ----

static void add_place(struct vg_debug *d, const struct vg_insn *i) {
  if (vg_debug_is_own(d, i))
    str_addf(&d->text, "%s:%d", vg_debug_file(d, i), vg_debug_line(i));
  else
    str_add(&d->text, "outside your source");
}

static void add_wait(struct vg_debug *d, const struct vg_spot *s,
                     const struct vg_warp *w) {
  struct str *t = &d->text;
  if (!s->is_waiting)
    return;
  if (w->barrier >= 0)
    str_addf(t, ", waits at barrier %d", w->barrier);
  else if (s->node->barrier)
    str_add(t, ", waits at a barrier for lanes of its warp");
  else if (s->node->waits_for)
    str_addf(t, ", waits for lanes %08x", s->node->waits_for);
  else
    str_add(t, ", waits where its lanes meet again");
}

// The next lanes that are at one place, of those that were not seen yet. False:
// there are no more.
static bool next_place(struct vg_debug *d, const struct vg_block *b,
                       const struct vg_warp *w, vg_mask *seen, vg_mask *here,
                       struct vg_spot *s) {
  for (int l = 0; l < VG_LANES; l++) {
    struct vg_focus f = {b->number, w->number, l};
    if (*seen >> l & 1 || !vg_debug_spot(d, &f, s))
      continue;
    *here = s->lanes | 1u << l;
    *seen |= *here;
    return true;
  }
  return false;
}

// One row for each place that lanes of the warp are at.
static void add_warp(struct vg_debug *d, const struct vg_block *b,
                     const struct vg_warp *w) {
  vg_mask seen = 0, here;
  struct vg_spot s;
  str_addf(&d->text, "%c warp %-2u ", w->number == d->focus.warp ? '*' : ' ',
           w->number);
  if (!w->live) {
    str_add(&d->text, "has ended\n");
    return;
  }
  while (next_place(d, b, w, &seen, &here, &s)) {
    if (seen != here)
      str_add(&d->text, "\n          ");
    str_addf(&d->text, "%2d lane%s (%08x) at ", __builtin_popcount(here),
             here & (here - 1) ? "s" : "", here);
    add_place(d, s.pc);
    add_wait(d, &s, w);
  }
  if (w->live != w->born)
    str_addf(&d->text, "; %d ended", __builtin_popcount(w->born & ~w->live));
  str_add(&d->text, "\n");
}

static enum err command_warps(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  (void)s;
  const struct vg_block *b = vg_debug_block(d, d->focus.block);
  if (!b)
    return err_set(e, ERR_NOT_FOUND, "the block in focus does not run");
  str_addf(&d->text, "block (%u,%u,%u)\n", b->index[0], b->index[1],
           b->index[2]);
  for (uint32_t n = 0; n < b->warp_count; n++)
    add_warp(d, b, &b->warps[n]);
  return ERR_OK;
}

// For a program: the launch's shape, how many blocks began and how many run, and of
// the block in focus where the lanes of its warps are, a line for each place.
static enum err command_survey(struct vg_debug *d, const char *s,
                               struct err_info *e) {
  (void)s, (void)e;
  const struct gpu_launch *la = &d->grid->launch;
  const struct vg_block *b = vg_debug_block(d, d->focus.block);
  struct str *t = &d->text;
  str_addf(t, "grid %u %u %u\nblock %u %u %u\nblocks %" PRIu64 " %u\n",
           la->grid[0], la->grid[1], la->grid[2], la->block[0], la->block[1],
           la->block[2], (uint64_t)atomic_load(&d->grid->next_block),
           d->running);
  for (uint32_t n = 0; b && n < b->warp_count; n++) {
    const struct vg_warp *w = &b->warps[n];
    vg_mask seen = 0, here;
    struct vg_spot spot;
    str_addf(t, "warp %u %08x %08x\n", w->number, w->born, w->live);
    while (next_place(d, b, w, &seen, &here, &spot)) {
      str_addf(t, "at %08x %d", here,
               vg_debug_is_own(d, spot.pc) ? vg_debug_line(spot.pc) : 0);
      add_wait(d, &spot, w);
      str_add(t, "\n");
    }
  }
  return ERR_OK;
}

static enum err command_where(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  (void)s;
  struct vg_spot spot;
  if (!vg_debug_spot(d, &d->focus, &spot))
    return err_set(e, ERR_NOT_FOUND, "the thread in focus has ended");
  int level = 0;
  do {
    str_addf(&d->text, "%c %d  %s at ", level == d->level ? '*' : ' ', level,
             vg_debug_function(spot.frame->code));
    add_place(d, spot.is_called ? spot.pc - 1 : spot.pc);
    str_add(&d->text, "\n");
    level++;
  } while (vg_debug_caller(&spot));
  return ERR_OK;
}

static enum err select_call(struct vg_debug *d, int level, struct err_info *e) {
  if (!vg_debug_select(d, level))
    return err_set(e, ERR_NOT_FOUND, "there is no such call");
  return ERR_OK;
}

static enum err command_frame(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  uint32_t n;
  if (!take_number(&s, &n) || n > INT16_MAX)
    return want(e, "frame N");
  return select_call(d, (int)n, e);
}

static enum err command_up(struct vg_debug *d, const char *s,
                           struct err_info *e) {
  (void)s;
  return select_call(d, d->level + 1, e);
}

static enum err command_down(struct vg_debug *d, const char *s,
                             struct err_info *e) {
  (void)s;
  return select_call(d, d->level - 1, e);
}

// ---- Values ----

static enum err command_print(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  bool is_hex = !strncmp(s, "/x", 2);
  s = skip_space(s + (is_hex ? 2 : 0));
  if (!*s)
    return want(e, "print EXPRESSION");
  return is_hex ? vg_show_hex(d, s, e) : vg_show_expression(d, s, false, e);
}

static enum err command_lanes(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  return *s ? vg_show_lanes(d, s, e) : want(e, "lanes EXPRESSION");
}

static enum err command_cells(struct vg_debug *d, const char *s,
                              struct err_info *e) {
  return *s ? vg_show_cells(d, s, e) : want(e, "cells EXPRESSION");
}

static enum err command_locals(struct vg_debug *d, const char *s,
                               struct err_info *e) {
  (void)s;
  return vg_show_locals(d, false, e);
}

static enum err command_shared(struct vg_debug *d, const char *s,
                               struct err_info *e) {
  return vg_show_shared(d, s, e);
}

static enum err command_values(struct vg_debug *d, const char *s,
                               struct err_info *e) {
  return *s ? vg_show_expression(d, s, true, e) : vg_show_locals(d, true, e);
}

static enum err command_declare(struct vg_debug *d, const char *s,
                                struct err_info *e) {
  char name[64];
  take_word(&s, name, sizeof name);
  s = skip_space(s);
  return *s ? vg_declare(d, name, s, e) : want(e, "declare NAME TYPE");
}

// ---- Looking up ----

static enum err (*const handlers[])(struct vg_debug *d, const char *args,
                                    struct err_info *e) = {
#define CMD(name, alias, handler, shows, args, help) command_##handler,
#include "gpu/debug_command.def"
#undef CMD
};

enum err vg_debug_command(struct vg_debug *d, const char *text,
                          struct err_info *e) {
  char word[32];
  str_clear(&d->text);
  take_word(&text, word, sizeof word);
  int row = gpu_debug_find(word);
  if (row < 0)
    return err_set(e, ERR_ARGUMENT, "the debugger has no command \"%s\"", word);
  vg_debug_allow(d);
  return handlers[row](d, skip_space(text), e);
}

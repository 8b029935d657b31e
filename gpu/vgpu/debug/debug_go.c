// SPDX-License-Identifier: Apache-2.0
// Going forward until something stops the launch, and going back.
//
// Going on means that all warps take turns, as they do without a debugger.
// Stepping means that the warp in focus runs alone; where it waits for others,
// they run as far as it needs them.
#include "gpu/vgpu/debug/debug_go.h"

#include <stdio.h>
#include <string.h>

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/debug/debug.h"
#include "gpu/vgpu/debug/debug_line.h"
#include "gpu/vgpu/debug/debug_watch.h"
#include "gpu/vgpu/insn.h"

enum { PARTED_TURN = 512 };
// Steps of the warp in focus after which it is thought to wait for the others
// in a loop, and they get as many turns each.
static const uint64_t SPINNING = 1 << 16;
// Steps of one command after which it stops to ask.
static const uint64_t PATIENCE = UINT64_C(1) << 28;

// ---- Where the launch stands ----

static void place_focus(const struct vg_debug *d, struct gpu_debug_stop *s) {
  const uint32_t *grid = d->grid->launch.grid, *size = d->grid->launch.block;
  uint64_t b = d->focus.block;
  uint32_t t = d->focus.warp * VG_LANES + (uint32_t)d->focus.lane;
  s->block[0] = (uint32_t)(b % grid[0]);
  s->block[1] = (uint32_t)(b / grid[0] % grid[1]);
  s->block[2] = (uint32_t)(b / grid[0] / grid[1]);
  s->thread[0] = t % size[0];
  s->thread[1] = t / size[0] % size[1];
  s->thread[2] = t / size[0] / size[1];
  s->warp = d->focus.warp;
}

static void place_line(const struct vg_debug *d, const struct vg_insn *i,
                       struct gpu_debug_stop *s) {
  const struct vg_code *c = vg_debug_code(d, i);
  snprintf(s->function, sizeof s->function, "%s",
           c ? vg_debug_function(c) : "");
  s->ptx_line = i->ptx ? i->ptx->ptx_line : 0;
  if (!vg_debug_is_own(d, i))
    return;
  s->line = vg_debug_line(i);
  snprintf(s->file, sizeof s->file, "%s", vg_debug_file(d, i));
}

void vg_debug_fill_stop(struct vg_debug *d, enum gpu_debug_reason why) {
  struct gpu_debug_stop *s = &d->stop;
  struct vg_spot spot;
  memset(s, 0, sizeof *s);
  s->reason = (int32_t)why;
  s->steps = d->steps;
  d->level = 0;
  place_focus(d, s);
  s->has_focus = vg_debug_spot(d, &d->focus, &spot);
  if (!s->has_focus)
    return;
  s->lanes = spot.lanes;
  s->born = vg_debug_warp(d, &d->focus)->born;
  s->depth = spot.depth;
  place_line(d, spot.pc, s);
}

bool vg_debug_select(struct vg_debug *d, int level) {
  struct vg_spot spot;
  if (level < 0 || !vg_debug_spot(d, &d->focus, &spot))
    return false;
  for (int i = 0; i < level; i++)
    if (!vg_debug_caller(&spot))
      return false;
  d->level = level;
  d->stop.line = 0;
  place_line(d, spot.is_called ? spot.pc - 1 : spot.pc, &d->stop);
  return true;
}

// The thread in focus has ended: another one takes its place, near it if there
// is one.
static void find_focus(struct vg_debug *d) {
  struct vg_spot spot;
  if (vg_debug_spot(d, &d->focus, &spot) || !d->running)
    return;
  const struct vg_block *b = vg_debug_block(d, d->focus.block);
  b = b ? b : d->blocks[0];
  for (uint32_t n = 0; n < b->warp_count; n++) {
    const struct vg_warp *w = &b->warps[(n + d->focus.warp) % b->warp_count];
    if (!w->live)
      continue;
    d->focus = (struct vg_focus){b->number, w->number, __builtin_ctz(w->live)};
    return;
  }
}

static void stop_at(struct vg_debug *d, enum gpu_debug_reason why, int number) {
  struct vg_focus was = d->focus;
  const struct gpu_debug_stop *s = &d->stop;
  find_focus(d);
  if (why == GPU_DEBUG_STEPPED &&
      (was.block != d->focus.block || was.warp != d->focus.warp ||
       was.lane != d->focus.lane))
    str_addf(&d->text, "thread (%u,%u,%u) of block (%u,%u,%u) has ended\n",
             s->thread[0], s->thread[1], s->thread[2], s->block[0], s->block[1],
             s->block[2]);
  vg_debug_fill_stop(d, why);
  d->stop.number = number;
}

static void focus_on(struct vg_debug *d, const struct vg_warp *w, int lane) {
  d->focus = (struct vg_focus){w->block->number, w->number, lane};
}

// ---- What stops every command ----

// The thread that made the mistake comes into focus, where it made it. A note
// is no mistake.
static bool stop_at_finding(struct vg_debug *d) {
  struct gpu_finding f;
  d->seen_findings = vg_findings_count(d->findings);
  vg_findings_last(d->findings, &f);
  if (f.severity == GPU_NOTE)
    return false;
  const uint32_t *grid = d->grid->launch.grid, *size = d->grid->launch.block;
  uint32_t t =
      f.at.thread[0] + size[0] * (f.at.thread[1] + size[1] * f.at.thread[2]);
  d->focus.block =
      f.at.block[0] +
      (uint64_t)grid[0] * (f.at.block[1] + (uint64_t)grid[1] * f.at.block[2]);
  d->focus.warp = t / VG_LANES;
  d->focus.lane = (int)(t % VG_LANES);
  vg_debug_fill_stop(d, GPU_DEBUG_FINDING);
  d->stop.finding = f;
  d->stop.line = f.at.line;
  d->stop.column = f.at.column;
  memcpy(d->stop.file, f.file, sizeof d->stop.file);
  return true;
}

// One step of a warp that is ready; true when something ended the command.
static bool step(struct vg_debug *d, uint32_t slot, uint32_t warp, int lane) {
  struct vg_debug_watched watched;
  vg_debug_watch_before(d, &d->blocks[slot]->warps[warp], &watched);
  vg_debug_step(d, slot, warp, lane);
  if (vg_findings_count(d->findings) > d->seen_findings && stop_at_finding(d))
    return true;
  int changed = vg_debug_watch_after(d, &watched);
  if (changed) {
    stop_at(d, GPU_DEBUG_WATCH, changed);
    return true;
  }
  if (atomic_load_explicit(d->is_cancelled, memory_order_relaxed) ||
      --d->left == 0) {
    stop_at(d, GPU_DEBUG_INTERRUPTED, 0);
    return true;
  }
  return false;
}

// ---- All go on ----

// The warp in focus, and the one that stopped last, stand at their breakpoint
// already.
struct passed {
  const struct vg_warp *warp;
  const struct vg_insn *pc;
};

static struct passed passed_of(const struct vg_debug *d,
                               const struct vg_focus *f) {
  struct vg_spot spot;
  if (!vg_debug_spot(d, f, &spot))
    return (struct passed){0};
  return (struct passed){vg_debug_warp(d, f), spot.pc};
}

static bool is_passed(struct passed p[2], const struct vg_warp *w) {
  bool any = false;
  for (int i = 0; i < 2; i++)
    if (p[i].warp == w && p[i].pc == w->pc) {
      p[i].warp = NULL;
      any = true;
    }
  return any;
}

static void run_all(struct vg_debug *d) {
  struct passed passed[2] = {passed_of(d, &d->focus)};
  if (d->steps == d->hit_at)
    passed[1] = passed_of(d, &d->hit);
  uint32_t slot, warp;
  while (vg_debug_turn(d, &slot, &warp)) {
    struct vg_warp *w = &d->blocks[slot]->warps[warp];
    int lane;
    struct vg_break *b = vg_break_hit(d, w, &lane);
    if (b && !is_passed(passed, w)) {
      b->hits++;
      focus_on(d, w, lane);
      stop_at(d, GPU_DEBUG_BREAKPOINT, b->number);
      d->hit = d->focus;
      d->hit_at = d->steps;
      return;
    }
    if (step(d, slot, warp, -1))
      return;
  }
  stop_at(d, GPU_DEBUG_ENDED, 0);
}

// ---- The warp in focus goes on ----

static bool is_barrier(const struct vg_insn *i) {
  return i->ptx && (i->ptx->op == PTX_OP_BAR || i->ptx->op == PTX_OP_BARRIER) &&
         i->ptx->sub != PTX_BAR_WARP;
}

// Is the thread where the command wanted it? It began at `from`.
static bool is_there(const struct vg_debug *d, enum vg_debug_how how,
                     const struct vg_spot *from, const struct vg_insn *from_pc,
                     const struct vg_spot *now) {
  if (now->is_waiting)
    return false; // until the others have come
  bool is_own = vg_debug_is_own(d, now->pc);
  bool is_deeper = now->depth > from->depth;
  switch (how) {
  case VG_DEBUG_STEPI: return true;
  case VG_DEBUG_FINISH: return now->depth < from->depth;
  case VG_DEBUG_BARRIER: return is_barrier(now->pc);
  case VG_DEBUG_START:
    return now->depth == 0 && is_own && now->pc >= vg_debug_body(d->grid->code);
  case VG_DEBUG_NEXT:
  case VG_DEBUG_STEP: break;
  case VG_DEBUG_CONTINUE: return false;
  }
  if (!is_own || (is_deeper && how == VG_DEBUG_NEXT))
    return false;
  if (is_deeper)
    return now->pc >= vg_debug_body(now->frame->code);
  return now->depth < from->depth ||
         vg_debug_line(now->pc) != vg_debug_line(from_pc) ||
         strcmp(vg_debug_file(d, now->pc), vg_debug_file(d, from_pc)) != 0;
}

static int slot_of(const struct vg_debug *d, uint64_t block) {
  for (uint32_t i = 0; i < d->running; i++)
    if (d->blocks[i]->number == block)
      return (int)i;
  return -1;
}

// All warps go on for a while; true when something ended the command.
static bool run_others(struct vg_debug *d, uint64_t steps) {
  uint32_t slot, warp;
  for (uint64_t n = 0; n < steps; n++) {
    if (!vg_debug_turn(d, &slot, &warp)) {
      stop_at(d, GPU_DEBUG_ENDED, 0);
      return true;
    }
    if (step(d, slot, warp, -1))
      return true;
  }
  return false;
}

static void run_focus(struct vg_debug *d, enum vg_debug_how how) {
  struct vg_spot from, now;
  if (!vg_debug_spot(d, &d->focus, &from)) {
    stop_at(d, d->is_over ? GPU_DEBUG_ENDED : GPU_DEBUG_STEPPED, 0);
    return;
  }
  bool has_stepped = false;
  for (uint64_t own = 1;; own++) {
    int slot = slot_of(d, d->focus.block);
    uint32_t warp = d->focus.warp;
    int lane = d->focus.lane;
    if (slot >= 0 && vg_debug_ready(d, (uint32_t)slot, warp, lane)) {
      bool is_lane = d->blocks[slot]->warps[warp].active >> lane & 1;
      if (step(d, (uint32_t)slot, warp, lane))
        return;
      if (!is_lane && own % PARTED_TURN == 0 &&
          slot_of(d, d->focus.block) == slot &&
          d->blocks[slot]->warps[warp].leaf)
        vg_debug_hand_over(d, (uint32_t)slot, warp);
      has_stepped |= is_lane;
    } else if (run_others(d, 1)) {
      return;
    }
    if (own % SPINNING == 0 && run_others(d, SPINNING))
      return;
    bool is_live = vg_debug_spot(d, &d->focus, &now);
    if (!is_live || (has_stepped && is_there(d, how, &from, from.pc, &now))) {
      if (!d->running)
        vg_debug_turn(d, &(uint32_t){0}, &(uint32_t){0});
      stop_at(d, d->is_over ? GPU_DEBUG_ENDED : GPU_DEBUG_STEPPED, 0);
      return;
    }
  }
}

void vg_debug_allow(struct vg_debug *d) {
  uint64_t budget = d->grid->grid_budget;
  d->left = budget < PATIENCE ? budget : PATIENCE;
}

void vg_debug_go(struct vg_debug *d, enum vg_debug_how how) {
  if (d->is_over)
    stop_at(d, GPU_DEBUG_ENDED, 0);
  else if (how == VG_DEBUG_CONTINUE)
    run_all(d);
  else
    run_focus(d, how);
}

// ---- Back ----

// The lines that the thread in focus comes to.
struct lines {
  int depth; // calls deeper than this are passed over
  bool has_any;
  uint64_t at; // steps at the beginning of the last one
  int line, line_depth;
  const char *file;
};

static void look_for_lines(struct vg_debug *d, uint32_t slot, uint32_t warp,
                           void *context) {
  struct lines *l = context;
  const struct vg_block *b = d->blocks[slot];
  const struct vg_warp *w = &b->warps[warp];
  struct vg_spot spot;
  if (b->number != d->focus.block || warp != d->focus.warp ||
      !(w->active >> d->focus.lane & 1) ||
      !vg_debug_spot(d, &d->focus, &spot) || spot.depth > l->depth ||
      !vg_debug_is_own(d, spot.pc) || spot.pc < vg_debug_body(spot.frame->code))
    return;
  const char *file = vg_debug_file(d, spot.pc);
  int line = vg_debug_line(spot.pc);
  if (l->has_any && line == l->line && spot.depth == l->line_depth &&
      file == l->file)
    return;
  *l = (struct lines){l->depth, true, d->steps, line, spot.depth, file};
}

void vg_debug_back(struct vg_debug *d, bool over) {
  struct vg_spot spot;
  bool is_live = vg_debug_spot(d, &d->focus, &spot);
  struct lines l = {.depth = over && is_live ? spot.depth : INT32_MAX};
  if (!d->left || atomic_load(d->is_cancelled)) {
    vg_debug_fill_stop(d, GPU_DEBUG_INTERRUPTED);
    return;
  }
  d->left -= d->steps < d->left ? d->steps : d->left;
  vg_debug_replay(d, d->steps, look_for_lines, &l);
  vg_debug_replay(d, l.has_any ? l.at : 0, NULL, NULL);
  vg_debug_fill_stop(d, l.has_any ? GPU_DEBUG_STEPPED : GPU_DEBUG_NO_EARLIER);
}

// The last breakpoint, or change of what is watched, before a moment.
struct last_hit {
  bool has_any, is_watch;
  uint64_t at;
  int number;
  struct vg_focus focus;
  struct str text;                // of the change
  struct vg_debug_watched before; // of the step that runs now
  uint64_t before_at;
};

static void look_at_watches(struct vg_debug *d, struct last_hit *h) {
  struct vg_focus mine = d->focus;
  str_clear(&d->text);
  int number = vg_debug_watch_after(d, &h->before);
  h->before.warp = NULL;
  if (number) {
    h->has_any = h->is_watch = true;
    h->at = h->before_at;
    h->number = number;
    h->focus = d->focus;
    str_clear(&h->text);
    str_add(&h->text, d->text.data);
  }
  d->focus = mine;
  str_clear(&d->text);
}

static void look_for_breaks(struct vg_debug *d, uint32_t slot, uint32_t warp,
                            void *context) {
  struct last_hit *h = context;
  struct vg_warp *w = &d->blocks[slot]->warps[warp];
  int lane;
  look_at_watches(d, h);
  const struct vg_break *b = vg_break_hit(d, w, &lane);
  if (b) {
    h->has_any = true;
    h->is_watch = false;
    h->at = d->steps;
    h->number = b->number;
    h->focus = (struct vg_focus){w->block->number, w->number, lane};
  }
  vg_debug_watch_before(d, w, &h->before);
  h->before_at = d->steps;
}

// A change of what is watched is stopped at before it is made.
void vg_debug_reverse_continue(struct vg_debug *d) {
  struct last_hit h = {.text = STR_INIT};
  vg_debug_replay(d, d->steps, look_for_breaks, &h);
  look_at_watches(d, &h);
  vg_debug_replay(d, h.at, NULL, NULL);
  if (h.has_any) {
    d->focus = d->hit = h.focus;
    d->hit_at = d->steps;
  }
  vg_debug_fill_stop(d, !h.has_any   ? GPU_DEBUG_NO_EARLIER
                        : h.is_watch ? GPU_DEBUG_WATCH
                                     : GPU_DEBUG_BREAKPOINT);
  if (h.is_watch)
    str_add(&d->text, h.text.data);
  d->stop.number = h.number;
  str_free(&h.text);
}

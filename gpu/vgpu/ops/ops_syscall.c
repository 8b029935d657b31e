// SPDX-License-Identifier: Apache-2.0
// Functions that the CUDA runtime provides to device code: vprintf, malloc,
// free, __assertfail.
//
// CUDA guide: "Formatted Output", "Dynamic Global Memory Allocation",
// "Assertion".
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/ops/ops.h"

#include <stdio.h>

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/machine/machine.h"
#include "gpu/vgpu/ops/access.h"
#include "gpu/vgpu/run/run.h"

// The n-th argument of one lane, zero-extended.
static uint64_t argument(struct vg_warp *w, const struct vg_insn *i, int n,
                         int lane) {
  if (n >= i->call->arg_count)
    return 0;
  const struct vg_copy *c = &i->call->args[n];
  const uint8_t *local = w->local + (size_t)lane * w->local_bytes;
  uint64_t v = 0;
  memcpy(&v, local + w->leaf->frame->local_base + c->from,
         c->bytes < 8 ? c->bytes : 8);
  return v;
}

static void set_result(struct vg_warp *w, const struct vg_insn *i, int lane,
                       uint64_t v) {
  if (!i->call->has_result)
    return;
  uint8_t *local = w->local + (size_t)lane * w->local_bytes;
  uint32_t bytes = i->call->result.bytes;
  uint32_t at = w->leaf->frame->local_base + i->call->result.to;
  memcpy(local + at, &v, bytes < 8 ? bytes : 8);
  if (w->local_defined)
    memset(w->local_defined + (size_t)lane * w->local_bytes + at, 1, bytes);
}

// ---- vprintf(format, arguments) ----

enum { MAX_FORMAT = 4096, MAX_TEXT = 8192, MAX_SPEC = 32 };

struct printing {
  struct vg_warp *w;
  const struct vg_insn *i;
  int lane;
  uint64_t at; // of the next argument
  struct str out;
};

// The next argument's bytes; the compiler aligns each to its size.
static bool next_argument(struct printing *p, uint32_t bytes, void *v) {
  p->at = (p->at + bytes - 1) & ~(uint64_t)(bytes - 1);
  struct vg_span s = {p->at, bytes, GPU_READ};
  const uint8_t *from = vg_access_lane(p->w, p->i, p->lane, s);
  if (p->w->has_undefined)
    vg_on_use(p->w, p->i, p->lane, PTX_GENERIC, s, "is printed");
  p->at += bytes;
  if (from)
    memcpy(v, from, bytes);
  return from != NULL;
}

static int print_int(struct printing *p, char *spec, size_t n, char kind,
                     bool is_long) {
  int64_t wide = 0;
  int32_t narrow = 0;
  if (is_long ? !next_argument(p, 8, &wide) : !next_argument(p, 4, &narrow))
    return -1;
  bool is_signed = kind == 'd' || kind == 'i';
  if (!is_long)
    wide = is_signed ? narrow : (int64_t)(uint32_t)narrow;
  snprintf(spec + n, MAX_SPEC - n, "ll%c", kind);
  str_addf(&p->out, spec, (long long)wide);
  return 0;
}

static int print_string(struct printing *p, const char *spec) {
  uint64_t at;
  if (!next_argument(p, 8, &at))
    return -1;
  struct str s = STR_INIT;
  if (at)
    vg_access_text(p->w, p->i, p->lane, at, MAX_TEXT, &s);
  else
    str_add(&s, "(null)");
  str_addf(&p->out, spec, s.data);
  str_free(&s);
  return 0;
}

// A conversion up to its letter.
struct spec {
  char text[MAX_SPEC + 8]; // with the widths that arguments give
  size_t length;
  bool is_long;
};

// From behind the '%' up to the letter, which it returns; NULL when an argument
// cannot be read.
static const char *read_spec(struct printing *p, const char *f,
                             struct spec *s) {
  *s = (struct spec){.text = "%", .length = 1};
  for (; *f && strchr("-+ #0123456789.*", *f) && s->length < 24; f++) {
    if (*f != '*') {
      s->text[s->length++] = *f;
      continue;
    }
    int32_t width;
    if (!next_argument(p, 4, &width))
      return NULL;
    width = width > 999 ? 999 : width < -999 ? -999 : width;
    s->length += (size_t)snprintf(s->text + s->length, MAX_SPEC - s->length,
                                  "%d", (int)width);
  }
  for (; *f && strchr("hlLqjzt", *f); f++)
    s->is_long |= *f != 'h';
  s->text[s->length] = 0;
  return f;
}

// A field of a million columns is a mistake, not a wish.
static bool is_too_wide(const struct spec *s) {
  const char *digits = s->text + 1 + strspn(s->text + 1, "-+ #0");
  const char *dot = strchr(s->text, '.');
  return strspn(digits, "0123456789") > 3 || (dot && strlen(dot) > 4);
}

// The argument of a conversion that is no integer, with its kind; false when it
// cannot be read.
static bool print_other(struct printing *p, const struct spec *s, char kind) {
  int32_t c;
  uint64_t at;
  double v;
  switch (kind) {
  case 'c':
    if (!next_argument(p, 4, &c))
      return false;
    str_addf(&p->out, s->text, (int)c);
    return true;
  case 'p':
    if (!next_argument(p, 8, &at))
      return false;
    str_addf(&p->out, s->text, (void *)(uintptr_t)at);
    return true;
  case 's': return !print_string(p, s->text);
  default:
    if (!next_argument(p, 8, &v))
      return false;
    str_addf(&p->out, s->text, v);
    return true;
  }
}

// One conversion, from behind the '%'; returns what follows it, NULL when its
// argument cannot be read.
static const char *print_one(struct printing *p, const char *start) {
  struct spec s;
  const char *f = read_spec(p, start, &s);
  if (!f)
    return NULL;
  bool is_wide = is_too_wide(&s);
  if (!*f || is_wide || !strchr("diuoxXcpseEfFgGaA", *f)) {
    str_add_char(&p->out, '%'); // two are one; no conversion stands for itself
    return *f == '%' && !is_wide ? f + 1 : start;
  }
  if (strchr("diuoxX", *f))
    return print_int(p, s.text, s.length, *f, s.is_long) ? NULL : f + 1;
  s.text[s.length] = *f;
  s.text[s.length + 1] = 0;
  return print_other(p, &s, *f) ? f + 1 : NULL;
}

static int count_conversions(const char *f) {
  int n = 0;
  for (; *f; f++)
    if (f[0] == '%' && f[1] == '%')
      f++;
    else if (*f == '%')
      n++;
  return n;
}

// Prints, and charges for what it takes: each byte of text is read, checked,
// and written more than once.
static void print_text(struct vg_warp *w, const struct vg_insn *i, int lane,
                       const struct str *format) {
  struct printing p = {.w = w, .i = i, .lane = lane, .out = STR_INIT};
  p.at = argument(w, i, 1, lane);
  const char *f = format->data;
  while (f && *f) {
    if (*f != '%')
      str_add_char(&p.out, *f++);
    else
      f = print_one(&p, f + 1);
    if (p.out.len > 4 * MAX_TEXT)
      break;
  }
  vg_charge_print(w, VG_TEXT_COST * p.out.len);
  vg_output_add(w->block->grid->output, p.out.data, p.out.len);
  str_free(&p.out);
}

static void print_lane(struct vg_warp *w, const struct vg_insn *i, int lane) {
  struct str format = STR_INIT;
  vg_access_text(w, i, lane, argument(w, i, 0, lane), MAX_FORMAT, &format);
  vg_charge_print(w, VG_SYSTEM_COST + VG_TEXT_COST * format.len);
  if (!vg_output_is_full(w->block->grid->output))
    print_text(w, i, lane, &format);
  set_result(w, i, lane, (uint64_t)count_conversions(format.data));
  str_free(&format);
}

static void op_vprintf(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  for (int l = 0; l < VG_LANES; l++)
    if (m >> l & 1)
      print_lane(w, i, l);
}

// ---- malloc, free ----

static const uint64_t HEAP_BYTES = 8 << 20; // CUDA's default

static void note_block(struct vg_warp *w, const struct vg_insn *i, int lane,
                       uint64_t at) {
  struct vg_memory *memory = w->block->grid->memory;
  struct vg_alloc *a = vg_slot(memory, at >> VG_SLOT_BITS);
  atomic_fetch_add(&memory->heap_bytes, a->bytes);
  a->made_at = vg_site_of_lane(w, lane, i);
  a->made_by = w->block->number << 12 | (w->first_thread + (uint32_t)lane);
  vg_on_malloc(w->block->grid, at);
}

// What the launch took and did not give back. Another launch may still do so,
// hence a note.
void vg_heap_report(const struct vg_grid *g) {
  uint32_t end = atomic_load(&g->memory->slots);
  for (uint32_t s = g->first_slot; s < end; s++) {
    const struct vg_alloc *a = vg_slot(g->memory, s);
    if (!a->data || a->kind != VG_ALLOC_HEAP || !a->made_at)
      continue;
    struct vg_fault f = {.kind = ERR_LEAK,
                         .severity = GPU_NOTE,
                         .bytes = (uint32_t)a->bytes,
                         .text = "the memory that malloc() gave here was not "
                                 "freed when the kernel ended"};
    vg_report_thread(g, a->made_by >> 12, a->made_by & 0xFFF, a->made_at, &f);
  }
}

static void op_malloc(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_grid *g = w->block->grid;
  struct vg_memory *memory = g->memory;
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    uint64_t bytes = argument(w, i, 0, l), at = 0;
    vg_charge(w, VG_SYSTEM_COST + VG_HEAP_COST +
                     (bytes <= HEAP_BYTES ? bytes / 64 : 0));
    if (bytes && bytes <= HEAP_BYTES &&
        atomic_load(&memory->heap_bytes) + bytes <= HEAP_BYTES &&
        !vg_alloc_new(memory, bytes, VG_ALLOC_HEAP, g->is_checked, &at, NULL))
      note_block(w, i, l, at);
    set_result(w, i, l, at);
  }
}

static void report_bad_free(struct vg_warp *w, const struct vg_insn *i,
                            int lane, uint64_t at, const struct vg_alloc *a) {
  bool again = a && !a->data && a->kind == VG_ALLOC_HEAP;
  struct vg_fault f = {.kind = again ? ERR_USE_AFTER_FREE : ERR_OUT_OF_BOUNDS,
                       .space = GPU_SPACE_GLOBAL,
                       .access = GPU_WRITE,
                       .address = at,
                       .base = at & ~(VG_WINDOW(1) - 1),
                       .base_bytes = a ? a->bytes : 0,
                       .text = again ? "freed a second time"
                                     : "free() of a pointer that the kernel's "
                                       "malloc() did not give"};
  vg_report(w, i, lane, &f);
}

static void op_free(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct vg_grid *g = w->block->grid;
  for (int l = 0; l < VG_LANES; l++) {
    uint64_t at = (m >> l & 1) ? argument(w, i, 0, l) : 0;
    if (!at)
      continue;
    vg_charge(w, VG_SYSTEM_COST);
    struct vg_alloc *a = vg_slot(g->memory, at >> VG_SLOT_BITS);
    if (!a || !a->data || a->kind != VG_ALLOC_HEAP || at & (VG_WINDOW(1) - 1)) {
      report_bad_free(w, i, l, at, a);
      continue;
    }
    atomic_fetch_sub(&g->memory->heap_bytes, a->bytes);
    vg_alloc_free(g->memory, a, g->number);
  }
}

// ---- __assertfail(expression, file, line, function, char size) ----

static void op_assertfail(struct vg_warp *w, const struct vg_insn *i,
                          vg_mask m) {
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    struct str text = STR_INIT, where = STR_INIT;
    str_add(&text, "assertion failed: ");
    vg_access_text(w, i, l, argument(w, i, 0, l), 160, &text);
    vg_access_text(w, i, l, argument(w, i, 3, l), 60, &where);
    if (where.len)
      str_addf(&text, " in %s", where.data);
    struct vg_fault f = {.kind = ERR_ASSERT, .text = text.data};
    vg_report(w, i, l, &f);
    str_free(&text);
    str_free(&where);
  }
  vg_grid_abandon(w->block->grid);
  vg_stop_turn(w, VG_RUNS);
}

vg_handler vg_find_syscall(const char *name) {
  static const struct {
    const char *name;
    vg_handler run;
  } calls[] = {{"vprintf", op_vprintf},
               {"malloc", op_malloc},
               {"free", op_free},
               {"__assertfail", op_assertfail}};
  for (size_t n = 0; n < sizeof calls / sizeof *calls; n++)
    if (!strcmp(calls[n].name, name))
      return calls[n].run;
  return NULL;
}

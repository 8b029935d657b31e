// SPDX-License-Identifier: Apache-2.0
// A file of tests/ptx: what its comments say, and running it on a device.
//
//   // op: ADD            rows of gpu/ptx/ptx_ops.def that it is about
//   // case: A B => X     one thread: 8-byte slots of input, and of output
//   // within: 2 f32 relative 1e-6 absolute 0
//                         output 2 has such an error, says the manual
//   // expect error: KIND what the launch must report, beside the outputs
//   // virtual: REASON    a real GPU gives nothing to compare
//   // differs: REASON    why a real GPU need not give what is behind a ~
//
// A slot is a number as C writes it (hexadecimal for bits); nan16, nan32 and
// nan64 are any NaN of that size. ~0x5 is what the virtual GPU must give, and a
// real one is known not to, or is free not to: the file says why. Inputs are
// packed by cases, outputs start as zeros and must agree in all 64 bits.
#ifndef TESTS_UNIT_PTX_CASE_H
#define TESTS_UNIT_PTX_CASE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "gpu/gpu.h"
#include "tests/unit/ptx_texture.h"

enum { MAX_CASES = 1024, MAX_SLOTS = 32 };

enum ptx_verdict { PTX_SAME, PTX_WITHIN, PTX_DIFFERS };

struct ptx_case {
  int count, inputs, outputs;
  uint64_t in[MAX_CASES * MAX_SLOTS], want[MAX_CASES * MAX_SLOTS];
  uint8_t nan[MAX_CASES * MAX_SLOTS]; // bits of the NaN that is wanted
  bool is_own[MAX_CASES * MAX_SLOTS]; // of the virtual GPU alone (~)
  struct {
    uint8_t bits; // 16 f16, 17 bf16, 32, 64; 33: a pair of f16, 34: of bf16
    double relative, absolute;
  } within[MAX_SLOTS];
  char error[40];
  bool is_virtual;
  bool is_right;           // the comments could be read
  bool has_own, tells_why; // a ~, and there is a line "differs:"
  struct ptx_texture texture;
  uint32_t flags; // of the launch
  char *text;     // of the file
  size_t bytes;
};

// The slots of one side of a case; returns how many.
static int ptx_slots(const char *text, const char *end, uint64_t *out,
                     uint8_t *nan, bool *is_own) {
  int n = 0;
  while (text < end && n < MAX_SLOTS) {
    char *after;
    is_own[n] = *text == '~';
    text += is_own[n];
    if (*text == 'n') {
      nan[n] = (uint8_t)strtoul(text + 3, &after, 10);
      out[n++] = 0;
      text = after;
      continue;
    }
    uint64_t v = strtoull(text, &after, 0);
    if (after == text) {
      text++;
    } else {
      nan[n] = 0;
      out[n++] = v;
      text = after;
    }
  }
  return n;
}

static bool ptx_read_case(struct ptx_case *c, const char *text,
                          const char *end) {
  uint64_t in[MAX_SLOTS], want[MAX_SLOTS];
  uint8_t nan[MAX_SLOTS];
  bool is_own[MAX_SLOTS];
  const char *arrow = strstr(text, "=>");
  if (!arrow || arrow >= end || c->count == MAX_CASES)
    return false;
  int inputs = ptx_slots(text, arrow, in, nan, is_own);
  int outputs = ptx_slots(arrow + 2, end, want, nan, is_own);
  if (c->count && (inputs ? inputs : 1) != c->inputs)
    return false;
  if (c->count && outputs != c->outputs)
    return false;
  c->inputs = inputs ? inputs : 1;
  c->outputs = outputs;
  for (int i = 0; i < inputs; i++)
    c->in[c->count * c->inputs + i] = in[i];
  for (int i = 0; i < outputs; i++) {
    c->want[c->count * outputs + i] = want[i];
    c->nan[c->count * outputs + i] = nan[i];
    c->is_own[c->count * outputs + i] = is_own[i];
    c->has_own |= is_own[i];
  }
  c->count++;
  return outputs > 0;
}

static bool ptx_read_within(struct ptx_case *c, const char *line) {
  static const struct {
    const char *name;
    uint8_t bits;
  } types[] = {{"f16", 16}, {"bf16", 17},  {"f32", 32},
               {"f64", 64}, {"f16x2", 33}, {"bf16x2", 34}};
  int slot;
  char type[8];
  double relative, absolute;
  if (sscanf(line, "// within: %d %7s relative %lf absolute %lf", &slot, type,
             &relative, &absolute) != 4 ||
      slot < 0 || slot >= MAX_SLOTS)
    return false;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i].name, type))
      c->within[slot].bits = types[i].bits;
  c->within[slot].relative = relative;
  c->within[slot].absolute = absolute;
  return c->within[slot].bits != 0;
}

// Reads the file; the caller calls ptx_case_free, also after an error.
static enum err ptx_case_read(const char *path, struct ptx_case *c,
                              struct err_info *e) {
  enum err err = file_read(path, 1 << 20, &c->text, &c->bytes, e);
  if (err)
    return err;
  c->is_right = true;
  for (const char *line = c->text; *line;) {
    const char *end = strchr(line, '\n');
    if (!end)
      end = line + strlen(line);
    if (!strncmp(line, "// case: ", 9))
      c->is_right &= ptx_read_case(c, line + 9, end);
    else if (!strncmp(line, "// within: ", 11))
      c->is_right &= ptx_read_within(c, line);
    else if (!strncmp(line, "// virtual: ", 12))
      c->is_virtual = true;
    else if (!strncmp(line, "// differs: ", 12))
      c->tells_why = end - line > 12;
    else
      sscanf(line, "// expect error: %39[a-z-]", c->error);
    ptx_texture_line(&c->texture, line, end);
    line = *end ? end + 1 : end;
  }
  if (!c->is_right || !c->count)
    return err_set(e, ERR_ARGUMENT, "%s: case %d cannot be read", path,
                   c->count);
  if (c->has_own != c->tells_why)
    return err_set(e, ERR_ARGUMENT, "%s: a ~ and \"differs:\" go together",
                   path);
  return ERR_OK;
}

static void ptx_case_free(struct ptx_case *c) {
  free(c->text);
  free(c);
}

// ---- Running ----

static enum err ptx_finish(const struct gpu_backend *back, struct gpu_device *d,
                           struct err_info *e) {
  enum err err;
  while ((err = back->poll(d, GPU_ALL_STREAMS, e)) == ERR_NOT_READY)
    ;
  return err;
}

static enum err ptx_alloc(const struct gpu_backend *back, struct gpu_device *d,
                          size_t bytes, gpu_ptr *p, struct err_info *e) {
  enum err err = back->mem_alloc(d, bytes, 0, p, e);
  return err ? err
             : back->mem_set(
                   d, &(struct gpu_fill){.to = *p, .width = 1, .count = bytes},
                   e);
}

// Runs the kernel; `got` has the outputs as far as it went. The answer is how
// the launch ended; *started: it began at all.
__attribute__((unused)) static enum err
ptx_case_run(const struct gpu_backend *back, struct gpu_device *d,
             struct ptx_case *c, uint64_t *got, bool *started,
             struct err_info *e) {
  gpu_handle module = 0, kernel = 0;
  size_t in_bytes = (size_t)c->count * (size_t)c->inputs * 8;
  size_t out_bytes = (size_t)c->count * (size_t)c->outputs * 8;
  uint64_t params[4] = {0};
  enum err err = back->module_load(d, c->text, c->bytes, &module, e);
  *started = false;
  if (!err)
    err = back->function_get(d, module, "test", &kernel, NULL, e);
  if (!err && c->texture.is_there)
    err = ptx_texture_make(&c->texture, back, d, e);
  params[2] = c->texture.texture;
  params[3] = c->texture.surface;
  if (!err)
    err = ptx_alloc(back, d, in_bytes, &params[0], e);
  if (!err)
    err = ptx_alloc(back, d, out_bytes, &params[1], e);
  if (!err)
    err = back->copy_in(d, params[0], c->in, in_bytes, 0, e);
  struct gpu_launch l = {.function = kernel,
                         .grid = {1, 1, 1},
                         .block = {(uint32_t)c->count, 1, 1},
                         .flags = c->flags,
                         .params = params,
                         .param_bytes = c->texture.is_there ? 32 : 16};
  if (!err)
    err = back->launch(d, &l, e);
  if (err)
    return err;
  *started = true;
  err = ptx_finish(back, d, e);
  struct err_info ignored;
  if (!back->copy_out(d, got, params[1], out_bytes, 0, &ignored))
    ptx_finish(back, d, &ignored);
  return err;
}

#endif

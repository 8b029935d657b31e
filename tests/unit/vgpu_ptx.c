// SPDX-License-Identifier: Apache-2.0
// Runs tests/ptx/*.ptx on the virtual GPU. Each file is a module with a kernel
// `test(in, out)`; its comments say what is tested and expected:
//
//   // op: ADD            rows of gpu/ptx/ptx_ops.def that it covers
//   // case: A B => X     one thread: 8-byte slots of input, and of output
//   // expect error: KIND what the launch must report, beside the outputs
//
// ptx_texture.h tells what files about textures say beside that.
//
// A slot is a number as C writes it (hexadecimal for bits). Inputs are packed
// by cases, outputs start as zeros and must agree in all 64 bits.
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "gpu/gpu.h"
#include "gpu/ptx/ptx.h"
#include "tests/unit/ptx_texture.h"

enum { MAX_CASES = 1024, MAX_SLOTS = 8 };

static const struct gpu_backend *const back = &gpu_virtual_backend;
static bool covered[PTX_OP_COUNT];

static const char *const op_names[] = {
#define OP(name, ...) #name,
#include "gpu/ptx/ptx_ops.def"
#undef OP
};

struct cases {
  int count, inputs, outputs;
  uint64_t in[MAX_CASES * MAX_SLOTS], want[MAX_CASES * MAX_SLOTS];
  char error[40];
  struct ptx_texture texture;
};

static void cover(const char *name) {
  for (int op = 0; op < PTX_OP_COUNT; op++)
    if (!strcmp(op_names[op], name))
      covered[op] = true;
}

// The slots of one side of a case; returns how many.
static int read_slots(const char *text, const char *end, uint64_t *out) {
  int n = 0;
  while (text < end && n < MAX_SLOTS) {
    char *after;
    uint64_t v = strtoull(text, &after, 0);
    if (after == text)
      text++;
    else {
      out[n++] = v;
      text = after;
    }
  }
  return n;
}

static void read_case(struct cases *c, const char *text, const char *end) {
  uint64_t in[MAX_SLOTS], want[MAX_SLOTS];
  const char *arrow = strstr(text, "=>");
  assert_non_null(arrow);
  assert_true(arrow < end && c->count < MAX_CASES);
  int inputs = read_slots(text, arrow, in);
  int outputs = read_slots(arrow + 2, end, want);
  c->inputs = inputs ? inputs : 1;
  c->outputs = outputs;
  for (int i = 0; i < inputs; i++)
    c->in[c->count * c->inputs + i] = in[i];
  for (int i = 0; i < outputs; i++)
    c->want[c->count * outputs + i] = want[i];
  c->count++;
}

static void read_comments(const char *text, struct cases *c) {
  for (const char *line = text; *line;) {
    const char *end = strchr(line, '\n');
    if (!end)
      end = line + strlen(line);
    char name[40];
    if (sscanf(line, "// op: %39[A-Z0-9]", name) == 1)
      cover(name);
    else if (!strncmp(line, "// case: ", 9))
      read_case(c, line + 9, end);
    else
      sscanf(line, "// expect error: %39[a-z-]", c->error);
    ptx_texture_line(&c->texture, line, end);
    line = *end ? end + 1 : end;
  }
}

static void check(enum err err, const struct err_info *e, const char *what) {
  if (err)
    fail_msg("%s: %s: %s", what, err_kind(err), e->text);
}

static enum err finish(struct gpu_device *d, struct err_info *e) {
  enum err err;
  while ((err = back->poll(d, GPU_ALL_STREAMS, e)) == ERR_NOT_READY)
    ;
  return err;
}

static gpu_ptr alloc(struct gpu_device *d, size_t bytes) {
  struct err_info e;
  gpu_ptr p = 0;
  check(back->mem_alloc(d, bytes, 0, &p, &e), &e, "mem_alloc");
  check(back->mem_set(d, p, 0, 1, bytes, 0, &e), &e, "mem_set");
  return p;
}

static void compare(const struct cases *c, const uint64_t *got) {
  for (int t = 0; t < c->count; t++)
    for (int o = 0; o < c->outputs; o++) {
      int n = t * c->outputs + o;
      if (got[n] != c->want[n])
        fail_msg("case %d (0x%llx ...), output %d: got 0x%llx, want 0x%llx",
                 t + 1, (unsigned long long)c->in[t * c->inputs], o,
                 (unsigned long long)got[n], (unsigned long long)c->want[n]);
    }
}

static void run_file(void **state) {
  const char *path = *state;
  struct err_info e;
  char *text;
  size_t bytes;
  struct cases *c = xcalloc(1, sizeof *c);
  uint64_t *got = xcalloc(MAX_CASES * MAX_SLOTS, sizeof *got);
  check(file_read(path, 1 << 20, &text, &bytes, &e), &e, path);
  read_comments(text, c);
  assert_true(c->count > 0);

  struct gpu_device *d;
  gpu_handle module = 0, kernel = 0;
  check(back->open(0, NULL, &d, &e), &e, "open");
  check(back->module_load(d, text, bytes, &module, &e), &e, path);
  check(back->function_get(d, module, "test", &kernel, NULL, &e), &e, path);
  size_t in_bytes = (size_t)c->count * (size_t)c->inputs * 8;
  size_t out_bytes = (size_t)c->count * (size_t)c->outputs * 8;
  if (c->texture.is_there)
    check(ptx_texture_make(&c->texture, back, d, &e), &e, "texture");
  uint64_t params[4] = {alloc(d, in_bytes), alloc(d, out_bytes),
                        c->texture.texture, c->texture.surface};
  check(back->copy_in(d, params[0], c->in, in_bytes, 0, &e), &e, "copy_in");
  struct gpu_launch l = {.function = kernel,
                         .grid = {1, 1, 1},
                         .block = {(uint32_t)c->count, 1, 1},
                         .params = params,
                         .param_bytes = sizeof params};
  check(back->launch(d, &l, &e), &e, path);
  enum err err = finish(d, &e);
  if (strcmp(err ? err_kind(err) : "", c->error) != 0)
    fail_msg("%s: ended with %s, want %s: %s", path, err_kind(err),
             c->error[0] ? c->error : "ok", err ? e.text : "");
  check(back->copy_out(d, got, params[1], out_bytes, 0, &e), &e, "copy_out");
  check(finish(d, &e), &e, "copy_out");
  compare(c, got);
  back->close(d);
  free(text);
  free(got);
  free(c);
}

// Rows that need no file here: they do nothing that a case could see, their
// effect ends the launch (tests/unit/vgpu_engine.c has those), or the parser
// refuses them (brx).
static bool is_seen_elsewhere(int op) {
  switch (op) {
  case PTX_OP_PREFETCH:
  case PTX_OP_PREFETCHU:
  case PTX_OP_PMEVENT:
  case PTX_OP_TRAP:
  case PTX_OP_BRKPT:
  case PTX_OP_NANOSLEEP:
  case PTX_OP_BRX: return true;
  default: return false;
  }
}

static void covers_every_row(void **state) {
  (void)state;
  int missing = 0;
  for (int op = 0; op < PTX_OP_COUNT; op++)
    if (!covered[op] && !is_seen_elsewhere(op)) {
      print_error("no file in tests/ptx covers %s\n", op_names[op]);
      missing++;
    }
  assert_int_equal(missing, 0);
}

int main(void) {
  glob_t files;
  char *folder = file_own("tests/ptx");
  char *pattern = xasprintf("%s/*.ptx", folder ? folder : "tests/ptx");
  if (glob(pattern, 0, NULL, &files) != 0)
    return 1;
  size_t count = files.gl_pathc;
  struct CMUnitTest *tests = xcalloc(count + 1, sizeof *tests);
  for (size_t i = 0; i < count; i++) {
    const char *slash = strrchr(files.gl_pathv[i], '/');
    tests[i] = (struct CMUnitTest){.name = slash ? slash + 1 : "",
                                   .test_func = run_file,
                                   .initial_state = files.gl_pathv[i]};
  }
  tests[count] = (struct CMUnitTest){.name = "every row has a file",
                                     .test_func = covers_every_row};
  int failed =
      _cmocka_run_group_tests("tests/ptx", tests, count + 1, NULL, NULL);
  free(tests);
  free(pattern);
  free(folder);
  globfree(&files);
  return failed;
}

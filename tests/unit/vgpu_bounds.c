// SPDX-License-Identifier: Apache-2.0
// Texts and launches that ask for too much: what is refused, and that the rest
// stays within bounds of memory and work.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/gpu.h"

#define HEAD         ".version 9.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(BODY) HEAD ".entry k()\n{\n" BODY "\nret;\n}\n"

enum { ANY = -1 }; // refused, in whatever words

static const struct gpu_backend *const back = &gpu_virtual_backend;
static struct gpu_device *device;
static struct err_info info;
static struct gpu_finding found[64];

static int set_up(void **state) {
  (void)state;
  struct gpu_options options = {.memory_bytes = 64 << 20};
  return back->open(0, &options, &device, &info) != ERR_OK;
}

// All that was tried took less than this; the largest text has 100 MB.
static int tear_down(void **state) {
  (void)state;
  struct rusage use;
  back->close(device);
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss / 1024 > 1500;
}

static enum err finish(void) {
  enum err err;
  while ((err = back->poll(device, GPU_ALL_STREAMS, &info)) == ERR_NOT_READY)
    ;
  return err;
}

static enum err load_bytes(const void *text, size_t bytes, gpu_handle *module) {
  info.text[0] = 0;
  return back->module_load(device, text, bytes, module, &info);
}

static void refuse_bytes(const void *text, size_t bytes, int kind,
                         const char *words) {
  gpu_handle module;
  enum err err = load_bytes(text, bytes, &module);
  bool is_kind = kind == ANY ? err != ERR_OK : (int)err == kind;
  if (!is_kind || !strstr(info.text, words))
    fail_msg("%s: %s; wanted %s with \"%s\"", err_kind(err), info.text,
             kind == ANY ? "an error" : err_kind((enum err)kind), words);
}

static void refuse(const char *text, int kind, const char *words) {
  refuse_bytes(text, strlen(text), kind, words);
}

// Loads and runs the text's kernel k; the failure, if any, is the answer.
static enum err run(const char *text, struct gpu_launch l) {
  gpu_handle module;
  uint64_t none = 0;
  if (load_bytes(text, strlen(text), &module))
    fail_msg("%s", info.text);
  assert_int_equal(
      back->function_get(device, module, "k", &l.function, NULL, &info),
      ERR_OK);
  l.params = &none;
  enum err err = back->launch(device, &l, &info);
  if (!err)
    err = finish();
  while (back->findings(device, found, 64) == 64)
    ;
  struct err_info e;
  assert_int_equal(back->module_unload(device, module, &e), ERR_OK);
  finish();
  return err;
}

#define LAUNCH(grid_x, block_x)                                                \
  (struct gpu_launch) {                                                        \
    .grid = {grid_x, 1, 1}, .block = { block_x, 1, 1 }                         \
  }

static void refuses_what_is_no_text(void **state) {
  (void)state;
  uint8_t *noise = xmalloc(1 << 20);
  uint32_t seed = 1;
  for (int i = 0; i < 1 << 20; i++)
    noise[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
  refuse("", ERR_COMPILE, ".version");
  refuse_bytes("\0\0\0", 3, ANY, "");
  refuse_bytes(noise, 1 << 20, ANY, "");
  memcpy(noise, HEAD, sizeof HEAD - 1);
  refuse_bytes(noise, 1 << 20, ANY, "");
  free(noise);
}

static void refuses_huge_texts(void **state) {
  (void)state;
  size_t bytes = 100000000;
  char *text = xmalloc(bytes);
  memset(text, '\n', bytes);
  memcpy(text, HEAD, sizeof HEAD - 1);
  refuse_bytes(text, bytes, ERR_UNSUPPORTED, "64 MiB");
  // What is just short enough is read to its end.
  memset(text + strlen(HEAD), ' ', bytes - strlen(HEAD));
  text[(64 << 20) - 1] = '}';
  refuse_bytes(text, 64 << 20, ANY, "");
  free(text);
}

static void refuses_sizes_that_wrap(void **state) {
  (void)state;
  refuse(KERNEL(".reg .b32 %r<4294967295>;"), ERR_UNSUPPORTED, "registers");
  refuse(HEAD ".global .b8 a[18446744073709551615];", ERR_NOMEM, "a");
  refuse(HEAD ".global .b64 a[4294967296][4294967296];", ERR_NOMEM, "a");
  refuse(HEAD ".global .b8 a[1099511627776];", ERR_NOMEM, "");
  refuse(HEAD ".global .align 3 .b8 a[4];", ERR_COMPILE, "alignment");
  refuse(HEAD ".global .align 9223372036854775808 .b8 a[4];", ERR_COMPILE,
         "alignment");
  refuse(HEAD ".shared .align 128 .b8 a[4294967295];", ERR_NOMEM, "");
  refuse(KERNEL(".local .align 16 .b8 a[4294967288];\n"
                ".local .align 16 .b8 b[4294967288];\n"
                ".local .align 16 .b8 c[4294967288];"),
         ERR_NOMEM, "");
  refuse(HEAD ".entry k(.param .b8 p[5000]) { ret; }", ERR_LAUNCH, "4096");
}

// Initialisers and braces inside each other: 10^5 levels, and no host stack.
static void refuses_deep_texts(void **state) {
  (void)state;
  static const char *const starts[] = {".global .b32 a[4] = ", ".entry k() "};
  for (int n = 0; n < 2; n++) {
    struct str s = STR_INIT;
    str_add(&s, HEAD);
    str_add(&s, starts[n]);
    for (int i = 0; i < 100000; i++)
      str_add(&s, "{");
    refuse_bytes(s.data, s.len, ERR_COMPILE,
                 n ? "inside each other" : "expected a number");
    str_free(&s);
  }
}

// 20000 functions and a kernel of 10^5 labels: what a table serves is not
// looked for one by one.
static void loads_many_names(void **state) {
  (void)state;
  struct str s = STR_INIT;
  str_add(&s, HEAD);
  for (int i = 0; i < 20000; i++)
    str_addf(&s, ".func f%d() { ret; }\n", i);
  str_add(&s, ".entry k()\n{\n");
  for (int i = 0; i < 100000; i++)
    str_addf(&s, "L%d: bra.uni M%d;\nM%d:\n", i, i, i);
  str_add(&s, "ret;\n}\n");
  assert_int_equal(run(s.data, LAUNCH(1, 32)), ERR_OK);
  str_free(&s);
}

// Each warp's frame has a row for every register.
static void bounds_registers(void **state) {
  (void)state;
  const char *text = KERNEL(".reg .b64 %r<1000000>;\nmov.u64 %r999999, 1;");
  refuse(text, ERR_UNSUPPORTED, "registers");
  // As many as are taken, in as many threads; and in calls without an end.
  assert_int_equal(run(KERNEL(".reg .b64 %r<20000>;\nmov.u64 %r19999, 1;"),
                       LAUNCH(200, 256)),
                   ERR_OK);
  assert_int_equal(run(HEAD ".func f() {\n.reg .b64 %r<20000>;\n"
                            "mov.u64 %r19999, 1;\ncall f;\nret;\n}\n"
                            ".entry k() {\ncall f;\nret;\n}\n",
                       LAUNCH(200, 256)),
                   ERR_OUT_OF_BOUNDS);
}

static void ends_the_largest_grids(void **state) {
  (void)state;
  struct gpu_launch l = LAUNCH(2147483647, 1024);
  l.grid_budget = 1 << 26;
  enum err err = run(KERNEL(""), l);
  assert_true(err == ERR_OK || err == ERR_TIMEOUT);
  l = LAUNCH(2147483647, 1);
  l.grid_budget = 1 << 24;
  err = run(KERNEL("bar.sync 0;"), l);
  assert_true(err == ERR_OK || err == ERR_TIMEOUT);
}

// Ten thousand mistakes in as many lines: findings have an end.
static void bounds_findings(void **state) {
  (void)state;
  struct str s = STR_INIT;
  str_add(&s, HEAD ".file 1 \"k.cu\"\n.entry k()\n{\n.reg .b64 %a;\n"
                   "mov.u64 %a, 64;\n");
  for (int i = 1; i <= 10000; i++)
    str_addf(&s, ".loc 1 %d 1\nst.global.u32 [%%a], 1;\n", i);
  str_add(&s, "ret;\n}\n");
  gpu_handle module;
  struct gpu_launch l = LAUNCH(4, 64);
  uint64_t none = 0;
  int count = 0, more;
  if (load_bytes(s.data, s.len, &module))
    fail_msg("%s", info.text);
  assert_int_equal(
      back->function_get(device, module, "k", &l.function, NULL, &info),
      ERR_OK);
  l.params = &none;
  assert_int_equal(back->launch(device, &l, &info), ERR_OK);
  assert_int_equal(finish(), ERR_OUT_OF_BOUNDS);
  while ((more = back->findings(device, found, 64)) > 0)
    count += more;
  assert_in_range(count, 1, 1024);
  str_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_what_is_no_text),
      cmocka_unit_test(refuses_huge_texts),
      cmocka_unit_test(refuses_sizes_that_wrap),
      cmocka_unit_test(refuses_deep_texts),
      cmocka_unit_test(loads_many_names),
      cmocka_unit_test(bounds_registers),
      cmocka_unit_test(ends_the_largest_grids),
      cmocka_unit_test(bounds_findings),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: Apache-2.0
// The short PTX texts of tests/ptx/texts.txt: which are loaded and what they
// compute, which are not there, and which are refused; and that ptxas, where
// there is one, accepts and refuses the same.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/vgpu_fixture.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define BEGIN                                                                  \
  "\n.visible .entry k(.param .u64 out) {\n.reg .pred %p<4>; .reg .b32 %r<9>;" \
  " .reg .b64 %rd<9>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b16 %h<4>;\n"    \
  "ld.param.u64 %rd0, [out];\nmov.u32 %r0, 0; mov.u32 %r1, 0;\n"
#define END "\nst.global.u32 [%rd0], %r0;\nret;\n}\n"

enum { WHAT, DECLARATIONS, CODE, PARTS };
enum { MAX_CASES = 1000 };

static struct text {
  char *part[PARTS];
  char *ptx;
} texts[MAX_CASES];
static int text_count;

// "\n" of the file becomes a new line.
static void break_lines(char *s) {
  char *out = s;
  for (; *s; s++)
    if (s[0] == '\\' && s[1] == 'n') {
      *out++ = '\n';
      s++;
    } else {
      *out++ = *s;
    }
  *out = 0;
}

static void read_case(char *line) {
  struct text *t = &texts[text_count++];
  assert_true(text_count < MAX_CASES);
  for (int n = 0; n < PARTS; n++) {
    char *end = strstr(line, " || ");
    t->part[n] = line;
    if ((n < PARTS - 1) != !!end)
      fail_msg("three parts: %s", line);
    if (end)
      *end = 0, line = end + 4;
  }
  break_lines(t->part[DECLARATIONS]);
  break_lines(t->part[CODE]);
  t->ptx = xasprintf("%s%s%s%s%s", HEAD, t->part[DECLARATIONS], BEGIN,
                     t->part[CODE], END);
}

static char *all;

static int open_all(void **state) {
  char *path = file_own("tests/ptx/texts.txt"), *rest, *line;
  size_t bytes;
  ok(file_read(path, 1 << 20, &all, &bytes, &info));
  free(path);
  for (rest = all; (line = strsep(&rest, "\n"));)
    if (*line && *line != '#')
      read_case(line);
  (void)state;
  return open_device();
}

static int close_all(void **state) {
  for (int i = 0; i < text_count; i++)
    free(texts[i].ptx);
  free(all);
  return tear_down(state);
}

static uint32_t compute(gpu_handle loaded) {
  static const uint32_t zeros[16];
  gpu_ptr out = upload(zeros, sizeof zeros);
  struct gpu_launch l = {.grid = {1, 1, 1},
                         .block = {1, 1, 1},
                         .params = &out,
                         .param_bytes = sizeof out};
  uint32_t got = 0;
  ok(back->function_get(device, loaded, "k", &l.function, NULL, &info));
  ok(back->launch(device, &l, &info));
  ok(finish());
  ok(back->copy_out(device, &got, out, sizeof got, 0, &info));
  ok(finish());
  ok(back->mem_free(device, out, &info));
  return got;
}

// NULL, or what is wrong.
static char *judge(const struct text *t) {
  const char *what = t->part[WHAT], *words = strchr(what, ' ') + 1;
  gpu_handle loaded;
  info = (struct err_info){0};
  enum err err =
      back->module_load(device, t->ptx, strlen(t->ptx), &loaded, &info);
  enum err want = *what == '='   ? ERR_OK
                  : *what == 'u' ? ERR_UNSUPPORTED
                                 : ERR_COMPILE;
  if (err != want || (err && !strstr(info.text, words)))
    return xasprintf("%s: %s", err_kind(err), info.text);
  if (err)
    return NULL;
  uint32_t got = compute(loaded), number = (uint32_t)strtoul(words, NULL, 0);
  ok(back->module_unload(device, loaded, &info));
  return got == number ? NULL : xasprintf("0x%x", got);
}

static void says_what_comes_of_each(void **state) {
  int wrong = 0;
  (void)state;
  assert_true(text_count > 100);
  for (int i = 0; i < text_count; i++) {
    char *why = judge(&texts[i]);
    wrong += !!why;
    if (why)
      print_error("%s || %s || %s\n  -> %s\n", texts[i].part[WHAT],
                  texts[i].part[DECLARATIONS], texts[i].part[CODE], why);
    free(why);
  }
  assert_int_equal(wrong, 0);
}

static bool assembles(const char *ptx) {
  FILE *f = popen("ptxas -arch=sm_80 -o /dev/null /dev/stdin 2>/dev/null", "w");
  assert_non_null(f);
  fputs(ptx, f);
  return pclose(f) == 0;
}

static void agrees_with_ptxas(void **state) {
  int wrong = 0;
  (void)state;
  if (system("ptxas --version 2>/dev/null | grep -q 'release 1[3-9]'"))
    skip();
  for (int i = 0; i < text_count; i++) {
    bool is_refused = *texts[i].part[WHAT] == 'r';
    if (assembles(texts[i].ptx) != is_refused)
      continue;
    wrong++;
    print_error("ptxas does not agree: %s || %s || %s\n", texts[i].part[WHAT],
                texts[i].part[DECLARATIONS], texts[i].part[CODE]);
  }
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(says_what_comes_of_each),
      cmocka_unit_test(agrees_with_ptxas),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}

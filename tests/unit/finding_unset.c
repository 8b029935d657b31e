// SPDX-License-Identifier: Apache-2.0
// gpu/finding/finding_unset.c: numbers that a function only updates; and all that may
// get its value in some other way, of which nothing is said.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/finding/finding.h"
#include "gpu/finding/finding_unset.h"

#define K(body)                                                                \
  "__global__ void k(const float *a, float *out, int n) {\n  int i = "         \
  "threadIdx.x;\n" body "\n}\n"

static const struct {
  const char *source, *name, *start;
  int line, declared;
} found[] = {
    {K("  float sum;\n  for (int j = 0; j < n; j++) sum += a[i + j];\n"
       "  out[i] = sum;"),
     "sum", "0", 4, 3},
    {K("  float s, b = a[i], *p; s -= b; p = out; p[i] = s;"), "s", "0", 3, 3},
    {K("  float b = a[i], s; s += b; out[i] = s;"), "s", "0", 3, 3},
    {K("  float p;\n  for (int j = 0; j < n; j++)\n    p *= a[i + j];\n"
       "  out[i] = p;"),
     "p", "1", 5, 3},
    {K("  float s;\n  s += a[i];\n  s *= 2;\n  out[i] = s;"), "s", NULL, 4, 3},
    {K("  int c;\n  if (a[i] > 0)\n    c++;\n  out[i] = c;"), "c", "0", 5, 3},
    {K("  int c;\n  if (a[i] > 0)\n    ++c;\n  out[i] = (float)c;"), "c", "0",
     5, 3},
    {K("  int j;\n  while (j < n) {\n    out[i] += a[j];\n    j++;\n  }"), "j",
     "0", 6, 3},
    {K("  int j;\n  while (j < n)\n    out[i] += a[j++];"), "j", "0", 5, 3},
    {K("  float s;\n  s = s + a[i];\n  out[i] = s;"), "s", "0", 4, 3},
    {K("  float m;\n  m = fmaxf(m, a[i]);\n  out[i] = m;"), "m", NULL, 4, 3},
    {K("  unsigned long long bits;\n  bits |= 1;\n  out[i] = max(bits, 3);"),
     "bits", "0", 4, 3},
    {"__device__ float f(const float *a) {\n  float s;\n"
     "  for (int j = 0; j < 4; j++) { s += a[j]; }\n  return s;\n}\n",
     "s", "0", 3, 2},
    {"#ifndef N\n#define N 4\n#endif\nstruct acc { float s, t; };\n" K(
         "  float s; acc q;\n  q.s = 0;\n  s += q.t;\n#pragma unroll\n"
         "  for (int j = 0; j < N; j++) s += a[j];\n  out[i] = s; // s = 0"),
     "s", "0", 9, 7},
    {K("  float s;\n  if (i < n && a[i] > 0) s += a[i] * (i & 1);\n"
       "  if (a[i] && s > 0) atomicAdd(out, s);"),
     "s", "0", 4, 3},
    {K("  acc *q = (acc *)out;\n  float s;\n  q->s = 0;\n  s += a[i];\n"
       "  out[i] = s;"),
     "s", "0", 6, 4},
    {"template <class T> __device__ void f(T *out) {\n  int c;\n  c++;\n"
     "  *out = c;\n}\n",
     "c", "0", 3, 2},
};

static void only_updated(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
    struct finding_unset u;
    if (finding_find_unset(found[i].source, &u, 1) != 1)
      fail_msg("nothing found in\n%s", found[i].source);
    assert_string_equal(u.name, found[i].name);
    assert_int_equal(u.line, found[i].line);
    assert_int_equal(u.declared, found[i].declared);
    if (found[i].start)
      assert_string_equal(u.start, found[i].start);
    else
      assert_null(u.start);
  }
}

static const char *const nothing[] = {
    K("  float s = 0;\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  s = 0;\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  if (i) s = 0; else s = 1;\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  for (s = 0; s < n;) s += a[i];\n  out[i] = s;"),
    K("  float s;\n  zero(s);\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  zero(i, s);\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  zero<float>(s);\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  zero((s));\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  zero(++s); out[i] = s;"),
    K("  float s;\n  zero(&s);\n  s += a[i]; out[i] = s;"),
    K("  float s, *p = &s;\n  *p = 1;\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  float &r = s;\n  r = 0;\n  s += a[i]; out[i] = s;"),
    K("  float s, t = 0;\n  float &r = i ? s : t;\n  r = 0;\n"
      "  s += a[i]; out[i] = s;"),
    K("  float s;\n  float &r(s);\n  r = 0;\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  auto f = [&] { s = 0; };\n  f(); s += a[i]; out[i] = s;"),
    K("  float s;\n  auto f = [&]() { zero(); };\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  asm(\"mov.f32 %0, 0;\" : \"=f\"(s));\n"
      "  s += a[i]; out[i] = s;"),
    K("  float s;\n  s *= 0;\n  s += a[i]; out[i] = s;"),
    K("  int s;\n  s &= 0;\n  s += 1; out[i] = s;"),
    K("  int s;\n  s ^= s;\n  s += 1; out[i] = s;"),
    K("  int s;\n  s -= s;\n  s += 1; out[i] = s;"),
    K("  int s;\n  s = s * 0;\n  s += 1; out[i] = s;"),
    K("  int s;\n  s = i ? s + 1 : 0;\n  out[i] = s;"),
    K("  float s;\n  s += a[i];"), // nobody reads it
    K("  float s;\n  s += a[i]; (void)s;"),
    K("  float s[4];\n  s[0] += a[i]; out[i] = s[0];"),
    K("  float2 s;\n  s.x += a[i]; out[i] = s.x;"),
    K("  static float s;\n  s += a[i]; out[i] = s;"),
    K("  __shared__ float s;\n  s += a[i]; out[i] = s;"),
    K("  real s;\n  s += a[i]; out[i] = s;"),
    K("  float s{};\n  s += a[i]; out[i] = s;"),
    K("  float s(0);\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  { float s = 0; s += a[i]; out[i] = s; }"),
    K("  float s;\n  { float t = 0, s = t; s += a[i]; out[i] = s; }"),
    K("  float s;\n  std::cin >> s;\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  (s) = 0;\n  s += a[i]; out[i] = s;"),
    K("#if 0\n  float s;\n  s += a[i]; out[i] = s;\n#endif"),
    K("  float s;\n#include \"zero.h\"\n  s += a[i]; out[i] = s;"),
    K("  // float s;\n  /* float s; s += 1; out[i] = s; */"),
    "#define ZERO s = 0\n" K("  float s;\n  ZERO;\n  s += a[i]; out[i] = s;"),
    "#define SET(v) s##v = 0\n" K(
        "  float s1;\n  SET(1);\n  s1 += a[i]; out[i] = s1;"),
    "#define max(v, w) v = w\n" K(
        "  float s;\n  max(s, 0);\n  s += a[i]; out[i] = s;"),
    "__device__ void max(float &v, float w) { v = w; }\n" K(
        "  float s;\n  max(s, 0);\n  s += a[i]; out[i] = s;"),
    "struct acc {\n  float s;\n  __device__ void add(float x) { s += x; }\n"
    "  __device__ float get() { return s; }\n};\n",
    "__device__ float s;\n" K("  s += a[i]; out[i] = s;"),
    K("  float s;\n  std::cin >> s >> n;\n  s += a[i]; out[i] = s;"),
    K("  float s;\n  { own<float> s; s += a[i]; out[i] = s; }"),
    K("  float s;\n  { real s; s += a[i]; out[i] = s; }"),
    K("  int s;\n  { int *s; s++; out[i] = *s; }"),
    K("  float s;\n  { real t, s; s += a[i]; out[i] = s; }"),
    "#if 0\n" K("  float s;\n  s += a[i]; out[i] = s;") "#endif\n",
    K("  float s;\n  f(R\"(\")\"); s = 0; //\"\n  s += a[i]; out[i] = s;"),
    K("  int s;\n  s = max(i ? s : 0, 1);\n  out[i] = s;"),
    K("  int s;\n  s &= n - n;\n  s += 1; out[i] = s;"),
    "",
    "{",
    "}",
    "float",
    "__global__ void k() { float s",
    "\\",
    "#",
};

static void what_may_be_meant(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
    struct finding_unset u;
    if (finding_find_unset(nothing[i], &u, 1))
      fail_msg("%s is said to have no value in\n%s", u.name, nothing[i]);
  }
}

// ---- The line of a finding ----

static const struct {
  const char *source;
  int line;
  const char *name; // NULL: nobody knows
} lines[] = {
    {K("  float s;\n  for (int j = 0; j < n; j++)\n    s += a[j];\n"
       "  out[i] = s;"),
     5, "s"},
    {K("  float m;\n  for (int j = 0; j < n; j++)\n    if (a[j] > m) m = "
       "a[j];\n"
       "  out[i] = m;"),
     5, "m"},
    {K("  float s;\n  out[i] = s;"), 4, "s"},
    {K("  float s, t;\n  s += 1; t += 1;\n  out[i] = s + t;"), 4, NULL},
    {K("  float s, t;\n  s += 1; t += 1;\n  out[i] = s;"), 5, "s"},
    {K("  float s;\n  if (n) s = 1;\n  out[i] = s;"), 5, NULL},
    {K("  float m;\n  for (int j = 0; j < n; j++)\n"
       "    if (j == 0 || a[j] > m) m = a[j];\n  out[i] = m;"),
     5, NULL},
    {K("  float m;\n  for (int j = 0; j < n; j++) {\n    if (j) out[i] = m;\n"
       "    m = a[j];\n  }"),
     5, NULL},
    {K("  float s;\n  s += a[i];\n  out[i] = s;"), 3, NULL},
};

static void the_line_of_a_finding(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct finding_unset u;
    bool is_known = finding_find_unset_at(lines[i].source, lines[i].line, &u);
    if (is_known != (lines[i].name != NULL))
      fail_msg("%s in line %d of\n%s", is_known ? u.name : "nothing",
               lines[i].line, lines[i].source);
    if (is_known)
      assert_string_equal(u.name, lines[i].name);
  }
}

// Whatever stands there, the text is read to its end and no further.
static void no_text_is_too_odd(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof found / sizeof *found; i++)
    for (size_t n = strlen(found[i].source); n--;) {
      struct finding_unset u[2];
      char *cut = xstrndup(found[i].source, n);
      finding_find_unset(cut, u, 2);
      finding_find_unset_at(cut, 4, u);
      finding_find_unset(found[i].source + n, u, 2);
      free(cut);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_updated),
      cmocka_unit_test(what_may_be_meant),
      cmocka_unit_test(the_line_of_a_finding),
      cmocka_unit_test(no_text_is_too_odd),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// What is found out of a kernel before code is made for it, and what is refused then.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/vgpu/tier/tier_plan.h"

// A kernel of two arrays and a number, with that body, planned for 32 threads.
struct planned {
  struct ptx_module *module;
  struct tier_plan *plan;
};

static struct planned plan_for(const char *body, bool is_checked) {
  static const struct tier_decoded none[64];
  struct planned x = {0};
  struct err_info e = {0};
  static const uint32_t shape[3] = {32, 1, 1};
  char *text =
      xasprintf(".version 8.0\n.target sm_80\n.address_size 64\n"
                ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u32 "
                "n) {\n.reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .pred %%q;\n"
                ".shared .align 8 .b8 s[256];\n%s\nret;\n}\n",
                body);
  if (ptx_parse(text, strlen(text), &x.module, &e))
    fail_msg("%s: %s", body, e.text);
  free(text);
  x.plan =
      tier_plan_new(x.module->funcs[0], shape, 0, is_checked ? none : NULL);
  return x;
}

static struct planned plan(const char *body) {
  return plan_for(body, false);
}

static void end(struct planned *x) {
  tier_plan_free(x->plan);
  ptx_free(x->module);
}

static void takes(const char *body) {
  struct planned x = plan(body);
  if (x.plan->refusal[0])
    fail_msg("%s: is refused: %s", body, x.plan->refusal);
  end(&x);
}

static void refuses(const char *body, const char *why) {
  struct planned x = plan(body);
  if (!strstr(x.plan->refusal, why))
    fail_msg("%s: \"%s\" does not say \"%s\"", body, x.plan->refusal, why);
  end(&x);
}

// ---- Parameters ----

static void test_parameters(void **state) {
  (void)state;
  takes("ld.param.u64 %rd0, [p1];");
  takes("ld.param.u32 %r0, [p0+4];");
  takes("ld.param.v2.u64 {%rd0, %rd1}, [p0];");
  takes("ld.param.u32 %r0, [n];");
  static const char why[] = "ld with a place that no parameter has";
  refuses("ld.param.u32 %r0, [p0+1000000];", why);
  refuses("ld.param.u32 %r0, [p0+-4];", why);
  refuses("ld.param.u32 %r0, [n+4];", why);
  refuses("ld.param.u64 %rd0, [n];", why);
  refuses("ld.param.u64 %rd0, [p0+4];", why);
  refuses("ld.param.v2.u64 {%rd0, %rd1}, [p1];", why);
}

// ---- Rows ----

// What the last instruction makes.
static struct tier_value value_of(const char *body) {
  struct planned x = plan(body);
  const struct ptx_func *f = x.module->funcs[0];
  int n = f->code_count - 1;
  while (!ptx_has_destination(&f->code[n]))
    n--;
  int reg = f->code[n].operands[0].reg;
  struct tier_value v = x.plan->registers[reg].v;
  end(&x);
  return v;
}

// 32 lanes of a row span less than 2^31, whatever made it.
static void test_rows(void **state) {
  (void)state;
#define TID "mov.u32 %r0, %tid.x; "
  struct tier_value v = value_of(TID "mul.lo.u32 %r1, %r0, 65536;");
  assert_int_equal(v.kind, TIER_ROW);
  assert_int_equal(v.stride, 65536);
  v = value_of(TID "mul.lo.u32 %r1, %r0, 32768; mul.lo.u32 %r2, %r1, 2048;");
  assert_int_equal(v.kind, TIER_ROW); // 31 * 2^26 < 2^31
  v = value_of(TID "mul.lo.u32 %r1, %r0, 32768; mul.lo.u32 %r2, %r1, 4096;");
  assert_int_equal(v.kind, TIER_VARYING);
  v = value_of(TID "shl.b32 %r1, %r0, 15; shl.b32 %r2, %r1, 15;");
  assert_int_equal(v.kind, TIER_VARYING);
  v = value_of(TID "shl.b32 %r1, %r0, 15; mul.lo.s32 %r2, %r1, -4096;");
  assert_int_equal(v.kind, TIER_VARYING);
}

// ---- Multiples ----

// How often 2 divides what the last instruction makes, in every lane.
static int align_of(const char *body) {
  return value_of(body).align;
}

static void test_multiples(void **state) {
  (void)state;
#define IN "ld.param.u64 %rd0, [p0]; ld.param.u32 %r7, [n]; " TID
  assert_int_equal(align_of(TID "mul.lo.u32 %r1, %r0, 12;"), 2);
  assert_int_equal(align_of(TID "shl.b32 %r1, %r0, 3;"), 3);
  assert_int_equal(align_of(TID "mul.lo.u32 %r1, %r0, %r0;"), 0);
  assert_int_equal(align_of(TID "mul.hi.u32 %r1, %r0, 65536;"), 0);
  assert_int_equal(align_of(TID "shl.b32 %r1, %r0, 3; add.u32 %r2, %r1, 4;"),
                   2);
  assert_int_equal(align_of(TID "mad.lo.u32 %r1, %r0, 8, 2;"), 1);
  assert_int_equal(align_of(TID "mul.wide.u32 %rd1, %r0, 4;"), 2);
  assert_int_equal(align_of("mov.u32 %r1, s; add.u32 %r2, %r1, 8;"), 3);
  // Bits of floats are no numbers.
  assert_int_equal(align_of(TID "mov.u32 %r1, 0; add.f32 %r2, %r1, %r1;"), 0);
  assert_int_equal(align_of("mov.u32 %r1, 16; cvt.rn.f32.u32 %r2, %r1;"), 0);
  // Of addresses, beyond the parameter.
  assert_int_equal(align_of(IN "mul.wide.u32 %rd1, %r7, 4; "
                               "add.u64 %rd2, %rd0, %rd1;"),
                   2);
  assert_int_equal(align_of(IN "cvt.u64.u32 %rd1, %r7; "
                               "add.u64 %rd2, %rd0, %rd1;"),
                   0);
  assert_int_equal(align_of(IN "mul.wide.u32 %rd1, %r7, 4; "
                               "sub.u64 %rd2, %rd1, %rd0;"),
                   0);
  // An address as a number.
  assert_int_equal(align_of(IN "shl.b64 %rd1, %rd0, 1;"), 1);
  assert_int_equal(align_of(IN "cvt.u32.u64 %r1, %rd0;"), 0);
  // The least of all that a register gets.
  assert_int_equal(align_of(IN "more: add.u64 %rd0, %rd0, 4; "
                               "setp.lt.u32 %q, %r7, 9; @%q bra more; "
                               "add.u64 %rd1, %rd0, 16;"),
                   2);
}

// ---- Ways that lanes go ----

// May the interpreter run the blocks of a checked launch more often?
static bool may_part(const char *body) {
  struct planned x = plan_for(body, true);
  if (x.plan->refusal[0])
    fail_msg("%s: is refused: %s", body, x.plan->refusal);
  bool parts = x.plan->parts;
  end(&x);
  return parts;
}

#define IF "setp.lt.u32 %q, %r0, 9; @%q bra "

static void test_ways(void **state) {
  (void)state;
  assert_false(may_part(TID IF "on; mov.u32 %r1, 1; on: mov.u32 %r2, 2;"));
  assert_false(may_part(TID IF "yes; mov.u32 %r1, 1; bra on; "
                               "yes: mov.u32 %r1, 2; on: mov.u32 %r2, 2;"));
  assert_false(may_part(TID "more: add.u32 %r0, %r0, 1; " IF "more;"));
  assert_false(may_part(TID IF "end; mov.u32 %r1, 1; end: ret;"));
  // Lanes that leave on the way meet nobody, so the others meet before the end.
  assert_false(may_part(TID IF "no; " IF "end; mov.u32 %r1, 1; bra on; "
                               "no: mov.u32 %r1, 2; on: mov.u32 %r2, 2; "
                               "end: ret;"));
  // One of the ways may never come to where they would meet.
  assert_true(may_part(TID "mov.u32 %r1, %ctaid.x; " IF
                           "no; setp.lt.u32 %q, %r1, 9; @%q bra on; "
                           "round: bra round; "
                           "no: mov.u32 %r1, 2; on: mov.u32 %r2, 2;"));
  // Out of the middle of a loop, straight on; and by another loop.
  assert_false(may_part(TID "more: add.u32 %r0, %r0, 1; " IF "out; " IF
                            "more; bra on; out: mov.u32 %r1, 1; "
                            "on: mov.u32 %r2, 2;"));
  assert_true(may_part(TID "more: add.u32 %r0, %r0, 1; " IF "out; " IF
                           "more; bra on; out: add.u32 %r0, %r0, 1; " IF "out; "
                           "on: mov.u32 %r2, 2;"));
  // Two ways to what one of them skips.
  assert_true(may_part(TID IF "no; " IF "no; mov.u32 %r1, 1; bra on; "
                              "no: mov.u32 %r1, 2; on: mov.u32 %r2, 2;"));
  // Where they meet lies before them.
  assert_true(may_part(TID "bra first; on: mov.u32 %r2, 2; ret; first: " IF
                           "yes; mov.u32 %r1, 1; bra on; "
                           "yes: mov.u32 %r1, 2; bra on;"));
}

// ---- Atomics ----

#define ARRAYS "ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; " TID
#define SHARED "mov.u32 %r1, s; " TID

static void test_atomics(void **state) {
  (void)state;
  takes(ARRAYS "red.global.add.u32 [%rd0], %r0; red.global.add.u32 [%rd0], 1;");
  takes(ARRAYS "red.global.add.u32 [%rd0], %r0; red.global.max.u32 [%rd1], 1;");
  takes(SHARED "red.shared.or.b32 [%r1], %r0; red.shared.or.b32 [%r1+4], 1;");
  static const char why[] = "another kind before, and their order shows";
  refuses(ARRAYS "red.global.add.u32 [%rd0], 1; red.global.max.u32 [%rd0], 9;",
          why);
  refuses(ARRAYS "red.global.min.u32 [%rd0], 1; red.global.min.s32 [%rd0], 9;",
          why);
  refuses(ARRAYS "red.global.add.u32 [%rd0], 1; red.global.add.u64 [%rd0], 9;",
          why);
  refuses(SHARED "red.shared.and.b32 [%r1], 1; red.shared.or.b32 [%r1+4], 9;",
          why);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parameters), cmocka_unit_test(test_rows),
      cmocka_unit_test(test_multiples), cmocka_unit_test(test_ways),
      cmocka_unit_test(test_atomics)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Small kernels and what is found in each: divisions by zero, sleeps, barriers that
// threads go past, launches that never end, undefined bits; beside each, what is much
// like it and right.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vgpu_fixture.h"

// %p: words of global memory, all 0; %a: the thread's own; %z: a 0 that is loaded;
// %u: nothing wrote it.
static const char kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .b64 %%p, %%a, %%c;\n.reg .b32 %%t, %%z, %%u, %%r<8>;\n"
    ".reg .pred %%q<4>;\n"
    "ld.param.u64 %%p, [out];\nmov.u32 %%t, %%tid.x;\n"
    "mul.wide.u32 %%a, %%t, 4;\nadd.u64 %%a, %%p, %%a;\n"
    "ld.volatile.global.u32 %%z, [%%p+512];\nmov.u32 %%r0, 0;\n"
    "%s"
    "ret;\n}\n";

enum { NOTHING = -1 };

static char said[400]; // of what is found first

// The kind that is found first, and how severe it is.
static void expect(const char *body, enum err wanted, int severity) {
  static const uint32_t zeros[256];
  struct gpu_finding found[4];
  char text[3000];
  snprintf(text, sizeof text, kernel, body);
  open_device();
  ok(back->module_load(device, text, strlen(text), &module, &info));
  gpu_ptr out = upload(zeros, sizeof zeros);
  struct gpu_launch l = {.grid = {1, 1, 1},
                         .block = {64, 1, 1},
                         .budget = 10000000,
                         .grid_budget = 20000000,
                         .params = &out,
                         .param_bytes = sizeof out};
  ok(back->function_get(device, module, "k", &l.function, NULL, &info));
  ok(back->launch(device, &l, &info));
  enum err err = finish();
  int count = back->findings(device, found, 4);
  int got = count ? (int)found[0].severity : NOTHING;
  snprintf(said, sizeof said, "%s", count ? found[0].text : "");
  if (got != severity || err != (severity == GPU_ERROR ? wanted : ERR_OK) ||
      (count && found[0].kind != (int32_t)wanted))
    fail_msg("%s%s, %d found: %s %s", body, err_kind(err), count,
             count ? err_kind(found[0].kind) : "", count ? found[0].text : "");
  tear_down(NULL);
}

#define KEEP(r) "st.global.u32 [%a], " r ";\n"

static void divisions(void **state) {
  (void)state;
  expect("div.u32 %r1, %t, %z;\n" KEEP("%r1"), ERR_DIVISION, GPU_WARNING);
  expect("rem.s32 %r1, %t, %z;\n" KEEP("%r1"), ERR_DIVISION, GPU_WARNING);
  expect("or.b32 %r2, %z, 4;\ndiv.u32 %r1, %t, %r2;\n" KEEP("%r1"),
         ERR_DIVISION, NOTHING);
  // Rounds of a loop that is unrolled: the quotient plus 1, its low bits, and
  // whether there are four.
#define ROUNDS                                                                 \
  "div.u32 %r1, %t, %z;\nadd.u32 %r2, %r1, 1;\nand.b32 %r3, %r2, 3;\n"         \
  "setp.lt.u32 %q0, %r1, 3;\nselp.u32 %r4, %r3, 9, %q0;\n"
  expect(ROUNDS KEEP("%r4"), ERR_DIVISION, NOTHING);
  expect(ROUNDS KEEP("%r1"), ERR_DIVISION, GPU_WARNING);
}

static void sleeps(void **state) {
  (void)state;
  expect("nanosleep.u32 1000000;\n", ERR_SLEEP, NOTHING);
  expect("nanosleep.u32 1000001;\n", ERR_SLEEP, GPU_NOTE);
}

static void barriers(void **state) {
  (void)state;
#define HALF "setp.ge.u32 %q0, %t, 32;\n"
  expect(HALF "@%q0 bra past;\nbar.sync 0;\npast:\n" KEEP("%t"), ERR_BARRIER,
         GPU_ERROR);
  expect(HALF "@%q0 exit;\nbar.sync 0;\n" KEEP("%t"), ERR_BARRIER, NOTHING);
  // Of those that take the other way, some may leave.
  expect(HALF "@%q0 bra other;\nbar.sync 0;\nbra meet;\nother:\n"
              "@%q0 exit;\nmeet:\n" KEEP("%t"),
         ERR_BARRIER, NOTHING);
}

// One barrier at several places, each of which says for how many threads it is.
static void counts_of_threads(void **state) {
  (void)state;
#define MEET(here, there)                                                      \
  HALF "@%q0 bra other;\n" here "bra meet;\nother:\n" there "meet:\n"
  expect(MEET("bar.sync 1, 32;\n", "bar.sync 1, 64;\n") KEEP("%t"), ERR_BARRIER,
         GPU_ERROR);
  assert_non_null(strstr(said, "do not agree how many threads"));
  expect(MEET("bar.sync 1, 64;\n", "bar.sync 1, 64;\n") KEEP("%t"), ERR_BARRIER,
         NOTHING);
  // All of the block are 64.
  expect(MEET("bar.sync 1;\n", "bar.sync 1, 64;\n") KEEP("%t"), ERR_BARRIER,
         NOTHING);
}

// Threads of a warp that wait for each other, at the same instruction or at two.
static void waits_in_a_warp(void **state) {
  (void)state;
#define APART(here, there)                                                     \
  "and.b32 %r1, %t, 31;\nsetp.lt.u32 %q0, %r1, 16;\n@%q0 bra other;\n" here    \
  "bra meet;\nother:\n" there "meet:\n" KEEP("%t")
#define SYNC "bar.warp.sync -1;\n"
  expect(APART(SYNC, SYNC), ERR_BARRIER, NOTHING);
  // Those that wait for the whole block have not come.
  expect(APART("bar.sync 0;\n", SYNC "bar.sync 0;\n"), ERR_BARRIER, GPU_ERROR);
  assert_non_null(strstr(said, "threads of this warp that never come here"));
  expect(APART("bar.sync 0;\n", "bar.sync 0;\n"), ERR_BARRIER, GPU_ERROR);
  assert_non_null(strstr(said, "wait at two different barriers"));
  // Without .aligned the threads of a warp come each from where they are.
  expect(APART("barrier.sync 0;\n", "barrier.sync 0;\n"), ERR_BARRIER, NOTHING);
}

// What goes around and changes something comes to an end, sooner or later.
static void ends(void **state) {
  (void)state;
  expect("l:\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %q0, %r0, 100000;\n"
         "@%q0 bra l;\n",
         ERR_TIMEOUT, NOTHING);
  expect("setp.ne.u32 %q1, %t, 0;\n@%q1 exit;\n"
         "l:\nld.volatile.global.u32 %r0, [%p];\nadd.u32 %r0, %r0, 1;\n"
         "st.volatile.global.u32 [%p], %r0;\nsetp.lt.u32 %q0, %r0, 100000;\n"
         "mov.u32 %r0, 0;\n@%q0 bra l;\n",
         ERR_DEADLOCK, NOTHING);
  expect("l:\nmov.u64 %c, %clock64;\nsetp.lt.u64 %q0, %c, 500000;\n"
         "mov.u64 %c, 0;\n@%q0 bra l;\n",
         ERR_TIMEOUT, NOTHING);
}

// Some take a branch that leads where the others go on.
static void both_ways_are_one(void **state) {
  (void)state;
  expect("setp.lt.u32 %q0, %t, 7;\n@%q0 bra e;\ne:\n" KEEP("%t"), ERR_OK,
         NOTHING);
}

static void never_ends(void **state) {
  (void)state;
  expect("l:\nld.volatile.global.u32 %r0, [%p];\nsetp.eq.u32 %q0, %r0, 0;\n"
         "@%q0 bra l;\n",
         ERR_DEADLOCK, GPU_ERROR);
  expect("l:\nsetp.eq.u32 %q0, %z, 0;\n@%q0 bra l;\n", ERR_TIMEOUT, GPU_ERROR);
  assert_non_null(strstr(said, "each round of this loop leaves everything as"));
  // The upper half of a clock changes at last, which nobody waits for.
  expect("l:\nmov.u32 %r0, %clock_hi;\nsetp.eq.u32 %q0, %r0, 0;\n@%q0 bra l;\n",
         ERR_TIMEOUT, GPU_ERROR);
  assert_null(strstr(said, "each round"));
  // Nor is all as it was where no register shows what changed.
  expect("l:\nred.global.add.u32 [%p], 1;\nbra l;\n", ERR_TIMEOUT, GPU_ERROR);
  assert_null(strstr(said, "each round"));
}

// Variables of a function that calls none take up all the stack, or a byte more.
static void a_stack_that_is_just_full(void **state) {
  (void)state;
  static const char *const bytes[] = {"65536", "65537"};
  for (int n = 0; n < 2; n++) {
    char text[1000];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_80\n.address_size 64\n"
             ".func f() {\n.local .align 16 .b8 all[%s];\n"
             ".reg .b32 %%r;\nmov.u32 %%r, 1;\nst.local.u32 [all], %%r;\n"
             "ret;\n}\n"
             ".visible .entry k() {\ncall f, ();\nret;\n}\n",
             bytes[n]);
    open_device();
    ok(back->module_load(device, text, strlen(text), &module, &info));
    struct gpu_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    ok(back->function_get(device, module, "k", &l.function, NULL, &info));
    ok(back->launch(device, &l, &info));
    assert_int_equal(finish(), n ? ERR_OUT_OF_BOUNDS : ERR_OK);
    tear_down(NULL);
  }
}

// Does what depends on undefined bits decide?
#define HIDDEN ERR_UNINITIALISED, NOTHING

static void undefined_bits(void **state) {
  (void)state;
  // Some lanes have written it: who else reads it uses what is undefined.
#define SOME         "setp.lt.u32 %q1, %t, 16;\n@%q1 mov.u32 %u, 255;\n"
#define USE(text, r) SOME text "setp.eq.u32 %q2, " r ", 0;\n@%q2 bra e;\ne:\n"
  expect(USE("", "%u"), ERR_UNINITIALISED, GPU_ERROR);
  expect(USE("and.b32 %r1, %u, 15;\nshr.u32 %r2, %r1, 4;\n", "%r2"), HIDDEN);
  expect(USE("or.b32 %r1, %u, 15;\nand.b32 %r2, %r1, 15;\n", "%r2"), HIDDEN);
  expect(USE("xor.b32 %r1, %u, 15;\nand.b32 %r2, %r1, 15;\n", "%r2"),
         ERR_UNINITIALISED, GPU_ERROR);
  expect(USE("shl.b32 %r1, %u, 8;\nand.b32 %r2, %r1, 255;\n", "%r2"), HIDDEN);
  expect(USE("shl.b32 %r1, %u, 8;\nand.b32 %r2, %r1, 256;\n", "%r2"),
         ERR_UNINITIALISED, GPU_ERROR);
  expect(USE("shr.s32 %r1, %u, 8;\nshr.u32 %r2, %r1, 31;\n", "%r2"),
         ERR_UNINITIALISED, GPU_ERROR);
  expect(USE("shr.u32 %r1, %u, 8;\nshr.u32 %r2, %r1, 24;\n", "%r2"), HIDDEN);
  // Bits 8 to 15 of %u are those of a value, the others stay.
  expect(USE("bfi.b32 %r1, %t, %u, 8, 8;\nbfe.u32 %r2, %r1, 8, 8;\n", "%r2"),
         HIDDEN);
  expect(USE("bfi.b32 %r1, %t, %u, 8, 8;\nbfe.u32 %r2, %r1, 16, 8;\n", "%r2"),
         ERR_UNINITIALISED, GPU_ERROR);
  expect(USE("bfi.b32 %r1, %u, %t, 8, 8;\nbfe.u32 %r2, %r1, 8, 8;\n", "%r2"),
         ERR_UNINITIALISED, GPU_ERROR);
  // Byte 0 is one of %t, byte 1 one of %u.
  expect(USE("prmt.b32 %r1, %t, %u, 0x5540;\nand.b32 %r2, %r1, 255;\n", "%r2"),
         HIDDEN);
  expect(USE("prmt.b32 %r1, %t, %u, 0x0040;\nshr.u32 %r2, %r1, 8;\n", "%r2"),
         ERR_UNINITIALISED, GPU_ERROR);
}

static void undefined_choices(void **state) {
  (void)state;
#define SETP      "setp.ne.u32 %q0, %u, 0;\nsetp.eq.u32 %q2, %z, 0;\n"
#define BRANCH(q) "@" q " bra e;\ne:\n"
  expect(SOME SETP BRANCH("%q0"), ERR_UNINITIALISED, GPU_ERROR);
  // %q2 holds: it decides an `or`, and no `and`.
  expect(SOME SETP "or.pred %q3, %q0, %q2;\n" BRANCH("%q3"), HIDDEN);
  expect(SOME SETP "and.pred %q3, %q0, %q2;\n" BRANCH("%q3"), ERR_UNINITIALISED,
         GPU_ERROR);
  expect(SOME SETP "setp.ne.or.u32 %q3, %u, 0, %q2;\n" BRANCH("%q3"), HIDDEN);
  expect(SOME SETP "setp.ne.and.u32 %q3, %u, 0, %q2;\n" BRANCH("%q3"),
         ERR_UNINITIALISED, GPU_ERROR);
  expect(USE("setp.eq.u32 %q2, %z, 0;\nselp.u32 %r1, %t, %u, %q2;\n", "%r1"),
         HIDDEN);
  expect(USE("setp.eq.u32 %q2, %z, 0;\nselp.u32 %r1, %u, %t, %q2;\n", "%r1"),
         ERR_UNINITIALISED, GPU_ERROR);
  expect(USE("setp.ne.u32 %q0, %u, 0;\nselp.u32 %r1, 1, 2, %q0;\n", "%r1"),
         ERR_UNINITIALISED, GPU_ERROR);
}

// What each lane has of a product's result: row lane / 4 and columns lane % 4 * 2 and
// the next, and the same 8 rows below. Lanes 16 to 31 of each warp do not write %u.
static void undefined_products(void **state) {
  (void)state;
#define PRODUCT(a, b, c)                                                       \
  "and.b32 %r7, %t, 31;\nsetp.lt.u32 %q1, %r7, 16;\n@%q1 mov.u32 %u, 0;\n"     \
  "mov.u32 %r1, 0;\n"                                                          \
  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "                         \
  "{%r2, %r3, %r4, %r5}, {" a ", %z, %z, %z}, {" b ", %z}, "                   \
  "{" c ", %r1, %r1, %r1};\n"
  // Of the lanes for which `q` holds, or of the others.
#define LOOK(q, r)     "selp.b32 %r6, " r ", 0, " q ";\n" USE_OF("%r6")
#define LOOK_NOT(q, r) "selp.b32 %r6, 0, " r ", " q ";\n" USE_OF("%r6")
#define USE_OF(r)      "setp.eq.u32 %q2, " r ", 0;\n@%q2 bra e;\ne:\n"
#define BAD            ERR_UNINITIALISED, GPU_ERROR
  // Rows 4 to 7 of A.
  expect(PRODUCT("%u", "%z", "%r1") LOOK("%q1", "%r2"), HIDDEN);
  expect(PRODUCT("%u", "%z", "%r1") LOOK_NOT("%q1", "%r2"), BAD);
  expect(PRODUCT("%u", "%z", "%r1") USE_OF("%r4"), HIDDEN);
  // Columns 4 to 7 of B.
#define LEFT "and.b32 %r7, %t, 2;\nsetp.eq.u32 %q3, %r7, 0;\n"
  expect(PRODUCT("%z", "%u", "%r1") LEFT LOOK("%q3", "%r2"), HIDDEN);
  expect(PRODUCT("%z", "%u", "%r1") LEFT LOOK_NOT("%q3", "%r2"), BAD);
  expect(PRODUCT("%z", "%u", "%r1") LEFT LOOK_NOT("%q3", "%r4"), BAD);
  // One element in each lane of C.
  expect(PRODUCT("%z", "%z", "%u") LOOK("%q1", "%r2"), HIDDEN);
  expect(PRODUCT("%z", "%z", "%u") LOOK_NOT("%q1", "%r2"), BAD);
  expect(PRODUCT("%z", "%z", "%u") USE_OF("%r3"), HIDDEN);
}

// What a launch writes it does not read through const __restrict__.
static void reads_without_coherence(void **state) {
  (void)state;
  expect(KEEP("%t") "ld.global.u32 %r1, [%a];\n", ERR_RACE, NOTHING);
  expect(KEEP("%t") "ld.global.nc.u32 %r1, [%a];\n", ERR_RACE, GPU_ERROR);
  expect("ld.global.nc.u32 %r1, [%a];\n" KEEP("%r1"), ERR_RACE, NOTHING);
}

// A product of what is defined takes no longer for what else is not.
static void defined_products(void **state) {
  (void)state;
  expect(SOME "and.b32 %r7, %u, 15;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\n"
              "mov.u32 %r3, 0;\nmov.u32 %r4, 0;\nmov.u32 %r5, 0;\nl:\n"
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
              "{%r1, %r2, %r3, %r4}, {%z, %z, %z, %z}, {%z, %z}, "
              "{%r1, %r2, %r3, %r4};\n"
              "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %q0, %r5, 20000;\n"
              "@%q0 bra l;\n",
         ERR_TIMEOUT, NOTHING);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(divisions),
      cmocka_unit_test(sleeps),
      cmocka_unit_test(barriers),
      cmocka_unit_test(counts_of_threads),
      cmocka_unit_test(waits_in_a_warp),
      cmocka_unit_test(ends),
      cmocka_unit_test(both_ways_are_one),
      cmocka_unit_test(never_ends),
      cmocka_unit_test(undefined_bits),
      cmocka_unit_test(undefined_choices),
      cmocka_unit_test(undefined_products),
      cmocka_unit_test(defined_products),
      cmocka_unit_test(reads_without_coherence),
      cmocka_unit_test(a_stack_that_is_just_full),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

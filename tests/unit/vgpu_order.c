// SPDX-License-Identifier: Apache-2.0
// Two threads and one word, in each way in which they may come to it: what is a
// race, what is a note, and what puts the two in order. The first thread is thread 0
// of block 0; the other one is named in the row. Warps and blocks run in their order.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vgpu_fixture.h"

// %p: words of global memory; %q0: it is the first thread; %q1: it is the other.
static const char kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 other) {\n"
    ".shared .align 16 .b8 s[64];\n"
    ".reg .b64 %%p, %%a;\n.reg .b32 %%t, %%b, %%n, %%r<4>;\n"
    ".reg .pred %%q<4>;\n"
    "ld.param.u64 %%p, [out];\nld.param.u32 %%n, [other];\n"
    "mov.u32 %%t, %%tid.x;\nmov.u32 %%b, %%ctaid.x;\n"
    "mad.lo.u32 %%t, %%b, 64, %%t;\n"
    "setp.eq.u32 %%q0, %%t, 0;\nsetp.eq.u32 %%q1, %%t, %%n;\n"
    "%s%s"
    "ret;\n}\n";

enum { SAME_WARP = 1, SAME_BLOCK = 40, OTHER_BLOCK = 64 };
enum { NOTHING = -1 };

// What is found of the two, where each does its part.
struct row {
  const char *first, *second;
  uint32_t other;
  int severity; // GPU_ERROR, GPU_NOTE, NOTHING
};

static void expect(const struct row *r) {
  static const uint32_t zeros[8];
  struct gpu_finding found[4];
  char text[4000];
  snprintf(text, sizeof text, kernel, r->first, r->second);
  open_device();
  ok(back->module_load(device, text, strlen(text), &module, &info));
  struct {
    uint64_t out;
    uint32_t other;
  } params = {upload(zeros, sizeof zeros), r->other};
  struct gpu_launch l = {.grid = {r->other >= 64 ? 2 : 1, 1, 1},
                         .block = {64, 1, 1},
                         .params = &params,
                         .param_bytes = 12};
  ok(back->function_get(device, module, "k", &l.function, NULL, &info));
  ok(back->launch(device, &l, &info));
  enum err err = finish();
  int count = back->findings(device, found, 4);
  int got = count ? (int)found[0].severity : NOTHING;
  if (got != r->severity || (err != ERR_OK) != (got == GPU_ERROR) ||
      (count && found[0].kind != ERR_RACE))
    fail_msg("%s%s to thread %u: %d found, %s, %s", r->first, r->second,
             r->other, count, err_kind(err), count ? found[0].text : "");
  tear_down(NULL);
}

static void expect_all(const struct row *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    expect(&rows[i]);
}
#define EXPECT_ALL(rows) expect_all(rows, sizeof rows / sizeof *rows)

#define STORES        "st.global.u32 [%p], 7;\n"
#define LOADS         "ld.global.u32 %r1, [%p];\nst.global.u32 [%p+16], %r1;\n"
#define ADDS          "atom.global.add.u32 %r1, [%p], 1;\n"
#define ADDS_IN_BLOCK "atom.global.cta.add.u32 %r1, [%p], 1;\n"
#define LOOKS         "atom.global.or.b32 %r1, [%p], 0;\n"
#define FIRST(does)   "@%q0 bra f;\nbra g;\nf:\n" does "g:\n"
#define THEN(does)    "@!%q1 bra h;\n" does "h:\n"

static void without_any_order(void **state) {
  (void)state;
  static const uint32_t others[] = {SAME_BLOCK, OTHER_BLOCK};
  for (int i = 0; i < 2; i++) {
    const struct row rows[] = {
        {FIRST(STORES), THEN(LOADS), others[i], GPU_ERROR},
        {FIRST(LOADS), THEN(STORES), others[i], GPU_ERROR},
        {FIRST(STORES), THEN(STORES), others[i], GPU_NOTE}, // the same value
        {FIRST("st.global.u32 [%p], 6;\n"), THEN(STORES), others[i], GPU_ERROR},
        {FIRST(STORES), THEN(ADDS), others[i], GPU_ERROR},
        {FIRST(ADDS), THEN(STORES), others[i], GPU_ERROR},
        {FIRST(LOADS), THEN(ADDS), others[i], GPU_NOTE},
        {FIRST(ADDS), THEN(LOADS), others[i], GPU_NOTE},
        {FIRST(ADDS), THEN(ADDS), others[i], NOTHING},
        {FIRST(LOADS), THEN("ld.global.u32 %r1, [%p];\n"), others[i], NOTHING},
        // An atomic does not cover the store before it.
        {FIRST(STORES ADDS), THEN(LOADS), others[i], GPU_ERROR},
        // Who has seen what the atomic left comes after it.
        {FIRST(ADDS), THEN(LOOKS LOADS), others[i], NOTHING},
    };
    EXPECT_ALL(rows);
  }
  const struct row rows[] = {
      {FIRST(ADDS_IN_BLOCK), THEN(ADDS_IN_BLOCK), SAME_BLOCK, NOTHING},
      {FIRST(ADDS_IN_BLOCK), THEN(ADDS_IN_BLOCK), OTHER_BLOCK, GPU_ERROR},
      {FIRST(ADDS_IN_BLOCK), THEN(ADDS), OTHER_BLOCK, GPU_ERROR},
  };
  EXPECT_ALL(rows);
}

#define BARRIER "bar.sync 0;\n"
#define SYNC    "bar.warp.sync 0xFFFFFFFF;\n"
// Of lanes 0 and 1 alone.
#define SYNC_TWO "setp.gt.u32 %q2, %t, 1;\n@%q2 bra i;\nbar.warp.sync 3;\ni:\n"

static void by_barriers(void **state) {
  (void)state;
  static const struct row rows[] = {
      {FIRST(STORES) BARRIER, THEN(LOADS), SAME_BLOCK, NOTHING},
      {BARRIER FIRST(STORES), THEN(LOADS), SAME_BLOCK, GPU_ERROR},
      {FIRST(STORES) BARRIER, THEN(LOADS), OTHER_BLOCK, GPU_ERROR},
      {FIRST(STORES), THEN(LOADS), SAME_WARP, GPU_ERROR},
      {FIRST(STORES) SYNC, THEN(LOADS), SAME_WARP, NOTHING},
      {FIRST(STORES) SYNC, THEN(LOADS), SAME_BLOCK, GPU_ERROR},
      {FIRST(STORES) SYNC_TWO, THEN(LOADS), SAME_WARP, NOTHING},
      {FIRST(STORES) SYNC_TWO, THEN(LOADS), 2, GPU_ERROR},
  };
  EXPECT_ALL(rows);
}

#define FENCE          "membar.gl;\n"
#define FENCE_IN_BLOCK "membar.cta;\n"
#define SETS(n)        "st.volatile.global.u32 [%p+4], " #n ";\n"
#define AWAITS(n)                                                              \
  "w:\nld.volatile.global.u32 %r0, [%p+4];\n"                                  \
  "setp.ne.u32 %q3, %r0, " #n ";\n@%q3 bra w;\n"
#define SETS_NEXT "st.volatile.global.u32 [%p+8], 1;\n"

static void by_flags(void **state) {
  (void)state;
  static const struct row rows[] = {
      {FIRST(STORES FENCE SETS(1)), THEN(AWAITS(1) LOADS), OTHER_BLOCK,
       NOTHING},
      {FIRST(STORES SETS(1)), THEN(AWAITS(1) LOADS), OTHER_BLOCK, GPU_ERROR},
      {FIRST(STORES SETS(1)), THEN(AWAITS(1) LOADS), SAME_BLOCK, GPU_ERROR},
      {FIRST(STORES FENCE_IN_BLOCK SETS(1)), THEN(AWAITS(1) LOADS), OTHER_BLOCK,
       GPU_ERROR},
      {FIRST(STORES FENCE_IN_BLOCK SETS(1)), THEN(AWAITS(1) LOADS), SAME_BLOCK,
       NOTHING},
      // What was stored behind the flag, or is out by a flag that nobody read.
      {FIRST(FENCE SETS(1) STORES), THEN(AWAITS(1) LOADS), OTHER_BLOCK,
       GPU_ERROR},
      {FIRST(FENCE SETS(1) STORES FENCE SETS_NEXT), THEN(AWAITS(1) LOADS),
       OTHER_BLOCK, GPU_ERROR},
      // Another thread, which has no fence, sets the flag anew.
      {FIRST(STORES FENCE SETS(
           1)) "setp.eq.u32 %q2, %t, 33;\n@!%q2 bra i;\n"
               "x:\nld.volatile.global.u32 %r2, [%p+4];\n"
               "setp.ne.u32 %q3, %r2, 1;\n@%q3 bra x;\n" SETS(2) "i:\n",
       THEN(AWAITS(2) LOADS), OTHER_BLOCK, GPU_ERROR},
      // It tells of nothing, not even of what another has released before.
      {FIRST(STORES FENCE_IN_BLOCK
                 SETS_NEXT) "setp.eq.u32 %q2, %t, 33;\n@!%q2 bra i;\n"
                            "x:\nld.volatile.global.u32 %r2, [%p+8];\n"
                            "setp.ne.u32 %q3, %r2, 1;\n@%q3 bra x;\n" SETS(
                                1) "i:\n",
       THEN(AWAITS(1) LOADS), SAME_BLOCK, GPU_ERROR},
      {FIRST(STORES "st.release.gpu.global.u32 [%p+4], 1;\n"),
       THEN(AWAITS(1) LOADS), OTHER_BLOCK, NOTHING},
      {FIRST(STORES "st.release.cta.global.u32 [%p+4], 1;\n"),
       THEN(AWAITS(1) LOADS), OTHER_BLOCK, GPU_ERROR},
  };
  EXPECT_ALL(rows);
}

// Thread 65 waits for the flag; a barrier hands what it has heard to thread 100.
static void by_one_who_has_heard(void **state) {
  (void)state;
  static const char waits[] =
      "setp.ne.u32 %q2, %t, 65;\n@%q2 bra i;\n" AWAITS(1) "i:\n";
  char text[1000];
  const struct row by_barrier = {FIRST(STORES FENCE SETS(1)), text, 100,
                                 NOTHING};
  const struct row by_luck = {FIRST(STORES FENCE SETS(1)), text, 100,
                              GPU_ERROR};
  snprintf(text, sizeof text, "%s%s%s", waits, BARRIER, THEN(LOADS));
  expect(&by_barrier);
  snprintf(text, sizeof text, "%s%s", waits, THEN(LOADS));
  expect(&by_luck);
}

#define S_STORES "st.shared.u32 [s], 7;\n"
#define S_LOADS  "ld.shared.u32 %r1, [s];\nst.global.u32 [%p+16], %r1;\n"
#define S_ADDS   "atom.shared.add.u32 %r1, [s], 1;\n"
#define S_COPIES "cp.async.ca.shared.global [s], [%p], 4;\n"
#define S_WAITS  "cp.async.wait_all;\n"

static void in_shared_memory(void **state) {
  (void)state;
  static const struct row rows[] = {
      {FIRST(S_STORES), THEN(S_LOADS), SAME_BLOCK, GPU_ERROR},
      {FIRST(S_STORES) BARRIER, THEN(S_LOADS), SAME_BLOCK, NOTHING},
      {FIRST(S_STORES), THEN(S_ADDS), SAME_BLOCK, GPU_ERROR},
      {FIRST(S_STORES) BARRIER "@%q0 ld.shared.u32 %r1, [s];\n", THEN(S_ADDS),
       SAME_BLOCK, GPU_NOTE},
      {FIRST(S_STORES) BARRIER "@%q0 atom.shared.add.u32 %r1, [s], 1;\n",
       THEN(S_ADDS), SAME_BLOCK, NOTHING},
      {FIRST(S_COPIES S_WAITS), THEN(S_LOADS), SAME_BLOCK, GPU_ERROR},
      {FIRST(S_COPIES) BARRIER, THEN(S_LOADS), SAME_BLOCK, GPU_ERROR},
      // What is copied is waited for behind another barrier: too late.
      {FIRST(S_COPIES) BARRIER, THEN(S_LOADS) BARRIER "@%q0 " S_WAITS,
       SAME_BLOCK, GPU_ERROR},
      {FIRST(S_COPIES S_WAITS) BARRIER, THEN(S_LOADS), SAME_BLOCK, NOTHING},
  };
  EXPECT_ALL(rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_any_order),
      cmocka_unit_test(by_barriers),
      cmocka_unit_test(by_flags),
      cmocka_unit_test(by_one_who_has_heard),
      cmocka_unit_test(in_shared_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

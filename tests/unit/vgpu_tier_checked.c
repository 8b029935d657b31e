// SPDX-License-Identifier: Apache-2.0
// Checked launches, compiled and interpreted: the same bytes, the same marks of which
// bytes were written, the same findings, also of a launch that comes later. Kernels
// that make a mistake, and their neighbours that make none, which must have run as
// compiled code. The same of launches that change over after some blocks, while another
// one runs. Skips where there is no libLLVM.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/vgpu/memory/memory.h"
#include "tests/unit/tier_there.h"

static const struct gpu_backend *const back = &gpu_virtual_backend;

// Of most launches, and of those that several host threads run.
enum { THREADS = 48, BLOCKS = 5, ALL = THREADS * BLOCKS };
enum {
  MANY_THREADS = 256,
  MANY_BLOCKS = 64,
  MANY = MANY_THREADS * MANY_BLOCKS
};

// ---- Kernels ----

// %r1: the thread among all, %r5: in its block; %rd1, %rd2: the arrays a and b, %rd3,
// %rd4: the thread's word in them; %r3: what the thread has in b. Of two instructions
// that do nothing the second keeps it from running as a plan for all elements.
static const char first[] =
    "  .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;\n"
    "  .reg .b16 %h<4>; .reg .f32 %f<4>;\n"
    "  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r0, [n];\n"
    "  mov.u32 %r5, %tid.x; mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ntid.x;\n"
    "  mad.lo.u32 %r1, %r6, %r7, %r5; mul.wide.u32 %rd5, %r1, 4;\n"
    "  add.u64 %rd3, %rd1, %rd5; add.u64 %rd4, %rd2, %rd5; mov.u32 %r8, 0;\n"
    "  mov.u32 %r11, s; shl.b32 %r10, %r5, 2; add.u32 %r12, %r11, %r10;\n"
    "  xor.b32 %r17, %r5, 1; shl.b32 %r17, %r17, 2; add.u32 %r13, %r11, %r17;\n"
    "again: add.u32 %r8, %r8, 1; setp.lt.u32 %p0, %r8, 3; @%p0 bra again;\n"
    "  setp.ge.u32 %p1, %r1, %r0; @%p1 bra end;\n";

#define LOAD "ld.global.u32 %r3, [%rd4]; "
#define NEXT "add.u32 %r3, %r3, %r1; "

// %rd8: so many bytes into shared memory as the parameter lies behind its array.
#define FAR                                                                    \
  "shr.u64 %rd6, %rd1, 32; shl.b64 %rd7, %rd6, 32; sub.u64 %rd9, %rd1, %rd7; " \
  "mov.u64 %rd10, s; add.u64 %rd8, %rd10, %rd9; "

#define ADD  "add.u32 %r14, %r14, %r9; "
#define ADD8 ADD ADD ADD ADD ADD ADD ADD ADD
#define ADDS ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8
#define MINE "st.shared.u32 [%r12], %r1; "
#define GET  "ld.shared.u32 %r3, "
#define PUT  "st.global.u32 [%rd3], %r3; "
#define BAR  "bar.sync 0; "
// %r9: an index below 240, in no order; three steps of %rd8.
#define ANY "xor.b32 %r9, %r1, 5; "
#define AT  "add.u64 %rd8, %rd6, %rd2; ld.global.u32 %r3, "
#define STEPS(bytes, look)                                                     \
  "mov.u32 %r3, 0; mov.u32 %r14, 0; more: " look "add.u64 %rd8, %rd8, " bytes  \
  "; add.u32 %r14, %r14, 1; setp.lt.u32 %p2, %r14, 3; @%p2 bra more; "

// Of the first block alone.
#define LONG                                                                   \
  "setp.ne.u32 %p2, %r6, 0; @%p2 bra short; mov.u32 %r9, 0; "                  \
  "long: add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 20000; @%p3 bra long; "    \
  "short: "

#define ROUNDS "mov.u32 %r9, 0; mov.u32 %r14, 0; mov.u32 %r3, 0; more: "
#define AGAIN  "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 200; @%p2 bra more; "
#define STORE  "st.global.u32 [%rd6], %r1; "
#define STORES STORE STORE STORE STORE STORE STORE STORE STORE
#define KEEP   "st.shared.u32 [%r17], %r1; "
#define KEEPS  KEEP KEEP KEEP KEEP KEEP KEEP KEEP KEEP

enum way { COMPILED, INTERPRETED, REFUSED };

struct kernel {
  const char *what, *body;
  enum way way;
  bool a_is_set, b_is_unset, is_one_array; // a is undefined, b is set
  bool
      goes_on; // what is wrong lies in the first block: the others run compiled
  int n;       // 0: all threads
  unsigned shift;   // bytes of array a before the parameter
  uint32_t threads; // in one block; 0: THREADS in BLOCKS
  bool is_many;     // or MANY_THREADS in MANY_BLOCKS
  uint64_t grid_budget;
};

static const struct kernel kernels[] = {
    {"an element for each thread", LOAD NEXT "st.global.u32 [%rd3], %r3;"},
    {"some of the threads", LOAD "st.global.u32 [%rd3], %r3;", .n = 117},
    {"in place",
     "ld.global.u32 %r3, [%rd3]; " NEXT "st.global.u32 [%rd3], %r3;",
     .a_is_set = true},
    {"the same element, often",
     "mov.u32 %r9, 0; more: st.global.u32 [%rd3], %r9; add.u32 %r9, %r9, 1; "
     "setp.lt.u32 %p2, %r9, 9; @%p2 bra more;"},
    {"loops of their own length",
     "and.b32 %r9, %r5, 7; more: add.u32 %r3, %r3, %r9; "
     "sub.u32 %r9, %r9, 1; setp.gt.s32 %p2, %r9, 0; @%p2 bra more; "
     "st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED}, // %r3 is read before anything wrote it
    {"loops, each of its own length",
     "mov.u32 %r3, 0; and.b32 %r9, %r5, 7; more: add.u32 %r3, %r3, %r9; "
     "sub.u32 %r9, %r9, 1; setp.gt.s32 %p2, %r9, 0; @%p2 bra more; "
     "st.global.u32 [%rd3], %r3;"},
    {"backwards", LOAD "sub.u32 %r9, 239, %r1; mul.wide.u32 %rd6, %r9, 4; "
                       "add.u64 %rd8, %rd6, %rd1; st.global.u32 [%rd8], %r3;"},
    {"every second", LOAD "add.u64 %rd6, %rd3, %rd5; "
                          "st.global.u32 [%rd6], %r3;"},
    {"pairs", LOAD "add.u64 %rd6, %rd3, %rd5; "
                   "st.global.v2.u32 [%rd6], {%r3, %r1};"},
    {"pairs and halves of them",
     LOAD "add.u64 %rd6, %rd3, %rd5; st.global.v2.u32 [%rd6], {%r3, %r1}; "
          "st.global.u32 [%rd6+4], %r3;"},
    {"eight bytes, read as four",
     "mul.wide.u32 %rd6, %r1, 8; add.u64 %rd8, %rd6, %rd1; "
     "ld.global.u32 %r3, [%rd8+4]; cvt.u64.u32 %rd7, %r3; "
     "st.global.u64 [%rd8], %rd7;",
     .a_is_set = true},
    {"bytes", LOAD "cvt.u64.u32 %rd6, %r1; add.u64 %rd8, %rd6, %rd1; "
                   "st.global.u8 [%rd8], %r3;"},
    {"bytes, and all four by the neighbour",
     "setp.gt.u32 %p2, %r1, 5; cvt.u64.u32 %rd6, %r1; add.u64 %rd8, %rd6, "
     "%rd1; "
     "@%p2 st.global.u8 [%rd8], %r1; @!%p2 st.global.u32 [%rd3], %r1;",
     .way = INTERPRETED},
    {"all of a block read one word",
     "ld.global.u32 %r3, [%rd2+16]; " NEXT "st.global.u32 [%rd3], %r3;"},
    {"a thread writes", "setp.ne.u32 %p2, %r1, 70; "
                        "@!%p2 st.global.u32 [%rd1+12], %r1;"},
    {"a quotient", LOAD "add.u32 %r9, %r5, 1; div.u32 %r9, %r3, %r9; "
                        "st.global.u32 [%rd3], %r9;"},
    {"read as constant, from another array",
     "ld.global.nc.u32 %r3, [%rd4]; st.global.u32 [%rd3], %r3;"},
    // From here on the interpreter has something to say, or might.
    {"two threads, one element",
     "shr.u32 %r9, %r1, 1; mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, "
     "%rd1; "
     "st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED},
    {"all threads, one element", "st.global.u32 [%rd1+8], %r1;",
     .way = INTERPRETED},
    {"all threads, one element and one value", "st.global.u32 [%rd1+8], 5;",
     .way = INTERPRETED},
    {"all blocks, the same elements",
     "mul.wide.u32 %rd6, %r5, 4; add.u64 %rd8, %rd6, %rd1; "
     "st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED},
    {"two blocks, one element",
     "add.u32 %r9, %r5, 0; setp.eq.u32 %p2, %r1, 48; selp.u32 %r9, 47, %r1, "
     "%p2; mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd1; "
     "st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED},
    {"the neighbour's, in place",
     "ld.global.u32 %r3, [%rd3+4]; st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .a_is_set = true},
    {"the neighbour's, after one's own",
     "st.global.u32 [%rd3], %r1; ld.global.u32 %r3, [%rd3+4]; "
     "st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .a_is_set = true},
    {"one array, by two names",
     "ld.global.u32 %r3, [%rd4+4]; st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .a_is_set = true, .is_one_array = true},
    {"one array, by two names, in place",
     LOAD NEXT "st.global.u32 [%rd3], %r3;", .way = INTERPRETED,
     .a_is_set = true, .is_one_array = true},
    {"one array, read as constant",
     "ld.global.nc.u32 %r3, [%rd4]; st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .a_is_set = true, .is_one_array = true},
    {"read as constant what it writes",
     "ld.global.nc.u32 %r3, [%rd3]; st.global.u32 [%rd3], %r3;", .way = REFUSED,
     .a_is_set = true},
    {"undefined values, handed on", LOAD "st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .b_is_unset = true},
    {"undefined values, decided by",
     LOAD "setp.eq.u32 %p2, %r3, 7; @%p2 st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .b_is_unset = true},
    {"undefined values, in place",
     "ld.global.u32 %r3, [%rd3]; " NEXT "st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED},
    {"past the end",
     LOAD "add.u64 %rd6, %rd3, %rd5; "
          "st.global.u32 [%rd6+968], %r3;",
     .way = INTERPRETED},
    {"past the end of what is read",
     "add.u64 %rd6, %rd4, %rd5; "
     "ld.global.u32 %r3, [%rd6+968]; "
     "st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED},
    {"not aligned",
     "setp.eq.u32 %p2, %r1, 200; selp.u32 %r9, 2, 0, %p2; "
     "cvt.u64.u32 %rd6, %r9; add.u64 %rd8, %rd6, %rd3; "
     "st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED},
    {"an array that begins between words", "st.global.u32 [%rd3], %r1;",
     .way = INTERPRETED, .shift = 2},
    {"an array that begins between words, read",
     "ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd4], %r3;",
     .way = INTERPRETED, .a_is_set = true, .shift = 1},
    {"the first word of an array that begins between words",
     "ld.global.u32 %r3, [%rd1]; st.global.u32 [%rd4], %r3;",
     .way = INTERPRETED, .a_is_set = true, .shift = 2},
    {"pairs, of an array that begins between pairs",
     "add.u64 %rd6, %rd3, %rd5; st.global.v2.u32 [%rd6], {%r1, %r1};",
     .way = INTERPRETED, .shift = 4},
    {"any words of an array that begins between words",
     "xor.b32 %r9, %r1, 5; mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, "
     "%rd1; st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED, .shift = 2},
    {"a shared word, as far behind the first as a parameter says",
     MINE BAR FAR "ld.shared.u32 %r3, [%rd8]; st.global.u32 [%rd4], %r3;",
     .shift = 8},
    {"a shared word between words, as far behind the first as a parameter says",
     MINE BAR FAR "ld.shared.u32 %r3, [%rd8]; st.global.u32 [%rd4], %r3;",
     .way = INTERPRETED, .shift = 2},
    {"words of an array that begins between pairs",
     "st.global.u32 [%rd3], %r1;", .shift = 4},
    {"any words of an array",
     "xor.b32 %r9, %r1, 5; mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, "
     "%rd1; st.global.u32 [%rd8], %r1;"},
    // Indices of 32 bits, that vary among the lanes.
    {"by an index", ANY "mul.wide.s32 %rd6, %r9, 4; " AT "[%rd8]; " PUT},
    {"by an index without a sign",
     ANY "mul.wide.u32 %rd6, %r9, 4; " AT "[%rd8]; " PUT},
    {"by an index, all in one", ANY "mad.wide.s32 %rd8, %r9, 4, %rd2; "
                                    "ld.global.u32 %r3, [%rd8+8]; " PUT},
    {"by an index, in two steps",
     ANY "cvt.s64.s32 %rd6, %r9; "
         "shl.b64 %rd6, %rd6, 2; " AT "[%rd8]; " PUT},
    {"by an index, made in two steps",
     ANY "cvt.s64.s32 %rd7, %r9; shl.b64 %rd6, %rd7, 2; " AT "[%rd8]; " PUT},
    {"pairs, by an index",
     ANY "mul.wide.s32 %rd6, %r9, 8; add.u64 %rd8, %rd6, %rd1; "
         "st.global.v2.u32 [%rd8], {%r1, %r9};"},
    {"the last word, by an index", ANY
     "add.u32 %r9, %r9, 240; mul.wide.s32 %rd6, %r9, 4; " AT "[%rd8]; " PUT},
    {"past the last word, by an index",
     ANY "add.u32 %r9, %r9, 241; mul.wide.s32 %rd6, %r9, 4; " AT "[%rd8]; " PUT,
     .way = INTERPRETED},
    {"before the first word, by an index",
     ANY "sub.u32 %r9, %r9, 1; mul.wide.s32 %rd6, %r9, 4; " AT "[%rd8]; " PUT,
     .way = INTERPRETED, .goes_on = true},
    {"the last word, by an index and a distance",
     ANY "mul.wide.s32 %rd6, %r9, 4; " AT "[%rd8+960]; " PUT},
    {"past the last word, by an index and a distance",
     ANY "mul.wide.s32 %rd6, %r9, 4; " AT "[%rd8+964]; " PUT,
     .way = INTERPRETED},
    {"before the first word, by an index and a distance",
     ANY "mul.wide.s32 %rd6, %r9, 4; " AT "[%rd8+-4]; " PUT, .way = INTERPRETED,
     .goes_on = true},
    {"an index below zero, in the array",
     ANY "sub.u32 %r9, %r9, 8; mul.wide.s32 %rd6, %r9, 4; add.u64 %rd8, %rd6, "
         "%rd1; ld.global.u32 %r3, [%rd8]; st.global.u32 [%rd4], %r3;",
     .a_is_set = true, .shift = 40},
    {"an index below zero, without a sign",
     ANY "sub.u32 %r9, %r9, 8; mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, "
         "%rd1; ld.global.u32 %r3, [%rd8]; st.global.u32 [%rd4], %r3;",
     .way = INTERPRETED, .goes_on = true, .a_is_set = true, .shift = 40},
    {"words one behind the other, by an index",
     ANY "mul.wide.s32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd2; " STEPS(
         "8", "ld.global.u32 %r15, [%rd8]; add.u32 %r3, %r3, %r15; ") PUT},
    {"words one behind the other, past the last",
     ANY "mul.wide.s32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd2; " STEPS(
         "488", "ld.global.u32 %r15, [%rd8]; add.u32 %r3, %r3, %r15; ") PUT,
     .way = INTERPRETED},
    {"words one before the other, by an index",
     ANY "add.u32 %r9, %r9, 3; mul.wide.s32 %rd6, %r9, 4; "
         "add.u64 %rd8, %rd6, %rd2; " STEPS(
             "-4", "ld.global.u32 %r15, [%rd8]; add.u32 %r3, %r3, %r15; ") PUT},
    {"an index once around",
     ANY "mul.wide.s32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd2; " STEPS(
         "5726623060", "") "add.u64 %rd8, %rd8, 4; ld.global.u32 %r3, "
                           "[%rd8]; " PUT,
     .way = INTERPRETED},
    {"an index without a sign once around",
     ANY "mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd2; " STEPS(
         "5726623060", "") "add.u64 %rd8, %rd8, 4; ld.global.u32 %r3, "
                           "[%rd8]; " PUT,
     .way = INTERPRETED},
    {"an index far away and back",
     ANY "mul.wide.s32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd2; "
         "add.u64 %rd8, %rd8, 12884901888; add.u64 %rd8, %rd8, -12884901888; "
         "ld.global.u32 %r3, [%rd8]; " PUT},
    {"an index far below zero, farther up than an index goes",
     ANY "add.u32 %r9, %r9, -2147483647; mul.wide.s32 %rd6, %r9, 4; "
         "add.u64 %rd8, %rd6, %rd2; add.u64 %rd8, %rd8, 17179869184; "
         "ld.global.u32 %r3, [%rd8]; " PUT,
     .way = INTERPRETED},
    {"an index from before a barrier",
     ANY "mul.wide.s32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd2; " BAR
         "ld.global.u32 %r3, [%rd8]; " PUT},
    {"one of two indices",
     ANY "mul.wide.s32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd2; "
         "setp.gt.u32 %p2, %r5, 20; mul.wide.s32 %rd7, %r5, 4; "
         "@%p2 add.u64 %rd8, %rd7, %rd2; ld.global.u32 %r3, [%rd8+4]; " PUT},
    {"an index where some threads have one",
     ANY "mul.wide.s32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd2; "
         "setp.gt.u32 %p2, %r5, 20; @%p2 bra far; bra near; "
         "far: add.u64 %rd8, %rd8, 8; near: ld.global.u32 %r3, [%rd8]; " PUT},
    {"an index that has changed since",
     ANY "mul.wide.s32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd2; "
         "mov.u32 %r9, 100000; ld.global.u32 %r3, [%rd8]; " PUT},
    {"a base that goes on",
     "mov.u32 %r3, 0; mov.u64 %rd7, %rd2; mov.u32 %r14, 0; " ANY
     "mul.wide.s32 %rd6, %r9, 4; more: add.u64 %rd8, %rd6, %rd7; "
     "add.u64 %rd7, %rd7, 8; ld.global.u32 %r15, [%rd8]; "
     "add.u32 %r3, %r3, %r15; add.u32 %r14, %r14, 1; "
     "setp.lt.u32 %p2, %r14, 3; @%p2 bra more; " PUT},
    {"a pointer that is null at times",
     "setp.eq.u32 %p2, %r1, 200; selp.b64 %rd6, 0, %rd3, %p2; "
     "st.global.u32 [%rd6], %r1;",
     .way = REFUSED},
    {"divided by zero",
     LOAD "sub.u32 %r9, %r5, 7; div.u32 %r9, %r3, %r9; "
          "st.global.u32 [%rd3], %r9;",
     .way = INTERPRETED},
    {"what is left of a division by zero",
     LOAD "rem.s32 %r9, %r3, %r6; st.global.u32 [%rd3], %r9;",
     .way = INTERPRETED, .goes_on = true},
    {"a zero that no thread divides by",
     LOAD "setp.gt.u32 %p2, %r1, 1000; @%p2 div.u32 %r3, %r3, %r8; "
          "sub.u32 %r9, %r8, 3; @%p2 div.u32 %r3, %r3, %r9; "
          "mov.u32 %r10, 1; @%p2 div.u32 %r10, %r8, %r9; "
          "st.global.u32 [%rd3], %r3;"},
    {"what never ends",
     "more: setp.eq.u32 %p2, %r1, %r1; st.global.u32 [%rd3], %r1; @%p2 bra "
     "more;",
     .way = INTERPRETED, .grid_budget = 1 << 20},
    {"too much work",
     "mov.u32 %r9, 0; more: add.u32 %r9, %r9, 1; "
     "setp.lt.u32 %p2, %r9, 5000; @%p2 bra more; "
     "st.global.u32 [%rd3], %r9;",
     .way = INTERPRETED, .grid_budget = 1 << 16},
    // The first warp is done before the others begin, or all go on in turns.
    {"too much work in turns",
     "mov.u32 %r9, 0; more: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 20000; "
     "@%p2 bra more; setp.lt.u32 %p3, %r5, 32; @%p3 st.global.u32 [%rd3], %r9;",
     .way = INTERPRETED, .a_is_set = true, .n = 1024, .threads = 1024,
     .grid_budget = 1000000},
    {"too much work by all together",
     "mov.u32 %r9, 0; more: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 1000; "
     "@%p2 bra more; setp.lt.u32 %p3, %r5, 32; @%p3 st.global.u32 [%rd3], %r9;",
     .way = INTERPRETED, .a_is_set = true, .n = 1024, .threads = 1024,
     .grid_budget = 64000},
    // Sums.
    {"a sum", "red.global.add.u32 [%rd1], %r1;", .a_is_set = true},
    {"a sum of undefined words", "red.global.add.u32 [%rd1], %r5;",
     .way = INTERPRETED},
    {"a sum for the block alone", "red.cta.global.add.u32 [%rd1], %r1;",
     .way = REFUSED, .a_is_set = true},
    {"a sum, and reads of it",
     "red.global.add.u32 [%rd1], %r1; ld.global.u32 %r3, [%rd3]; "
     "st.global.u32 [%rd4], %r3;",
     .way = INTERPRETED, .a_is_set = true},
    {"a sum of what two names write",
     "red.global.add.u32 [%rd3], %r1; st.global.u32 [%rd4], %r1;",
     .way = INTERPRETED, .a_is_set = true, .is_one_array = true},
    {"a sum beside an element for each",
     "red.global.add.u32 [%rd2], %r1; st.global.u32 [%rd3], %r1;"},
    {"a sum past the end", "red.global.add.u32 [%rd3+1024], %r1;",
     .way = INTERPRETED, .a_is_set = true},
    {"sums in shared memory",
     MINE BAR "red.shared.add.u32 [%r11+4], %r5; "
              "red.shared.add.u32 [%r12], %r1; " BAR GET "[%r13]; " PUT},
    {"a shared sum of undefined words",
     "red.shared.add.u32 [%r11+4], %r5; " BAR GET "[s+4]; " PUT,
     .way = INTERPRETED},
    {"a shared sum, written before without a barrier",
     MINE "red.shared.add.u32 [%r11+4], %r5; " BAR GET "[%r13]; " PUT,
     .way = INTERPRETED},
    {"a shared sum, read without a barrier",
     MINE BAR "red.shared.add.u32 [%r11+4], %r5; " GET "[s+4]; " PUT,
     .way = INTERPRETED},
    {"a shared sum of what others have read",
     MINE BAR GET "[s+4]; red.shared.add.u32 [%r11+4], %r5; " PUT,
     .way = INTERPRETED},
    {"a shared sum, then written without a barrier",
     MINE BAR "red.shared.add.u32 [%r11+4], %r5; setp.eq.u32 %p2, %r5, 40; "
              "@%p2 st.shared.u32 [s+4], %r1; " BAR GET "[s+4]; " PUT,
     .way = INTERPRETED},
    {"a shared sum into the next variable",
     "mov.u32 %r16, t; add.u32 %r16, %r16, %r10; st.shared.u32 [%r16], "
     "%r1; " MINE BAR
     "red.shared.add.u32 [%r12+1000], %r5; st.global.u32 [%rd3], %r1;",
     .way = INTERPRETED},
    // Lanes that leave a loop one by one, which the interpreter lets run one by one.
    {"a long way out of a loop",
     "mov.u32 %r9, 0; more: setp.eq.u32 %p2, %r5, %r9; @%p2 bra out; "
     "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 32; @%p3 bra more; bra on; "
     "out: mov.u32 %r14, 0; round: add.u32 %r14, %r14, 1; "
     "setp.lt.u32 %p2, %r14, 1000; @%p2 bra round; on: st.global.u32 [%rd3], "
     "%r9;",
     .way = INTERPRETED, .n = 32, .threads = 32, .grid_budget = 70000},
    {"a straight way out of a loop",
     "mov.u32 %r9, 0; mov.u32 %r14, 0; more: setp.eq.u32 %p2, %r5, %r9; "
     "@%p2 bra out; add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 32; @%p3 bra "
     "more; "
     "bra on; out: " ADDS ADDS ADDS ADDS "on: st.global.u32 [%rd3], %r14;",
     .way = INTERPRETED, .n = 32, .threads = 32, .grid_budget = 6000},
    {"a straight way out of a loop, paid for",
     "mov.u32 %r9, 0; mov.u32 %r14, 1; more: setp.eq.u32 %p2, %r5, %r9; "
     "@%p2 bra out; add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 32; @%p3 bra "
     "more; "
     "bra on; out: " ADDS ADDS ADDS ADDS "on: st.global.u32 [%rd3], %r14;",
     .n = 32, .threads = 32, .grid_budget = 100000},
    {"a barrier", "bar.sync 0; st.global.u32 [%rd3], %r1;"},
    // Shared memory: %r12 is the thread's word in it, %r13 its neighbour's.
    {"a word of one's own", MINE GET "[%r12]; " PUT},
    {"the neighbour's word", MINE BAR GET "[%r13]; " PUT},
    {"words by turns",
     "mov.u32 %r9, 0; more: " MINE BAR GET "[%r13]; " BAR
     "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 3; @%p2 bra more; " PUT},
    {"one word for all",
     "setp.ne.u32 %p2, %r5, 5; @!%p2 st.shared.u32 [s+8], %r1; " BAR GET
     "[s+8]; " PUT},
    {"one word, read again by its writer",
     "setp.ne.u32 %p2, %r5, 5; @!%p2 st.shared.u32 [s+8], %r1; "
     "@!%p2 ld.shared.u32 %r3, [s+8]; " PUT,
     .way = INTERPRETED}, // the others' %r3
    {"halves of words",
     "st.shared.u16 [%r12], %r1; st.shared.u16 [%r12+2], %r5; " BAR GET
     "[%r13]; " PUT},
    {"pairs of words",
     "add.u32 %r14, %r12, %r10; st.shared.v2.u32 [%r14], {%r1, %r5}; " BAR GET
     "[%r13]; " PUT},
    {"a step of a sum",
     MINE BAR
     "mov.u32 %r3, 0; setp.lt.u32 %p2, %r5, 24; "
     "@%p2 ld.shared.u32 %r3, [%r12+96]; @%p2 ld.shared.u32 %r9, [%r12]; "
     "@%p2 st.shared.u32 [%r12], %r3; " BAR GET "[s]; " PUT,
     .way = REFUSED}, // what %r9 is where it was not read
    {"a step of a sum, of two words", MINE BAR
     "mov.u32 %r3, 0; mov.u32 %r9, 0; setp.lt.u32 %p2, %r5, 24; "
     "@%p2 ld.shared.u32 %r3, [%r12+96]; @%p2 ld.shared.u32 %r9, [%r12]; "
     "@%p2 add.u32 %r3, %r3, %r9; @%p2 st.shared.u32 [%r12], %r3; " BAR GET
     "[s]; " PUT},
    {"the second variable", "add.u32 %r15, %r10, 1024; mov.u32 %r16, t; "
                            "add.u32 %r16, %r16, %r10; "
                            "st.shared.u32 [%r16], %r1; " GET "[%r16]; " PUT},
    {"the neighbour's word, without a barrier", MINE GET "[%r13]; " PUT,
     .way = INTERPRETED},
    {"one's own after the neighbour's, without a barrier",
     MINE BAR GET "[%r13]; st.shared.u32 [%r12], %r3; " PUT,
     .way = INTERPRETED},
    {"words by turns, with one barrier",
     "mov.u32 %r9, 0; more: " MINE BAR GET "[%r13]; "
     "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 3; @%p2 bra more; " PUT,
     .way = INTERPRETED},
    {"one word for all, changed by a reader",
     "setp.ne.u32 %p2, %r5, 5; @!%p2 st.shared.u32 [s+8], %r1; " BAR GET
     "[s+8]; @!%p2 st.shared.u32 [s+8], %r3; " PUT,
     .way = INTERPRETED},
    {"one word for all, changed by its only reader",
     "setp.ne.u32 %p2, %r5, 5; @!%p2 st.shared.u32 [s+8], %r1; " BAR
     "mov.u32 %r3, 0; @!%p2 ld.shared.u32 %r3, [s+8]; "
     "@!%p2 st.shared.u32 [s+8], %r3; " PUT},
    {"one word for all, changed by the last reader",
     "setp.ne.u32 %p2, %r5, 47; @!%p2 st.shared.u32 [s+8], %r1; " BAR
     "sub.u32 %r14, %r12, %r10; " GET "[%r14+8]; "
     "@!%p2 st.shared.u32 [%r14+8], %r3; " PUT,
     .way = INTERPRETED},
    {"one word for each two, changed by the last reader",
     MINE BAR "and.b32 %r14, %r10, 0xF8; mov.u32 %r15, s; "
              "add.u32 %r14, %r14, %r15; " GET "[%r14]; and.b32 %r9, %r5, 1; "
              "setp.eq.u32 %p2, %r9, 1; @%p2 st.shared.u32 [%r14], %r3; " PUT,
     .way = INTERPRETED},
    {"all threads, one word",
     "st.shared.u32 [s+4], %r1; " BAR GET "[s+4]; " PUT, .way = INTERPRETED},
    {"two threads, one word",
     "and.b32 %r14, %r10, 0xF8; mov.u32 %r15, s; add.u32 %r14, %r14, %r15; "
     "st.shared.u32 [%r14], %r1; " BAR GET "[%r14]; " PUT,
     .way = INTERPRETED},
    {"threads of three gangs, one word",
     "and.b32 %r14, %r10, 0x3C; mov.u32 %r15, s; add.u32 %r14, %r14, %r15; "
     "st.shared.u32 [%r14], %r1; " BAR GET "[%r14]; " PUT,
     .way = INTERPRETED},
    {"one word for eight, changed by the first",
     "setp.eq.u32 %p2, %r5, 0; @%p2 st.shared.u32 [s+8], %r1; mov.u32 %r3, "
     "0; " BAR "setp.lt.u32 %p3, %r5, 8; @%p3 ld.shared.u32 %r3, [s+8]; "
     "@%p2 st.shared.u32 [s+8], %r3; " PUT,
     .way = INTERPRETED},
    {"halves of words, by two threads",
     "mov.u32 %r15, s; shl.b32 %r14, %r5, 1; add.u32 %r14, %r14, %r15; "
     "st.shared.u16 [%r14], %r1; " BAR "and.b32 %r15, %r14, 0xFFC; "
     "ld.shared.u32 %r3, [%r15]; " PUT},
    {"a word that nothing wrote",
     GET "[%r12]; setp.eq.u32 %p2, %r3, 7; "
         "@%p2 st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED},
    {"the next word, which nobody wrote for the last",
     MINE BAR GET "[%r12+4]; setp.eq.u32 %p2, %r3, 7; "
                  "@%p2 st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED},
    {"the next word, handed on", MINE BAR GET "[%r12+4]; " PUT,
     .way = INTERPRETED},
    {"a word of the block before",
     "setp.ne.u32 %p2, %r6, 0; @!%p2 st.shared.u32 [%r12], %r1; " BAR GET
     "[%r13]; setp.eq.u32 %p2, %r3, 7; @%p2 st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED},
    {"past the variable, into the next",
     "st.shared.u32 [%r12+960], %r1; " BAR "st.global.u32 [%rd3], %r1;",
     .way = INTERPRETED},
    {"before the variable",
     "mov.u32 %r16, t; add.u32 %r16, %r16, %r10; st.shared.u32 [%r16+-64], "
     "%r1; "
     "st.global.u32 [%rd3], %r1;",
     .way = INTERPRETED},
    {"past all shared memory",
     "mov.u32 %r16, t; add.u32 %r16, %r16, %r10; "
     "st.shared.u32 [%r16+200], %r1; "
     "st.global.u32 [%rd3], %r1;",
     .way = INTERPRETED},
    {"not aligned, shared",
     "st.shared.u32 [%r12+2], %r1; "
     "st.global.u32 [%rd3], %r1;",
     .way = INTERPRETED},
    {"a barrier for some",
     "setp.lt.u32 %p2, %r5, 32; @!%p2 bra on; bar.sync 0; "
     "on: st.global.u32 [%rd3], %r1;",
     .way = REFUSED},
    {"a barrier for some blocks",
     "setp.lt.u32 %p2, %r6, 2; @!%p2 bra on; bar.sync 0; "
     "on: st.global.u32 [%rd3], %r1;"},
    {"a barrier, which some left before",
     "setp.ge.u32 %p2, %r5, 40; @%p2 bra end; bar.sync 0; "
     "st.global.u32 [%rd3], %r1;",
     .way = INTERPRETED},
    {"a barrier, which the last gang left before",
     "setp.ge.u32 %p2, %r5, 32; @%p2 bra end; bar.sync 0; "
     "st.global.u32 [%rd3], %r1;",
     .way = INTERPRETED},
    // One block makes the mistake, or two make it together: those before may have been
    // interpreted, and those behind run compiled.
    {"the last block reads of the first",
     "st.global.u32 [%rd3], %r1; setp.eq.u32 %p2, %r1, 197; mov.u32 %r3, 0; "
     "@%p2 ld.global.u32 %r3, [%rd1+20]; add.u64 %rd6, %rd3, 960; "
     "st.global.u32 [%rd6], %r3;",
     .way = INTERPRETED, .a_is_set = true},
    {"the first block reads of the last",
     "st.global.u32 [%rd3], %r1; setp.eq.u32 %p2, %r1, 5; mov.u32 %r3, 0; "
     "@%p2 ld.global.u32 %r3, [%rd1+788]; add.u64 %rd6, %rd3, 960; "
     "st.global.u32 [%rd6], %r3;",
     .way = INTERPRETED, .a_is_set = true},
    {"the last block reads of the first what that reads, too",
     "mov.u32 %r3, 0; setp.eq.u32 %p2, %r1, 197; "
     "@%p2 ld.global.u32 %r3, [%rd1+20]; setp.eq.u32 %p2, %r1, 5; "
     "@%p2 ld.global.u32 %r3, [%rd1+20]; add.u64 %rd6, %rd3, 960; "
     "st.global.u32 [%rd6], %r3;",
     .way = INTERPRETED, .a_is_set = true}, // no race: owners err on that side
    {"the last block writes to the first",
     "setp.eq.u32 %p2, %r1, 197; selp.u32 %r9, 32, %r1, %p2; "
     "mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd1; "
     "st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED},
    {"the first block writes to the last",
     "setp.eq.u32 %p2, %r1, 5; selp.u32 %r9, 197, %r1, %p2; "
     "mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd1; "
     "st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED},
    {"the last block writes a byte of the first's word",
     "cvt.u64.u32 %rd6, %r1; add.u64 %rd8, %rd6, %rd1; "
     "setp.ge.u32 %p2, %r6, 4; setp.eq.u32 %p3, %r6, 0; "
     "@%p3 st.global.u32 [%rd3+16], %r1; @%p2 st.global.u8 [%rd8], %r1;",
     .way = INTERPRETED},
    {"the first block divides by zero",
     LOAD "div.u32 %r9, %r3, %r6; st.global.u32 [%rd3], %r9;",
     .way = INTERPRETED, .goes_on = true},
    {"the first block keeps what nothing wrote",
     "setp.ne.u32 %p2, %r6, 0; mov.u32 %r3, 3; mov.u32 %r9, s; "
     "@!%p2 ld.shared.u32 %r3, [s+4]; st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .goes_on = true},
    {"the first block leaves the array",
     "setp.eq.u32 %p2, %r1, 7; selp.u32 %r9, 100000, %r1, %p2; "
     "mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd1; "
     "st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED, .goes_on = true},
    {"the last block divides by zero",
     LOAD "xor.b32 %r9, %r6, 4; div.u32 %r9, %r3, %r9; "
          "st.global.u32 [%rd3], %r9;",
     .way = INTERPRETED},
    {"the last block divides by zero, in place",
     "ld.global.u32 %r3, [%rd3]; " NEXT "st.global.u32 [%rd3], %r3; "
     "xor.b32 %r9, %r6, 4; div.u32 %r3, %r3, %r9; st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .a_is_set = true},
    {"too much work by all together, block for block",
     "mov.u32 %r9, 0; more: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 1000; "
     "@%p2 bra more; st.global.u32 [%rd3], %r9;",
     .way = INTERPRETED, .grid_budget = 20000},
    // Each mostly of one kind of work, which the interpreter must not charge more for.
    {"adds", ROUNDS ADDS ADDS ADDS ADDS AGAIN PUT, .n = 32, .threads = 32},
    {"stores, apart", "add.u64 %rd6, %rd3, %rd5; " ROUNDS STORES AGAIN, .n = 32,
     .threads = 32},
    {"shared stores, apart",
     "add.u32 %r17, %r12, %r10; " ROUNDS KEEPS AGAIN PUT, .n = 32,
     .threads = 32},
    {"shared stores in a row, not all",
     "mov.u32 %r17, %r12; setp.ne.u32 %p3, %r5, 7; "
     "@%p3 bra on; on: " ROUNDS KEEPS AGAIN PUT,
     .n = 32, .threads = 32},
    {"one warp for long, while others have ended",
     "setp.ge.u32 %p2, %r5, 32; @%p2 bra end; " ROUNDS ADD8
     "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 4000; @%p3 bra more; " PUT,
     .n = 1024, .threads = 1024},
    // The first block runs for long, while others begin to run compiled.
    {"meanwhile, elements of their own", LONG "st.global.u32 [%rd3], %r1;",
     .is_many = true},
    {"meanwhile, in place",
     "ld.global.u32 %r3, [%rd3]; " NEXT "st.global.u32 [%rd3], %r3; " LONG
     "ld.global.u32 %r3, [%rd3]; " NEXT "st.global.u32 [%rd3], %r3;",
     .a_is_set = true, .is_many = true},
    {"meanwhile, one that reads of the first",
     LONG "mov.u32 %r3, 0; st.global.u32 [%rd3], %r1; "
          "setp.eq.u32 %p2, %r1, 9000; @%p2 ld.global.u32 %r3, [%rd1+128]; "
          "@%p2 bra end;",
     .way = INTERPRETED, .a_is_set = true, .is_many = true},
    {"meanwhile, one that writes to the first",
     LONG "setp.eq.u32 %p2, %r1, 9000; selp.u32 %r9, 32, %r1, %p2; "
          "mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd1; "
          "st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED, .is_many = true},
    {"and the first reads of it then",
     LONG "st.global.u32 [%rd3], %r1; setp.eq.u32 %p2, %r1, 5; mov.u32 %r3, 1; "
          "@%p2 ld.global.u32 %r3, [%rd1+36000]; setp.eq.u32 %p2, %r3, 0; "
          "@%p2 bra end;",
     .way = INTERPRETED, .a_is_set = true, .is_many = true},
    {"and the first writes to it then",
     LONG "setp.eq.u32 %p2, %r1, 5; selp.u32 %r9, 9000, %r1, %p2; "
          "mul.wide.u32 %rd6, %r9, 4; add.u64 %rd8, %rd6, %rd1; "
          "st.global.u32 [%rd8], %r1;",
     .way = INTERPRETED, .is_many = true},
    {"meanwhile, one divides by zero, in place",
     "ld.global.u32 %r3, [%rd3]; " NEXT "st.global.u32 [%rd3], %r3; " LONG
     "xor.b32 %r9, %r6, 40; div.u32 %r3, %r3, %r9; st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .a_is_set = true, .is_many = true},
    {"and the first divides by zero then",
     LONG LOAD "div.u32 %r9, %r3, %r6; st.global.u32 [%rd3], %r9;",
     .way = INTERPRETED, .is_many = true, .goes_on = true},
    // Lanes part so that the tier charges more than the interpreter does.
    {"meanwhile, less work than it may be",
     LONG "mov.u32 %r3, 3; setp.lt.u32 %p2, %r5, 9; @%p2 bra no; "
          "setp.lt.u32 %p2, %r5, 7; @%p2 bra no; add.u32 %r3, %r3, 2; bra on; "
          "no: add.u32 %r3, %r3, 1; on: st.global.u32 [%rd3], %r3;",
     .way = INTERPRETED, .is_many = true, .grid_budget = 2000000},
};

static uint32_t threads_of(const struct kernel *k) {
  return k->threads ? k->threads : k->is_many ? MANY_THREADS : THREADS;
}

static uint32_t blocks_of(const struct kernel *k) {
  return k->threads ? 1 : k->is_many ? MANY_BLOCKS : BLOCKS;
}

// Of an array: two for each thread.
static uint32_t words_of(const struct kernel *k) {
  return 2 * (k->is_many ? MANY : ALL);
}

// A device knows a text that it has loaded, so those of each `number` are others.
static char *text_of(const struct kernel *k, int number) {
  static const char head[] =
      "(.param .u64 a, .param .u64 b, .param .u32 n) {\n";
  return xasprintf(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k%s  .shared .align 8 .b8 s[1024];\n"
      "  .shared .align 8 .b8 t[256];\n%s  %s\nend: ret;\n}\n"
      // Decides by each word of a.
      ".visible .entry later%s  .shared .align 8 .b8 s[1024];\n%s  "
      "ld.global.u32 %%r3, [%%rd3];\n"
      "  setp.eq.u32 %%p2, %%r3, 7; @%%p2 bra end;\n"
      "  ld.global.u32 %%r3, [%%rd3+960]; setp.eq.u32 %%p2, %%r3, 7;\n"
      "  @%%p2 bra end;\nend: ret;\n}\n// %d\n",
      head, first, k->body, head, first, number);
}

// ---- A launch ----

enum { MOST_FOUND = 16 };

struct result {
  enum err err[2];
  struct gpu_finding found[2][MOST_FOUND];
  int count[2];
  uint8_t bytes[2][MANY * 8];
  uint64_t defined[2][MANY * 8 / 64];
  bool is_defined[2];
  uint64_t work; // that the first launch was charged
  uint32_t finished;
  enum tier_state state;
  char why[200];
};

static struct err_info info;

static void ok(enum err err) {
  if (err)
    fail_msg("%s: %s", err_kind(err), info.text);
}

static enum err wait_for(struct gpu_device *d) {
  enum err err;
  while ((err = back->poll(d, GPU_ALL_STREAMS, &info)) == ERR_NOT_READY)
    ;
  return err;
}

static gpu_ptr make_array(struct gpu_device *d, uint32_t count, bool is_set,
                          uint32_t factor) {
  gpu_ptr at = 0;
  uint32_t *words = xcalloc(count, sizeof *words);
  ok(back->mem_alloc(d, count * sizeof *words, 0, &at, &info));
  for (uint32_t n = 0; n < count; n++)
    words[n] = n * factor % 1009 + 8;
  if (is_set)
    ok(back->copy_in(d, at, words, count * sizeof *words, 0, &info));
  ok(wait_for(d));
  free(words);
  return at;
}

// The n-th of the two, and which function it was.
static gpu_handle launch(struct gpu_device *d, gpu_handle module,
                         const struct kernel *k, const uint64_t params[3],
                         struct result *r, int n) {
  struct gpu_launch l = {.grid = {blocks_of(k), 1, 1},
                         .block = {threads_of(k), 1, 1},
                         .grid_budget = n ? 0 : k->grid_budget,
                         .params = params,
                         .param_bytes = 20};
  const char *name = n ? "later" : "k";
  ok(back->function_get(d, module, name, &l.function, NULL, &info));
  struct gpu_work work;
  ok(back->work(d, &work, &info));
  ok(back->launch(d, &l, &info));
  r->err[n] = wait_for(d);
  ok(back->work(d, &work, &info));
  r->work = n ? r->work : work.all;
  r->count[n] = back->findings(d, r->found[n], MOST_FOUND);
  return l.function;
}

static void look_at_memory(struct gpu_device *d, const gpu_ptr at[2],
                           struct result *r) {
  for (int n = 0; n < 2; n++) {
    const struct vg_alloc *a =
        vg_slot(&vg_own(d)->memory, at[n] >> VG_SLOT_BITS);
    memcpy(r->bytes[n], a->data, a->bytes);
    memcpy(r->defined[n], a->defined, a->bytes / 8);
    r->is_defined[n] = a->is_defined;
  }
}

static struct result *run(struct gpu_device *d, const struct kernel *k,
                          int number) {
  struct result *r = xcalloc(1, sizeof *r);
  gpu_handle module;
  char *text = text_of(k, number);
  ok(back->module_load(d, text, strlen(text), &module, &info));
  uint32_t words = words_of(k);
  gpu_ptr at[2] = {make_array(d, words, k->a_is_set, 7)};
  at[1] = k->is_one_array ? at[0] : make_array(d, words, !k->b_is_unset, 11);
  uint64_t params[3] = {at[0] + k->shift, at[1],
                        k->n ? (uint64_t)k->n : words / 2};
  gpu_handle function = launch(d, module, k, params, r, 0);
  look_at_memory(d, at, r);
  params[0] = at[0];
  params[2] = words / 2; // of as many as there are
  launch(d, module, k, params, r, 1);
  const struct vg_tier_kernel *t =
      vg_own(d)->functions[function - 1].code->tier;
  if (t) {
    r->finished = t->finished;
    r->state = (enum tier_state)atomic_load(&t->state);
    memcpy(r->why, t->why, sizeof r->why);
  }
  ok(back->mem_free(d, at[0], &info));
  if (at[1] != at[0])
    ok(back->mem_free(d, at[1], &info));
  ok(back->module_unload(d, module, &info));
  free(text);
  return r;
}

// ---- Beside each other ----

static void same_place(const struct gpu_place *a, const struct gpu_place *b) {
  assert_memory_equal(a->block, b->block, sizeof a->block);
  assert_memory_equal(a->thread, b->thread, sizeof a->thread);
  assert_int_equal(a->line, b->line);
  assert_int_equal(a->access, b->access);
}

static void same_finding(const struct gpu_finding *a,
                         const struct gpu_finding *b) {
  assert_int_equal(a->kind, b->kind);
  assert_int_equal(a->severity, b->severity);
  same_place(&a->at, &b->at);
  same_place(&a->other, &b->other);
  assert_int_equal(a->address, b->address);
  assert_int_equal(a->base, b->base);
  assert_int_equal(a->offset, b->offset);
  assert_int_equal(a->bytes, b->bytes);
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->launch, b->launch);
  assert_string_equal(a->variable, b->variable);
  assert_string_equal(a->text, b->text);
}

static void compare(const struct kernel *k, const struct result *right,
                    const struct result *got) {
  for (int n = 0; n < 2; n++) {
    if (right->err[n] != got->err[n] || right->count[n] != got->count[n])
      fail_msg("%s, launch %d: %s and %d findings, by the tier %s and %d",
               k->what, n, err_kind(right->err[n]), right->count[n],
               err_kind(got->err[n]), got->count[n]);
    for (int f = 0; f < right->count[n]; f++)
      same_finding(&right->found[n][f], &got->found[n][f]);
    if (memcmp(right->bytes[n], got->bytes[n], sizeof right->bytes[n]) != 0)
      fail_msg("%s: array %d differs", k->what, n);
    if (memcmp(right->defined[n], got->defined[n], sizeof right->defined[n]) !=
            0 ||
        right->is_defined[n] != got->is_defined[n])
      fail_msg("%s: of array %d other bytes count as written", k->what, n);
  }
}

// A launch that ran compiled is charged what the interpreter would charge at least, but
// for pages that it keeps; else it could end where that stops for its budget.
static void compare_work(const struct kernel *k, const struct result *right,
                         const struct result *got) {
  enum { PAGE = 4096, PAGE_COST = 4096 };
  uint64_t pages = (words_of(k) * 4 + PAGE - 1) / PAGE;
  if (got->finished && got->work + pages * PAGE_COST < right->work)
    fail_msg("%s: was charged %llu, by the tier %llu", k->what,
             (unsigned long long)right->work, (unsigned long long)got->work);
}

// ---- The tests ----

static struct gpu_device *plain, *tier;

// Does the interpreter run blocks in turns, where none can change over?
static bool is_in_turns(const struct kernel *k) {
  return strstr(k->body, "red.global") || strstr(k->body, "red.cta");
}

// The same launch, changing over after each count of blocks.
static void change_over(const struct kernel *k, bool is_there) {
  for (int after = 1; after < BLOCKS; after++) {
    vg_own(tier)->tier->after = (uint64_t)after;
    struct result *right = run(plain, k, after), *got = run(tier, k, after);
    vg_own(tier)->tier->after = 0;
    compare(k, right, got);
    compare_work(k, right, got);
    bool may = is_there && !k->threads && !is_in_turns(k);
    if (may && k->way == COMPILED && !got->finished)
      fail_msg("%s: did not change over after %d blocks: %s", k->what, after,
               got->why);
    if (k->way != COMPILED && !k->goes_on && got->finished)
      fail_msg("%s: ran compiled behind %d blocks", k->what, after);
    if (may && k->goes_on && !got->finished)
      fail_msg("%s: did not go on behind %d blocks: %s", k->what, (int)after,
               got->why);
    free(got);
  }
}

static void run_kernel(void **state) {
  const struct kernel *k = *state;
  struct result *right = run(plain, k, 0), *got = run(tier, k, 0);
  bool is_there = tier_is_there(tier);
  compare(k, right, got);
  compare_work(k, right, got);
  assert_int_equal(right->finished, 0);
  if (is_there && got->finished != (k->way == COMPILED))
    fail_msg("%s: %u launches ran compiled: %s", k->what, got->finished,
             got->why);
  bool was_refused = got->state == TIER_IS_REFUSED;
  if (is_there && was_refused != (k->way == REFUSED))
    fail_msg("%s: %s", k->what, got->why);
  change_over(k, is_there);
  free(right);
  free(got);
  if (!is_there)
    skip();
}

static struct gpu_device *open_device(const char *how) {
  struct gpu_device *d;
  setenv("WARPSHOP_TIER", how, 1);
  ok(back->open(0, NULL, &d, &info));
  return d;
}

int main(void) {
  enum { COUNT = sizeof kernels / sizeof *kernels };
  struct CMUnitTest tests[COUNT] = {0};
  for (size_t n = 0; n < COUNT; n++)
    tests[n] = (struct CMUnitTest){.name = kernels[n].what,
                                   .test_func = run_kernel,
                                   .initial_state = (void *)&kernels[n]};
  plain = open_device("0");
  tier = open_device("always");
  int failed = _cmocka_run_group_tests("checked", tests, COUNT, NULL, NULL);
  back->close(plain);
  back->close(tier);
  return failed;
}

// SPDX-License-Identifier: Apache-2.0
// What results are made of (GPU_LAUNCH_TRACE): one kernel for each way that
// data takes, and one for each way that is none.
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/gpu.h"

enum { THREADS = 64, LONG_TRIES = 16 };

// %a4 is the thread's cell of the input (all zeros), %a5 of the results, %a6 of
// shared memory, %a7 its neighbour's there; %p1 holds for thread 0.
#define HEAD(name)                                                             \
  ".visible .entry " name "(.param .u64 in, .param .u64 out)\n{\n"             \
  ".reg .pred %p<8>;.reg .b32 %r<16>;.reg .b64 %a<16>;\n"                      \
  "ld.param.u64 %a0, [in];\nld.param.u64 %a1, [out];\n"                        \
  "mov.u32 %r0, %tid.x;\nmul.wide.u32 %a3, %r0, 4;\n"                          \
  "add.u64 %a4, %a0, %a3;\nadd.u64 %a5, %a1, %a3;\n"                           \
  "mov.u64 %a8, buffer;\nadd.u64 %a6, %a8, %a3;\n"                             \
  "xor.b32 %r9, %r0, 1;\nmul.wide.u32 %a9, %r9, 4;\nadd.u64 %a7, %a8, %a9;\n"  \
  "setp.eq.u32 %p1, %r0, 0;\n"
#define LOAD  "ld.global.u32 %r1, [%a4];\n"
#define STORE "st.global.u32 [%a5], %r1;\n"
#define TAIL  "ret;\n}\n"
#define PHASE(count)                                                           \
  "@%p1 mbarrier.init.shared.b64 [phase], " count ";\nbar.sync 0;\n"
#define WAIT(name)                                                             \
  "wait_" name ":\nmbarrier.try_wait.parity.shared.b64 %p2, [phase], 0;\n"     \
  "@!%p2 bra wait_" name ";\n"
#define ONES "mov.u32 %r5, 0;\nor.b32 %r3, %r1, 0x3c003c00;\n"
#define MMA(a, b, c)                                                           \
  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r6, %r7, %r8, %r9}, "   \
  "{" a ", " a ", " a ", " a "}, {" b ", " b "}, {" c ", " c ", " c ", " c     \
  "};\n"
#define EIGHT "{%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}"
#define WMMA(space, at)                                                        \
  "wmma.load.a.sync.aligned.row.m16n16k16." space ".s8 {%r10, %r11}, [" at     \
  "];\nwmma.load.b.sync.aligned.col.m16n16k16." space ".s8 {%r12, %r13}, [" at \
  "];\n"                                                                       \
  "mov.u32 %r14, 0;\n"                                                         \
  "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 " EIGHT               \
  ", {%r10, %r11}, {%r12, %r13}, {%r14, %r14, %r14, %r14, %r14, %r14, %r14, "  \
  "%r14};\n"
#define ROW                                                                    \
  "and.b32 %r8, %r0, 7;\nmul.wide.u32 %a10, %r8, 16;\n"                        \
  "add.u64 %a10, %a10, %a8;\n"

static const char text[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n"
    ".shared .align 16 .b8 buffer[1024];\n"
    ".shared .align 8 .b64 phase;\n"
    ".const .align 4 .b32 table[64] = {1, 2, 3};\n"
    ".global .align 4 .b32 own[64] = {1, 2, 3};\n"
    // clang-format off
    ".func (.reg .b32 r) twice(.reg .b32 x)\n{\nadd.u32 r, x, x;\nret;\n}\n"
    ".global .align 8 .b64 where;\n"
    ".func store_seven()\n{\n.reg .b32 %r<4>;.reg .b64 %a<4>;\n"
      "ld.global.u64 %a1, [where];\nmov.u32 %r1, %tid.x;\n"
      "mul.wide.u32 %a2, %r1, 4;\nadd.u64 %a1, %a1, %a2;\n"
      "mov.u32 %r2, 7;\nst.global.u32 [%a1], %r2;\nret;\n}\n"
    HEAD("copy") LOAD STORE TAIL
    HEAD("constant_number") "mov.u32 %r1, 5;\n" STORE TAIL
    HEAD("discard") LOAD "@!%p1 mov.u32 %r1, 0;\n@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("partly") "mov.u32 %r1, 5;\n@%p1 ld.global.u32 %r1, [%a4];\n" STORE TAIL
    HEAD("address") LOAD
      "mul.wide.u32 %a10, %r1, 4;\nadd.u64 %a11, %a5, %a10;\n"
      "mov.u32 %r2, 7;\nst.global.u32 [%a11], %r2;\n" TAIL
    HEAD("zero_factor") LOAD "mov.u32 %r2, 0;\nor.b32 %r1, %r1, 8;\n"
      "mul.lo.u32 %r1, %r1, %r2;\n" STORE TAIL
    HEAD("factor") LOAD "mov.u32 %r2, 3;\nmul.lo.u32 %r1, %r1, %r2;\n" STORE TAIL
    HEAD("branch") LOAD "setp.eq.u32 %p2, %r1, 0;\nmov.u32 %r1, 1;\n"
      "@%p2 bra there;\nmov.u32 %r1, 2;\nthere:\n" STORE TAIL
    HEAD("condition") LOAD "setp.eq.u32 %p2, %r1, 0;\n"
      "selp.b32 %r1, 1, 0, %p2;\n" STORE TAIL
    HEAD("select") LOAD "ld.global.u32 %r3, [%a0];\n"
      "setp.eq.u32 %p2, %r1, 0;\nadd.u32 %r4, %r3, 1;\n"
      "@!%p1 mov.u32 %r4, 0;\n@!%p1 mov.u32 %r3, 9;\nselp.b32 %r1, %r4, %r3, %p1;\n"
      "@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("shuffle") LOAD "shfl.sync.bfly.b32 %r1, %r1, 1, 31, 0xffffffff;\n" STORE TAIL
    HEAD("vote") LOAD "setp.eq.u32 %p2, %r1, 0;\n"
      "vote.sync.ballot.b32 %r1, %p2, 0xffffffff;\n@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("through_barrier") LOAD "st.shared.u32 [%a6], %r1;\nbar.sync 0;\n"
      "ld.shared.u32 %r1, [%a7];\n" STORE TAIL
    HEAD("after_long") "mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p2, %r2, 0;\n"
      "@%p2 ret;\n" LOAD "mov.u32 %r3, %nctaid.x;\n"
      "mad.lo.u32 %r3, %r3, 1000, 112000;\nagain:\nadd.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p3, %r2, %r3;\n@%p3 bra again;\n"
      "st.shared.u32 [%a6], %r1;\nbar.sync 0;\n"
      "ld.shared.u32 %r1, [%a7];\n" STORE TAIL
    HEAD("through_warp") LOAD "st.shared.u32 [%a6], %r1;\n"
      "bar.warp.sync 0xffffffff;\nld.shared.u32 %r1, [%a7];\n" STORE TAIL
    HEAD("barrier_first") LOAD "bar.sync 0;\nst.shared.u32 [%a6], %r1;\n"
      "bar.warp.sync 0xffffffff;\nld.shared.u32 %r1, [%a7];\n" STORE TAIL
    HEAD("own_cell") LOAD "st.shared.u32 [%a6], %r1;\nbar.sync 0;\n"
      "ld.shared.u32 %r1, [%a6];\n" STORE TAIL
    HEAD("overwritten") LOAD "st.shared.u32 [%a6], %r1;\nbar.sync 0;\n"
      "ld.shared.u32 %r2, [%a7];\nst.global.u32 [%a5], %r2;\n"
      "mov.u32 %r1, 3;\n" STORE TAIL
    HEAD("shared_atomic") LOAD "mov.u32 %r2, 0;\n"
      "@%p1 st.shared.u32 [%a8], %r2;\nbar.sync 0;\n"
      "red.shared.add.u32 [%a8], %r1;\nbar.sync 0;\n"
      "@%p1 ld.shared.u32 %r1, [%a8];\n@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("global_atomic") LOAD "red.global.add.u32 [%a1], %r1;\n" TAIL
    HEAD("dummy_atomic") LOAD "mov.u32 %r2, 0;\nst.shared.u32 [%a6], %r2;\n"
      "red.shared.add.u32 [%a6], %r1;\n" STORE TAIL
    HEAD("four_bytes") LOAD "setp.lt.u32 %p3, %r0, 4;\ncvt.u64.u32 %a10, %r0;\n"
      "add.u64 %a10, %a10, %a1;\n@%p3 st.global.u8 [%a10], %r1;\nbar.sync 0;\n"
      "@%p1 ld.global.u32 %r2, [%a1];\nbar.sync 0;\nmov.u32 %r1, 0;\n"
      "@%p3 st.global.u8 [%a10], %r1;\n@%p1 st.global.u32 [%a1+8], %r2;\n" TAIL
    HEAD("four_bytes_atomic") LOAD "setp.lt.u32 %p3, %r0, 4;\n"
      "cvt.u64.u32 %a10, %r0;\nadd.u64 %a10, %a10, %a1;\n"
      "@%p3 st.global.u8 [%a10], %r1;\nbar.sync 0;\nmov.u32 %r2, 1;\n"
      "@%p1 red.global.add.u32 [%a1], %r2;\n" TAIL
    HEAD("exchange") LOAD "atom.global.exch.b32 %r2, [%a1], %r1;\n" TAIL
    HEAD("vector") "add.u64 %a4, %a4, %a3;\nld.global.v2.u32 {%r1, %r2}, [%a4];\n" STORE TAIL
    HEAD("constant") "mov.u64 %a10, table;\nadd.u64 %a10, %a10, %a3;\n"
      "ld.const.u32 %r1, [%a10];\n" STORE TAIL
    HEAD("own_table") "mov.u64 %a10, own;\nadd.u64 %a10, %a10, %a3;\n"
      "ld.global.u32 %r1, [%a10];\n" STORE TAIL
    HEAD("block_vote") LOAD "setp.eq.u32 %p2, %r1, 0;\n"
      "bar.red.popc.u32 %r1, 0, %p2;\n@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("local") ".local .align 4 .b8 mine[16];\n" LOAD
      "st.local.u32 [mine+4], %r1;\nld.local.u32 %r1, [mine+4];\n" STORE TAIL
    HEAD("bytes") LOAD "st.shared.u8 [%a6], %r1;\nmov.u32 %r2, 4;\n"
      "st.shared.u8 [%a6+1], %r2;\nld.shared.u8 %r1, [%a6+1];\n" STORE TAIL
    HEAD("chain") LOAD
      "add.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\nxor.b32 %r2, %r1, 7;\n"
      "max.u32 %r1, %r1, 3;\nadd.u32 %r2, %r2, %r1;\nmov.u32 %r1, %r2;\n" STORE TAIL
    HEAD("reload") LOAD STORE "bar.sync 0;\nadd.u64 %a10, %a1, %a9;\n"
      "ld.global.u32 %r2, [%a10];\nbar.sync 0;\n"
      "@%p1 st.global.u32 [%a5], %r2;\nmov.u32 %r3, 0;\n"
      "@!%p1 st.global.u32 [%a5], %r3;\n" TAIL
    HEAD("async") "cp.async.ca.shared.global [%a6], [%a4], 4;\n"
      "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
      "ld.shared.u32 %r1, [%a7];\n" STORE TAIL
    HEAD("async_overwritten") "cp.async.ca.shared.global [%a6], [%a4], 4;\n"
      "cp.async.wait_all;\n" LOAD "st.shared.u32 [%a6], %r1;\nbar.sync 0;\n"
      "ld.shared.u32 %r1, [%a7];\n" STORE TAIL
    HEAD("bulk") PHASE("64")
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [buffer], [%a0], 256, [phase];\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %a10, [phase], 256;\n"
      "@!%p1 mbarrier.arrive.shared.b64 %a10, [phase];\n" WAIT("bulk")
      "ld.shared.u32 %r1, [%a6];\n" STORE TAIL
    HEAD("bulk_unread") PHASE("1")
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [buffer], [%a0], 256, [phase];\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %a10, [phase], 256;\n"
      WAIT("unread") LOAD STORE TAIL
    HEAD("phase_between") PHASE("64") LOAD "st.shared.u32 [%a6], %r1;\n"
      "mbarrier.arrive.shared.b64 %a10, [phase];\n" WAIT("between")
      "ld.shared.u32 %r1, [%a7];\n" STORE TAIL
    HEAD("mma") LOAD ONES MMA("%r1", "%r1", "%r5")
      "@%p1 st.global.u32 [%a5], %r6;\n" TAIL
    HEAD("mma_zero") LOAD ONES MMA("%r5", "%r3", "%r1")
      "st.global.u32 [%a5], %r6;\n" TAIL
    HEAD("mma_by_zero") LOAD ONES MMA("%r3", "%r5", "%r1")
      "st.global.u32 [%a5], %r6;\n" TAIL
    HEAD("mma_of_zeros_loaded") LOAD ONES MMA("%r1", "%r3", "%r5")
      "@%p1 st.global.u32 [%a5], %r6;\n" TAIL
    HEAD("wmma") "mov.u32 %r1, 0;\n" WMMA("global", "%a0")
      "wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%a1], " EIGHT ";\n" TAIL
    HEAD("wmma_shared") LOAD "st.shared.u32 [%a6], %r1;\nbar.sync 0;\n"
      WMMA("shared", "%a8")
      "wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%a1], " EIGHT ";\n" TAIL
    HEAD("ldmatrix") LOAD "st.shared.u32 [%a6], %r1;\nbar.sync 0;\n" ROW
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%a10];\n"
      "@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("ldmatrix_trans") LOAD "st.shared.u32 [%a6], %r1;\nbar.sync 0;\n" ROW
      "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1}, [%a10];\n"
      "@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("stmatrix") LOAD ROW "setp.lt.u32 %p2, %r0, 32;\n"
      "@%p2 stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a10], {%r1};\nbar.sync 0;\n"
      "@%p1 ld.shared.u32 %r1, [buffer+16];\n@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("movmatrix") LOAD "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n"
      "@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("ldmatrix_then_async") LOAD "st.shared.u32 [%a6], %r1;\nbar.sync 0;\n" ROW
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%a10];\nbar.sync 0;\n"
      "@%p1 cp.async.ca.shared.global [%a6], [%a4], 4;\ncp.async.wait_all;\n"
      "@%p1 ld.shared.u32 %r1, [%a6];\n@%p1 st.global.u32 [%a5], %r1;\n" TAIL
    HEAD("texture") "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%a0, {%r0}];\n" STORE TAIL
    HEAD("texture_unused") "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%a0, {%r0}];\n"
      "mov.u32 %r1, 1;\n" STORE TAIL
    HEAD("texture_shuffled") "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%a0, {%r0}];\n"
      "shfl.sync.idx.b32 %r2, %r1, 5, 31, 0xffffffff;\nst.global.u32 [%a5], %r2;\n" TAIL
    HEAD("vector_red") LOAD
      "red.global.add.v4.f32 [%a1], {%r1, %r1, %r1, %r1};\n" TAIL
    HEAD("vector_atom") LOAD "atom.global.v2.f32.add {%r2, %r3}, [own], {%r1, %r1};\n"
      "setp.eq.u32 %p2, %r0, 1;\n@%p2 st.global.u32 [%a5], %r3;\n" TAIL
    HEAD("cas_loop") LOAD "ld.global.u32 %r2, [%a1];\nagain:\n"
      "add.u32 %r3, %r2, %r1;\nadd.u32 %r3, %r3, 1;\n"
      "atom.global.cas.b32 %r4, [%a1], %r2, %r3;\nsetp.ne.u32 %p2, %r4, %r2;\n"
      "mov.u32 %r2, %r4;\n@%p2 bra again;\n" TAIL
    HEAD("cas_that_fails") LOAD "mov.u32 %r2, 77;\nmov.u32 %r3, 78;\n"
      "st.global.u32 [%a5], %r3;\natom.global.cas.b32 %r4, [%a5], %r2, %r1;\n" TAIL
    HEAD("claimed") LOAD "@%p1 atom.global.inc.u32 %r2, [own], 0;\n"
      "mul.wide.u32 %a10, %r2, 4;\nadd.u64 %a10, %a10, %a1;\n"
      "@%p1 st.global.u32 [%a10], %r1;\n" TAIL
    HEAD("zero_atomic") LOAD STORE "red.global.add.u32 [%a5], 0;\n" TAIL
    // Thread by thread a cell of its own page.
    HEAD("pages") LOAD "mul.wide.u32 %a10, %r0, 4096;\nadd.u64 %a10, %a1, %a10;\n"
      "st.global.u32 [%a10], %r1;\n" TAIL
    HEAD("overwritten_pages") LOAD "mul.wide.u32 %a10, %r0, 4096;\n"
      "add.u64 %a10, %a1, %a10;\nst.global.u32 [%a10+4], %r1;\n"
      "mov.u32 %r2, 5;\nst.global.u32 [%a10+4], %r2;\n" TAIL
    HEAD("large_local") ".local .align 4 .b8 mine[65536];\n" LOAD
      "st.local.u32 [mine+4], %r1;\nld.local.u32 %r1, [mine+4];\n" STORE TAIL
    // What loads feed (GPU_LAUNCH_FEEDS): %p3 is true in some threads, because
    // of what they loaded, %p4 in none.
#define SOME "add.u32 %r6, %r1, %r0;\nsetp.lt.u32 %p3, %r6, 5;\n"
#define NONE "setp.eq.u32 %p4, %r1, 99;\n"
#define PLAIN "mov.u32 %r7, 3;\nst.global.u32 [%a5], %r7;\n"
    HEAD("fed_branch") LOAD SOME "mov.u32 %r1, 1;\n@%p3 bra over;\n"
      "mov.u32 %r1, 2;\nover:\n" STORE TAIL
    HEAD("fed_store") LOAD SOME "mov.u32 %r7, 3;\n@%p3 st.global.u32 [%a5], %r7;\n" TAIL
    HEAD("fed_exit") LOAD SOME "@%p3 bra leave;\n" PLAIN "leave:\nret;\n}\n"
    HEAD("fed_exit_of_some") LOAD SOME "@%p3 ret;\n" PLAIN TAIL
    HEAD("fed_select") LOAD SOME "selp.b32 %r1, 1, 2, %p3;\n" STORE TAIL
    HEAD("fed_loop") LOAD "mov.u32 %r2, 0;\nmin.u32 %r1, %r1, 3;\n"
      "add.u32 %r1, %r1, 4;\nround:\nadd.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p5, %r2, %r1;\n@%p5 bra round;\nst.global.u32 [%a5], %r2;\n" TAIL
    HEAD("fed_call") LOAD SOME "mov.u32 %r1, 4;\n@!%p3 bra past;\n"
      "call (%r1), twice, (%r1);\npast:\n" STORE TAIL
    HEAD("fed_call_stores") "@%p1 st.global.u64 [where], %a1;\nbar.sync 0;\n"
      LOAD SOME "@!%p3 bra beside;\ncall store_seven, ();\nbeside:\n" TAIL
    HEAD("fed_by_vote") LOAD SOME "vote.sync.any.pred %p5, %p3, 0xffffffff;\n"
      "selp.b32 %r1, 1, 2, %p5;\n" STORE TAIL
    HEAD("fed_own_table") "mov.u64 %a10, own;\nadd.u64 %a10, %a10, %a3;\n"
      "ld.global.u32 %r1, [%a10];\n" STORE TAIL
    HEAD("idle_load") "ld.volatile.global.u32 %r1, [%a4];\n" PLAIN TAIL
    HEAD("idle_never") LOAD NONE "@%p4 st.global.u32 [%a5], %r1;\n" PLAIN TAIL
    HEAD("idle_always") LOAD NONE "@%p4 bra out;\n" PLAIN "out:\nret;\n}\n"
    HEAD("idle_choice") LOAD NONE "mov.u32 %r7, 3;\n"
      "selp.b32 %r1, %r1, %r7, %p4;\n" STORE TAIL
    HEAD("idle_branch") LOAD SOME "@%p3 bra none;\nmov.u32 %r2, 5;\nnone:\n" PLAIN TAIL
    HEAD("idle_sink") LOAD "mov.u64 %a10, own;\nst.global.u32 [%a10], %r1;\n" PLAIN TAIL
    HEAD("idle_overwritten") LOAD STORE PLAIN TAIL
    HEAD("idle_shared") LOAD "st.shared.u32 [%a6], %r1;\n" PLAIN TAIL
    HEAD("idle_zero") LOAD "or.b32 %r1, %r1, 8;\nmul.lo.u32 %r1, %r1, 0;\n" STORE TAIL
    HEAD("fed_term") LOAD "add.u32 %r1, %r1, %r0;\nadd.u32 %r1, %r1, 9;\n"
      "min.u32 %r1, %r1, 20;\n" STORE TAIL
    HEAD("fed_addend") LOAD "mov.u32 %r2, 0x40000000;\n"
      "fma.rn.f32 %r1, %r2, %r2, %r1;\nadd.f32 %r1, %r1, %r2;\n" STORE TAIL
    HEAD("idle_tiny") LOAD "add.u32 %r1, %r1, 5;\nmov.u32 %r2, 0x40000000;\n"
      "add.f32 %r1, %r2, %r1;\n" STORE TAIL
    HEAD("idle_tiny_product") LOAD "add.u32 %r1, %r1, 5;\nmov.u32 %r2, 0x40000000;\n"
      "fma.rn.f32 %r1, %r2, %r1, %r2;\n" STORE TAIL
    HEAD("idle_maximum") LOAD "max.u32 %r1, %r1, 7;\n" STORE TAIL
    HEAD("idle_bits") LOAD "add.u32 %r1, %r1, 2;\nor.b32 %r1, %r1, 7;\n" STORE TAIL
    HEAD("idle_async") "cp.async.ca.shared.global [%a6], [%a4], 4;\n"
      "cp.async.wait_all;\n" PLAIN TAIL
    HEAD("called") LOAD "call (%r1), twice, (%r1);\n" STORE TAIL
    ;
// clang-format on

static const struct gpu_backend *const back = &gpu_virtual_backend;
static struct gpu_device *device;
static gpu_handle module;
static gpu_ptr in, out;
static uint64_t texture; // over `in`
static struct err_info info;

static void ok(enum err err) {
  if (err)
    fail_msg("%s: %s", err_kind(err), info.text);
}

static void finish(void) {
  while (back->poll(device, GPU_ALL_STREAMS, &info) == ERR_NOT_READY)
    ;
}

static gpu_ptr zeros_of(uint64_t bytes) {
  gpu_ptr p = 0;
  ok(back->mem_alloc(device, bytes, 0, &p, &info));
  ok(back->mem_set(device,
                   &(struct gpu_fill){.to = p, .width = 4, .count = bytes / 4},
                   &info));
  return p;
}

static gpu_ptr zeros(void) {
  return zeros_of(4096);
}

// What nobody has written is not zero by luck.
static int set_up(void **state) {
  (void)state;
  mallopt(M_PERTURB, 0xA5);
  ok(back->open(0, NULL, &device, &info));
  ok(back->module_load(device, text, sizeof text - 1, &module, &info));
  in = zeros();
  out = zeros();
  struct gpu_texture_desc t = {.resource = GPU_RESOURCE_LINEAR,
                               .address = in,
                               .width = 1024,
                               .format = GPU_FORMAT_U32,
                               .channels = 1,
                               .reads_elements = true};
  ok(back->texture_create(device, &t, &texture, &info));
  finish();
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  back->close(device);
  return 0;
}

static struct gpu_block_place made_by(const char *kernel, uint32_t blocks,
                                      uint32_t flags) {
  struct gpu_function_info f;
  struct gpu_placement p;
  struct gpu_block_place *places, first;
  uint64_t params[2] = {strncmp(kernel, "texture", 7) ? in : texture, out};
  struct gpu_launch l = {.grid = {blocks, 1, 1},
                         .block = {THREADS, 1, 1},
                         .flags = flags,
                         .params = params,
                         .param_bytes = sizeof params};
  ok(back->function_get(device, module, kernel, &l.function, &f, &info));
  ok(back->launch(device, &l, &info));
  finish();
  ok(back->placement(device, &p, &places, &info));
  assert_int_equal(p.placed, blocks);
  first = places[0];
  free(places);
  return first;
}

enum {
  SHARED = GPU_MADE_SHARED,
  BARRIER = GPU_MADE_BARRIER,
  SHUFFLE = GPU_MADE_SHUFFLE,
  TENSOR = GPU_MADE_TENSOR,
  ATOMICS = GPU_MADE_ATOMICS | GPU_MADE_WITH_ATOMICS,
};

static const struct {
  const char *kernel;
  uint32_t made, threads, chain;
} cases[] = {
    {"copy", 0, 64, 0},
    {"constant_number", 0, 0, 0},
    {"discard", 0, 1, 0},
    {"partly", 0, 1, 0},
    {"address", 0, 64, 0},
    {"zero_factor", 0, 0, 0},
    {"factor", 0, 64, 1},
    {"branch", 0, 0, 0},
    {"condition", 0, 64, 0},
    {"select", 0, 1, 1},
    {"shuffle", SHUFFLE, 64, 0},
    {"vote", SHUFFLE, 32, 0},
    {"through_barrier", SHARED | BARRIER, 64, 0},
    {"through_warp", SHARED, 64, 0},
    {"barrier_first", SHARED, 64, 0},
    {"own_cell", 0, 64, 0},
    {"overwritten", 0, 0, 0},
    {"shared_atomic", SHARED | BARRIER | ATOMICS, 64, 1},
    {"global_atomic", ATOMICS, 64, 1},
    {"four_bytes", 0, 4, 0},
    {"four_bytes_atomic", ATOMICS, 4, 1},
    {"dummy_atomic", GPU_MADE_WITH_ATOMICS, 64, 0},
    {"exchange", ATOMICS, 1, 1},
    {"vector", GPU_MADE_VECTOR_LOADS, 64, 0},
    {"constant", GPU_MADE_CONSTANT, 0, 0},
    {"own_table", 0, 0, 0},
    {"block_vote", 0, 64, 0},
    {"local", 0, 64, 0},
    {"bytes", 0, 0, 0},
    {"chain", 0, 64, 4},
    {"reload", 0, 2, 0},
    {"async", SHARED | BARRIER | GPU_MADE_ASYNC, 64, 0},
    {"async_overwritten", SHARED | BARRIER, 64, 0},
    {"bulk", SHARED | BARRIER | GPU_MADE_ASYNC, 64, 0},
    {"bulk_unread", 0, 64, 0},
    {"phase_between", SHARED | BARRIER, 64, 0},
    {"mma", TENSOR, 4, 1}, // of a row of A and a column of B
    {"mma_zero", 0, 64, 1},
    {"mma_by_zero", 0, 64, 1},
    {"mma_of_zeros_loaded", TENSOR, 4, 1},
    {"wmma", TENSOR, 32, 1},
    {"wmma_shared", TENSOR | SHARED | BARRIER, 64, 1},
    {"ldmatrix", SHARED | BARRIER, 4, 0},
    {"ldmatrix_trans", SHARED | BARRIER, 8, 0},
    {"stmatrix", SHARED | BARRIER, 4, 0},
    {"movmatrix", 0, 2, 0},
    {"ldmatrix_then_async", GPU_MADE_ASYNC, 1, 0},
    {"texture", 0, 64, 0},
    {"texture_unused", 0, 0, 0},
    {"texture_shuffled", SHUFFLE, 2, 0},
    {"vector_red", ATOMICS, 64, 1},
    {"vector_atom", ATOMICS, 2, 1},
    {"cas_loop", ATOMICS, 64, 192},
    {"cas_that_fails", GPU_MADE_WITH_ATOMICS, 0, 0},
    {"claimed", ATOMICS, 1, 0},
    {"zero_atomic", GPU_MADE_WITH_ATOMICS, 64, 0},
    {"called", 0, 64, 1},
};

static void follows_data(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    struct gpu_block_place b = made_by(cases[n].kernel, 1, GPU_LAUNCH_TRACE);
    if (b.made == cases[n].made && b.threads == cases[n].threads &&
        b.chain == cases[n].chain)
      continue;
    print_message("%s: made %#x by %u threads in %u steps, wanted %#x, %u, "
                  "%u\n",
                  cases[n].kernel, b.made, b.threads, b.chain, cases[n].made,
                  cases[n].threads, cases[n].chain);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

// Blocks that join in one cell keep their own shares.
static void keeps_blocks_apart(void **state) {
  (void)state;
  struct gpu_block_place b = made_by("global_atomic", 3, GPU_LAUNCH_TRACE);
  assert_int_equal(b.threads, 64);
  b = made_by("copy", 3, GPU_LAUNCH_TRACE); // the last one's values stay
  assert_true(b.threads == 0);
}

// A launch that takes long is looked at, whether it is stuck, by steps of its
// own: wherever that comes, it must leave nothing out. The grid's size is how
// often the loop goes.
static void follows_a_long_launch(void **state) {
  (void)state;
  for (uint32_t blocks = 1; blocks <= LONG_TRIES; blocks++) {
    struct gpu_block_place b = made_by("after_long", blocks, GPU_LAUNCH_TRACE);
    assert_int_equal(b.made, SHARED | BARRIER);
    assert_int_equal(b.threads, THREADS);
  }
}

// What is known of one launch's memory is found wherever it lies, and gone in the
// next, which gets the same tables.
static void follows_far_apart(void **state) {
  (void)state;
  gpu_ptr small = out;
  out = zeros_of(THREADS * 4096);
  assert_int_equal(made_by("pages", 1, GPU_LAUNCH_TRACE).threads, THREADS);
  assert_int_equal(made_by("overwritten_pages", 1, GPU_LAUNCH_TRACE).threads,
                   0);
  ok(back->mem_free(device, out, &info));
  out = small;
}

static void untraced_says_nothing(void **state) {
  (void)state;
  struct gpu_block_place b = made_by("through_barrier", 1, 0);
  assert_int_equal(b.made, 0);
  assert_int_equal(b.threads, 0);
}

// ---- What loads feed ----

// Loads and copies by warps of which nothing is in the results.
static uint64_t unused(const char *kernel, uint32_t blocks, uint64_t *all) {
  struct gpu_counts c;
  struct gpu_line_counts *lines;
  uint64_t count = 0;
  made_by(kernel, blocks,
          GPU_LAUNCH_COUNT | GPU_LAUNCH_ACCESSES | GPU_LAUNCH_FEEDS);
  ok(back->counts(device, &c, &lines, &info));
  for (uint32_t n = 0; n < c.line_count; n++)
    if (lines[n].is_unused)
      count += lines[n].count[GPU_COUNT_GLOBAL_LD] +
               lines[n].count[GPU_COUNT_ASYNC_COPIES];
  *all = c.count[GPU_COUNT_GLOBAL_LD] + c.count[GPU_COUNT_ASYNC_COPIES];
  free(lines);
  return count;
}

static const char *const fed[] = {"copy",
                                  "address",
                                  "factor",
                                  "shuffle",
                                  "vote",
                                  "through_barrier",
                                  "shared_atomic",
                                  "global_atomic",
                                  "exchange",
                                  "local",
                                  "chain",
                                  "async",
                                  "mma",
                                  "mma_zero",
                                  "wmma_shared",
                                  "ldmatrix",
                                  "stmatrix",
                                  "vector_red",
                                  "called",
                                  "fed_branch",
                                  "fed_store",
                                  "fed_exit",
                                  "fed_exit_of_some",
                                  "fed_select",
                                  "fed_loop",
                                  "fed_call",
                                  "fed_call_stores",
                                  "fed_by_vote",
                                  "fed_own_table",
                                  "fed_term",
                                  "fed_addend",
                                  "block_vote",
                                  "own_table",
                                  "reload"};
static const char *const idle[] = {
    "idle_load",    "idle_never", "idle_always",      "idle_choice",
    "idle_branch",  "idle_sink",  "idle_overwritten", "idle_shared",
    "idle_zero",    "idle_async", "idle_tiny",        "idle_tiny_product",
    "idle_maximum", "idle_bits",  "branch",           "zero_factor",
    "overwritten",  "bytes",      "condition",
};

static void fill_inputs(uint32_t value) {
  struct gpu_fill f = {.to = in, .value = value, .width = 4, .count = 1024};
  ok(back->mem_set(device, &f, &info));
}

// Of two warps: 2 where the one load feeds nothing.
static void tells_idle_loads(void **state) {
  (void)state;
  fill_inputs(1); // of zeros no sum would know
  int wrong = 0;
  for (int are_idle = 0; are_idle < 2; are_idle++) {
    size_t count =
        are_idle ? sizeof idle / sizeof *idle : sizeof fed / sizeof *fed;
    for (size_t n = 0; n < count; n++)
      for (uint32_t blocks = 1; blocks < 4; blocks += 2) {
        const char *kernel = are_idle ? idle[n] : fed[n];
        uint64_t all, got = unused(kernel, blocks, &all);
        if (all && got == (are_idle ? all : 0))
          continue;
        print_message("%s, %u blocks: %d of %d loads feed nothing\n", kernel,
                      blocks, (int)got, (int)all);
        wrong++;
      }
  }
  fill_inputs(0);
  assert_int_equal(wrong, 0);
}

static uint64_t work_of(const char *kernel, uint32_t blocks) {
  struct gpu_work w;
  ok(back->work(device, &w, &info));
  made_by(kernel, blocks, GPU_LAUNCH_TRACE);
  ok(back->work(device, &w, &info));
  return w.all;
}

// What is known of memory takes several times as much memory: its pages are
// charged when they are touched first, that of local arrays by how much there
// is at once.
static void charges_what_it_remembers(void **state) {
  (void)state;
  enum { PAGE_COST = 8192, LOCAL_PAGES = 65536 * 32 * 8 / 4096 };
  gpu_ptr small = out;
  uint64_t dense = work_of("copy", 1);
  out = zeros_of(THREADS * 4096);
  uint64_t wide = work_of("pages", 1);
  ok(back->mem_free(device, out, &info));
  out = small;
  assert_true(dense < 8 * PAGE_COST);
  assert_true(wide - dense >= (THREADS - 1) * PAGE_COST);
  uint64_t one = work_of("large_local", 1), four = work_of("large_local", 4);
  assert_true(one >= UINT64_C(2) * LOCAL_PAGES * PAGE_COST);
  assert_true(four > one + 1000000 && four < one * 2);
}

// The byte behind an access is paid for with it, also where the page of cells
// before it was, and so nobody needs to be asked about the access itself.
static void charges_what_lies_behind(void **state) {
  (void)state;
  enum { PAGE_COST = 8192, PAGE = 512, BYTES = THREADS * sizeof(uint32_t) };
  uint64_t within = work_of("copy", 1);
  out += PAGE - BYTES;
  uint64_t to_the_end = work_of("copy", 1);
  out -= PAGE - BYTES;
  assert_int_equal(to_the_end - within, PAGE_COST);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(follows_data),
      cmocka_unit_test(keeps_blocks_apart),
      cmocka_unit_test(follows_a_long_launch),
      cmocka_unit_test(follows_far_apart),
      cmocka_unit_test(untraced_says_nothing),
      cmocka_unit_test(tells_idle_loads),
      cmocka_unit_test(charges_what_it_remembers),
      cmocka_unit_test(charges_what_lies_behind),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

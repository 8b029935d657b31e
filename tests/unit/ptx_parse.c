// SPDX-License-Identifier: Apache-2.0
// The PTX parser: what it makes of a text, what it refuses and where, and that
// no text makes it fall over.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/ptx/ptx.h"

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"
#define REGS                                                                   \
  ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;"                       \
  " .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b16 %h<4>;\n"
#define BODY(code) HEAD ".visible .entry k(.param .u64 k_0){" REGS code "}\n"

static const struct ptx_func *find(const struct ptx_module *m,
                                   const char *name) {
  for (int i = 0; i < m->func_count; i++)
    if (!strcmp(m->funcs[i]->name, name))
      return m->funcs[i];
  fail_msg("no function %s", name);
  return NULL;
}

static struct ptx_module *parse(const char *text) {
  struct ptx_module *m = NULL;
  struct err_info e = {0};
  if (ptx_parse(text, strlen(text), &m, &e))
    fail_msg("%s", e.text);
  return m;
}

static void refuse(const char *text, enum err code, const char *part) {
  struct ptx_module *m = NULL;
  struct err_info e = {0};
  assert_int_equal(ptx_parse(text, strlen(text), &m, &e), code);
  assert_null(m);
  if (!strstr(e.text, part))
    fail_msg("\"%s\" does not say \"%s\"", e.text, part);
}

static void test_instruction_fields(void **state) {
  (void)state;
  struct ptx_module *m =
      parse(BODY("@!%p1 ld.volatile.global.v2.u32 {%r1, %r2}, [%rd1+-8];\n"
                 "ld.param.u64 %rd2, [k_0];\n"
                 "setp.lt.or.s32 %p2|%p3, %r1, -1, !%p1;\n"
                 "cvt.rzi.s32.f32 %r3, %f1;\n"
                 "mad.wide.s32 %rd3, %r1, 4, %rd2;\n"
                 "atom.global.cas.b32 %r4, [%rd3], 0, 1;\n"
                 "mov.u32 %r5, %ctaid.z;\n"));
  const struct ptx_insn *i = find(m, "k")->code;
  assert_int_equal(m->target, 80);
  assert_int_equal(i[0].op, PTX_OP_LD);
  assert_int_equal(i[0].sem, PTX_VOLATILE);
  assert_int_equal(i[0].space, PTX_GLOBAL);
  assert_int_equal(i[0].vec, 2);
  assert_true(i[0].guard >= 0 && i[0].guard_negate);
  assert_int_equal(i[0].operands[1].offset, -8);
  assert_false(i[0].is_entry_param);
  assert_true(i[1].is_entry_param);
  assert_int_equal(i[2].cmp, PTX_LT);
  assert_int_equal(i[2].boolop, PTX_BOOL_OR);
  assert_true(i[2].operands[0].pair >= 0 && i[2].operands[3].negate);
  assert_int_equal((uint32_t)i[2].operands[2].bits, UINT32_MAX);
  assert_int_equal(i[3].type, PTX_S32);
  assert_int_equal(i[3].type2, PTX_F32);
  assert_int_equal(i[3].round, PTX_RZI);
  assert_int_equal(i[4].part, PTX_WIDE);
  assert_int_equal(i[5].sub, PTX_ATOM_CAS);
  assert_int_equal(i[6].operands[1].kind, PTX_SPECIAL);
  assert_int_equal(i[6].operands[1].dim, 2);
  ptx_free(m);
}

static void test_float_immediates(void **state) {
  (void)state;
  struct ptx_module *m = parse(BODY("mov.f32 %f1, 0f3F800000;"
                                    "mov.b32 %r1, 0fC0000000;"
                                    "mov.f64 %d1, 0d3FF0000000000000;"
                                    "mov.b64 %rd1, 0d4000000000000000;"
                                    "mov.f64 %d2, 0f3F800000;"
                                    "mov.f32 %f2, -0f3F800000;"));
  const struct ptx_insn *i = find(m, "k")->code;
  const uint64_t want[] = {0x3f800000,         0xc0000000,
                           0x3ff0000000000000, 0x4000000000000000,
                           0x3ff0000000000000, 0xbf800000};
  for (int n = 0; n < 6; n++)
    assert_true(i[n].operands[1].bits == want[n]);
  ptx_free(m);
}

static void test_constants_of_matrices(void **state) {
  (void)state;
  struct ptx_module *m = parse(
      BODY("mov.u32 %r1, %gridid;\n"
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}"
           ", {%r0,%r0,%r0,%r0}, {%r1,%r1}, {0f3F800000, 2.0, %f1, 1.0+2.0};"));
  const struct ptx_operand *o = &find(m, "k")->code[1].operands[3];
  assert_int_equal(o->reg_bits[0], 0x3F800000);
  assert_int_equal(o->reg_bits[1], 0x40000000);
  assert_int_equal(o->reg_bits[3], 0x40400000);
  ptx_free(m);
}

static void test_variables(void **state) {
  (void)state;
  struct ptx_module *m = parse(
      HEAD ".global .align 4 .b8 s[6] = {104, 105, 0xff};\n"
           ".global .align 8 .u64 p[2] = {0, generic(s)+2};\n"
           ".const .align 4 .f32 c[2][2] = {{0f3F800000, 2.0}, {3.0}};\n"
           ".extern .shared .align 16 .b8 dyn[];\n"
           ".visible .entry k(.param .u32 a, .param .align 8 .b8 b[16]){\n"
           ".shared .align 8 .b8 t[24]; .shared .u32 u; ret; }\n");
  assert_int_equal(m->var_count, 4);
  assert_int_equal(m->vars[0]->bytes, 6);
  assert_memory_equal(m->vars[0]->init, "hi\xff\0\0\0", 6);
  assert_int_equal(m->vars[1]->reloc_count, 1);
  assert_int_equal(m->vars[1]->relocs[0].at, 8);
  assert_int_equal(m->vars[1]->relocs[0].addend, 2);
  assert_true(m->vars[1]->relocs[0].is_generic);
  assert_ptr_equal(m->vars[1]->relocs[0].var, m->vars[0]);
  const float c[] = {1, 2, 3, 0};
  assert_memory_equal(m->vars[2]->init, c, sizeof c);
  assert_true(m->vars[3]->is_extern && m->vars[3]->bytes == 0);
  const struct ptx_func *f = find(m, "k");
  assert_int_equal(f->params[1]->offset, 8);
  assert_int_equal(f->param_bytes, 24);
  assert_int_equal(f->locals[1]->offset, 24);
  assert_int_equal(f->shared_bytes, 28);
  ptx_free(m);
}

static void test_calls_and_scopes(void **state) {
  (void)state;
  struct ptx_module *m =
      parse(HEAD ".func (.param .b32 r) f(.param .b32 f_0);\n"
                 ".visible .entry k(){ " REGS
                 "{ .reg .b32 t; .param .b32 a; .param .b32 q; mov.u32 t, 3;\n"
                 "st.param.b32 [a+0], t; call.uni (q), f, (a);\n"
                 "ld.param.b32 %r1, [q+0]; }\n"
                 "{ .param .b64 a; call %rd1, (a), proto; }\n"
                 "proto: .callprototype ()_ (.param .b64 _);\n ret; }\n"
                 ".func (.param .b32 r) f(.param .b32 f_0){ ret; }\n");
  const struct ptx_insn *i = find(m, "k")->code;
  assert_ptr_equal(i[2].callee, find(m, "f"));
  assert_int_equal(find(m, "f")->code[0].op, PTX_OP_RET);
  assert_int_equal(i[2].call_arg_count, 1);
  assert_string_equal(i[2].call_result->name, "q");
  assert_false(i[3].is_entry_param);
  assert_null(i[4].callee);
  assert_int_equal(i[4].operands[0].kind, PTX_REGISTER);
  ptx_free(m);
}

// if (p) { if (q) return; a; } b;  -- all that are left meet before b.
static void test_early_return_meets(void **state) {
  (void)state;
  struct ptx_module *m = parse(BODY("@%p1 bra B;"     // 0
                                    "@%p2 bra END;"   // 1
                                    "mov.u32 %r1, 1;" // 2
                                    "B: bar.sync 0;"  // 3
                                    "END: ret;"));    // 4
  const struct ptx_insn *i = find(m, "k")->code;
  assert_int_equal(i[0].reconverge, 3);
  assert_int_equal(i[1].reconverge, 2);
  ptx_free(m);
  m = parse(BODY("@%p1 bra B; @%p2 ret; mov.u32 %r1, 1; B: bar.sync 0;"));
  assert_int_equal(find(m, "k")->code[0].reconverge, 3);
  assert_int_equal(find(m, "k")->code[1].reconverge, 2);
  ptx_free(m);
}

// A loop that only a return ends keeps that way out; if and else meet behind.
static void test_loops_and_ifs_meet(void **state) {
  (void)state;
  struct ptx_module *m = parse(BODY("L: @%p1 bra END;"      // 0
                                    "@%p2 bra ELSE;"        // 1
                                    "mov.u32 %r1, 1;"       // 2
                                    "bra.uni NEXT;"         // 3
                                    "ELSE: mov.u32 %r1, 2;" // 4
                                    "NEXT: bra L;"          // 5
                                    "END: ret;"));          // 6
  const struct ptx_insn *i = find(m, "k")->code;
  assert_int_equal(i[0].reconverge, 6);
  assert_int_equal(i[1].reconverge, 5);
  ptx_free(m);
  m = parse(BODY("L: @%p1 bra L; M: bra M;"));
  assert_int_equal(find(m, "k")->code[0].reconverge, 1);
  ptx_free(m);
}

// The compiler may put the end of a loop before its beginning: the way back is
// then from B to L, not the branch to B, whatever the order of the code.
static void test_endless_loops_meet(void **state) {
  (void)state;
  struct ptx_module *m = parse(BODY("bra.uni L;"         // 0
                                    "B: bar.sync 0;"     // 1
                                    "L: mov.u32 %r1, 1;" // 2
                                    "@%p1 bra B;"        // 3
                                    "mov.u32 %r1, 2;"    // 4
                                    "bra.uni B;"));      // 5
  assert_int_equal(find(m, "k")->code[3].reconverge, 1);
  ptx_free(m);
}

static const char *const inlined = BODY(
    "\n.loc 1 7 3\nmov.u32 %r1, 1;\n"
    ".loc 2 90 1, function_name $L_x, inlined_at 1 7 3\n"
    "mov.u32 %r1, 2;\n"
    ".loc 3 5 1, function_name $L_x+4, inlined_at 2 90 1\n"
    "mov.u32 %r1, 3;\n"
    ".loc 1 8 4\n"
    ".loc 1 2 9, function_name $L_x, inlined_at 1 8 4\n"
    "mov.u32 %r1, 4;\n") ".file 1 \"kernel.cu\"\n"
                         ".file 2 "
                         "\"/usr/local/cuda/include/cooperative_groups.h\"\n"
                         ".file 3 \"/usr/local/cuda/include/helpers.h\"\n";

static void test_lines_are_the_learners(void **state) {
  (void)state;
  struct ptx_module *m = parse(inlined);
  const struct ptx_insn *i = find(m, "k")->code;
  const int want[] = {7, 7, 7, 2};
  for (int n = 0; n < 4; n++) {
    assert_int_equal(i[n].line, want[n]);
    assert_string_equal(m->files[i[n].file], "kernel.cu");
  }
  ptx_free(m);
}

// What a table does not have has a name that can be printed.
static void test_no_row_has_a_name(void **state) {
  (void)state;
  assert_string_equal(ptx_type_name(PTX_TYPE_COUNT), "?");
  assert_int_equal(ptx_type_bytes(PTX_TYPE_COUNT), 0);
  assert_string_equal(ptx_op_name(PTX_OP_COUNT), "?");
  assert_string_equal(ptx_type_name(PTX_B32), "b32");
}

static void test_errors_name_the_learners_line(void **state) {
  (void)state;
  const char *text =
      BODY("\n.loc 1 7 3\nmov.u32 %r1, 1;\n"
           ".loc 2 9 1, function_name $L, inlined_at 1 7 3\n"
           "frobnicate.sync.u32 %r1, %r2;\n") ".file 1 \"kernel.cu\"\n.file 2 "
                                              "\"/opt/cuda/include/x.h\"\n";
  struct ptx_module *m;
  struct err_info e = {0};
  assert_int_equal(ptx_parse(text, strlen(text), &m, &e), ERR_UNSUPPORTED);
  assert_int_equal(e.line, 7);
  assert_string_equal(e.file, "kernel.cu");
  assert_non_null(strstr(e.text, "frobnicate.sync.u32"));
  assert_non_null(strstr(e.text, "PTX line 9"));
}

// What ptxas takes is never a malformed text.
static void test_parts_of_an_address(void **state) {
  (void)state;
  refuse(HEAD ".global .u32 g;\n.global .u8 b[2] = {0xff(g), 0xff00(g)};",
         ERR_UNSUPPORTED, "a part of an address in b");
}

// Whoever calls, through however many, a function with shared variables has room for
// them; others have none, and 2 GiB less one is the most.
static void test_room_for_shared_variables(void **state) {
  (void)state;
  struct ptx_module *m =
      parse(HEAD ".func near();\n.func far();\n"
                 ".func near() { .shared .b8 s[64]; ret; }\n"
                 ".func far() { call far; call near; ret; }\n"
                 ".func none() { call none; ret; }\n"
                 ".entry a() { call none; call far; ret; }\n"
                 ".entry b() { .shared .b8 t[8]; call none; ret; }\n");
  assert_int_equal(find(m, "a")->shared_bytes, 64);
  assert_int_equal(find(m, "b")->shared_bytes, 8);
  ptx_free(m);
  m = parse(HEAD ".entry a() { .shared .b8 t[2147483647]; ret; }\n");
  assert_int_equal(find(m, "a")->shared_bytes, 2147483647);
  ptx_free(m);
  refuse(HEAD ".entry a() { .shared .b8 t[2147483647], u[1]; ret; }\n",
         ERR_NOMEM, "2 GiB");
}

static void test_refusals(void **state) {
  (void)state;
  refuse("", ERR_COMPILE, ".version");
  refuse(BODY("tex.2dms.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%rd1, {%r1,%r2}];"),
         ERR_UNSUPPORTED, "tex.2dms.v4.f32.s32");
  refuse(BODY("mov.u32 %r1, %cluster_ctaid.x;"), ERR_UNSUPPORTED,
         "%cluster_ctaid.x");
  refuse(BODY("add.s32 %r1, %r2;"), ERR_COMPILE, "operands");
  refuse(BODY("add.s32 %r1, %r2, %r99;"), ERR_UNSUPPORTED, "%r99");
  refuse(BODY("add.s32 %r1, %r2, nobody;"), ERR_COMPILE, "nobody");
  refuse(BODY("add.s64 %rd1, %r2, 1;"), ERR_COMPILE, "size");
  refuse(BODY("add.s32 %r1, !%r2, 1;"), ERR_COMPILE, "negate");
  refuse(BODY("add.s32 5, %r2, 1;"), ERR_COMPILE, "destination");
  refuse(BODY("mov.u32 %r1, %tid;"), ERR_COMPILE, "parts .x, .y and .z");
  refuse(BODY("mov.u32 %r1, %laneid.x;"), ERR_COMPILE, "no parts");
  refuse(BODY("selp.b32 %r1, %r2, %r3, %r4;"), ERR_COMPILE, "predicate");
  refuse(BODY("ld.global.u32 %r1, %rd1;"), ERR_COMPILE, "[ ]");
  refuse(BODY("ld.global.v4.u32 {%r1, %r2}, [%rd1];"), ERR_COMPILE, "length");
  refuse(BODY("vadd.u32.u32.u32 %r1, %rd2, %r3;"), ERR_COMPILE, "size");
  refuse(BODY("vset4.u32.u32.lt %r1, %rd2, %r3, %r4;"), ERR_COMPILE, "size");
  refuse(".version 7.8\n.target sm_80, debug\n.address_size 64\n"
         ".section .debug_loc 5",
         ERR_COMPILE, "expected \"{\"");
  refuse(".version 7.8\n.target sm_80, debug\n.address_size 64\n"
         ".section .debug_loc }",
         ERR_COMPILE, "expected \"{\"");
  refuse(BODY("cvt.f32.f32.f32.f32 %f1, %f2;"), ERR_UNSUPPORTED,
         "cvt.f32.f32.f32.f32: these modifiers and types do not go together");
  refuse(BODY("bra NOWHERE;"), ERR_COMPILE, "label");
  refuse(BODY("st.shared::c1.u32 [%rd1], %r1;"), ERR_UNSUPPORTED,
         "st.shared::c1.u32");
  refuse(BODY("A: A: ret;"), ERR_COMPILE, "twice");
  refuse(BODY(".reg .b32 %x<2000000>;"), ERR_UNSUPPORTED, "registers");
  refuse(HEAD ".global .b8 x[2] = {1, 2, 3};", ERR_COMPILE, "too many");
  refuse(HEAD ".global .b32 x[9999999999999999];", ERR_NOMEM, "x");
  refuse(HEAD ".entry k(.param .b8 x[99999999]) {}", ERR_UNSUPPORTED,
         "parameters");
}

// What ptxas 13.0 refuses, and would mean nothing here.
static void test_refused_as_ptxas_does(void **state) {
  static const struct {
    const char *text, *part;
  } cases[] = {
      {HEAD ".local .u32 x;", "outside of a function"},
      {HEAD ".param .u32 x;", "outside of a function"},
      {HEAD ".shared .u32 x = 4;", "only variables in .global and .const"},
      {HEAD ".shared .u32 x[];", "has no size"},
      {HEAD ".global .f32 x = 2;", "an integer constant as a .f32"},
      {HEAD ".global .u32 x = {1};", "several values"},
      {HEAD ".global .u32 x[2] = 1;", "one value"},
      {HEAD ".global .u32 x = 1/0;", "divided by zero"},
      {HEAD ".global .u32 x = 1 + 1.0;", "an integer and a floating"},
      {HEAD ".entry k(.reg .u32 x) { ret; }", "in a register"},
      {BODY("mov.f32 %f1, 2;"), "an integer constant"},
      {BODY("add.f32 %f1, %f2, 1;"), "an integer constant"},
      {BODY("mov.b32 %r1, 1.5;"), "a floating constant"},
      {BODY("add.u32 %r1, %f1, 1;"), "kind"},
      {BODY(".reg .u32 u; add.f32 %f1, %f1, u;"), "kind"},
      {BODY("mov.b32 %r1, %rd1;"), "size"},
      {BODY("ld.global.u32 %f1, [%rd1];"), "does not fit"},
      {BODY("ld.global.u32 %r1, [%r2];"), "32 bits"},
      {BODY("add.u32 %r1, %tid.x, 1;"), "special register"},
      {BODY("st.global.u32 [%rd1], %laneid;"), "special register"},
      {BODY("mov.u64 %rd1, %tid.x;"), "special register"},
      {BODY("mov.u64 %rd1, {%r1, %r2};"), "no packing"},
      {BODY(".shared .u32 s; ld.shared.u32 %r1, s[0];"), "no array"},
      {BODY(".shared .u32 s[2]; add.u32 %r1, %r2, s[0];"), "element"},
      {BODY(".reg .v4 .b64 v;"), "vector"},
      {BODY(".reg .v2 .f32 v; mov.v4.f32 v, v;"), "lengths"},
      {BODY(".reg .v2 .f32 v; mov.f32 v.z, %f1;"), "v.z"},
      {HEAD ".func f(.reg .u32 i) { ret; }\n.entry k() { .reg .b64 d;"
            "call f, (d); ret; }",
       "does not fit"},
      {HEAD ".func f(.reg .u32 i) { ret; }\n.entry k() { .reg .b32 d;"
            "call f, (d, d); ret; }",
       "2 arguments"},
      {HEAD ".func f(.reg .u32 i) { ret; }\n.entry k() { .reg .b32 d;"
            "call (d), f, (d); ret; }",
       "other results"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refuse(cases[i].text, ERR_COMPILE, cases[i].part);
  refuse(BODY("add.f32 %f1, %f2+1, %f3;"), ERR_UNSUPPORTED, "no integer");
  refuse(HEAD ".func f(.reg .u16 i) { ret; }", ERR_UNSUPPORTED, "32 bits");
}

#define TEX(what) BODY("tex." what)

static void test_texture_refusals(void **state) {
  (void)state;
  refuse(TEX("2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f1}];"), ERR_COMPILE,
         "coordinates");
  refuse(TEX("2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1];"), ERR_COMPILE,
         "no coordinates");
  refuse(TEX("2d.v4.f32.f32 {%f0,%f1}, [%rd1, {%f1,%f2}];"), ERR_COMPILE,
         "length");
  refuse(TEX("2d.v4.f32.u32 {%f0,%f1,%f2,%f3}, [%rd1, {%r1,%r2}];"),
         ERR_COMPILE, "coordinates");
  refuse(TEX("2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%r1, {%f1,%f2}];"), ERR_COMPILE,
         "64-bit");
  refuse(TEX("1d.v4.f32.f32 {%f0,%f1,%f2,1.0}, [%rd1, {%f1}];"), ERR_COMPILE,
         "destination");
  refuse(TEX("1d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f1}], %f0;"),
         ERR_UNSUPPORTED, "depths");
  refuse(TEX("2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f1,%f2}], {%r1};"),
         ERR_COMPILE, "offsets");
  refuse(BODY("suld.b.2d.b32.trap {%r1}, [%rd1, {%r1,%p1}];"), ERR_COMPILE,
         "32 bits");
  refuse(BODY("sust.b.2d.v2.b32.trap [%rd1, {%r1,%r2}], {%r1};"), ERR_COMPILE,
         "length");
  refuse(BODY("txq.width.b32 %r1, [%rd1, {%r1}];"), ERR_COMPILE, "too much");
  refuse(HEAD ".global .texref pixels;", ERR_UNSUPPORTED,
         "cudaTextureObject_t");
}

static void test_depth_is_bounded(void **state) {
  (void)state;
  size_t n = 1 << 20;
  char *text = malloc(n + 1);
  memset(text, '{', n);
  text[n] = 0;
  memcpy(text, HEAD ".entry k()", strlen(HEAD ".entry k()"));
  refuse(text, ERR_COMPILE, "inside each other");
  free(text);
}

static uint32_t step(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

// Each mutant ends where a page that cannot be read begins: the text needs no
// zero behind it, and none is read.
// Bytes whose last one is the last that may be read.
struct fenced {
  char *pages;
  size_t room, page;
};

static struct fenced fence(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t room = (4 * 4096 + page - 1) / page * page;
  char *pages = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(pages != MAP_FAILED);
  assert_int_equal(mprotect(pages + room, page, PROT_NONE), 0);
  return (struct fenced){pages, room, page};
}

static void unfence(const struct fenced *f) {
  munmap(f->pages, f->room + f->page);
}

// A token that could go on, and does not.
static void test_nothing_is_read_behind_the_end(void **state) {
  (void)state;
  static const char *const ends[] = {"0", "0x", "0f", "1.",  "1e", "/",  "/*",
                                     "*", ".",  "a:", "a::", "%",  "\"", "<"};
  struct fenced f = fence();
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char *text = xasprintf("%s.global .b32 x = %s", HEAD, ends[i]);
    size_t bytes = strlen(text);
    struct ptx_module *m = NULL;
    struct err_info e = {0};
    memcpy(f.pages + f.room - bytes, text, bytes);
    assert_int_not_equal(ptx_parse(f.pages + f.room - bytes, bytes, &m, &e),
                         ERR_OK);
    free(text);
  }
  unfence(&f);
}

static void test_mutants_end(void **state) {
  (void)state;
  static const char marks[] = "{}();,.%$@!|[]<>:019-\"/*\n";
  size_t n = strlen(inlined);
  uint32_t seed = 1;
  int refused = 0;
  struct fenced f = fence();
  assert_true(n <= f.room);
  for (int round = 0; round < 3000; round++) {
    size_t bytes = round % 3 ? n : 1 + step(&seed) % n;
    char *text = f.pages + f.room - bytes;
    memcpy(text, inlined, bytes);
    for (uint32_t edits = 1 + step(&seed) % 4; edits; edits--) {
      size_t at = step(&seed) % bytes, from = step(&seed) % bytes;
      size_t run = step(&seed) % 24;
      if (step(&seed) % 2)
        text[at] = marks[step(&seed) % (sizeof marks - 1)];
      else if (at + run <= bytes && from + run <= bytes)
        memmove(text + at, text + from, run);
    }
    struct ptx_module *m = NULL;
    struct err_info e = {0};
    enum err err = ptx_parse(text, bytes, &m, &e);
    assert_true(err == ERR_OK ? m != NULL : m == NULL && *e.text);
    refused += err != ERR_OK;
    ptx_free(m);
  }
  unfence(&f);
  assert_true(refused > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_instruction_fields),
      cmocka_unit_test(test_float_immediates),
      cmocka_unit_test(test_variables),
      cmocka_unit_test(test_constants_of_matrices),
      cmocka_unit_test(test_calls_and_scopes),
      cmocka_unit_test(test_early_return_meets),
      cmocka_unit_test(test_loops_and_ifs_meet),
      cmocka_unit_test(test_endless_loops_meet),
      cmocka_unit_test(test_lines_are_the_learners),
      cmocka_unit_test(test_no_row_has_a_name),
      cmocka_unit_test(test_errors_name_the_learners_line),
      cmocka_unit_test(test_room_for_shared_variables),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_parts_of_an_address),
      cmocka_unit_test(test_refused_as_ptxas_does),
      cmocka_unit_test(test_texture_refusals),
      cmocka_unit_test(test_depth_is_bounded),
      cmocka_unit_test(test_nothing_is_read_behind_the_end),
      cmocka_unit_test(test_mutants_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Debugging data of code that was built with -G (tests/ptx/kernels/debug.ptx):
// what is read, and that damaged data do no harm.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "gpu/ptx/ptx.h"

static char *ptx;
static size_t ptx_bytes;
static struct ptx_module *module;

static int set_up(void **state) {
  (void)state;
  struct err_info e;
  char *path = file_own("tests/ptx/kernels/debug.ptx");
  enum err err = file_read(path, 1 << 24, &ptx, &ptx_bytes, &e);
  free(path);
  return err || ptx_parse(ptx, ptx_bytes, &module, &e);
}

static int tear_down(void **state) {
  (void)state;
  ptx_free(module);
  free(ptx);
  return 0;
}

static const struct ptx_dfunc *func(const char *name) {
  const struct ptx_debug *d = module->debug;
  assert_non_null(d);
  for (int i = 0; i < d->func_count; i++)
    if (!strcmp(d->funcs[i].name, name))
      return &d->funcs[i];
  fail_msg("no function %s", name);
  return NULL;
}

static const struct ptx_dvar *var(const struct ptx_dfunc *f, const char *name) {
  for (int i = 0; i < f->var_count; i++)
    if (!strcmp(f->vars[i].name, name))
      return &f->vars[i];
  fail_msg("no variable %s", name);
  return NULL;
}

static void test_functions(void **state) {
  (void)state;
  const struct ptx_dfunc *f = func("half_of");
  assert_string_equal(f->func->name, "_Z7half_ofiP5point");
  assert_ptr_equal(ptx_debug_func(module->debug, f->func), f);
  assert_int_equal(f->var_count, 3);
  assert_true(var(f, "a")->is_param);
  assert_false(var(f, "b")->is_param);
  assert_int_equal(f->body, var(f, "b")->from);
}

static void test_locations(void **state) {
  (void)state;
  const struct ptx_dfunc *f = func("variables");
  const struct ptx_dvar *i = var(f, "i"), *sum = var(f, "sum");
  const struct ptx_dvar *counts = var(f, "counts");
  assert_int_equal(i->location_count, 1);
  assert_int_equal(i->locations[0].kind, PTX_AT_REGISTER);
  assert_int_equal(f->func->reg_types[i->locations[0].reg], PTX_B32);
  assert_true(sum->location_count > 2); // it moves from register to register
  for (int n = 0; n < sum->location_count; n++)
    assert_int_equal(f->func->reg_types[sum->locations[n].reg], PTX_F32);
  assert_int_equal(counts->locations[0].kind, PTX_AT_VARIABLE);
  assert_int_equal(counts->locations[0].var->space, PTX_LOCAL);
  assert_int_equal(counts->locations[0].offset, 64);
}

static void test_types(void **state) {
  (void)state;
  const struct ptx_dfunc *f = func("variables");
  const struct ptx_dtype *p = ptx_dtype_plain(var(f, "p")->type);
  assert_int_equal(p->kind, PTX_D_STRUCT);
  assert_int_equal(p->bytes, 24);
  assert_int_equal(p->field_count, 5);
  assert_string_equal(p->fields[2].name, "w");
  assert_int_equal(ptx_dtype_bytes(p->fields[2].type), 12);
  assert_int_equal(p->fields[4].bit_count, 5);
  assert_int_equal(p->fields[4].bit_at, 3);
  const struct ptx_dtype *c = ptx_dtype_plain(var(f, "c")->type);
  assert_int_equal(c->kind, PTX_D_ENUM);
  assert_string_equal(c->values[1].name, "GREEN");
  assert_int_equal(c->values[1].value, 5);
  const struct ptx_dtype *x = ptx_dtype_plain(var(f, "x")->type);
  assert_int_equal(x->kind, PTX_D_POINTER);
  assert_int_equal(ptx_dtype_plain(x->inner)->kind, PTX_D_FLOAT);
}

static void test_globals(void **state) {
  (void)state;
  const struct ptx_debug *d = module->debug;
  bool has_table = false;
  for (int i = 0; i < d->global_count; i++)
    if (!strcmp(d->globals[i].name, "table")) {
      has_table = true;
      assert_int_equal(ptx_dtype_bytes(d->globals[i].type), 16);
      assert_int_equal(d->globals[i].locations[0].var->space, PTX_CONST);
    }
  assert_true(has_table);
}

// ---- Damage ----

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 8;
}

// Some numbers behind ".b8 " in the sections get other digits.
static void damage(char *text, size_t bytes, uint32_t seed) {
  char *from = strstr(text, ".section"), *end = text + bytes;
  assert_non_null(from);
  for (int n = 0; n < 12; n++) {
    char *at = from + next_random(&seed) % (size_t)(end - from);
    char *line = strstr(at, "\n.b8 ");
    for (char *s = line ? line + 5 : end; s < end && *s != '\n'; s++)
      *s = (char)('0' + next_random(&seed) % (s == line + 5 ? 3 : 6));
  }
}

static void test_damage(void **state) {
  (void)state;
  int read = 0;
  for (uint32_t seed = 0; seed < 3000; seed++) {
    struct ptx_module *m;
    struct err_info e;
    char *text = xstrndup(ptx, ptx_bytes);
    damage(text, ptx_bytes, seed);
    if (ptx_parse(text, ptx_bytes, &m, &e) == ERR_OK) {
      read += m->debug && m->debug->func_count > 0;
      ptx_free(m);
    }
    free(text);
  }
  assert_true(read > 100); // not all of it was thrown away at once
}

// ---- Inlined code ----

// Lines of k.cu: 3, then in a header what line 5 called and what that called in turn,
// 4 amid it, and what nothing is known of.
static const char inlined[] =
    ".version 8.0\n.target sm_80, debug\n.address_size 64\n"
    ".file 1 \"k.cu\"\n.file 2 \"/usr/include/h.h\"\n"
    ".visible .entry k() {\n.reg .b32 %r<5>;\n$begin:\n"
    ".loc 1 3 1\nmov.u32 %r0, 1;\n$a:\n"
    ".loc 2 90 5\nmov.u32 %r1, 2;\n$b:\n"
    ".loc 2 70 1\nmov.u32 %r2, 3;\n$c:\n"
    ".loc 1 4 7\nmov.u32 %r3, 4;\n$d:\n"
    ".loc 2 60 1\nmov.u32 %r4, 5;\nret;\n$end:\n}\n"
    ".section .debug_abbrev {\n"
    ".b8 1, 17, 1, 0, 0\n"                               // a unit
    ".b8 2, 46, 1, 3, 8, 17, 1, 18, 1, 0, 0\n"           // a function
    ".b8 3, 29, 1, 17, 1, 18, 1, 88, 11, 89, 11, 0, 0\n" // inlined into it
    ".b8 0\n}\n"
    ".section .debug_info {\n"
    ".b32 89\n.b8 2, 0\n.b32 .debug_abbrev\n.b8 8\n"
    ".b8 1\n"
    ".b8 2, 107, 0\n.b64 $begin\n.b64 $end\n"
    ".b8 3\n.b64 $a\n.b64 $d\n.b8 1, 5\n"
    ".b8 3\n.b64 $b\n.b64 $c\n.b8 2, 91\n.b8 0, 0\n"
    ".b8 3\n.b64 $d\n.b64 $end\n.b8 1, 0\n.b8 0\n"
    ".b8 0, 0\n}\n";

static void test_inlined_lines(void **state) {
  (void)state;
  static const int lines[] = {3, 5, 5, 4, 4, 4}, columns[] = {1, 0, 0, 7, 7, 7};
  struct ptx_module *m;
  struct err_info e;
  if (ptx_parse(inlined, sizeof inlined - 1, &m, &e))
    fail_msg("%s", e.text);
  assert_non_null(m->debug);
  assert_int_equal(m->debug->func_count, 1);
  assert_true(m->funcs[0]->code_count >= 6);
  for (int i = 0; i < 6; i++) {
    const struct ptx_insn *insn = &m->funcs[0]->code[i];
    assert_int_equal(insn->line, lines[i]);
    assert_int_equal(insn->column, columns[i]);
    assert_int_equal(insn->file, 0);
  }
  ptx_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions), cmocka_unit_test(test_inlined_lines),
      cmocka_unit_test(test_locations), cmocka_unit_test(test_types),
      cmocka_unit_test(test_globals),   cmocka_unit_test(test_damage),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

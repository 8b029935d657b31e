// SPDX-License-Identifier: Apache-2.0
// Modules that are loaded again: what may be kept of them, and what must be new.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vgpu_fixture.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define STORE(value)                                                           \
  HEAD ".visible .entry store(.param .u64 out) {\n"                            \
       ".reg .u32 %r<2>; .reg .u64 %d<2>;\n"                                   \
       "ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;\n"               \
       "mov.u32 %r1, " value "; st.global.u32 [%d1], %r1; ret; }\n"

static const char stores_1[] = STORE("1"), stores_2[] = STORE("2");

// Counts its launches in a variable of its own.
static const char counts[] =
    HEAD ".visible .global .u32 count = 5;\n"
         ".visible .entry store(.param .u64 out) {\n"
         ".reg .u32 %r<2>; .reg .u64 %d<2>;\n"
         "ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;\n"
         "ld.global.u32 %r1, [count]; add.u32 %r1, %r1, 1;\n"
         "st.global.u32 [count], %r1; st.global.u32 [%d1], %r1; ret; }\n";

static gpu_ptr out;

static int set_up(void **state) {
  (void)state;
  uint32_t none = 0;
  open_device();
  out = upload(&none, sizeof none);
  return 0;
}

struct loaded {
  gpu_handle module, function;
};

static struct loaded load(const char *text) {
  struct loaded l;
  ok(back->module_load(device, text, strlen(text), &l.module, &info));
  ok(back->function_get(device, l.module, "store", &l.function, NULL, &info));
  return l;
}

static void unload(struct loaded l) {
  ok(back->module_unload(device, l.module, &info));
  ok(finish());
}

static enum err launch(struct loaded l) {
  struct gpu_launch q = {.function = l.function,
                         .grid = {1, 1, 1},
                         .block = {1, 1, 1},
                         .param_bytes = sizeof out,
                         .params = &out};
  enum err err = back->launch(device, &q, &info);
  return err ? err : finish();
}

static uint32_t stored_by(struct loaded l) {
  uint32_t value = 0;
  ok(launch(l));
  ok(back->copy_out(device, &value, out, sizeof value, 0, &info));
  ok(finish());
  return value;
}

static uint64_t charged(void) {
  struct gpu_work w;
  ok(back->work(device, &w, &info));
  return w.loads;
}

static void costs_the_same_again(void **state) {
  (void)state;
  charged();
  struct loaded a = load(stores_1);
  uint64_t first = charged();
  unload(a);
  struct loaded b = load(stores_1);
  assert_true(first > 0);
  assert_int_equal(charged(), first);
  assert_int_equal(stored_by(b), 1);
  unload(b);
}

// As long, and the same but for one byte in the midst of it.
static void another_text_is_another_module(void **state) {
  (void)state;
  assert_int_equal(strlen(stores_1), strlen(stores_2));
  unload(load(stores_1));
  struct loaded b = load(stores_2);
  assert_int_equal(stored_by(b), 2);
  unload(b);
}

static void variables_are_new(void **state) {
  (void)state;
  for (int round = 0; round < 3; round++) {
    struct loaded l = load(counts);
    assert_int_equal(stored_by(l), 6);
    assert_int_equal(stored_by(l), 7);
    unload(l);
  }
}

// Who loads it again does not bring what was unloaded back to life.
static void old_handles_stay_dead(void **state) {
  (void)state;
  struct loaded old = load(stores_1);
  unload(old);
  struct loaded new = load(stores_1);
  assert_int_equal(launch(old), ERR_ARGUMENT);
  assert_int_equal(back->module_unload(device, old.module, &info),
                   ERR_ARGUMENT);
  assert_int_equal(stored_by(new), 1);
  unload(new);
}

static void one_text_twice_at_once(void **state) {
  (void)state;
  unload(load(stores_1));
  struct loaded a = load(stores_1), b = load(stores_1);
  unload(a);
  assert_int_equal(launch(a), ERR_ARGUMENT);
  assert_int_equal(stored_by(b), 1);
  unload(b);
}

// More texts than are kept, around and around: each is what it was.
static void many_texts_take_turns(void **state) {
  (void)state;
  enum { TEXTS = 7 };
  for (uint32_t n = 0; n < 4 * TEXTS; n++) {
    char text[sizeof stores_1];
    memcpy(text, stores_1, sizeof text);
    strstr(text, "%r1, 1;")[5] = (char)('1' + n % TEXTS);
    struct loaded l = load(text);
    assert_int_equal(stored_by(l), 1 + n % TEXTS);
    unload(l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_the_same_again),
      cmocka_unit_test(another_text_is_another_module),
      cmocka_unit_test(variables_are_new),
      cmocka_unit_test(old_handles_stay_dead),
      cmocka_unit_test(one_text_twice_at_once),
      cmocka_unit_test(many_texts_take_turns),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

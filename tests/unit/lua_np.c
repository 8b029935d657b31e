// SPDX-License-Identifier: Apache-2.0
// Runs tests/lua/test_np*.lua in a bare Lua state that holds np alone, and
// checks what Lua cannot see: releases, waiting, memory that runs out.
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/remote/arena.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

static void open_np(lua_State *L, const struct bind_options *options) {
  (void)options;
  luaL_requiref(L, "np", luaopen_np, 1);
  lua_pop(L, 1);
}

static lua_State *new_state(void) {
  struct bind_options options = {0};
  struct err_info e = {0};
  lua_State *L = bind_new_with(&options, open_np, &e);
  if (!L)
    fail_msg("%s", e.text);
  return L;
}

static void run(lua_State *L, const char *code) {
  if (luaL_loadstring(L, code) || bind_pcall(L, 0, 0))
    fail_msg("%s", luaL_tolstring(L, -1, NULL));
}

static void test_scripts(void **state) {
  (void)state;
  glob_t found;
  assert_int_equal(glob("tests/lua/test_np*.lua", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    lua_State *L = new_state();
    // The scripts' TAP lines would mix with cmocka's.
    run(L, "lines = {} function print(...) "
           "lines[#lines + 1] = table.concat({...}, ' ') end");
    if (luaL_loadfile(L, found.gl_pathv[i]) || bind_pcall(L, 0, 0)) {
      lua_getglobal(L, "lines");
      for (int k = 1; k <= (int)lua_rawlen(L, -1); k++, lua_pop(L, 1)) {
        lua_rawgeti(L, -1, k);
        if (strncmp(lua_tostring(L, -1), "ok", 2))
          fprintf(stderr, "%s\n", lua_tostring(L, -1));
      }
      fail_msg("%s: %s", found.gl_pathv[i], luaL_tolstring(L, -2, NULL));
    }
    bind_close(L);
  }
  globfree(&found);
}

static void test_memory_is_returned(void **state) {
  (void)state;
  lua_State *L = new_state();
  uint64_t before = arena_used(array_arena(L));
  run(L, "for i = 1, 200 do local a = np.zeros(1 << 20, 'u8') end");
  // 200 MiB were taken in turn; the collector must have kept up.
  assert_true(arena_used(array_arena(L)) < before + (80u << 20));
  run(L, "local a <close> = np.zeros(1 << 20, 'u8')");
  run(L, "collectgarbage()");
  assert_true(arena_used(array_arena(L)) <= before);
  bind_close(L);
}

// What dies young is found at once, so that few blocks are in use in turn.
static void test_young_arrays_die_soon(void **state) {
  (void)state;
  lua_State *L = new_state();
  run(L, "x = np.zeros(1 << 20, 'u8') y = x + 1 y = x + 1");
  uint64_t before = arena_used(array_arena(L));
  for (int i = 0; i < 20; i++) {
    run(L, "y = x + 1");
    assert_true(arena_used(array_arena(L)) <= before + (2u << 20));
  }
  run(L, "x = np.zeros(10) for i = 1, 1000 do y = x + 1 end");
  assert_true(arena_used(array_arena(L)) <= before + (64u << 10));
  bind_close(L);
}

static int waits;
static void count_waits(lua_State *L, const struct array *a, bool for_write) {
  (void)L;
  (void)for_write;
  waits++;
  a->storage->busy_on = NULL;
}

static void test_host_access_waits(void **state) {
  (void)state;
  lua_State *L = new_state();
  struct gpu_device device = {NULL};
  array_set_hooks(L, &(struct array_hooks){.await = count_waits});
  run(L, "a = np.zeros(4, 'i32')");
  lua_getglobal(L, "a");
  struct array *a = array_check(L, -1);
  const char *const uses[] = {
      "assert(a[0] == 0)", "a[1] = 2", "local b = a + 1",
      "tostring(a)",       "a:sum()",  "a:tolist()",
      "a['1:'] = 0",       "a:copy()", "local b = np.arange(1)[a]",
      "np.array{a}"};
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
    a->storage->busy_on = &device;
    waits = 0;
    run(L, uses[i]);
    assert_true(waits > 0);
    run(L, "a[1] = 0");
  }
  lua_pop(L, 1);
  bind_close(L);
}

// What np keeps is a state's own: another's threads and memory are not it.
static void test_states_share_nothing(void **state) {
  (void)state;
  lua_State *L = new_state(), *other = new_state();
  run(L, "x = np.arange(1000)");
  walk_set_threads(other, 4);
  assert_int_equal(walk_set_threads(L, 1), 1);
  assert_ptr_not_equal(array_arena(L), array_arena(other));
  bind_close(other);
  run(L, "assert(x:sum() == 499500)");
  bind_close(L);
}

static void test_errors_name_the_learners_line(void **state) {
  (void)state;
  lua_State *L = new_state();
  assert_int_equal(luaL_loadbuffer(L, "\nnp.zeros(3)[7] = 1", 19, "@me.lua"),
                   0);
  assert_int_equal(bind_pcall(L, 0, 0), LUA_ERRRUN);
  assert_string_equal(bind_error_kind(L, -1), "argument");
  assert_string_equal(
      luaL_tolstring(L, -1, NULL),
      "me.lua:2: index 7 is out of bounds for axis 0 with size 3");
  lua_settop(L, 0);
  const char *text = "np.testing.assert_allclose({1, 2}, {1, 3})";
  assert_int_equal(luaL_loadbuffer(L, text, strlen(text), "@me.lua"), 0);
  assert_int_equal(bind_pcall(L, 0, 0), LUA_ERRRUN);
  assert_string_equal(luaL_tolstring(L, -1, NULL),
                      "me.lua:1: assert_allclose: 1 of 2 elements differ, the "
                      "first at [1]: got 2, want 3\n"
                      "Not equal to tolerance rtol=1e-07, atol=0\n"
                      "Mismatched elements: 1 / 2 (50%)\n"
                      "Max absolute difference among violations: 1\n"
                      "Max relative difference among violations: 0.33333333\n"
                      " ACTUAL: array([1, 2], i64)\n"
                      " DESIRED: array([1, 3], i64)");
  bind_close(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scripts),
      cmocka_unit_test(test_memory_is_returned),
      cmocka_unit_test(test_young_arrays_die_soon),
      cmocka_unit_test(test_host_access_waits),
      cmocka_unit_test(test_errors_name_the_learners_line),
      cmocka_unit_test(test_states_share_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

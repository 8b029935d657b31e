// SPDX-License-Identifier: Apache-2.0
// grade/input/input.h: tokens of CUDA C and of Lua, and where a
// Lua source speaks of a name.
#include "grade/input/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "grade/exercise/lua_keys.h"

static char *join_tokens(const char *text, bool is_lua) {
  struct tokens t;
  struct str s = STR_INIT;
  tokens_read(text, is_lua, &t);
  for (int i = 0; i < t.count; i++)
    str_addf(&s, "%s%.*s", i ? " " : "", (int)t.list[i].bytes,
             text + t.list[i].offset);
  tokens_free(&t);
  return str_take(&s);
}

static void expect_tokens(const char *text, bool is_lua, const char *wanted) {
  char *got = join_tokens(text, is_lua);
  assert_string_equal(got, wanted);
  free(got);
}

static void tokens(void **state) {
  (void)state;
  expect_tokens("a<<=b>>1 /* c */ - -d // e\n#define f \\\n g\n \"h\\\"i\" 'j'",
                false, "a <<= b >> 1 - - d \"h\\\"i\" 'j'");
  expect_tokens("1.5e-3f .5 0x1fULL 2.f a.b a->b", false,
                "1.5e-3f .5 0x1fULL 2.f a . b a -> b");
  // \z goes on in the next line, and so does a backslash at a line's end.
  expect_tokens("'a\\\\z\n b", true, "'a\\\\z b");
  expect_tokens("'a\\z\n  b' c 'd\\\ne' f 'g\nh", true,
                "'a\\z\n  b' c 'd\\\ne' f 'g h");
  expect_tokens("a--[[ b\n]] ..c --d\n[==[e]]]==] 1 ..2 ~= 'f'", true,
                "a .. c [==[e]]]==] 1 .. 2 ~= 'f'");
}

static void places(void **state) {
  (void)state;
  struct tokens t;
  tokens_read("a(b[1],\n  {c})", false, &t);
  assert_int_equal(t.list[7].line, 2);
  assert_int_equal(t.list[7].column, 3);
  assert_int_equal(t.list[1].partner, 10); // ( )
  assert_int_equal(t.list[4].outer, 3);    // 1 in [ ]
  assert_int_equal(t.list[8].outer, 7);    // c in { }
  assert_int_equal(t.list[10].outer, -1);
  tokens_free(&t);
}

static const char exercise[] = "-- size = 0\n"
                               "local function of(c) return c.depth end\n"
                               "return {\n"
                               "  cases = {{n = 1, ['size'] = 2}},\n"
                               "  [ [=[size]=] ] = 3, note = \"size = 4\",\n"
                               "  check = of(n == 2), extra = 5; last = 6,\n"
                               "}\n";

static void key_lines(void **state) {
  (void)state;
  assert_int_equal(lua_key_line(exercise, "size", 1), 5);
  assert_int_equal(lua_key_line(exercise, "size", 3), 4);
  assert_int_equal(lua_key_line(exercise, "size", 2), 4); // the first of all
  assert_int_equal(lua_key_line(exercise, "n", 3), 4);
  assert_int_equal(lua_key_line(exercise, "n", 1), 4); // n == 2 is no key
  assert_int_equal(lua_key_line(exercise, "last", 1), 6);
  assert_int_equal(lua_key_line(exercise, "depth", 1), 0);
  assert_int_equal(lua_key_line(exercise, "of", 1), 0);
  assert_int_equal(lua_key_line("x.key = 1", "key", 0), 1);
  assert_int_equal(lua_key_line("key = 1", "key", 0), 0);
  assert_int_equal(lua_key_line("return {key", "key", 1), 0);
}

static void key_uses(void **state) {
  (void)state;
  assert_true(lua_key_is_used(exercise, "depth"));
  assert_true(lua_key_is_used(exercise, "n"));
  assert_true(lua_key_is_used(exercise, "size = 4")); // a text is
  assert_false(lua_key_is_used(exercise, "size"));    // a comment is not
  assert_false(lua_key_is_used(exercise, "extra"));
  assert_false(lua_key_is_used(exercise, "is"));
  assert_true(lua_key_is_used("return f('key')", "key"));
  assert_true(lua_key_is_used("return c['key']", "key"));
  assert_true(lua_key_is_used("return {['key']", "key"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tokens),
      cmocka_unit_test(places),
      cmocka_unit_test(key_lines),
      cmocka_unit_test(key_uses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

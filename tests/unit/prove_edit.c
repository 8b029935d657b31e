// SPDX-License-Identifier: Apache-2.0
// grade/prove: conditions and edits of CUDA C and of Lua.
#include "grade/prove/edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/prove/branch.h"

static void expect_branches(const char *text, bool is_lua, const char *wanted) {
  struct tokens t;
  struct branches b;
  struct str s = STR_INIT;
  tokens_read(text, is_lua, &t);
  branches_find(&t, &b);
  for (int i = 0; i < b.count; i++) {
    char *shown = token_show(&t, b.list[i].first, b.list[i].last);
    str_addf(&s, "%s%s", i ? " ; " : "", shown);
    free(shown);
  }
  assert_string_equal(s.data, wanted);
  str_free(&s);
  branches_free(&b);
  tokens_free(&t);
}

static void branches(void **state) {
  (void)state;
  expect_branches("if (a < 1 && b || c) d = e ? f : g;", false,
                  "a < 1 && b || c ; a < 1 && b ; a < 1 ; b ; c ; e");
  expect_branches("for (int i = 0; i < n; i++) while (true) x[y && z] = 1;",
                  false, "i < n ; y ; z");
  expect_branches("bool in = a && f(b, c) && d, other = e || g;", false,
                  "f(b, c) ; a ; d ; e ; g");
  expect_branches("if a < 1 and b then c = d or 3 elseif e then return f and g "
                  "end while h do x() end",
                  true, "a < 1 and b ; a < 1 ; d ; e ; f ; h");
}

static struct edits edits_of(const char *name, struct exercise **ex) {
  struct edits edits;
  struct err_info e;
  if (exercise_load(name, ex, &e) || edits_make(*ex, &edits, &e))
    fail_msg("%s", e.text);
  return edits;
}

static void expect_edit(const struct exercise *ex, const struct edits *edits,
                        const char *id, const char *wanted) {
  for (int i = 0; i < edits->count; i++)
    if (!strcmp(edits->list[i].id, id)) {
      char *text = edit_text(ex->written, &edits->list[i]);
      if (!strstr(text, wanted))
        fail_msg("%s gives no \"%s\":\n%s", id, wanted, text);
      free(text);
      return;
    }
  fail_msg("there is no edit \"%s\"", id);
}

static void edits(void **state) {
  (void)state;
  struct exercise *ex;
  struct edits all = edits_of("skeleton/exercises/cuda", &ex);
  assert_int_equal(all.count, 20);
  expect_edit(ex, &all, "4:24 blockDim.x to 64", "blockIdx.x * 64 + thr");
  expect_edit(ex, &all, "5:9 < to < -1 +", "if (i < -1 + n) out");
  expect_edit(ex, &all, "5:14 without out[i] = 2 * x[i];", "if (i < n) ;\n");
  expect_edit(ex, &all, "5:7 i < n to true", "if (true) out[i]");
  for (int i = 0; i < all.count; i++)
    assert_true(all.list[i].line == 4 || all.list[i].line == 5);
  edits_free(&all);
  exercise_free(ex);
  all = edits_of("exercises/no-loops", &ex);
  expect_edit(ex, &all, "10:10 exchange z, np.squeeze(deviation, {axis = 1})",
              "return np.squeeze(deviation, {axis = 1}), z\n");
  expect_edit(ex, &all, "7:49 true to false", "keepdims = false})\n");
  edits_free(&all);
  exercise_free(ex);
}

// A name means one edit, and each makes another text.
static void shipped_ones(void **state) {
  (void)state;
  char **names;
  int count;
  struct err_info e;
  assert_int_equal(exercise_names(&names, &count, &e), ERR_OK);
  for (int k = 0; k < count; k++) {
    struct exercise *ex;
    struct edits all = edits_of(names[k], &ex);
    assert_true(all.count >= 4);
    for (int i = 0; i < all.count; i++)
      for (int j = 0; j < i; j++)
        if (!strcmp(all.list[i].id, all.list[j].id))
          fail_msg("%s has \"%s\" twice", names[k], all.list[i].id);
    edits_free(&all);
    exercise_free(ex);
  }
  exercise_names_free(names, count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(branches),
      cmocka_unit_test(edits),
      cmocka_unit_test(shipped_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

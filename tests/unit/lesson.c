// SPDX-License-Identifier: Apache-2.0
// repl/lesson/lesson.h: the format of lessons/README.md.
#include "repl/lesson/lesson.h"
#include "repl/lesson/verbatim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char sample[] = "---\n"                               // 1
                             "title: A sample\n"                   // 2
                             "minutes: 7\n"                        // 3
                             "---\n"                               // 4
                             "\n"                                  // 5
                             "# A sample\n"                        // 6
                             "\n"                                  // 7
                             "### First\n"                         // 8
                             "Some *plain* **text** with `code`\n" // 9
                             "on two lines.\n"                     // 10
                             "\n"                                  // 11
                             "| a | b |\n"                         // 12
                             "|---|---|\n"                         // 13
                             "\n"                                  // 14
                             "1. one\n"                            // 15
                             "2. two\n"                            // 16
                             "\n"                                  // 17
                             "```python\n"                         // 18
                             "shown\n"                             // 19
                             "```\n"                               // 20
                             "```lua run error\n"                  // 21
                             "error('x')\n"                        // 22
                             "```\n"                               // 23
                             "### Second\n"                        // 24
                             "```cuda run\n"                       // 25
                             "__global__ void f() {}\n"            // 26
                             "```\n"                               // 27
                             "```predict\n"                        // 28
                             "ask: How\n"                          // 29
                             "  many?\n"                           // 30
                             "from: counters.threads\n"            // 31
                             "explain: So many.\n"                 // 32
                             "```\n"                               // 33
                             "```quiz\n"                           // 34
                             "ask: Which?\n"                       // 35
                             "- this *\n"                          // 36
                             "- 3 * 4\n"                           // 37
                             "explain: That.\n"                    // 38
                             "```\n"                               // 39
                             "```exercise vector-add\n"            // 40
                             "```\n"                               // 41
                             "```try\n"                            // 42
                             "ask: Type.\n"                        // 43
                             "check: _ == 1\n"                     // 44
                             "answer: 1\n"                         // 45
                             "```\n";                              // 46

static void expect_shown(const struct screen *s, const char *spoken,
                         const char *expected) {
  struct lesson_item item = {.kind = ITEM_VERBATIM};
  struct str out = STR_INIT;
  char text[] = "+-------------------------+\n| the host and the device |\n";
  item.text = text;
  item.spoken = (char *)spoken;
  verbatim_add(s, &item, &out);
  assert_string_equal(out.data, expected);
  str_free(&out);
}

// A drawing that is wider than the window would be folded: its words are shown.
static void wide_drawing(void **state) {
  (void)state;
  static const char drawn[] =
      "  +-------------------------+\n  | the host and the device |\n";
  const struct screen enough = {.is_terminal = true, .columns = 29};
  const struct screen less = {.is_terminal = true, .columns = 28};
  const struct screen pipe = {.columns = 28};
  const struct screen plain = {
      .is_terminal = true, .is_plain = true, .columns = 29};
  expect_shown(&enough, "A box.", drawn);
  expect_shown(
      &less, "A box.",
      "  A box.\n  A window of 29 columns\n  shows it as a drawing.\n");
  expect_shown(&less, NULL, drawn);
  expect_shown(&pipe, "A box.", drawn);
  expect_shown(&plain, "A box.", "  A box.\n");
}

static void whole(void **state) {
  struct lesson *l;
  struct err_info e = {0};
  (void)state;
  assert_int_equal(lesson_parse("a/b.md", sample, &l, &e), ERR_OK);
  assert_string_equal(l->title, "A sample");
  assert_string_equal(l->name, "b.md");
  assert_int_equal(l->minutes, 7);
  assert_int_equal(l->page_count, 2);
  assert_string_equal(l->pages[0].title, "First");
  assert_int_equal(l->pages[0].count, 6);
  const struct lesson_item *i = l->items;
  assert_int_equal(i[0].kind, ITEM_PROSE);
  assert_int_equal(i[0].line, 9);
  assert_string_equal(i[0].text, "Some \x02plain\x04 \x01text\x04 with "
                                 "\x03"
                                 "code\x04 on two lines.");
  assert_int_equal(i[1].kind, ITEM_VERBATIM);
  assert_string_equal(i[1].text, "| a | b |\n|---|---|");
  assert_int_equal(i[2].kind, ITEM_BULLET);
  assert_string_equal(i[3].lead, "2. ");
  assert_string_equal(i[4].text, "shown\n");
  assert_int_equal(i[5].kind, ITEM_LUA);
  assert_true(i[5].is_run && i[5].wants_error);
  assert_int_equal(i[5].line, 21);
  i = l->items + l->pages[1].first;
  assert_int_equal(l->pages[1].count, 5);
  assert_int_equal(i[0].kind, ITEM_CUDA);
  assert_int_equal(i[1].kind, ITEM_PREDICT);
  assert_string_equal(i[1].ask, "How many?");
  assert_string_equal(i[1].from, "counters.threads");
  assert_int_equal(i[2].choice_count, 2);
  assert_true(i[2].choices[0].is_right);
  assert_string_equal(i[2].choices[0].text, "this");
  assert_false(i[2].choices[1].is_right);
  assert_string_equal(i[2].choices[1].text, "3 * 4");
  assert_string_equal(i[3].text, "vector-add");
  assert_int_equal(i[4].kind, ITEM_TRY);
  assert_string_equal(i[4].check, "_ == 1");
  assert_string_equal(i[4].answer, "1");
  lesson_free(l);
}

// What it says about itself; readers on a code host see none of the comments.
static void about_itself(void **state) {
  const char text[] = "---\n"
                      "title: T\n"
                      "goals: do this;\n"
                      "  do that\n"
                      "needs: a-first-kernel, blocks\n"
                      "teaches: kernel, shared\n"
                      "---\n"
                      "### One\n"
                      "<!-- teaches: kernel -->\n"
                      "<!-- instructor, 4 min: Ask: who knows? -->\n"
                      "<!-- a note to nobody -->\n"
                      "Text.\n"
                      "### Two\n"
                      "<!-- teaches: shared -->\n";
  struct lesson *l;
  struct err_info e = {0};
  (void)state;
  if (lesson_parse("a/b.md", text, &l, &e))
    fail_msg("%d: %s", e.line, e.text);
  assert_int_equal(l->goals.count, 2);
  assert_string_equal(l->goals.items[0], "do this");
  assert_string_equal(l->goals.items[1], "do that");
  assert_string_equal(l->needs.items[1], "blocks");
  assert_int_equal(l->teaches.count, 2);
  assert_int_equal(l->page_count, 2);
  assert_int_equal(l->pages[0].count, 1);
  assert_int_equal(l->pages[0].minutes, 4);
  assert_string_equal(l->pages[0].notes, "Ask: who knows?");
  assert_string_equal(l->pages[0].teaches.items[0], "kernel");
  assert_string_equal(l->pages[1].teaches.items[0], "shared");
  lesson_free(l);
}

// Pages for who wants more stand behind all others.
static void further(void **state) {
  const char text[] = "---\ntitle: T\nminutes: 4\n---\n"
                      "### One\n"
                      "Text.\n"
                      "### Further: two\n"
                      "More.\n"
                      "### Further: three\n"
                      "Most.\n";
  struct lesson *l;
  struct err_info e = {0};
  (void)state;
  assert_int_equal(lesson_parse("a/b.md", text, &l, &e), ERR_OK);
  assert_int_equal(l->page_count, 3);
  assert_int_equal(lesson_needed_pages(l), 1);
  assert_int_equal(lesson_needed_items(l), 1);
  assert_int_equal(l->minutes_line, 3);
  assert_true(!l->pages[0].is_further && l->pages[2].is_further);
  lesson_free(l);
}

#define HEAD "---\ntitle: T\n---\n### P\n"
static const struct {
  const char *text, *part;
  int line;
} rows[] = {
    {"# no header\n", "header", 1},
    {"---\ntitle: T\n", "second line", 1},
    {"---\nminutes: 3\n---\n### P\n", "no title", 1},
    {"---\ntitle: T\n---\n", "no page", 1},
    {"---\ntitle: T\ntime: 3\n---\n### P\n", "title:, minutes:", 3},
    {"---\ntitle: T\ntitle: U\n---\n### P\n", "title: is there twice", 3},
    {"---\ntitle: T\nwords\n---\n### P\n", "key: value", 3},
    {"---\ntitle: T\nteaches: kernel, sharde\n---\n### P\n", "shared", 3},
    {HEAD "<!-- teaches: kernle -->\n", "near to it: kernel", 5},
    {HEAD "<!-- teach: kernel -->\n", "\"teaches: words\"", 5},
    {HEAD "<!-- instructor, 0 min: x -->\n", "instructor, 4 min", 5},
    {"---\ntitle: T\n---\nText.\n### P\n", "before the first page", 4},
    {HEAD "```quiz\n- a *\n- b\n```\n", "no ask", 5},
    {HEAD "```quiz\nask: A?\n- a\n- b\n```\n", "one of them right", 5},
    {HEAD "```quiz\nask: A?\n- a *\n```\n", "two choices", 5},
    {HEAD "```quiz\nask: A?\nwhat\n- a *\n- b\n```\n", "ask:, explain:", 7},
    {HEAD "```predict\nask: A?\n```\n", "from:", 5},
    {HEAD "```exercise\n```\n", "names its exercise", 5},
    {HEAD "```try\nask: A?\nanswer: 1\n```\n", "needs a check:", 5},
    {HEAD "```predict\nask: A?\ncheck: 1\n```\n", "ask:, explain:, from:", 7},
    {"---\ntitle: T\nminuets: 3\n---\n### P\n", "did you mean minutes:", 3},
    {"---\ntitle: T\nminutes: ten\n---\n### P\n", "a whole number", 3},
    {"---\ntitle: T\ndevices: 9\n---\n### P\n", "from 1 to 8", 3},
    {"---\ntitle: T\ndevices: 4 GPUs\n---\n### P\n", "from 1 to 8", 3},
    {"---\ntitle: T\nneeds: a\nneeds: b\n---\n", "needs: is there twice", 4},
    {HEAD "<!-- teach: kernel -->\n", "\"teach:\" begins no comment", 5},
    {HEAD "```quiz\nask: A?\n- a *\n- b\nexlain: c\n```\n",
     "\"exlain:\" is no line of a quiz, which has ask:, explain:, hint:, "
     "review: and "
     "\"- choice\"; did you mean explain:?",
     9},
    {HEAD "```quiz\nask: A?\nreview: perhaps\n- a *\n- b\n```\n",
     "review: is yes or no, not \"perhaps\"", 5},
    {HEAD "```quiz\nask: A?\nfrom: x\n- a *\n- b\n```\n", "\"from:\" is no", 7},
    {HEAD "```quiz\nask: A?\n- a *\n- b\n  c\n```\n", "no line of a quiz", 9},
    {HEAD "```predict\nask: A?\nfrom: x\n- a\n```\n", "\"- a\" is no", 8},
    {HEAD "```try\nask: A?\nask: B?\n```\n", "ask: is there twice", 7},
    {HEAD "```lau run\nx\n```\n", "did you mean \"lua run\"?", 5},
    {HEAD "\n```lua rnu\nx\n```\n", "did you mean \"lua run\"?", 6},
    {HEAD "```lua run eror\nx\n```\n", "mean \"lua run error\"?", 5},
    {HEAD "```cdua run\nx\n```\n", "did you mean \"cuda run\"?", 5},
    {HEAD "```qiuz\nask: A?\n```\n", "did you mean \"quiz\"?", 5},
    {"---\ntitle: T\n---\n### Further: P\n", "the first page", 4},
    {HEAD "### Further: Q\n### R\n", "move them behind this page", 6},
    {HEAD "```try\nask: A?\nhint: B\n```\n", "\"hint:\" is no line", 7},
    {HEAD "```python 3\nx\n```\n", "a block that is only shown", 5},
};

// Every mistake names its line.
static void mistakes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lesson *l;
    struct err_info e = {0};
    assert_int_equal(lesson_parse("b.md", rows[i].text, &l, &e), ERR_ARGUMENT);
    assert_null(l);
    if (!strstr(e.text, rows[i].part) || e.line != rows[i].line)
      fail_msg("row %zu: line %d: %s", i, e.line, e.text);
  }
}

// A text cut off anywhere is a lesson or an error, never a crash.
static void cut_anywhere(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof sample; n++) {
    char text[sizeof sample];
    struct lesson *l;
    struct err_info e = {0};
    memcpy(text, sample, n);
    text[n] = 0;
    enum err err = lesson_parse("b.md", text, &l, &e);
    assert_true(err == ERR_OK ? l != NULL : l == NULL && e.text[0]);
    lesson_free(l);
  }
}

static void as_shipped(void **state) {
  struct lesson_index index;
  struct err_info e = {0};
  (void)state;
  assert_int_equal(lesson_index_load(&index, &e), ERR_OK);
  assert_true(index.count >= 2);
  for (int i = 0; i < index.count; i++) {
    struct lesson *l;
    if (lesson_load(index.paths[i], &l, &e))
      fail_msg("%s:%d: %s", e.file, e.line, e.text);
    assert_true(l->page_count > 1 && l->minutes > 0);
    // In order, each once, and found by its number.
    int number = lesson_number_at(&index, i);
    assert_true(i == 0 || number > lesson_number_at(&index, i - 1));
    assert_int_equal(lesson_find(&index, number), i);
    lesson_free(l);
  }
  assert_int_equal(lesson_find(&index, 0), -1);
  assert_int_equal(lesson_find(&index, 9999), -1);
  lesson_index_free(&index);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole),        cmocka_unit_test(wide_drawing),
      cmocka_unit_test(about_itself), cmocka_unit_test(further),
      cmocka_unit_test(mistakes),     cmocka_unit_test(cut_anywhere),
      cmocka_unit_test(as_shipped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

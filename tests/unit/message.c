// SPDX-License-Identifier: Apache-2.0
// base/text: catalogues of messages, and sentences that are fitted to patterns.
#include "base/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/scratch.h"

static const char catalogue[] =
    "msgid \"\"\nmsgstr \"Language: qq\\n\"\n\n"
    "# a comment\n#: file.c\nmsgid \"one\"\nmsgstr \"eins\"\n\n"
    "msgid \"two \"\n\"lines\\n\"\nmsgstr \"\"\n\"zwei \"\n\"Zeilen\\n\"\n\n"
    "#, c-format\nmsgid \"%s has %d\"\nmsgstr \"%2$d sind in %1$s\"\n\n"
    "#, c-format\nmsgid \"%d of %s\"\nmsgstr \"%s von %d\"\n\n"
    "#, c-format\nmsgid \"%ld\"\nmsgstr \"%d\"\n\n"
    "#, c-format\nmsgid \"%.*s\"\nmsgstr \"%s\"\n\n"
    "#, c-format\nmsgid \"100 %%: %s\"\nmsgstr \"%s: 100 %%\"\n\n"
    "#, fuzzy\nmsgid \"guessed\"\nmsgstr \"geraten\"\n\n"
    "msgid \"empty\"\nmsgstr \"\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"{a} is {#n}.\"\nmsgstr \"{a} ist {#n}.\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"{a} is {#n}, so {=w}.\"\n"
    "msgstr \"{=w}, denn {a} ist {#n}.\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"it ends\"\nmsgstr \"es endet\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"Here ({,v}).\"\nmsgstr \"Hier ({,v}).\"\n\n"
    "msgctxt \"part\"\nmsgid \"{a} is {#n}\"\nmsgstr \"{a} ist {#n}\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"Pass k{{a}.\"\nmsgstr \"Gib k{{a}.\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"lost {a}\"\nmsgstr \"verloren {b}\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"in {*c}: {=w}\"\n"
    "msgstr \"bei {*c}: {=w}\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"{*a} grows\"\nmsgstr \"{*a} wächst\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"{=b} grows\"\nmsgstr \"{=b} wächst\"\n\n"
    "msgctxt \"sentence\"\nmsgid \"block {b}\"\nmsgstr \"Block {b}\"";

static int begin(void **state) {
  static char path[300];
  struct err_info e;
  const char *home = folder;
  if (set_up(state))
    return -1;
  snprintf(path, sizeof path, "%s/language", home);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/language/qq.po", home);
  FILE *f = fopen(path, "w");
  fputs(catalogue, f);
  fclose(f);
  setenv("WARPSHOP_HOME", home, 1);
  return message_choose("qq", &e);
}

static void looked_up(void **state) {
  (void)state;
  assert_string_equal(message("one"), "eins");
  assert_string_equal(message("two lines\n"), "zwei Zeilen\n");
  assert_string_equal(message("unknown"), "unknown");
  assert_string_equal(message("empty"), "empty");
  assert_string_equal(message("guessed"), "guessed");
  assert_string_equal(message_of(1, "one", "many"), "eins");
  assert_string_equal(message_of(0, "one", "many"), "many");
}

// What would read other arguments than there are is not used.
static void directives(void **state) {
  (void)state;
  char text[40];
  snprintf(text, sizeof text, message("%s has %d"), "it", 7);
  assert_string_equal(text, "7 sind in it");
  assert_string_equal(message("%d of %s"), "%d of %s");
  assert_string_equal(message("%ld"), "%ld");
  assert_string_equal(message("%.*s"), "%.*s");
  assert_string_equal(message("100 %%: %s"), "%s: 100 %%");
}

static void expect(const char *english, const char *expected) {
  struct str out = STR_INIT;
  message_report(english, &out);
  assert_string_equal(out.data, expected);
  str_free(&out);
}

static void sentences(void **state) {
  (void)state;
  expect("x is 3.", "x ist 3.");
  expect("x is 3. y[i + 1] is -4.", "x ist 3. y[i + 1] ist -4.");
  expect("x is 3, so it ends.", "es endet, denn x ist 3.");
  expect("Here (x is 3, y is 4).", "Hier (x ist 3, y ist 4).");
  expect("Pass k{a}.", "Gib k{a}.");
  // As a whole or not at all; a part is no sentence.
  expect("x is 3", "x is 3");
  expect("x is 3. Who knows.", "x is 3. Who knows.");
  expect("x is many.", "x is many.");
  expect("x is 3, so it began.", "x is 3, so it began.");
  expect("what nobody said is 3.", "what nobody said is 3.");
  expect("lost x", "lost x");
}

// What is led by a name, a line that is a message, and a part that may be anything.
static void led(void **state) {
  (void)state;
  expect("np.sum: x is 3.", "np.sum: x ist 3.");
  expect("TypeError: it ends", "TypeError: es endet");
  expect("a.lua:12: sum: it ends", "a.lua:12: sum: es endet");
  expect("the sum: it ends", "the sum: it ends");
  expect("  one", "  eins");
  expect("all of it is 3 grows", "all of it is 3 wächst");
  expect("x is 3 grows", "x ist 3 wächst");
  expect("in a long and wordy case: it ends",
         "bei a long and wordy case: es endet");
  expect("sum: nobody knows", "sum: nobody knows");
}

static void reports(void **state) {
  (void)state;
  expect(
      "add.cu:3  x is 3.\n  3 |   x is 3.\n    |   ^ block (1)\n  x is 3.",
      "add.cu:3  x ist 3.\n  3 |   x is 3.\n    |   ^ Block (1)\n  x ist 3.");
  expect("a.lua:12: add.cu:3:7  x is 3.", "a.lua:12: add.cu:3:7  x ist 3.");
  expect("  3 | a = b;  block (2)\n", "  3 | a = b;  Block (2)\n");
  expect("", "");
}

static void choosing(void **state) {
  struct err_info e;
  (void)state;
  const char *kept = message("one");
  assert_int_equal(message_choose("zz", &e), ERR_NOT_FOUND);
  assert_int_equal(message_choose("../x", &e), ERR_NOT_FOUND);
  assert_string_equal(message_language(), "qq");
  assert_int_equal(message_choose("en_GB.UTF-8", &e), ERR_OK);
  assert_string_equal(message("one"), "one");
  assert_string_equal(message_language(), "en");
  assert_string_equal(kept, "eins"); // stays
  expect("x is 3.", "x is 3.");
}

static void wanted(void **state) {
  (void)state;
  setenv("LANG", "C.UTF-8", 1);
  unsetenv("LC_ALL");
  unsetenv("LC_MESSAGES");
  setenv("LANGUAGE", "zz:qq:en", 1);
  message_choose_wanted();
  assert_string_equal(message_language(), "qq");
  setenv("LANGUAGE", "en:qq", 1);
  message_choose_wanted();
  assert_string_equal(message_language(), "en");
  unsetenv("LANGUAGE");
  setenv("LC_MESSAGES", "qq_QQ.UTF-8", 1);
  message_choose_wanted();
  assert_string_equal(message_language(), "qq");
  setenv("LC_ALL", "C", 1);
  message_choose_wanted();
  assert_string_equal(message_language(), "en");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(looked_up), cmocka_unit_test(directives),
      cmocka_unit_test(sentences), cmocka_unit_test(led),
      cmocka_unit_test(reports),   cmocka_unit_test(choosing),
      cmocka_unit_test(wanted),
  };
  return cmocka_run_group_tests(tests, begin, tear_down);
}

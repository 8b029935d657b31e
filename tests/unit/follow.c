// SPDX-License-Identifier: Apache-2.0
// repl/watch/follow.h: the ways in which editors save. Each look is a step of
// the test: no clock decides.
#include "repl/watch/follow.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "repl/watch/answer.h"

static char folder[] = "/tmp/warpshop-follow-XXXXXX";
static char *path, *other;

enum { NEVER_MS = 1 << 28 }; // only events tell
static const bool events = false, polls = true;

static void put(const char *where, const char *text) {
  FILE *f = fopen(where, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

// Looks until there is news, as often as it may take: two looks, without events.
static enum follow_news look(struct follow *f) {
  enum follow_news news = follow_look(f);
  return news ? news : follow_look(f);
}

static struct follow *open_at(bool with_polls) {
  unlink(other);
  put(path, "first");
  struct follow *f =
      follow_open(path, with_polls, with_polls ? 0 : NEVER_MS / 10);
  assert_int_equal(follow_fd(f) < 0, with_polls);
  assert_int_equal(look(f), FOLLOW_NOTHING); // what is there already
  return f;
}

static void saves(bool with_polls) {
  struct follow *f = open_at(with_polls);
  put(path, "in place"); // nano, VS Code
  assert_int_equal(look(f), FOLLOW_SAVED);
  assert_int_equal(look(f), FOLLOW_NOTHING);
  put(other, "renamed over"); // most others
  assert_int_equal(look(f), FOLLOW_NOTHING);
  assert_int_equal(rename(other, path), 0);
  assert_int_equal(look(f), FOLLOW_SAVED);
  assert_int_equal(rename(path, other), 0); // vim, with a backup
  put(path, "written anew");
  unlink(other);
  assert_int_equal(look(f), FOLLOW_SAVED);
  put(other, "swapped");
  assert_int_equal(renameat2(AT_FDCWD, other, AT_FDCWD, path, RENAME_EXCHANGE),
                   0);
  assert_int_equal(look(f), FOLLOW_SAVED);
  assert_int_equal(look(f), FOLLOW_NOTHING);
  follow_close(f);
}

static void events_tell_of_saves(void **state) {
  (void)state;
  saves(events);
}

static void looks_find_saves(void **state) {
  (void)state;
  saves(polls);
}

static void goes_and_comes_back(void **state) {
  (void)state;
  for (int with_polls = 0; with_polls < 2; with_polls++) {
    struct follow *f = open_at(with_polls);
    unlink(path);
    assert_int_equal(look(f), FOLLOW_GONE);
    assert_int_equal(look(f), FOLLOW_NOTHING); // said once
    put(path, "back");
    assert_int_equal(look(f), FOLLOW_SAVED);
    follow_close(f);
  }
}

static void half_written_is_no_news(void **state) {
  (void)state;
  struct follow *f = open_at(events);
  FILE *out = fopen(path, "w");
  fputs("half ", out);
  fflush(out);
  assert_int_equal(look(f), FOLLOW_NOTHING);
  fputs("and half", out);
  fclose(out);
  assert_int_equal(look(f), FOLLOW_SAVED);
  follow_close(f);
}

// Also where the looks come in between.
static void half_written_waits_for_its_end(void **state) {
  (void)state;
  put(path, "first");
  struct follow *f = follow_open(path, events, 0);
  FILE *out = fopen(path, "w");
  fputs("half ", out);
  fflush(out);
  for (int i = 0; i < 4; i++)
    assert_int_equal(follow_look(f), FOLLOW_NOTHING);
  fclose(out);
  assert_int_equal(look(f), FOLLOW_SAVED);
  follow_close(f);
}

static void still_growing_is_no_news(void **state) {
  (void)state;
  struct follow *f = open_at(polls);
  FILE *out = fopen(path, "w");
  for (int i = 0; i < 5; i++) {
    fputs("more ", out);
    fflush(out);
    assert_int_equal(follow_look(f), FOLLOW_NOTHING);
  }
  fclose(out);
  assert_int_equal(look(f), FOLLOW_SAVED);
  follow_close(f);
}

static void what_a_link_leads_to(void **state) {
  (void)state;
  char *link = xasprintf("%s/link.cu", folder);
  char *far = xasprintf("%s/far", folder), *file = xasprintf("%s/a.cu", far);
  char *command = xasprintf("mkdir -p %s", far);
  assert_int_equal(system(command), 0);
  put(file, "first");
  assert_int_equal(symlink(file, link), 0);
  struct follow *f = follow_open(link, events, NEVER_MS / 10);
  put(file, "second");
  assert_int_equal(look(f), FOLLOW_SAVED);
  follow_close(f);
  free(command);
  free(file);
  free(far);
  free(link);
}

// Its folder is taken away and made again: looking is what is left.
static void another_folder(void **state) {
  (void)state;
  char *inner = xasprintf("%s/inner", folder);
  char *file = xasprintf("%s/a.cu", inner);
  char *again = xasprintf("rm -rf %s; mkdir %s", inner, inner);
  assert_int_equal(system(again), 0);
  put(file, "first");
  struct follow *f = follow_open(file, events, 0);
  assert_int_equal(system(again), 0);
  assert_int_equal(look(f), FOLLOW_GONE);
  assert_int_equal(follow_fd(f), -1);
  put(file, "back");
  assert_int_equal(look(f), FOLLOW_SAVED);
  follow_close(f);
  free(again);
  free(file);
  free(inner);
}

// It is called by the last part of its path.
static void an_answer_in_a_folder(void **state) {
  (void)state;
  struct answer a;
  struct err_info e;
  char *at = xasprintf("%s/mine.cu", folder), *text;
  size_t bytes;
  assert_int_equal(answer_open(&a, "vector-add", xstrdup(at), NULL, &e),
                   ERR_OK);
  assert_string_equal(a.file, "mine.cu");
  assert_true(a.was_begun && answer_is_begun_only(&a));
  assert_int_equal(file_read(at, 1 << 20, &text, &bytes, &e), ERR_OK);
  assert_string_equal(text, a.starter);
  answer_close(&a);
  free(text);
  free(at);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_in_a_folder),
      cmocka_unit_test(events_tell_of_saves),
      cmocka_unit_test(looks_find_saves),
      cmocka_unit_test(goes_and_comes_back),
      cmocka_unit_test(half_written_is_no_news),
      cmocka_unit_test(half_written_waits_for_its_end),
      cmocka_unit_test(still_growing_is_no_news),
      cmocka_unit_test(what_a_link_leads_to),
      cmocka_unit_test(another_folder),
  };
  if (!mkdtemp(folder))
    return 2;
  path = xasprintf("%s/add.cu", folder);
  other = xasprintf("%s/add.cu.tmp", folder);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char *command = xasprintf("rm -rf %s", folder);
  failed += system(command) != 0;
  free(command);
  return failed;
}

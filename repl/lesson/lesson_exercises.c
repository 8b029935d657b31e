// SPDX-License-Identifier: Apache-2.0
// The exercises that stand in a lesson, and whether it is done.
#include "repl/lesson/lesson.h"

#include "grade/check/check.h"
#include "repl/progress/progress.h"

// Where the i-th exercise is among the items; -1 past the last.
static int item_of(const struct lesson *l, int i) {
  for (int k = 0; k < l->item_count; k++)
    if (l->items[k].kind == ITEM_EXERCISE && i-- == 0)
      return k;
  return -1;
}

const char *lesson_exercise(const struct lesson *l, int i) {
  int at = item_of(l, i);
  return at < 0 ? NULL : l->items[at].text;
}

bool lesson_exercise_is_further(const struct lesson *l, int i) {
  return item_of(l, i) >= lesson_needed_items(l);
}

bool lesson_is_done_by(const struct progress *all, const struct lesson *l) {
  const char *name;
  int furthest;
  progress_page(all, l->name, &furthest);
  if (furthest < lesson_needed_pages(l))
    return false;
  for (int i = 0; (name = lesson_exercise(l, i)); i++) {
    struct exercise_progress p = progress_exercise(all, name);
    if (!lesson_exercise_is_further(l, i) && !p.has_passed && !p.was_skipped)
      return false;
  }
  return true;
}

bool lesson_is_done(const struct journal *j, const struct lesson *l) {
  struct progress *all = progress_take(j);
  bool is_done = lesson_is_done_by(all, l);
  progress_free(all);
  return is_done;
}

int lesson_exercise_minutes(const struct lesson *l) {
  struct check_about about;
  const char *name;
  int minutes = 0;
  for (int i = 0; (name = lesson_exercise(l, i)); i++) {
    if (lesson_exercise_is_further(l, i) || check_about(name, &about, NULL))
      continue;
    minutes += about.minutes;
    check_about_free(&about);
  }
  return minutes;
}

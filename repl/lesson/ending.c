// SPDX-License-Identifier: Apache-2.0
// The end of a part, and of the course.
#include "repl/lesson/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "grade/check/check.h"
#include "grade/course/course.h"
#include "grade/exercise/exercise.h"
#include "repl/exercise/exercise.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"

// What ends, and what belongs to it.
struct ending {
  struct shop *s;
  struct str goals;
  char **exercises;
  int exercise_count;
  bool has_it;  // the exercise that passed
  bool is_open; // one has not passed yet
};

static void close_ending(struct ending *end) {
  str_free(&end->goals);
  file_names_free(end->exercises, end->exercise_count);
}

static void add_exercise(struct ending *end, const char *name) {
  end->exercises = xrealloc(end->exercises, (size_t)(end->exercise_count + 1) *
                                                sizeof *end->exercises);
  end->exercises[end->exercise_count++] = xstrdup(name);
}

static void add_goals(struct ending *end, const struct lesson *l) {
  for (int i = 0; i < l->goals.count; i++)
    str_addf(&end->goals, "- %s\n", l->goals.items[i]);
}

static void add_lesson(struct ending *end, const char *path,
                       const char *exercise) {
  struct lesson *l;
  const char *name;
  if (lesson_load(path, &l, NULL))
    return;
  add_goals(end, l);
  for (int i = 0; (name = lesson_exercise(l, i)); i++) {
    bool has_passed = progress_of(end->s->journal, name).has_passed;
    if (has_passed)
      add_exercise(end, name);
    if (lesson_exercise_is_further(l, i) || exercises_need_hardware(name))
      continue; // it holds up no end
    end->has_it |= !strcmp(name, exercise);
    end->is_open |= !has_passed;
  }
  lesson_free(l);
}

// ---- Once more ----

// Judges one exercise as it passed last. "": right; else what is to be said.
static char *judge_again(struct shop *s, const char *name) {
  struct verdict *v;
  struct err_info e = {0};
  char *text = attempts_passed(NULL, name), *page;
  if (!text)
    return xasprintf(message("%s: what passed is no longer kept"), name);
  enum err err = check_run(s->judge, &(struct check_text){name, name, text}, &v,
                           &page, &e);
  free(text);
  if (err)
    return xasprintf("%s: %s", name, e.text);
  char *said = v->verdict == VERDICT_PASS
                   ? xstrdup("")
                   : xasprintf("%s: %s", name, verdict_text(v->verdict));
  free(page);
  verdict_free(v);
  return said;
}

static void judge_all(struct ending *end, bool (*is_cancelled)(void *context),
                      void *context) {
  struct shop *s = end->s;
  struct str wrong = STR_INIT;
  int right = 0, n = end->exercise_count;
  for (int i = 0; i < n && !is_cancelled(context); i++) {
    if (s->screen.is_terminal && !s->screen.is_plain) {
      printf("\r%d/%d", i + 1, n);
      fflush(stdout);
    }
    char *said = judge_again(s, end->exercises[i]);
    if (*said && !is_cancelled(context))
      str_addf(&wrong, "  %s\n", said);
    right += !*said;
    free(said);
  }
  if (s->screen.is_terminal)
    printf("\r%12s\r", "");
  if (is_cancelled(context))
    shop_note(s, "(judging them once more was stopped)");
  else
    shop_print(s, "Judged once more: %d of %d right.\n%s", right, n,
               wrong.data);
  str_free(&wrong);
}

// ---- What ends ----

static void show(const struct ending *end, const char *what) {
  int n = end->exercise_count;
  shop_print(end->s,
             message_of(n, "\n%s is done, with %d exercise. You can now\n%s",
                        "\n%s is done, with %d exercises. You can now\n%s"),
             what, n, end->goals.data);
}

// The parts that `exercise` ends; whether they are judged here.
static void end_parts(struct shop *s, const struct lesson_index *index,
                      const char *exercise, bool is_judged,
                      bool (*is_cancelled)(void *context), void *context) {
  for (int i = 0; i < index->part_count; i++) {
    const struct course_part *part = &index->parts[i];
    struct ending end = {.s = s, .goals = STR_INIT};
    for (int k = part->first; k < part->first + part->count; k++)
      add_lesson(&end, index->paths[k], exercise);
    if (end.has_it && !end.is_open) {
      char *what = xasprintf("Part %s, %s", part->numeral, part->title);
      show(&end, what);
      if (is_judged)
        judge_all(&end, is_cancelled, context);
      free(what);
    }
    close_ending(&end);
  }
}

// What one can do: at the end of each part, or of each lesson where there are
// none.
static void add_summits(struct ending *end, const struct lesson_index *index) {
  for (int i = 0; i < index->count; i++) {
    const struct course_part *part = lesson_part_at(index, i);
    struct lesson *l;
    bool is_last = !part || i == part->first + part->count - 1;
    if (!is_last || lesson_load(index->paths[i], &l, NULL))
      continue;
    if (part)
      str_addf(&end->goals, "%s %s\n", part->numeral, part->title);
    add_goals(end, l);
    lesson_free(l);
  }
}

// Does the end of the course wait for it?
static bool is_needed(const struct lesson_index *index, const char *exercise) {
  bool is_further = false;
  for (int k = 0; k < index->count && !is_further; k++) {
    struct lesson *l;
    const char *name;
    if (lesson_load(index->paths[k], &l, NULL))
      continue;
    for (int i = 0; (name = lesson_exercise(l, i)); i++)
      is_further |= !strcmp(name, exercise) && lesson_exercise_is_further(l, i);
    lesson_free(l);
  }
  return !is_further && !exercises_need_hardware(exercise);
}

// Is there one that it waits for still? Else those that have passed.
static bool is_course_open(struct ending *end,
                           const struct lesson_index *index) {
  char **names;
  int count;
  if (exercise_names(&names, &count, NULL))
    return true;
  for (int i = 0; i < count && !end->is_open; i++) {
    bool has_passed = progress_of(end->s->journal, names[i]).has_passed;
    if (has_passed)
      add_exercise(end, names[i]);
    else
      end->is_open = is_needed(index, names[i]);
  }
  exercise_names_free(names, count);
  return end->is_open;
}

static void end_course(struct ending *end, const struct lesson_index *index,
                       bool (*is_cancelled)(void *context), void *context) {
  struct course *c;
  if (course_in_use(&c, NULL))
    return;
  add_summits(end, index);
  show(end, c->title);
  judge_all(end, is_cancelled, context);
  shop_print(end->s, "That was the whole course. :lesson N opens a lesson "
                     "again.");
  course_free(c);
}

void ending_show(struct shop *s, const char *exercise,
                 bool (*is_cancelled)(void *context), void *context) {
  struct lesson_index index;
  struct ending all = {.s = s, .goals = STR_INIT};
  if (!lesson_index_load(&index, NULL)) {
    bool ends = !is_course_open(&all, &index) && is_needed(&index, exercise);
    end_parts(s, &index, exercise, !ends, is_cancelled, context);
    if (ends)
      end_course(&all, &index, is_cancelled, context);
  }
  lesson_index_free(&index);
  close_ending(&all);
}

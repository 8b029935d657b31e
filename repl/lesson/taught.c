// SPDX-License-Identifier: Apache-2.0
#include "repl/lesson/taught.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "grade/course/course.h"
#include "grade/exercise/exercise.h"
#include "repl/lesson/form.h"
#include "repl/lesson/vocabulary.h"
#include "repl/tui/tui.h"

struct syllabus {
  struct vocabulary taught;  // by all pages so far
  struct lesson_list before; // names of the lessons so far, without numbers
  char **exercises;          // of the index; "" where a page has it
  int exercise_count;
  struct course *own; // warpshop's, where the course is another; else NULL
  int wrong;
};

// "07-grid-stride.md": "grid-stride".
static char *bare_name(const char *name) {
  while (isdigit((unsigned char)*name))
    name++;
  name += *name == '-';
  size_t n = strlen(name);
  return xstrndup(name, str_ends(name, ".md") ? n - 3 : n);
}

// ---- One lesson ----

static struct vocabulary set_of(const struct lesson_list *words) {
  struct vocabulary v = {0};
  for (int i = 0; i < words->count; i++)
    vocabulary_add(&v, words->items[i]);
  return v;
}

static void teach(struct syllabus *c, const struct lesson *l) {
  for (int i = 0; i < lesson_needed_pages(l); i++) {
    struct vocabulary words = set_of(&l->pages[i].teaches);
    vocabulary_join(&c->taught, &words);
  }
}

// A lesson of warpshop's own course that another course builds upon: what it and
// those before it teach is taught. False: there is none.
static bool take_own(struct syllabus *c, const char *need) {
  struct lesson_index index;
  int last = -1;
  if (!c->own || lesson_index_of(c->own, &index, NULL))
    return false;
  for (int i = 0; i < index.count && last < 0; i++) {
    char *name = bare_name(strrchr(index.paths[i], '/') + 1);
    last = strcmp(name, need) ? -1 : i;
    free(name);
  }
  for (int i = 0; i <= last; i++) {
    struct lesson *l;
    if (lesson_load(index.paths[i], &l, NULL))
      continue; // warpshop's own test says it
    teach(c, l);
    lesson_free(l);
  }
  lesson_index_free(&index);
  return last >= 0;
}

static void check_needs(struct syllabus *c, const struct lesson *l,
                        bool is_tested) {
  for (int i = 0; i < l->needs.count; i++) {
    const char *need = l->needs.items[i];
    struct nearest near = nearest_to(need);
    char hint[NEAREST_HINT];
    bool is_before = false;
    for (int k = 0; k < c->before.count; k++) {
      is_before |= !strcmp(c->before.items[k], need);
      nearest_try(&near, c->before.items[k], strlen(c->before.items[k]));
    }
    if (is_before || take_own(c, need) || !is_tested)
      continue;
    shop_say("%s:%d: needs \"%s\", which is no lesson before this one%s",
             l->path, l->needs_line, need, nearest_hint(hint, &near, "", "?"));
    c->wrong++;
  }
}

// What one has and the other lacks.
static void check_same(struct syllabus *c, const struct lesson *l,
                       const struct vocabulary *a, const struct vocabulary *b,
                       const char *what) {
  const char *word;
  for (int at = 0; (word = vocabulary_lacks(a, b, &at)); c->wrong++)
    shop_say("%s:%d: %s \"%s\"", l->path, l->teaches_line, what, word);
}

static void check_header(struct syllabus *c, const struct lesson *l) {
  struct vocabulary said = set_of(&l->teaches), taught = {0};
  for (int i = 0; i < l->page_count; i++) {
    struct vocabulary page = set_of(&l->pages[i].teaches);
    vocabulary_join(&taught, &page);
  }
  check_same(c, l, &said, &taught, "no page teaches what the header says:");
  check_same(c, l, &taught, &said, "the header's teaches: leaves out");
}

static void check_exercise(struct syllabus *c, const struct lesson *l,
                           const struct lesson_item *item) {
  struct exercise *ex;
  struct err_info e = {0};
  if (exercise_load(item->text, &ex, &e)) {
    shop_say("%s:%d: %s", l->path, item->line, e.text);
    c->wrong++;
    return;
  }
  struct vocabulary used =
      vocabulary_of(ex->is_copy ? ex->starter : ex->solution);
  const char *word;
  for (int at = 0; (word = vocabulary_lacks(&used, &c->taught, &at));
       c->wrong++)
    shop_say("%s:%d: the exercise %s uses \"%s\", which no page up to here "
             "teaches",
             l->path, item->line, item->text, word);
  exercise_free(ex);
}

// ---- The course ----

// A page teaches, then asks.
static void take_page(struct syllabus *c, const struct lesson *l,
                      const struct lesson_page *page, bool is_tested) {
  struct vocabulary words = set_of(&page->teaches);
  vocabulary_join(&c->taught, &words);
  for (int k = 0; k < page->count; k++) {
    const struct lesson_item *item = &l->items[page->first + k];
    if (item->kind != ITEM_EXERCISE)
      continue;
    if (is_tested)
      check_exercise(c, l, item);
    for (int x = 0; x < c->exercise_count; x++)
      if (c->exercises[x] && !strcmp(c->exercises[x], item->text))
        c->exercises[x][0] = 0;
  }
}

// Pages in order. What the pages of Further teach, later lessons cannot count
// upon.
static void take_lesson(struct syllabus *c, const struct lesson *l,
                        bool is_tested) {
  check_needs(c, l, is_tested);
  if (is_tested) {
    check_header(c, l);
    c->wrong += form_check(l, !c->own);
  }
  struct vocabulary needed = c->taught;
  for (int i = 0; i < l->page_count; i++) {
    take_page(c, l, &l->pages[i], is_tested);
    if (!l->pages[i].is_further)
      needed = c->taught;
  }
  c->taught = needed;
  c->before.items =
      xrealloc(c->before.items, (size_t)(c->before.count + 1) * sizeof(char *));
  c->before.items[c->before.count++] = bare_name(l->name);
}

// Homework, or forgotten.
static void say_unused(struct syllabus *c) {
  for (int i = 0; i < c->exercise_count; i++)
    if (c->exercises[i][0])
      shop_say("note: no lesson has the exercise %s", c->exercises[i]);
}

static void say_wrong(void *context, const char *text) {
  (void)context;
  shop_say("%s", text);
}

// The course in use, and warpshop's own where that is another.
static void open_course(struct syllabus *c, bool is_whole) {
  struct course *mine;
  struct err_info e = {0};
  enum err err = course_in_use(&mine, &e);
  if (!err)
    err =
        course_index(mine, "exercises", &c->exercises, &c->exercise_count, &e);
  if (err) {
    shop_say("%s", e.text);
    c->wrong++;
  }
  if (!err && is_whole)
    c->wrong += course_check(mine, "lessons", say_wrong, NULL);
  if (!err && !course_own(&c->own, NULL) &&
      !strcmp(c->own->folder, mine->folder)) {
    course_free(c->own);
    c->own = NULL;
  }
  course_free(mine);
}

int taught_check(const struct lesson_index *index, int number) {
  struct syllabus c = {0};
  struct err_info e = {0};
  open_course(&c, !number);
  int last = number ? lesson_find(index, number) : index->count - 1;
  for (int i = 0; i <= last; i++) {
    struct lesson *l;
    if (lesson_load(index->paths[i], &l, &e))
      continue; // said where it is played
    take_lesson(&c, l, !number || i == last);
    lesson_free(l);
  }
  if (!number)
    say_unused(&c);
  for (int i = 0; i < c.before.count; i++)
    free(c.before.items[i]);
  free(c.before.items);
  file_names_free(c.exercises, c.exercise_count);
  course_free(c.own);
  return c.wrong;
}

// SPDX-License-Identifier: Apache-2.0
// Lessons: as data (lesson.c, which knows no terminal and runs nothing), played,
// ended and tested. The format is written down in lessons/README.md.
#ifndef REPL_LESSON_LESSON_H
#define REPL_LESSON_LESSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct journal;
struct shop;

// ---- lesson.c: pages of prose and cells, parsed from CommonMark ----

enum item_kind {
  ITEM_PROSE,    // a paragraph; `text` has the marks of screen.h
  ITEM_BULLET,   // a list item: `lead` is its bullet or number
  ITEM_HEADING,  // a heading inside a page
  ITEM_VERBATIM, // shown as it stands: tables, code that is no cell
  ITEM_LUA,      // cells from here on
  ITEM_CUDA,
  ITEM_CHECK,
  ITEM_QUIZ,
  ITEM_PREDICT,
  ITEM_EXERCISE,
  ITEM_TRY, // the learner is to type something
};

struct lesson_item {
  enum item_kind kind;
  int line; // in the file, from 1
  int indent;
  char lead[8];
  char *text;       // prose, code, or the exercise's name
  bool is_run;      // ITEM_LUA, ITEM_CUDA: with "run"; else only shown
  bool is_table;    // ITEM_VERBATIM
  char *spoken;     // ITEM_VERBATIM: what a drawing shows, in words; or NULL
  bool wants_error; // ITEM_LUA: the last statement must raise
  // ITEM_QUIZ, ITEM_PREDICT and ITEM_TRY
  char *ask, *from, *explain;
  char *hint;           // ITEM_QUIZ and ITEM_PREDICT; NULL: none
  char *review;         // likewise, "yes" or "no"; NULL: of a quiz yes
  char *check, *answer; // ITEM_TRY
  int choice_count;
  struct lesson_choice {
    char *text;
    bool is_right;
  } * choices;
};

struct lesson_list {
  int count;
  char **items;
};

struct lesson_page {
  char *title;
  int first, count;           // items
  struct lesson_list teaches; // words of repl/lesson/vocabulary.def
  int minutes;                // for who teaches it; 0: not said
  char *notes;                // likewise; NULL: none
  bool is_further;            // "### Further: ...": for who wants more
};

struct lesson {
  char *path, *name; // "01-two-computers.md"
  char *title;
  int minutes;                // of its pages but Further; 0: not said
  int devices;                // virtual GPUs that it needs; 0: those there are
  struct lesson_list goals;   // "after it you can ..."
  struct lesson_list needs;   // lessons before, by file name without number
  struct lesson_list teaches; // what its pages teach, together
  int minutes_line, needs_line, teaches_line; // 1 where the header has none
  int page_count, item_count;
  struct lesson_page *pages;
  struct lesson_item *items;
  struct lesson_played *played; // of each item, while the lesson is open
  int begun;                    // the page that was turned to last, from 1
};

// What a cell has done in this session.
struct lesson_played {
  bool has_run;
  char *shown; // NULL: it ran unseen
};

// Parses the text of a lesson. ERR_ARGUMENT names the file and the line of
// what is not as the format says.
enum err lesson_parse(const char *path, const char *text, struct lesson **out,
                      struct err_info *e);
enum err lesson_load(const char *path, struct lesson **out, struct err_info *e);
void lesson_free(struct lesson *l); // NULL is fine

// How many pages stand before those of Further, which are the last ones.
int lesson_needed_pages(const struct lesson *l);
// And how many items those have.
int lesson_needed_items(const struct lesson *l);

// The lessons that a course's index names, in order.
struct course;
struct course_part;
struct lesson_index {
  int count;
  char **paths;
  int part_count; // 0: the course has no parts
  struct course_part *parts;
};
enum err lesson_index_of(const struct course *c, struct lesson_index *out,
                         struct err_info *e);
// Those of the course in use.
enum err lesson_index_load(struct lesson_index *out, struct err_info *e);
// The number of the lesson at `at`, from 0: what its file's name begins with
// ("07-grid-stride.md"), else its place from 1.
int lesson_number_at(const struct lesson_index *index, int at);
// Where the lesson of that number is; -1: there is none.
int lesson_find(const struct lesson_index *index, int number);
// The part that the lesson at `at` belongs to; NULL: none.
const struct course_part *lesson_part_at(const struct lesson_index *index,
                                         int at);
void lesson_index_free(struct lesson_index *index);

// ---- lesson_exercises.c ----

// The i-th exercise of a lesson, or NULL past the last.
const char *lesson_exercise(const struct lesson *l, int i);
// Whether it stands on a page of Further.
bool lesson_exercise_is_further(const struct lesson *l, int i);
// The minutes of a lesson's exercises, those of Further left out.
int lesson_exercise_minutes(const struct lesson *l);
// A lesson is done when its last page was seen once and its exercises have passed, or
// could not be judged here; the pages of Further count for nothing.
bool lesson_is_done(const struct journal *j, const struct lesson *l);
struct progress;
bool lesson_is_done_by(const struct progress *all, const struct lesson *l);

// ---- player.c ----

// Plays the open lesson's page: prose, cells, questions. False when a cell
// failed.
bool player_show_page(struct shop *s);
// Opens lesson `number` (from 1) at `page` (from 0), running the pages before
// it silently. False and a sentence when there is none.
bool player_open(struct shop *s, int number, int page);
// Makes lesson `number` the open one, at its first page, where it is not. False
// and a sentence when there is none.
bool player_take(struct shop *s, int number);
// Plays every lesson (or the one `number`), plain; the exit code.
int player_play_all(struct shop *s, int number);

// ---- reading.c: the open page as text, for a screen ----

// It goes as far as its first question without an answer: what stands behind that
// would tell it. Questions are answered at the prompt, where reading_go_on plays
// the rest.

// What waits on a page: the questions before its lesson, its own, lines to type,
// and exercises.
struct reading_steps {
  int reviews, questions, lines, exercises;
};

// The page is turned to: its cells, and those before them, run where they have not
// yet, and what they print is kept.
void reading_begin(struct shop *s);
// As it fits s->screen, with styles; the caller frees it.
char *reading_text(struct shop *s);
struct reading_steps reading_steps(struct shop *s);
// At the prompt: asks what waits, and plays what stands behind it.
void reading_go_on(struct shop *s);

// ---- question.c: what the page asks ----

// What was typed may be what the page asks for: says so, once, and asks for the
// page's next. A command costs no try.
void question_typed(struct shop *s, bool is_command);

// Helps with the question that waits for its answer (s->asked, not NULL): its
// hint, or a choice that is wrong.
void question_hint(struct shop *s);

// Shows the line that the page asks for (s->wanted, not NULL).
void question_show_answer(struct shop *s);

// ---- review.c: two questions of earlier lessons ----

// How many are asked before lesson `number`.
int review_count(struct shop *s, int number);

// :set review on or off, and which it is.
bool review_is_off(const struct shop *s);
void review_turn(struct shop *s, bool on);

// ---- ending.c ----

// The end of a part, and of the course: reached when the last of its exercises
// has passed.

// `exercise` has passed for the first time: where it was the last of its part,
// or of all, says what the learner can do now, and judges once more what has
// passed, until `is_cancelled` says to stop.
void ending_show(struct shop *s, const char *exercise,
                 bool (*is_cancelled)(void *context), void *context);

// ---- lesson_test.c ----

// warpshop lesson test: every lesson played by nobody.
struct lesson_test {
  const int *numbers; // of the lessons
  int count;          // of them; 0: all lessons
  int jobs;           // processes; 0: one a processor
  bool is_json;
};

// Runs every cell of the lessons, in processes of their own, and says what fails
// and what is not as it should be (taught.h), lesson by lesson in their order; the
// exit code. As JSON: {"schema": "warpshop.lessons/1", "lessons": [{"number",
// "lesson", "cells", "failed", "said"}], "cells", "failed", "form": {"failed",
// "said"}, "holds"}.
int lesson_test(struct shop *s, const struct lesson_test *t);

#endif

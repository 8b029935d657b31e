// SPDX-License-Identifier: Apache-2.0
// The open workbook, as the files of this folder share it.
#ifndef REPL_WORKBOOK_BOOK_H
#define REPL_WORKBOOK_BOOK_H

#include "display/display.h"
#include "repl/eval/eval.h"
#include "repl/lesson/lesson.h"
#include "repl/workbook/text.h"
#include "repl/workbook/workbook.h"

// Its screens.
enum book_screen { CONTENTS, PAGE, TASK };

struct contents;
struct task;

struct workbook {
  struct shop *s;
  struct display *d; // NULL: it is closed, the prompt has the terminal
  enum book_screen screen, before; // before: where the task was opened
  bool is_help, is_over;
  bool is_asking; // every key is the answer to a question
  bool had_steps; // the prompt was gone to with something to do
  char status[200];
  struct contents *contents;
  struct capture held; // what is printed meanwhile
  long said;           // bytes of it that were shown
  bool turns;          // to the next page when it opens
  struct text page;
  struct reading_steps steps; // of the page
  struct task *task;          // that was opened last; NULL: none
  bool has_judge;             // the session's is ours, with our callback
  int *kept;                  // keys that came while something was judged
  int kept_count;
};

// Says a sentence in the status row, until the next key.
void book_say(struct workbook *w, const char *text);
// The key that was pressed (or the text that was pasted) means nothing on this
// screen.
void book_say_no_key(struct workbook *w, int key);
// Closes the screen: the prompt is next.
void book_leave(struct workbook *w);
// The two rows at the foot: the status, or `idle` where there is none, with `place` at
// its right; and the keys.
enum { BOOK_FOOT = 2 };
void book_draw_foot(struct workbook *w, const struct pane *p, const char *idle,
                    const char *place);
// Goes to a screen, and from a task back to where it was opened.
void book_go(struct workbook *w, enum book_screen screen);
void book_back(struct workbook *w);
// This key is taken later, in its turn.
void book_keep_key(struct workbook *w, int key);
// Opens a file at a line (0: anywhere) in the person's editor, which has the terminal
// meanwhile; false: it did not end well.
bool book_edit(struct workbook *w, const char *path, int line);
// What is printed from here on comes back as text, as it fits this screen.
struct book_hold {
  struct screen screen;
  struct mode mode;
  struct capture capture;
  bool is_held;
};
void book_hold(struct workbook *w, struct book_hold *h);
char *book_let_go(struct workbook *w, struct book_hold *h);
// Draws what there is now.
void book_draw(struct workbook *w);
// What is held back of standard output and error since the last call, as a sentence
// in the status row.
char *book_said(struct workbook *w);

// ---- contents.c ----

struct contents *contents_new(struct workbook *w);
void contents_free(struct contents *c);
// What the journal says now.
void contents_look(struct contents *c);
void contents_draw(struct contents *c, struct pane p);
void contents_press(struct contents *c, int key);
bool contents_types(
    const struct contents *c); // every key is a character of its

// ---- page.c ----

// Opens a page of a lesson; `page` from 0, -1: where it was left.
void page_open(struct workbook *w, int number, int page);
// The open one, which the prompt may have changed.
void page_look(struct workbook *w);
void page_resized(struct workbook *w);
void page_draw(struct workbook *w, struct pane p);
void page_press(struct workbook *w, int key);
// Opens the exercise of the page at hand, or of the lesson, that has not passed.
void page_open_task(struct workbook *w);
// The next one of the lesson or of the course; false: there is none.
bool page_turn(struct workbook *w);

// ---- task.c ----

// Opens an exercise, with its file in this folder.
void task_open(struct workbook *w, const char *name);
void task_free(struct task *t); // NULL is fine
const char *task_exercise(const struct task *t);
void task_draw(struct task *t, struct pane p);
void task_resized(struct task *t);
void task_press(struct task *t, int key);
// The file may have been saved: when `task_fd` can be read, and at least that often.
void task_look(struct task *t);
int task_fd(const struct task *t);
int task_interval_ms(const struct task *t);
// Judges what is newer than the last verdict.
void task_judge(struct task *t);
// The prompt has a judge of its own.
void task_leave_judge(struct workbook *w);

#endif

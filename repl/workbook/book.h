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
enum book_screen { CONTENTS, PAGE, BOOK_SCREENS };

struct contents;

struct workbook {
  struct shop *s;
  struct display *d; // NULL: it is closed, the prompt has the terminal
  enum book_screen screen;
  bool is_help, is_over;
  bool had_steps; // the prompt was gone to with something to do
  char status[200];
  struct contents *contents;
  struct capture held; // what is printed meanwhile
  long said;           // bytes of it that were shown
  bool turns;          // to the next page when it opens
  struct text page;
  struct reading_steps steps; // of the page
};

// Says a sentence in the status row, until the next key.
void book_say(struct workbook *w, const char *text);
// Closes the screen: the prompt is next.
void book_leave(struct workbook *w);
// The two rows at the foot: the status, with `place` at its right, and the keys.
enum { BOOK_FOOT = 2 };
void book_draw_foot(struct workbook *w, const struct pane *p,
                    const char *place);
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
// The next one of the lesson or of the course; false: there is none.
bool page_turn(struct workbook *w);

#endif

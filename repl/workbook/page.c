// SPDX-License-Identifier: Apache-2.0
// A page of a lesson: what the player shows of it, as far as its questions are
// answered, and what it asks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text/text.h"
#include "repl/progress/progress.h"
#include "repl/workbook/book.h"

// ---- The text ----

static void set_text(struct workbook *w) {
  struct shop *s = w->s;
  struct screen was = s->screen;
  struct pane all = display_begin(w->d);
  s->screen.columns = all.columns;
  s->screen.has_colour = display_has_colour(w->d);
  char *text = reading_text(s);
  s->screen = was;
  text_set(&w->page, text, all.columns);
  free(text);
}

// Cells run here: Ctrl-C stops them.
void page_look(struct workbook *w) {
  struct shop *s = w->s;
  struct screen was = s->screen;
  w->screen = PAGE;
  display_run(w->d, true); // who reads of Ctrl-C may press it
  book_say(w, "The page's lines run; Ctrl-C stops one.");
  book_draw(w);
  s->screen.has_colour = display_has_colour(w->d);
  reading_begin(s);
  display_run(w->d, false);
  s->screen = was;
  w->status[0] = 0;
  w->steps = reading_steps(s);
  set_text(w);
}

void page_resized(struct workbook *w) {
  if (w->screen == PAGE)
    set_text(w);
}

static void turn_to(struct workbook *w, int page) {
  w->s->page = page;
  text_free(&w->page);
  page_look(w);
}

void page_open(struct workbook *w, int number, int page) {
  struct shop *s = w->s;
  if (!player_take(s, number)) {
    char *said = book_said(w);
    book_say(w, said);
    free(said);
    return;
  }
  if (page < 0)
    page = journal_page(s->journal, s->lesson->name) - 1;
  if (page >= s->lesson->page_count)
    page = s->lesson->page_count - 1;
  turn_to(w, page < 0 ? 0 : page);
}

// ---- Drawing ----

static void add_count(struct str *out, int n, const char *form) {
  if (!n)
    return;
  str_add(out, out->len ? ", " : "");
  str_addf(out, form, n);
}

// What the page asks, in words.
static char *asked_text(const struct reading_steps *steps) {
  struct str what = STR_INIT, out = STR_INIT;
  add_count(&what, steps->reviews,
            message_of(steps->reviews, "%d question from earlier lessons",
                       "%d questions from earlier lessons"));
  add_count(&what, steps->questions,
            message_of(steps->questions, "%d question", "%d questions"));
  add_count(&what, steps->lines,
            message_of(steps->lines, "%d line to type", "%d lines to type"));
  bool is_prompt = what.len > 0;
  add_count(&what, steps->exercises,
            message_of(steps->exercises, "%d exercise", "%d exercises"));
  if (what.len)
    str_addf(&out,
             is_prompt ? message("Asks: %s. Enter does it.")
                       : message("Asks: %s. e opens it."),
             what.data);
  str_free(&what);
  return str_take(&out);
}

static void draw_title(const struct workbook *w, const struct pane *p) {
  const struct shop *s = w->s;
  const struct lesson *l = s->lesson;
  char left[200], right[40];
  snprintf(left, sizeof left, "%d · %s", s->lesson_number, l->title);
  snprintf(right, sizeof right, message(" page %d of %d"), s->page + 1,
           l->page_count);
  pane_put(p, 0, 0, ROLE_TITLE, left);
  pane_put_right(p, 0, ROLE_QUIET, right);
}

void page_draw(struct workbook *w, struct pane p) {
  struct pane title = pane_cut_top(&p, 1);
  struct str place = STR_INIT;
  pane_cut_top(&p, p.rows > 18);
  char *asked = asked_text(&w->steps);
  struct pane foot = pane_cut_bottom(&p, BOOK_FOOT);
  text_draw(&w->page, &p);
  text_add_place(&w->page, &place);
  book_draw_foot(w, &foot, asked, place.data);
  draw_title(w, &title);
  free(asked);
  str_free(&place);
}

// ---- Keys ----

bool page_turn(struct workbook *w) {
  struct shop *s = w->s;
  struct lesson_index index;
  int next = 0; // the number of the lesson behind; 0: there is none
  if (s->page + 1 < s->lesson->page_count) {
    turn_to(w, s->page + 1);
    return true;
  }
  if (!lesson_index_load(&index, NULL)) {
    int at = lesson_find(&index, s->lesson_number);
    if (at + 1 < index.count)
      next = lesson_number_at(&index, at + 1);
  }
  lesson_index_free(&index);
  if (next)
    page_open(w, next, 0);
  return next != 0;
}

static bool has_steps(const struct workbook *w) {
  return w->steps.reviews || w->steps.questions || w->steps.lines;
}

// Once it says what is left undone; the second time it goes on.
static void next(struct workbook *w) {
  struct shop *s = w->s;
  if (has_steps(w) && !s->has_reminded) {
    char *asked = asked_text(&w->steps), text[180];
    snprintf(text, sizeof text, message("%s n goes on without."), asked);
    book_say(w, text);
    free(asked);
    s->has_reminded = true;
    return;
  }
  s->has_reminded = false;
  if (!page_turn(w))
    book_say(w, "That was the last page of the last lesson.");
}

static void back(struct workbook *w) {
  struct shop *s = w->s;
  if (s->page > 0)
    turn_to(w, s->page - 1);
  else
    book_say(w, "This is the lesson's first page; q shows the contents.");
}

static void go_down(struct workbook *w) {
  if (!text_is_at_end(&w->page))
    text_move(&w->page, ' ');
  else
    next(w);
}

void page_open_task(struct workbook *w) {
  const struct lesson *l = w->s->lesson;
  const struct lesson_page *page = &l->pages[w->s->page];
  const char *name, *open = NULL;
  for (int i = 0; i < page->count && !open; i++)
    if (l->items[page->first + i].kind == ITEM_EXERCISE)
      open = l->items[page->first + i].text;
  for (int i = 0; !open && (name = lesson_exercise(l, i)); i++)
    if (!progress_of(w->s->journal, name).has_passed)
      open = name;
  if (open)
    task_open(w, open);
  else
    book_say(w, "This lesson has no exercise that has not passed.");
}

static void leave(struct workbook *w) {
  w->had_steps = has_steps(w);
  book_leave(w);
}

// Where the text does not go on, the pages do.
static void say_end(struct workbook *w, int key) {
  if (!w->page.has_moved)
    book_say(w, key == DISPLAY_DOWN || key == DISPLAY_PAGE_DOWN ||
                        key == DISPLAY_END
                    ? "The page ends here: n is the next one."
                    : "The page begins here: p is the one before.");
}

// What is asked is not asked of who has not seen it.
static void go_on(struct workbook *w) {
  if (!text_is_at_end(&w->page))
    text_move(&w->page, ' ');
  else
    leave(w);
}

void page_press(struct workbook *w, int key) {
  if (key != ' ' && text_move(&w->page, key)) {
    say_end(w, key);
    return;
  }
  switch (key) {
  case ' ': go_down(w); break;
  case 'n':
  case DISPLAY_RIGHT: next(w); break;
  case 'p':
  case 'b':
  case DISPLAY_LEFT: back(w); break;
  case '\n': go_on(w); break;
  case ':': leave(w); break;
  case 'e': page_open_task(w); break;
  case 'q':
  case DISPLAY_ESCAPE:
  case DISPLAY_INTERRUPT:
    w->screen = CONTENTS;
    contents_look(w->contents);
    break;
  default: book_say_no_key(w, key);
  }
}

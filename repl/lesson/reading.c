// SPDX-License-Identifier: Apache-2.0
// The open page as text, for a screen that shows it: what the player prints, held
// back, and how far the learner has come with what the page asks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "repl/eval/eval.h"
#include "repl/exercise/exercise.h"
#include "repl/lesson/player.h"
#include "repl/lesson/question.h"
#include "repl/lesson/review.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"

// ---- What was answered ----

struct answers {
  const struct lesson *lesson;
  struct answer {
    char *key; // NULL: nothing is asked
    bool is_given;
    char *measured; // of a prediction; NULL: not known
  } * of;
};

static bool is_asking(const struct lesson_item *item) {
  return item->kind == ITEM_QUIZ || item->kind == ITEM_PREDICT ||
         item->kind == ITEM_TRY;
}

static void take_answer(struct answers *all, const struct journal_record *r) {
  for (int i = 0; i < all->lesson->item_count; i++) {
    struct answer *a = &all->of[i];
    if (!a->key || strcmp(a->key, r->key) != 0)
      continue;
    const char *measured = strchr(r->value, ' ');
    a->is_given = true;
    free(a->measured);
    a->measured = measured ? xstrdup(measured + 1) : NULL;
  }
}

static void take_record(void *context, const struct journal_record *r) {
  struct answers *all = context;
  if (!strcmp(r->kind, "asked") || !strcmp(r->kind, "typed"))
    take_answer(all, r);
  else if (!strcmp(r->kind, "forget") && !strcmp(r->key, all->lesson->name))
    for (int i = 0; i < all->lesson->item_count; i++)
      all->of[i].is_given = false;
}

struct answers *answers_read(struct shop *s) {
  const struct lesson *l = s->lesson;
  struct answers *all = xcalloc(1, sizeof *all);
  all->lesson = l;
  all->of = xcalloc((size_t)l->item_count + 1, sizeof *all->of);
  for (int i = 0; i < l->item_count; i++)
    if (is_asking(&l->items[i]))
      all->of[i].key = review_key(l, &l->items[i]);
  if (s->journal)
    journal_read(s->journal, take_record, all, NULL);
  return all;
}

void answers_free(struct answers *all) {
  for (int i = 0; i < all->lesson->item_count; i++) {
    free(all->of[i].key);
    free(all->of[i].measured);
  }
  free(all->of);
  free(all);
}

bool answers_has(const struct answers *all, const struct lesson_item *item) {
  return all->of[item - all->lesson->items].is_given;
}

// ---- Where the page stops ----

static const struct lesson_item *page_end(const struct shop *s) {
  const struct lesson_page *page = &s->lesson->pages[s->page];
  return &s->lesson->items[page->first + page->count];
}

static const struct lesson_item *page_first(const struct shop *s) {
  return &s->lesson->items[s->lesson->pages[s->page].first];
}

static bool is_question(const struct lesson_item *item) {
  return item->kind == ITEM_QUIZ || item->kind == ITEM_PREDICT;
}

// The first question without an answer, or the end of the page.
static const struct lesson_item *page_stop(const struct shop *s,
                                           const struct answers *a) {
  const struct lesson_item *end = page_end(s), *i = page_first(s);
  while (i < end && (!is_question(i) || answers_has(a, i)))
    i++;
  return i;
}

struct reading_steps reading_steps(struct shop *s) {
  struct reading_steps steps = {0};
  struct answers *a = answers_read(s);
  for (const struct lesson_item *i = page_first(s); i < page_end(s); i++) {
    steps.questions += is_question(i) && !answers_has(a, i);
    steps.lines += i->kind == ITEM_TRY && !answers_has(a, i);
    steps.exercises += i->kind == ITEM_EXERCISE &&
                       !progress_of(s->journal, i->text).has_passed;
  }
  answers_free(a);
  if (s->page == 0)
    steps.reviews = review_count(s, s->lesson_number);
  return steps;
}

// ---- Running ----

// Nothing is asked, and no pause made, however long the text.
enum { ENDLESS = 1 << 20 };

struct hold {
  struct mode mode;
  int rows;
  struct capture capture;
  bool is_held;
};

static struct hold hold_begin(struct shop *s) {
  struct hold h = {.mode = s->mode, .rows = s->screen.rows};
  h.is_held = capture_begin(&h.capture);
  s->mode.is_prompt = s->mode.is_playing = true;
  s->mode.is_quiet = false;
  s->screen.rows = ENDLESS;
  return h;
}

static char *hold_end(struct shop *s, struct hold *h) {
  s->mode = h->mode;
  s->screen.rows = h->rows;
  return h->is_held ? capture_end(&h->capture) : xstrdup("");
}

static void run_cell(struct shop *s, const struct lesson_item *item) {
  struct play p = {.s = s, .is_reading = true};
  struct lesson_played *played = &s->lesson->played[item - s->lesson->items];
  struct hold h = hold_begin(s);
  play_item(&p, item);
  char *shown = hold_end(s, &h);
  free(played->shown);
  played->shown = shown;
}

static void run_to(struct shop *s, const struct lesson_item *stop) {
  const struct lesson *l = s->lesson;
  for (const struct lesson_item *i = l->items; i < stop; i++)
    if (i->is_run && !l->played[i - l->items].has_run)
      run_cell(s, i);
}

// The first exercise of a page is the one that :check means.
static void take_exercise(struct shop *s) {
  for (const struct lesson_item *i = page_first(s); i < page_end(s); i++)
    if (i->kind == ITEM_EXERCISE) {
      snprintf(s->exercise, sizeof s->exercise, "%s", i->text);
      s->hints = 0;
      eval_forget_work(s); // what was typed for something else is no solution
      return;
    }
}

static void turn_to_page(struct shop *s) {
  struct err_info e;
  char page[16];
  snprintf(page, sizeof page, "%d", s->page + 1);
  s->lesson->begun = s->page + 1;
  s->wanted = NULL;
  seat_tell(s, EVENT_PAGE, s->lesson->name, page, "");
  if (journal_add(s->journal, "page", s->lesson->name, page, &e))
    shop_say("progress is not kept: %s", e.text);
  take_exercise(s);
}

void reading_begin(struct shop *s) {
  s->is_free = false;
  if (s->lesson->begun != s->page + 1)
    turn_to_page(s);
  struct answers *a = answers_read(s);
  run_to(s, page_stop(s, a));
  answers_free(a);
}

// ---- Reading ----

static void show_cell(struct play *p, const struct lesson_item *item) {
  const struct lesson *l = p->s->lesson;
  const char *shown = l->played[item - l->items].shown;
  if (item->kind == ITEM_CHECK)
    return;
  if (shown)
    fputs(shown, stdout);
  else
    play_show_code(p, item);
}

// What a prediction spoke of stands between it and how it ended.
static void show_prediction(struct play *p, const struct answers *a,
                            const struct lesson_item *item) {
  const struct answer *answer = &a->of[item - a->lesson->items];
  if (answer->measured)
    question_show_measured(p, item, answer->measured);
}

static void show_item(struct play *p, const struct answers *a,
                      const struct lesson_item *item) {
  if (item->is_run) {
    show_cell(p, item);
  } else if (item->kind == ITEM_PREDICT || item->kind == ITEM_TRY) {
    question_show(p, item);
    if (item->kind == ITEM_TRY && answers_has(a, item))
      question_show_typed(p, item);
    else if (item->kind == ITEM_TRY)
      putchar('\n');
  } else {
    play_item(p, item);
  }
  bool is_predicted =
      item > page_first(p->s) && item->is_run && item[-1].kind == ITEM_PREDICT;
  bool is_alone = item->kind == ITEM_PREDICT &&
                  (item + 1 == page_end(p->s) || !item[1].is_run);
  if (is_predicted || is_alone)
    show_prediction(p, a, is_alone ? item : item - 1);
}

char *reading_text(struct shop *s) {
  struct answers *a = answers_read(s);
  struct play p = {.s = s, .is_reading = true};
  const struct lesson_item *stop = page_stop(s, a), *first = page_first(s);
  transcript_pause(true);
  struct hold h = hold_begin(s);
  play_show_head(&p);
  for (const struct lesson_item *i = first; i < stop; i++) {
    if (i > first && i[-1].kind == ITEM_BULLET && i->kind != ITEM_BULLET)
      putchar('\n');
    show_item(&p, a, i);
  }
  if (stop < page_end(s)) {
    question_show(&p, stop);
    putchar('\n');
    shop_note(s, "Enter answers it at the prompt; the page goes on behind it.");
  }
  char *text = hold_end(s, &h);
  transcript_pause(false);
  answers_free(a);
  return text;
}

// ---- At the prompt ----

enum { ROWS_OF_A_QUESTION = 12 }; // with what is answered, and the prompt

void answers_recall(struct shop *s, const struct answers *a,
                    const struct lesson_item *question) {
  struct play p = {.s = s, .is_reading = true};
  const struct lesson_item *first = page_first(s), *i = question;
  while (i > first && i[-1].kind != ITEM_PROSE && !is_question(i - 1))
    i--;
  i -= i > first && i[-1].kind == ITEM_PROSE;
  transcript_pause(true); // it stands there already
  struct hold h = hold_begin(s);
  for (; i < question; i++)
    show_item(&p, a, i);
  char *text = hold_end(s, &h), *rest = text, *end;
  int most = s->screen.rows - ROWS_OF_A_QUESTION;
  while (screen_rows_of(&s->screen, rest) > most && (end = strchr(rest, '\n')))
    rest = end + 1;
  fputs(rest, stdout);
  fflush(stdout);
  transcript_pause(false);
  free(text);
}

void reading_go_on(struct shop *s) {
  struct answers *a = answers_read(s);
  struct play p = {.s = s, .answers = a};
  const struct lesson_item *stop = page_stop(s, a);
  const struct lesson_item *before = NULL;
  play_page_from(&p, (int)(stop - page_first(s)));
  before = s->wanted;
  if (before && before < stop) {
    answers_recall(s, a, before);
    question_ask_wanted(s);
  }
  answers_free(a);
}

// SPDX-License-Identifier: Apache-2.0
// Records in the journal: "asked" and "review" (key: the question, value: right
// or missed, then what was measured), "typed" (key: the line asked for), "reviewed" (key: the lesson that a review
// opened), "set" (key: review).
#include "repl/lesson/review.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "repl/lesson/question.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"

enum { QUESTIONS = 2, BOXES = 5 };

// ---- What the journal knows of a question ----

// Its text tells it from others: a page may move.
char *review_key(const struct lesson *l, const struct lesson_item *item) {
  uLong crc = crc32(0, (const Bytef *)item->ask, (uInt)strlen(item->ask));
  return xasprintf("%s#%08lx", l->name, crc);
}

struct card {
  char *key;
  int box, due; // from 1; the review at which it comes again
  char *measured;
};

struct memory {
  const char *lesson; // that is about to open
  struct card *cards;
  int count;
  int reviews; // so far
  bool has_reviewed, is_off;
};

static struct card *find_card(const struct memory *m, const char *key) {
  for (int i = 0; i < m->count; i++)
    if (!strcmp(m->cards[i].key, key))
      return &m->cards[i];
  return NULL;
}

static struct card *card_of(struct memory *m, const char *key) {
  struct card *c = find_card(m, key);
  if (c)
    return c;
  m->cards = xrealloc(m->cards, (size_t)(m->count + 1) * sizeof *m->cards);
  m->cards[m->count] = (struct card){.key = xstrdup(key), .box = 1};
  return &m->cards[m->count++];
}

static void take_answer(struct memory *m, const struct journal_record *r) {
  struct card *c = card_of(m, r->key);
  bool is_right = str_starts(r->value, "right");
  const char *measured = strchr(r->value, ' ');
  c->box = !is_right ? 1 : c->box < BOXES ? c->box + 1 : BOXES;
  c->due = m->reviews + (1 << (c->box - 1));
  if (!measured)
    return;
  free(c->measured);
  c->measured = xstrdup(measured + 1);
}

// A lesson that was forgotten has asked nothing.
static void forget_lesson(struct memory *m, const char *lesson) {
  size_t n = strlen(lesson);
  for (int i = 0; i < m->count; i++)
    if (!strncmp(m->cards[i].key, lesson, n) && m->cards[i].key[n] == '#')
      m->cards[i].box = 1, m->cards[i].due = 0;
  if (!strcmp(lesson, m->lesson))
    m->has_reviewed = false;
}

static void take_record(void *context, const struct journal_record *r) {
  struct memory *m = context;
  if (!strcmp(r->kind, "asked") || !strcmp(r->kind, "review")) {
    take_answer(m, r);
  } else if (!strcmp(r->kind, "reviewed")) {
    m->reviews++;
    m->has_reviewed |= !strcmp(r->key, m->lesson);
  } else if (!strcmp(r->kind, "forget")) {
    forget_lesson(m, r->key);
  } else if (!strcmp(r->kind, "set") && !strcmp(r->key, "review")) {
    m->is_off = !strcmp(r->value, "off");
  }
}

static struct memory remember(const struct shop *s, const char *lesson) {
  struct memory m = {.lesson = lesson};
  if (s->journal)
    journal_read(s->journal, take_record, &m, NULL);
  return m;
}

static void forget(struct memory *m) {
  for (int i = 0; i < m->count; i++) {
    free(m->cards[i].key);
    free(m->cards[i].measured);
  }
  free(m->cards);
}

static void record(struct shop *s, const char *kind, const char *key,
                   const char *value) {
  struct err_info e;
  if (journal_add(s->journal, kind, key, value, &e))
    shop_say("progress is not kept: %s", e.text);
}

void review_note_asked(struct shop *s, const struct lesson_item *item,
                       bool is_right, const char *measured) {
  char *key = review_key(s->lesson, item);
  char *value = xasprintf("%s%s%s", is_right ? "right" : "missed",
                          measured ? " " : "", measured ? measured : "");
  record(s, "asked", key, value);
  free(value);
  free(key);
}

void review_note_typed(struct shop *s, const struct lesson_item *item) {
  char *key = review_key(s->lesson, item);
  record(s, "typed", key, "");
  free(key);
}

bool review_is_off(const struct shop *s) {
  struct memory m = remember(s, "");
  forget(&m);
  return m.is_off;
}

void review_turn(struct shop *s, bool on) {
  record(s, "set", "review", on ? "on" : "off");
}

// ---- Which are asked ----

struct candidate {
  const struct lesson *lesson;
  int number;
  const struct lesson_item *item;
  char *key;
  int box, due;
  const char *measured;
};

struct choice {
  struct lesson **lessons; // that are done
  int lesson_count;
  struct candidate best[QUESTIONS]; // that come first
  int count;
};

static bool comes_before(const struct candidate *a, const struct candidate *b) {
  return a->due != b->due ? a->due < b->due : a->box < b->box;
}

// Puts it where it belongs among the best; of equals the earlier stays first.
static void consider(struct choice *all, struct candidate c) {
  int at = all->count;
  while (at > 0 && comes_before(&c, &all->best[at - 1]))
    at--;
  if (at == QUESTIONS) {
    free(c.key);
    return;
  }
  if (all->count == QUESTIONS)
    free(all->best[--all->count].key);
  memmove(&all->best[at + 1], &all->best[at],
          (size_t)(all->count - at) * sizeof c);
  all->best[at] = c;
  all->count++;
}

// A prediction is about the page that it stands on, unless it says otherwise.
static bool stands_alone(const struct lesson_item *item) {
  return item->review ? !strcmp(item->review, "yes") : item->kind == ITEM_QUIZ;
}

static void consider_lesson(struct choice *all, const struct memory *m,
                            const struct lesson *l, int number) {
  int needed = lesson_needed_items(l);
  for (int i = 0; i < l->item_count; i++) {
    const struct lesson_item *item = &l->items[i];
    if (item->kind != ITEM_QUIZ && item->kind != ITEM_PREDICT)
      continue;
    if (!stands_alone(item))
      continue;
    char *key = review_key(l, item);
    const struct card *card = find_card(m, key);
    struct candidate c = {l, number, item, key, 1, 0, NULL};
    if (card)
      c.box = card->box, c.due = card->due, c.measured = card->measured;
    bool is_unknown = item->kind == ITEM_PREDICT && !c.measured;
    bool is_left_out = !card && i >= needed; // a page that need not be read
    if (is_unknown || is_left_out)
      free(key);
    else
      consider(all, c);
  }
}

// The questions of the lessons before `number` that are done.
static struct choice choose(struct shop *s, const struct memory *m,
                            int number) {
  struct choice all = {0};
  struct lesson_index index;
  if (lesson_index_load(&index, NULL))
    return all;
  int end = lesson_find(&index, number);
  all.lessons = xcalloc((size_t)index.count + 1, sizeof *all.lessons);
  struct progress *done = progress_take(s->journal);
  for (int i = 0; i < end; i++) {
    struct lesson *l;
    if (lesson_load(index.paths[i], &l, NULL))
      continue;
    all.lessons[all.lesson_count++] = l;
    if (lesson_is_done_by(done, l))
      consider_lesson(&all, m, l, lesson_number_at(&index, i));
  }
  progress_free(done);
  lesson_index_free(&index);
  return all;
}

static void close_choice(struct choice *all) {
  for (int i = 0; i < all->count; i++)
    free(all->best[i].key);
  for (int i = 0; i < all->lesson_count; i++)
    lesson_free(all->lessons[i]);
  free(all->lessons);
}

// ---- Asking ----

static void ask_all(struct play *p, const struct choice *all) {
  for (int i = 0; i < all->count; i++) {
    const struct candidate *c = &all->best[i];
    shop_note(p->s, "%s · from %d, %s",
              i ? message("And one more") : message("Before we begin"),
              c->number, c->lesson->title);
    enum review_outcome outcome =
        question_review(p, c->lesson, c->item, c->measured);
    if (outcome == REVIEW_SKIPPED)
      return;
    record(p->s, "review", c->key,
           outcome == REVIEW_RIGHT ? "right" : "missed");
  }
}

// :leave leaves the review alone.
static void end_leave(struct shop *s) {
  if (!s->after_page || strcmp(s->after_page, ":leave ") != 0)
    return;
  free(s->after_page);
  s->after_page = NULL;
}

int review_count(struct shop *s, int number) {
  struct lesson_index index;
  int count = 0;
  if (lesson_index_load(&index, NULL))
    return 0;
  int at = lesson_find(&index, number);
  const char *slash = at < 0 ? NULL : strrchr(index.paths[at], '/');
  struct memory m = remember(s, slash ? slash + 1 : "");
  if (slash && !m.has_reviewed && !m.is_off) {
    struct choice all = choose(s, &m, number);
    count = all.count;
    close_choice(&all);
  }
  forget(&m);
  lesson_index_free(&index);
  return count;
}

void review_play(struct play *p) {
  struct shop *s = p->s;
  if (!play_is_asking(p) || s->page != 0)
    return;
  struct memory m = remember(s, s->lesson->name);
  bool is_asked = !m.has_reviewed && !m.is_off;
  struct mode was = s->mode;
  struct choice all =
      is_asked ? choose(s, &m, s->lesson_number) : (struct choice){0};
  s->mode.is_playing = true;
  if (all.count) {
    ask_all(p, &all);
    record(s, "reviewed", s->lesson->name, "");
  }
  s->mode = was;
  s->mode.is_quiet =
      false; // a command at a question has left the review, so far
  end_leave(s);
  close_choice(&all);
  forget(&m);
}

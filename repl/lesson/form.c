// SPDX-License-Identifier: Apache-2.0
#include "repl/lesson/form.h"

#include <string.h>

#include "base/str.h"
#include "repl/lesson/verbatim.h"
#include "repl/tui/tui.h"

enum { COLUMNS = 80, SHORTEST = 10, LONGEST = 25 };

// Lines, corners and arrows say nothing to who hears the page.
static int check_spoken(const struct lesson *l) {
  int wrong = 0;
  for (int i = 0; i < l->item_count; i++) {
    const struct lesson_item *item = &l->items[i];
    if (item->kind != ITEM_VERBATIM || item->is_table || item->spoken ||
        (!strstr(item->text, "+--") && !strstr(item->text, "--->")))
      continue;
    shop_say("%s:%d: a drawing says in words what it shows, for who hears the "
             "page: ```picture The host ...",
             l->path, item->line);
    wrong++;
  }
  return wrong;
}

static int check_widths(const struct lesson *l) {
  const struct screen s = {.is_terminal = true, .columns = COLUMNS};
  const struct screen wide = {.is_terminal = true, .columns = 10 * COLUMNS};
  int wrong = 0;
  for (int i = 0; i < l->item_count; i++) {
    const struct lesson_item *item = &l->items[i];
    struct lesson_item drawn = *item;
    struct str shown = STR_INIT;
    if (item->kind != ITEM_VERBATIM)
      continue;
    drawn.spoken = NULL;
    verbatim_add(verbatim_is_said(&s, item) ? &wide : &s, &drawn, &shown);
    int width = verbatim_width(shown.data);
    if (width > COLUMNS) {
      shop_say("%s:%d: %s is %d columns wide, and a terminal has %d", l->path,
               item->line, item->is_table ? "this table" : "this block", width,
               COLUMNS);
      wrong++;
    }
    str_free(&shown);
  }
  return wrong;
}

// ---- Minutes ----

static int count_words(const char *text) {
  int words = 0;
  for (const char *p = text ? text : ""; *p;) {
    p += strspn(p, " \n\t");
    words += *p != 0;
    p += strcspn(p, " \n\t");
  }
  return words;
}

static int count_lines(const char *text) {
  int lines = 0;
  for (const char *p = text ? text : ""; *p;) {
    size_t n = strcspn(p, "\n");
    lines += strspn(p, " \t") < n;
    p += n + (p[n] == '\n');
  }
  return lines;
}

static double minutes_of_question(const struct lesson_item *item) {
  int words = count_words(item->ask);
  for (int i = 0; i < item->choice_count; i++)
    words += count_words(item->choices[i].text);
  return 0.5 + words / 200.0;
}

// What docs/authoring.md says: a minute for 200 words, for 15 lines that are read
// and for a line that is typed, a quarter for each line more of the same piece,
// half a minute for a question. Exercises have minutes of their own.
static double minutes_of(const struct lesson_item *item) {
  switch (item->kind) {
  case ITEM_CHECK:
  case ITEM_EXERCISE: return 0;
  case ITEM_QUIZ:
  case ITEM_PREDICT: return minutes_of_question(item);
  case ITEM_TRY:
    return 0.75 + 0.25 * count_lines(item->answer) +
           count_words(item->ask) / 200.0;
  case ITEM_LUA:
  case ITEM_CUDA:
  case ITEM_VERBATIM: return count_lines(item->text) / 15.0;
  default: return count_words(item->text) / 200.0;
  }
}

// A learner needs a quarter more than is said: too long for the evening planned.
static int check_estimate(const struct lesson *l) {
  double minutes = 0;
  for (int i = 0; i < lesson_needed_items(l); i++)
    minutes += minutes_of(&l->items[i]);
  if (!l->minutes || minutes <= 1.25 * l->minutes)
    return 0;
  shop_say("%s:%d: minutes: says %d, and by its words, code and lines to type "
           "(docs/authoring.md) it takes %.0f",
           l->path, l->minutes_line, l->minutes, minutes);
  return 1;
}

static int check_minutes(const struct lesson *l, bool is_own) {
  int wrong = 0, sum = 0;
  for (int i = 0; i < lesson_needed_pages(l); i++)
    sum += l->pages[i].minutes;
  if (sum && l->minutes && sum != l->minutes) {
    shop_say("%s:%d: minutes: says %d, and the notes of its pages (instructor, "
             "4 min: ...) add up to %d",
             l->path, l->minutes_line, l->minutes, sum);
    wrong++;
  }
  if (is_own && (l->minutes < SHORTEST || l->minutes > LONGEST)) {
    shop_say("%s:%d: a lesson of this course takes %d to %d minutes, not %d; "
             "what is beside the way goes to a page \"### Further: ...\" at "
             "its end",
             l->path, l->minutes_line, SHORTEST, LONGEST, l->minutes);
    wrong++;
  }
  return wrong + check_estimate(l);
}

int form_check(const struct lesson *l, bool is_own) {
  return check_minutes(l, is_own) + check_widths(l) + check_spoken(l);
}

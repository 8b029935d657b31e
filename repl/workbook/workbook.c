// SPDX-License-Identifier: Apache-2.0
// The workbook's screens, one at a time: keys, help, and the way to the prompt and
// back. While it is open all that is printed is held back, for it would stand across
// the screen.
#include "repl/workbook/workbook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"
#include "repl/workbook/book.h"

// ---- Keys ----

struct key {
  enum book_screen screen;
  struct display_key key;
};

static const struct key all_keys[] = {
#define KEY(screen, name, word, help) {screen, {name, word, help}},
#include "repl/workbook/key.def"
#undef KEY
};
enum { KEYS = sizeof all_keys / sizeof *all_keys };

static int keys_of(enum book_screen screen, struct display_key *out) {
  int count = 0;
  for (int i = 0; i < KEYS; i++) {
    const struct display_key *k = &all_keys[i].key;
    if (all_keys[i].screen == screen)
      out[count++] = (struct display_key){message(k->name),
                                          k->word ? message(k->word) : NULL,
                                          message(k->help)};
  }
  return count;
}

// ---- What the screens share ----

void book_say(struct workbook *w, const char *text) {
  struct str said = STR_INIT;
  message_report(text, &said);
  size_t n = strcspn(said.data, "\n");
  snprintf(w->status, sizeof w->status, "%.*s", (int)n, said.data);
  str_free(&said);
}

void book_say_no_key(struct workbook *w, int key) {
  book_say(w, key == DISPLAY_PASTED
                  ? "Text is pasted at the prompt: the key : goes there."
                  : "This key does nothing here; ? shows those that do.");
}

void book_leave(struct workbook *w) {
  w->is_over = true;
}

char *book_said(struct workbook *w) {
  char text[400];
  fflush(stdout);
  fflush(stderr);
  ssize_t n = pread(w->held.file, text, sizeof text - 1, w->said);
  text[n > 0 ? n : 0] = 0;
  w->said = lseek(w->held.file, 0, SEEK_END);
  return xstrdup(str_starts(text, "warpshop: ") ? text + 10 : text);
}

void book_draw_foot(struct workbook *w, const struct pane *p, const char *idle,
                    const char *place) {
  const char *status = *w->status ? w->status : idle;
  struct display_key keys[KEYS];
  int count = keys_of(w->screen, keys);
  int room = p->columns - display_width(status, strlen(status));
  if (display_width(place, strlen(place)) < room)
    pane_put_right(p, 0, ROLE_QUIET, place);
  pane_put(p, 0, 0, ROLE_BUSY, status);
  pane_put_keys(p, 1, keys, count);
}

void book_go(struct workbook *w, enum book_screen screen) {
  if (screen == TASK && w->screen != TASK)
    w->before = w->screen;
  w->screen = screen;
}

void book_back(struct workbook *w) {
  w->screen = w->before;
  if (w->screen == PAGE)
    page_look(w);
  else
    contents_look(w->contents);
}

void book_keep_key(struct workbook *w, int key) {
  w->kept = xrealloc(w->kept, (size_t)(w->kept_count + 1) * sizeof *w->kept);
  w->kept[w->kept_count++] = key;
}

static int next_key(struct workbook *w) {
  bool is_task = w->screen == TASK;
  if (!w->kept_count)
    return display_wait(w->d, is_task ? task_fd(w->task) : -1,
                        is_task ? task_interval_ms(w->task) : -1);
  int key = w->kept[0];
  memmove(w->kept, w->kept + 1, (size_t)--w->kept_count * sizeof *w->kept);
  return key;
}

// Nothing is asked, and no pause made, however long the text.
enum { ENDLESS = 1 << 20 };

void book_hold(struct workbook *w, struct book_hold *h) {
  struct shop *s = w->s;
  h->screen = s->screen;
  h->mode = s->mode;
  s->screen.columns = text_columns(display_begin(w->d).columns);
  s->screen.rows = ENDLESS;
  s->screen.has_colour = display_has_colour(w->d);
  transcript_pause(true);
  h->is_held = capture_begin(&h->capture);
}

char *book_let_go(struct workbook *w, struct book_hold *h) {
  char *text = h->is_held ? capture_end(&h->capture) : xstrdup("");
  transcript_pause(false);
  w->s->screen = h->screen;
  w->s->mode = h->mode;
  return text;
}

static void draw_help(struct workbook *w, struct pane p) {
  static const char *const titles[] = {
      [CONTENTS] = MESSAGE("The keys of the contents"),
      [PAGE] = MESSAGE("The keys of a page"),
      [TASK] = MESSAGE("The keys of an exercise"),
  };
  struct display_key keys[KEYS];
  int count = keys_of(w->screen, keys);
  pane_put_help(p, message(titles[w->screen]), keys, count);
}

void book_draw(struct workbook *w) {
  struct pane p = display_begin(w->d);
  if (w->is_help)
    draw_help(w, p);
  else if (w->screen == CONTENTS)
    contents_draw(w->contents, p);
  else if (w->screen == TASK)
    task_draw(w->task, p);
  else
    page_draw(w, p);
  display_show(w->d);
}

// ---- The loop ----

static bool takes_every_key(const struct workbook *w) {
  return (w->screen == CONTENTS && contents_types(w->contents)) ||
         (w->screen == TASK && w->is_asking);
}

static void press(struct workbook *w, int key) {
  if (key == DISPLAY_CLICK && w->screen != CONTENTS && !w->is_help)
    return;
  w->status[0] = 0;
  if (key == DISPLAY_LEAVE || key == DISPLAY_GONE)
    w->s->wants_quit = w->is_over = true;
  else if (w->is_help)
    w->is_help = false;
  else if (key == '?' && !takes_every_key(w))
    w->is_help = true;
  else if (w->screen == CONTENTS)
    contents_press(w->contents, key);
  else if (w->screen == TASK)
    task_press(w->task, key);
  else
    page_press(w, key);
}

// What was said of a place may not be so in a window of another size.
static void resized(struct workbook *w) {
  if (!(w->screen == TASK && w->is_asking))
    w->status[0] = 0;
  if (w->screen == PAGE)
    page_resized(w);
  else if (w->screen == TASK)
    task_resized(w->task);
}

static void run(struct workbook *w) {
  while (!w->is_over) {
    book_draw(w);
    int key = next_key(w);
    if (key == DISPLAY_REDRAW)
      resized(w);
    else if (key == DISPLAY_READY || key == DISPLAY_LATE)
      task_look(w->task);
    else
      press(w, key);
    if (w->screen == TASK && !w->is_over)
      task_judge(w->task);
  }
}

// ---- Opening ----

bool workbook_fits(const struct shop *s) {
  return s->screen.is_terminal && !s->screen.is_plain &&
         !display_is_unwanted() &&
         display_fits(s->screen.columns, s->screen.rows);
}

static struct workbook *book_of(struct shop *s) {
  if (!s->workbook) {
    s->workbook = xcalloc(1, sizeof *s->workbook);
    s->workbook->s = s;
  }
  return s->workbook;
}

// What was held back is seen at the prompt; keys that nobody took go there, too.
static void close_screen(struct workbook *w) {
  char *rest = xstrdup(display_unread(w->d));
  display_close(w->d);
  w->d = NULL;
  char *held = capture_end(&w->held);
  if (w->said < (off_t)strlen(held))
    fputs(held + w->said, stderr);
  terminal_keep_keys(rest);
  free(held);
  free(rest);
}

static bool open_screen(struct workbook *w) {
  struct err_info e = {0};
  if (display_open(&w->d, &e)) {
    shop_warn(w->s, "There is no workbook here: %s. :lesson lists the lessons.",
              e.text);
    return false;
  }
  w->said = 0;
  display_take_clicks(w->d);
  if (capture_begin(&w->held))
    return true;
  display_close(w->d);
  return false;
}

bool book_edit(struct workbook *w, const char *path, int line) {
  close_screen(w);
  bool fine = terminal_edit_at(w->s, path, line);
  if (open_screen(w))
    return fine;
  w->is_over = true;
  return true;
}

// The contents, or the open lesson's page, or the exercise that is open.
static void look(struct workbook *w) {
  if (!w->contents)
    w->contents = contents_new(w);
  else
    contents_look(w->contents);
  if (w->screen == TASK && w->task &&
      !strcmp(w->s->exercise, task_exercise(w->task)))
    task_open(w, w->s->exercise);
  else if (w->s->lesson && !w->s->is_free)
    page_look(w);
  else
    w->screen = CONTENTS;
}

bool workbook_open(struct shop *s) {
  struct workbook *w = book_of(s);
  fflush(stdout);
  if (!open_screen(w))
    return false;
  w->is_over = w->is_help = w->had_steps = false;
  look(w);
  if (w->turns && w->screen == PAGE)
    page_turn(w);
  w->turns = false;
  if (w->screen == TASK)
    task_judge(w->task);
  run(w);
  task_leave_judge(w);
  if (w->d)
    close_screen(w);
  if (s->wants_quit)
    return true;
  if (w->screen == PAGE)
    reading_go_on(s);
  else if (w->screen == CONTENTS)
    s->is_free = true;
  else
    shop_note(s, "exercise %s: :check judges, :edit opens it", s->exercise);
  shop_note(s, "Enter goes back to the workbook; this prompt is live, try "
               "things");
  return true;
}

void workbook_come_back(struct shop *s) {
  struct workbook *w = s->workbook;
  struct reading_steps left = {0};
  if (w->had_steps && s->lesson && !s->is_free)
    left = reading_steps(s);
  w->turns = w->had_steps && !left.reviews && !left.questions && !left.lines;
  workbook_open(s);
}

void workbook_free(struct shop *s) {
  if (!s->workbook)
    return;
  contents_free(s->workbook->contents);
  task_free(s->workbook->task);
  free(s->workbook->kept);
  text_free(&s->workbook->page);
  free(s->workbook);
  s->workbook = NULL;
}

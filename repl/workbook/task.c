// SPDX-License-Identifier: Apache-2.0
// An exercise: what it asks, the learner's file judged at each save, and what is wrong
// in it, line by line. The judge asks now and then whether to stop, and that is when
// newer saves and keys are looked for.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "grade/check/check.h"
#include "repl/exercise/exercise.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"
#include "repl/watch/answer.h"
#include "repl/workbook/book.h"

enum { MOST_SHOWN = 4 }; // of what is wrong

struct task {
  struct workbook *w;
  struct check_about about;
  struct answer answer;
  struct verdict *verdict; // NULL: nothing was judged here yet
  char *head;              // when and how it was judged
  char *page, *ending;     // the judge's, and what a first pass ends; or NULL
  struct str help;         // hints and the solution, as they were asked for
  struct text text;
  int at, first; // of what is wrong: the one that the editor opens at
  bool is_help_first;
  bool is_newer; // than what was judged last
  bool is_judging, is_leaving;
};

// ---- The text ----

static void add_part(struct str *out, const char *text) {
  if (!text || !*text)
    return;
  str_addf(out, "%s%s", text, str_ends(text, "\n") ? "\n" : "\n\n");
}

// The judge's page in lines of this window.
static char *fitted_verdict(const struct task *t, int columns) {
  struct screen screen = t->w->s->screen;
  struct str text = STR_INIT, said = STR_INIT, fitted = STR_INIT;
  screen.columns = text_columns(columns);
  if (t->page) {
    message_report(t->page, &said);
    screen_fit(&screen, said.data, &fitted);
  }
  str_addf(&text, "%s%s%s", t->head ? t->head : "", fitted.data,
           t->ending ? t->ending : "");
  str_free(&said);
  str_free(&fitted);
  return str_take(&text);
}

// What came last stands first, and the task behind it.
static void set_text(struct task *t) {
  struct workbook *w = t->w;
  struct book_hold h;
  struct str all = STR_INIT;
  int columns = display_begin(w->d).columns;
  book_hold(w, &h);
  exercises_print_task(w->s, t->answer.exercise, &t->about);
  char *task = book_let_go(w, &h), *verdict = fitted_verdict(t, columns);
  add_part(&all, t->is_help_first ? t->help.data : verdict);
  add_part(&all, t->is_help_first ? verdict : t->help.data);
  add_part(&all, task);
  free(verdict);
  int first = t->text.first;
  text_set(&t->text, all.data, columns);
  t->text.first = first;
  free(task);
  str_free(&all);
}

// ---- What is wrong ----

// The i-th of what the verdict says of a line of the file, or NULL.
static const struct verdict_diagnostic *wrong_at(const struct task *t, int i) {
  for (int k = 0; t->verdict && k < t->verdict->diagnostic_count; k++)
    if (t->verdict->diagnostics[k].line > 0 && i-- == 0)
      return &t->verdict->diagnostics[k];
  return NULL;
}

static int wrong_count(const struct task *t) {
  int count = 0;
  while (wrong_at(t, count))
    count++;
  return count;
}

// "> add.cu:3  read out of bounds: ...", a row.
static char *wrong_text(const struct task *t, int i) {
  const struct verdict_diagnostic *d = wrong_at(t, i);
  struct str said = STR_INIT;
  if (!d)
    return xstrdup("");
  message_report(d->message, &said);
  char *text = xasprintf("%s %s:%d  %s", i == t->at ? ">" : " ", t->answer.file,
                         d->line, said.data);
  str_free(&said);
  text[strcspn(text, "\n")] = 0;
  return text;
}

static void draw_wrong(struct task *t, const struct pane *p) {
  if (t->at < t->first)
    t->first = t->at;
  if (t->at >= t->first + p->rows)
    t->first = t->at - p->rows + 1;
  for (int row = 0; row < p->rows; row++) {
    bool is_at = t->first + row == t->at;
    char *text = wrong_text(t, t->first + row);
    if (is_at)
      pane_put_row(p, row, ROLE_SELECTED, text);
    else
      pane_put(p, row, 0, ROLE_PLAIN, text);
    free(text);
  }
}

// ---- Drawing ----

static void draw_title(const struct task *t, const struct pane *p) {
  struct exercise_progress progress =
      progress_of(t->w->s->journal, t->answer.exercise);
  struct str right = STR_INIT;
  char *left = xasprintf("%s · %s", t->answer.exercise, t->about.title);
  str_add_char(&right, ' ');
  if (t->is_judging)
    str_addf(&right, message("judging %s"), t->answer.file);
  else
    progress_add_text(&progress, &right);
  pane_put(p, 0, 0, ROLE_TITLE, left);
  pane_put_right(p, 0,
                 t->is_judging         ? ROLE_BUSY
                 : progress.has_passed ? ROLE_GOOD
                                       : ROLE_QUIET,
                 right.data);
  str_free(&right);
  free(left);
}

void task_draw(struct task *t, struct pane p) {
  struct pane title = pane_cut_top(&p, 1),
              foot = pane_cut_bottom(&p, BOOK_FOOT);
  int wrong = wrong_count(t);
  struct pane list =
      pane_cut_bottom(&p, wrong < MOST_SHOWN ? wrong : MOST_SHOWN);
  struct str place = STR_INIT;
  pane_cut_top(&p, p.rows > 16);
  draw_title(t, &title);
  text_draw(&t->text, &p);
  draw_wrong(t, &list);
  text_add_place(&t->text, &place);
  char *idle = xasprintf(message("%s is judged at each save."), t->answer.path);
  book_draw_foot(t->w, &foot,
                 t->is_judging ? message("It is judged: q gives that up, other "
                                         "keys wait.")
                               : idle,
                 place.data);
  free(idle);
  str_free(&place);
}

void task_resized(struct task *t) {
  set_text(t);
}

// ---- The file ----

int task_fd(const struct task *t) {
  return answer_fd(&t->answer);
}

int task_interval_ms(const struct task *t) {
  return answer_interval_ms(&t->answer);
}

void task_look(struct task *t) {
  struct err_info e = {0};
  char text[200];
  switch (answer_look(&t->answer, &e)) {
  case ANSWER_SAVED: t->is_newer = true; return;
  case ANSWER_EMPTY:
    snprintf(text, sizeof text,
             message("%.100s is empty: waiting for the next save."),
             t->answer.file);
    break;
  case ANSWER_GONE:
    snprintf(text, sizeof text,
             message("%.100s is gone: waiting for it to come back."),
             t->answer.file);
    break;
  case ANSWER_UNREADABLE: snprintf(text, sizeof text, "%.190s", e.text); break;
  case ANSWER_NOTHING: return;
  }
  book_say(t->w, text);
}

// ---- Moving ----

// False: the key moves nothing.
static bool scroll(struct task *t, int key) {
  if (!text_move(&t->text, key))
    return false;
  if (!t->text.has_moved)
    book_say(t->w, t->text.first ? "The text ends here."
                   : text_is_at_end(&t->text)
                       ? "All of the text is on the screen."
                       : "The text begins here.");
  return true;
}

static void step(struct task *t, int by) {
  int at = t->at + by, count = wrong_count(t);
  if (count > 1 && at >= 0 && at < count)
    t->at = at;
  else
    scroll(t, by < 0 ? DISPLAY_UP : DISPLAY_DOWN);
}

static bool move(struct task *t, int key) {
  t->w->status[0] = 0;
  if (key != DISPLAY_UP && key != DISPLAY_DOWN)
    return scroll(t, key);
  step(t, key == DISPLAY_UP ? -1 : 1);
  return true;
}

// ---- Judging ----

static bool is_stale(void *context) {
  struct task *t = ((struct workbook *)context)->task;
  for (int key; (key = display_wait(t->w->d, -1, 0)) != DISPLAY_LATE;) {
    if (key == DISPLAY_REDRAW)
      set_text(t);
    // What is there can be read on; other keys wait, in their order.
    if (key == DISPLAY_REDRAW || (!t->w->kept_count && move(t, key))) {
      book_draw(t->w);
      continue;
    }
    t->is_leaving |= key == 'q' || key == DISPLAY_ESCAPE ||
                     key == DISPLAY_INTERRUPT || key == DISPLAY_LEAVE ||
                     key == DISPLAY_GONE;
    book_keep_key(t->w, key);
    if (key == DISPLAY_GONE)
      break;
  }
  if (!t->is_newer)
    task_look(t);
  return t->is_newer || t->is_leaving;
}

static void forget_judge(struct shop *s) {
  check_close(s->judge);
  s->judge = NULL;
}

static void say_held(struct task *t) {
  char *said = book_said(t->w);
  if (*said)
    book_say(t->w, said);
  free(said);
}

// What the first pass ends: the exercise, perhaps its part.
static char *ending_text(struct task *t) {
  struct book_hold h;
  if (!t->w->s->has_just_passed)
    return xstrdup("");
  book_hold(t->w, &h);
  exercises_show_editorial(t->w->s, t->answer.exercise);
  ending_show(t->w->s, t->answer.exercise, is_stale, t->w);
  return book_let_go(t->w, &h);
}

static void forget_texts(struct task *t) {
  free(t->head);
  free(t->page);
  free(t->ending);
  t->head = t->page = t->ending = NULL;
}

static void set_verdict(struct task *t, struct verdict *v, const char *page) {
  time_t now = time(NULL);
  struct tm tm;
  char when[16];
  char *ending = ending_text(t);
  localtime_r(&now, &tm);
  strftime(when, sizeof when, "%H:%M:%S", &tm);
  forget_texts(t);
  t->head = xasprintf(message("saved %s\n"), when);
  t->page = xstrdup(page);
  if (v->verdict == VERDICT_PASS)
    t->ending =
        xasprintf(message("\n%s\nn opens the next exercise.\n"), ending);
  verdict_free(t->verdict);
  free(ending);
  t->is_help_first = false;
  t->verdict = v;
  t->at = t->first = t->text.first = 0;
}

// At the prompt :check and :edit mean what the file holds.
static void keep_work(struct task *t) {
  if (!t->about.is_lua && !t->about.is_script)
    eval_keep_work(t->w->s, t->answer.text);
}

// Those before :check's may have opened it.
static enum err open_judge(struct task *t, struct err_info *e) {
  struct workbook *w = t->w;
  if (w->has_judge)
    return ERR_OK;
  forget_judge(w->s);
  w->has_judge = true;
  return hand_in_open(w->s, is_stale, w, e);
}

void task_judge(struct task *t) {
  struct verdict *verdict;
  struct err_info e = {0};
  char *page, *text;
  if (!t->is_newer || !answer_has_text(&t->answer))
    return;
  text = xstrdup(t->answer.text);
  t->is_newer = t->is_leaving = false;
  t->is_judging = true;
  book_draw(t->w);
  keep_work(t);
  struct hand_in h = {
      {t->answer.exercise, t->answer.file, text}, is_stale, t->w};
  enum err err = open_judge(t, &e);
  err = err ? err : hand_in(t->w->s, &h, &verdict, &page, &e);
  t->is_judging = false;
  free(text);
  if (err) {
    book_say(t->w, e.text);
    return;
  }
  if (t->is_newer || t->is_leaving)
    verdict_free(verdict);
  else
    set_verdict(t, verdict, page);
  free(page);
  say_held(t);
  set_text(t);
}

void task_leave_judge(struct workbook *w) {
  if (w->has_judge)
    forget_judge(w->s);
  w->has_judge = false;
}

// ---- Help ----

static void add_help(struct task *t, char *text) {
  struct str all = STR_INIT;
  add_part(&all, text);
  str_add(&all, t->help.data);
  str_free(&t->help);
  t->help = all;
  t->is_help_first = true;
  t->text.first = 0;
  free(text);
  set_text(t);
}

static void hint(struct task *t) {
  struct book_hold h;
  book_hold(t->w, &h);
  exercises_hint(t->w->s, t->answer.exercise, "s");
  add_help(t, book_let_go(t->w, &h));
}

static void show_solution(struct task *t) {
  struct book_hold h;
  book_hold(t->w, &h);
  exercises_show_solution(t->w->s, t->answer.exercise, false);
  add_help(t, book_let_go(t->w, &h));
}

static void ask_for_solution(struct task *t) {
  bool has_passed =
      progress_of(t->w->s->journal, t->answer.exercise).has_passed;
  t->w->is_asking = !has_passed && !t->about.is_locked;
  if (!t->w->is_asking)
    show_solution(t);
  else
    book_say(t->w,
             "The solution? Your own try is worth more. y: yes, else no.");
}

// ---- Keys ----

static void edit(struct task *t) {
  const struct verdict_diagnostic *d = wrong_at(t, t->at);
  bool fine = book_edit(t->w, t->answer.path, d ? d->line : 0);
  task_look(t);
  if (fine)
    return;
  char text[200];
  snprintf(text, sizeof text,
           message("No editor ($EDITOR)? Save %.100s with any other."),
           t->answer.file);
  book_say(t->w, text);
}

static void judge_again(struct task *t) {
  char text[160];
  t->is_newer = answer_has_text(&t->answer);
  if (t->is_newer)
    return;
  snprintf(text, sizeof text, message("%.100s has nothing to judge yet."),
           t->answer.file);
  book_say(t->w, text);
}

static void open_next(struct task *t) {
  struct workbook *w = t->w;
  char *name = exercises_next(w->s->journal, t->answer.exercise);
  if (name)
    task_open(w, name);
  else
    book_say(w, "There is no other exercise that has not passed.");
  free(name);
}

void task_press(struct task *t, int key) {
  struct workbook *w = t->w;
  if (t->w->is_asking) {
    t->w->is_asking = false;
    if (key == 'y' || key == 'Y')
      show_solution(t);
    else
      book_say(w, "The solution stays hidden.");
    return;
  }
  switch (key) {
  case 'e':
  case '\n': edit(t); break;
  case 'h': hint(t); break;
  case 's': ask_for_solution(t); break;
  case 'r': judge_again(t); break;
  case 'n': open_next(t); break;
  case ':': book_leave(w); break;
  case 'q':
  case DISPLAY_ESCAPE:
  case DISPLAY_INTERRUPT: book_back(w); break;
  default:
    if (!move(t, key))
      book_say_no_key(w, key);
  }
}

// ---- Opening ----

// What was judged in this very form needs no other try.
static void take_last_attempt(struct task *t) {
  struct attempts all;
  attempts_read(NULL, t->answer.exercise, &all);
  const struct attempt *last = all.count ? &all.list[all.count - 1] : NULL;
  t->is_newer = !answer_is_begun_only(&t->answer);
  if (last && t->is_newer && !strcmp(last->text, t->answer.text)) {
    t->is_newer = false;
    t->head = xasprintf(message("judged before: %s, %s (r judges again)\n"),
                        last->verdict, last->score);
  }
  attempts_free(&all);
}

static void take_exercise(struct shop *s, const char *name) {
  if (!strcmp(s->exercise, name))
    return;
  snprintf(s->exercise, sizeof s->exercise, "%s", name);
  s->hints = 0;
  eval_forget_work(s); // what was typed for something else is no solution
  seat_tell(s, EVENT_BEGIN, name, "", "");
}

void task_open(struct workbook *w, const char *name) {
  struct err_info e = {0};
  struct check_about about;
  if (w->task && !strcmp(w->task->answer.exercise, name)) {
    take_exercise(w->s, name);
    task_look(w->task);
    book_go(w, TASK);
    set_text(w->task);
    return;
  }
  if (check_about(name, &about, &e)) {
    book_say(w, e.text);
    return;
  }
  struct task *t = xcalloc(1, sizeof *t);
  char *draft = draft_read(DRAFT_EXERCISE, name);
  *t = (struct task){.w = w, .about = about, .help = STR_INIT};
  if (answer_open(&t->answer, name, answer_path("", name, about.extension),
                  draft, &e)) {
    book_say(w, e.text);
    task_free(t);
  } else {
    task_free(w->task);
    w->task = t;
    take_exercise(w->s, name);
    take_last_attempt(t);
    book_go(w, TASK);
    set_text(t);
  }
  free(draft);
}

const char *task_exercise(const struct task *t) {
  return t->answer.exercise;
}

void task_free(struct task *t) {
  if (!t)
    return;
  check_about_free(&t->about);
  answer_close(&t->answer);
  verdict_free(t->verdict);
  forget_texts(t);
  str_free(&t->help);
  text_free(&t->text);
  free(t);
}

// SPDX-License-Identifier: Apache-2.0
// Plays lessons: shows prose, runs cells, asks questions. One player for a
// person at the prompt, for plain play without a terminal, and for the test.
#include "repl/lesson/player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "gpu/gpu.h"
#include "grade/check/check.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/eval.h"
#include "repl/exercise/exercise.h"
#include "repl/lesson/question.h"
#include "repl/lesson/review.h"
#include "repl/lesson/verbatim.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"

// ---- Asking ----

bool play_is_asking(const struct play *p) {
  return p->s->screen.is_terminal && !p->s->mode.is_quiet && !p->is_reading;
}

// The learner leaves the page: the rest of it runs unseen, for later pages
// rest on it.
static void leave_page(struct play *p) {
  p->s->mode.is_quiet = true;
}

// Runs a command that was typed where the page waits; false when it leaves the
// page.
static bool run_command(struct play *p, const char *line) {
  eval_lines(p->s, line);
  if (!p->s->wants_quit && !p->s->after_page)
    return true;
  leave_page(p);
  return false;
}

// Who pressed space once more for "more" did not mean it here.
static void skip_first_blanks(char *line) {
  size_t n = strspn(line, " \t");
  memmove(line, line + n, strlen(line + n) + 1);
}

// Asks until there is an answer: a command is run, and the question put again.
// NULL for none, and when a command leaves the page.
char *play_ask(struct play *p, const char *question) {
  p->rows = 0; // what stands above has been read
  for (;;) {
    char *answer = terminal_ask(
        question, message("Enter alone passes; :leave leaves the page"));
    if (answer)
      skip_first_blanks(answer);
    if (!answer || (*answer != ':' && *answer != '?'))
      return answer;
    bool stays = run_command(p, answer);
    free(answer);
    if (!stays)
      return NULL;
  }
}

// ---- The screen's height ----

static void wait_for_reader(struct play *p) {
  for (;;) {
    int key = terminal_key(PAGER_QUESTION);
    screen_measure(&p->s->screen); // the window may be another now
    if (key == 'q') {
      p->is_cut = true;
      leave_page(p);
    }
    if (key != ':' && key != '?')
      return;
    char *line = terminal_command_from(key);
    bool stays = !line || run_command(p, line);
    free(line);
    if (!stays)
      return;
  }
}

// Before `rows` more are printed: waits where they would push unread ones off
// the screen.
void play_make_room(struct play *p, int rows) {
  if (!play_is_asking(p))
    return;
  if (p->rows && p->rows + rows > p->s->screen.rows - 2) {
    p->rows = 0; // what stands above has been read
    wait_for_reader(p);
  }
  p->rows += rows;
}

// Prints a part of the page that stays together.
void play_put(struct play *p, enum style style, const char *text) {
  play_make_room(p, screen_rows_of(&p->s->screen, text));
  if (!p->s->mode.is_quiet)
    screen_print(&p->s->screen, style, text);
}

// ---- Prose ----

static void print_lines(struct play *p, enum style style, int indent,
                        const char *text) {
  struct str out = STR_INIT;
  while (*text) {
    size_t n = strcspn(text, "\n");
    str_addf(&out, n ? "%*s%.*s\n" : "\n", indent, "", (int)n, text);
    text += n + (text[n] == '\n');
  }
  str_add_char(&out, '\n');
  play_put(p, style, out.data);
  str_free(&out);
}

static void print_prose(struct play *p, const struct lesson_item *item) {
  struct str out = STR_INIT;
  int lead = (int)strlen(item->lead);
  str_addf(&out, "%*s%s", item->indent - lead, "", item->lead);
  screen_wrap(&p->s->screen, item->text, item->indent, &out);
  if (item->kind == ITEM_PROSE)
    str_add_char(&out, '\n');
  play_put(p, STYLE_PLAIN, out.data);
  str_free(&out);
}

// ---- Code ----

void play_fail(struct play *p, const struct lesson_item *item,
               const char *what) {
  fflush(stdout);
  p->failed++;
  if (p->says_nothing)
    fprintf(stderr, "%s:%d: %s\n", p->s->lesson->path, item->line, what);
  else
    shop_warn(p->s, "(lesson: %s; the page goes on)", what);
}

void play_show_code(struct play *p, const struct lesson_item *item) {
  if (p->says_nothing || p->s->mode.is_quiet)
    return;
  print_lines(p, STYLE_CODE, 2, item->text);
}

void play_answer(struct play *p, const struct lesson_item *item) {
  struct mode was = p->s->mode;
  p->s->mode.is_playing = false; // or `_` would not be kept
  p->s->mode.is_quiet |= p->says_nothing;
  p->s->mode.echoes = !p->s->mode.is_quiet;
  p->ran++;
  if (!eval_lines(p->s, item->answer))
    play_fail(p, item, "the answer failed");
  p->s->mode = was;
}

static void run_lua(struct play *p, const struct lesson_item *item) {
  lua_pushnil(p->s->L);
  lua_setfield(p->s->L, LUA_REGISTRYINDEX, "warpshop.last_error");
  bool fine = eval_lines(p->s, item->text);
  p->ran++;
  if (!fine && !item->wants_error)
    play_fail(p, item, "this cell failed");
  else if (fine && item->wants_error)
    play_fail(p, item, "this cell should have ended in an error, and did not");
}

static void run_check(struct play *p, const struct lesson_item *item) {
  char chunk[400];
  struct mode was = p->s->mode;
  if (p->says_nothing)
    snprintf(chunk, sizeof chunk, "=%s:%d", p->s->lesson->name, item->line);
  else
    snprintf(chunk, sizeof chunk, "=check");
  p->ran++;
  p->s->mode.is_quiet = true;
  if (!eval_lua(p->s, item->text, chunk))
    play_fail(p, item, "this check failed");
  p->s->mode = was;
}

static void run_cuda(struct play *p, const struct lesson_item *item) {
  p->ran++;
  if (!eval_lines(p->s, item->text))
    play_fail(p, item, "this cell failed");
}

static void run_cell(struct play *p, const struct lesson_item *item) {
  struct mode was = p->s->mode;
  p->s->mode.is_quiet |= p->says_nothing;
  p->s->mode.hides_expected = item->wants_error && p->s->mode.is_quiet;
  p->s->mode.error_to_stdout = item->wants_error;
  p->s->mode.notes_to_stdout = true;
  p->s->mode.echoes = item->kind != ITEM_CHECK && !p->s->mode.is_quiet;
  variables_before_cell(p->s);
  if (item->kind == ITEM_CUDA)
    run_cuda(p, item);
  else if (item->kind == ITEM_CHECK)
    run_check(p, item);
  else
    run_lua(p, item);
  variables_after_cell(p->s);
  p->s->mode = was;
}

// What it has shown since the transcript was at `mark`, for who reads it again.
static void keep_played(struct play *p, const struct lesson_item *item,
                        size_t mark) {
  const struct lesson *l = p->s->lesson;
  struct lesson_played *played = &l->played[item - l->items];
  struct str shown = STR_INIT;
  played->has_run = true;
  if (p->says_nothing || p->s->mode.is_quiet)
    return;
  transcript_add_since(mark, &shown);
  free(played->shown);
  played->shown = str_take(&shown);
}

// A cell's own lines, and a few for what it prints.
enum { RESULT_ROWS = 4 };

// What a prediction speaks of runs before it is asked, and is seen after it.
static void play_run(struct play *p, const struct lesson_item *item) {
  struct capture c;
  size_t mark = transcript_mark();
  bool is_held = p->pending && play_is_asking(p) && capture_begin(&c);
  run_cell(p, item);
  if (!p->says_nothing && !p->s->mode.is_quiet)
    putchar('\n');
  char *seen = is_held ? capture_end(&c) : NULL;
  keep_played(p, item, mark);
  question_score(p, seen);
  free(seen);
}

static void play_code(struct play *p, const struct lesson_item *item) {
  if (item->is_run && item->kind != ITEM_CHECK && !p->says_nothing)
    play_make_room(p, screen_rows_of(&p->s->screen, item->text) + RESULT_ROWS);
  if (!item->is_run)
    play_show_code(p, item);
  if (item->is_run && item->kind != ITEM_CHECK)
    play_run(p, item);
  else if (item->is_run) {
    run_cell(p, item);
    keep_played(p, item, transcript_mark());
  }
}

// One signature, indented, wrapped between its arguments.
static void add_signature(const struct screen *s, const char *text, size_t n,
                          struct str *out) {
  enum { INDENT = 4, NEXT = 8 };
  const char *end = text + n;
  size_t at = INDENT;
  str_addf(out, "%*s", INDENT, "");
  for (const char *p = text; p < end;) {
    const char *comma = memchr(p, ',', (size_t)(end - p));
    size_t part = (size_t)((comma ? comma + 1 : end) - p);
    if (p > text && at + part > (size_t)s->columns - 1) {
      str_addf(out, "\n%*s", NEXT, "");
      at = NEXT;
      while (*p == ' ')
        p++, part--;
    }
    str_addf(out, "%.*s", (int)part, p);
    at += part;
    p += part;
  }
  str_add_char(out, '\n');
}

static void print_exercise(struct play *p, const char *name,
                           const struct check_about *about) {
  struct str task = STR_INIT, signature = STR_INIT, code = STR_INIT;
  screen_wrap(&p->s->screen, about->task, 2, &task);
  for (const char *line = about->signature; *line;) {
    size_t n = strcspn(line, "\n");
    add_signature(&p->s->screen, line, n, &signature);
    line += n + (line[n] == '\n');
  }
  exercises_add_code(about, &code);
  if (code.len)
    screen_fit(&p->s->screen, code.data, &signature);
  const char *form =
      p->is_reading
          ? message("Exercise %s\n  %s%s"
                    "  e opens it here; :check judges it at the prompt.\n\n")
          : message("Exercise %s\n  %s%s"
                    "  :edit %s opens it, :check %s judges it.\n\n");
  char *text = xasprintf(form, name, task.data, signature.data, name, name);
  play_put(p, STYLE_PLAIN, text);
  free(text);
  str_free(&task);
  str_free(&signature);
  str_free(&code);
}

// The first exercise of a page is the one that :check means.
static void play_exercise(struct play *p, const struct lesson_item *item) {
  struct shop *s = p->s;
  struct check_about about;
  struct err_info e = {0};
  if (check_about(item->text, &about, &e)) {
    play_fail(p, item, e.text);
    return;
  }
  bool is_taken = p->is_reading || p->has_exercise ||
                  (p->answers && !strcmp(s->exercise, item->text));
  p->has_exercise = true;
  if (!is_taken) {
    snprintf(s->exercise, sizeof s->exercise, "%s", item->text);
    s->hints = 0;
    eval_forget_work(s); // what was typed for something else is no solution
  }
  if (!p->says_nothing && !s->mode.is_quiet)
    print_exercise(p, item->text, &about);
  check_about_free(&about);
}

static void print_verbatim(struct play *p, const struct lesson_item *item) {
  struct str shown = STR_INIT;
  verbatim_add(&p->s->screen, item, &shown);
  str_add_char(&shown, '\n');
  play_put(p, STYLE_PLAIN, shown.data);
  str_free(&shown);
}

void play_item(struct play *p, const struct lesson_item *item) {
  bool silent = p->says_nothing || p->s->mode.is_quiet;
  switch (item->kind) {
  case ITEM_LUA:
  case ITEM_CUDA:
  case ITEM_CHECK: play_code(p, item); break;
  case ITEM_QUIZ: question_quiz(p, item); break;
  case ITEM_PREDICT: question_predict(p, item); break;
  case ITEM_EXERCISE: play_exercise(p, item); break;
  case ITEM_TRY: question_try(p, item); break;
  case ITEM_VERBATIM:
    if (!silent)
      print_verbatim(p, item);
    break;
  default:
    if (!silent)
      print_prose(p, item);
  }
}

// ---- Pages ----

static void print_goals(struct play *p, const struct lesson_list *goals) {
  struct str out = STR_INIT;
  str_add(&out, message("After this lesson you can\n"));
  for (int i = 0; i < goals->count; i++) {
    str_add(&out, "- ");
    screen_wrap(&p->s->screen, goals->items[i], 2, &out);
  }
  str_add_char(&out, '\n');
  play_put(p, STYLE_PLAIN, out.data);
  str_free(&out);
}

// What takes time beside the pages that everybody reads.
static void print_beside(struct play *p, const struct lesson *l) {
  int exercises = lesson_exercise_minutes(l), further = 0;
  struct str out = STR_INIT;
  for (int i = lesson_needed_pages(l); i < l->page_count; i++)
    further += l->pages[i].minutes;
  if (exercises)
    str_addf(&out, message("its exercises: about %d min more"), exercises);
  if (further)
    str_addf(&out, message("%spages of Further: %d min, for who wants them"),
             out.len ? " · " : "", further);
  if (out.len)
    shop_note(p->s, "%s", out.data);
  p->rows += out.len > 0;
  str_free(&out);
}

static void print_place(struct play *p) {
  const struct lesson *l = p->s->lesson;
  const struct lesson_page *page = &l->pages[p->s->page];
  struct str minutes = STR_INIT;
  if (p->s->page == 0 && l->minutes)
    str_addf(&minutes, message(" · about %d min"), l->minutes);
  else if (page->is_further)
    str_add(&minutes, message(" · for who wants more"));
  shop_note(p->s, "%d · %s · page %d of %d%s", p->s->lesson_number, l->title,
            p->s->page + 1, l->page_count, minutes.data);
  str_free(&minutes);
}

void play_show_head(struct play *p) {
  const struct lesson *l = p->s->lesson;
  const struct lesson_page *page = &l->pages[p->s->page];
  if (!p->is_reading)
    print_place(p);
  if (p->answers && !p->is_reading)
    return;
  if (p->s->page == 0)
    print_beside(p, l);
  screen_print(&p->s->screen, STYLE_TITLE, page->title);
  printf("\n\n");
  if (p->s->page == 0 && l->goals.count)
    print_goals(p, &l->goals);
}

// Whoever stops reading is still on the page, and is told what it asks for.
static void say_what_is_left(struct play *p) {
  struct shop *s = p->s;
  shop_note(s,
            "The rest of the page ran unseen; :leave and then :back show the "
            "page again.");
  if (s->wanted)
    question_ask_wanted(s);
  else if (p->has_exercise)
    shop_note(s, "Its exercise: :exercise %s", s->exercise);
}

// What stands above the item at which a page goes on was read.
static void pass_items(struct play *p, int count) {
  const struct lesson_page *page = &p->s->lesson->pages[p->s->page];
  const struct lesson_item *first = &p->s->lesson->items[page->first];
  for (const struct lesson_item *i = first; i < first + count; i++) {
    p->has_exercise |= i->kind == ITEM_EXERCISE;
    if (i->kind == ITEM_TRY && !answers_has(p->answers, i))
      question_want(p->s, i);
  }
}

static void play_page(struct play *p, int from) {
  const struct lesson *l = p->s->lesson;
  const struct lesson_page *page = &l->pages[p->s->page];
  struct mode was = p->s->mode;
  p->s->mode.is_prompt = p->s->mode.is_playing = true;
  p->has_exercise = false;
  p->s->wanted = NULL;
  p->rows = 3; // the head's
  if (!p->says_nothing && !p->s->mode.is_quiet) {
    play_show_head(p);
    if (p->answers && from < page->count)
      answers_recall(p->s, p->answers, &l->items[page->first + from]);
  }
  pass_items(p, from);
  for (int i = from; i < page->count && !p->s->wants_quit; i++) {
    const struct lesson_item *item = &l->items[page->first + i];
    // Bullets stand together; what follows them stands apart.
    bool ends_list =
        i && item[-1].kind == ITEM_BULLET && item->kind != ITEM_BULLET;
    if (ends_list && !p->says_nothing && !p->s->mode.is_quiet)
      putchar('\n');
    play_item(p, item);
  }
  question_score(p, NULL);
  question_held(p);
  p->s->mode = was;
  if (p->is_cut && !p->s->wants_quit)
    say_what_is_left(p);
  fflush(stdout);
}

bool play_page_from(struct play *p, int from) {
  struct shop *s = p->s;
  char page[16];
  struct err_info e;
  s->is_free = false;
  if (!s->mode.is_playing)
    review_play(p);
  snprintf(page, sizeof page, "%d", s->page + 1);
  if (!s->mode.is_quiet) // before it: who thinks about its questions is there
    seat_tell(s, EVENT_PAGE, s->lesson->name, page, "");
  bool is_passed_over = s->after_page || s->wants_quit; // it runs unseen
  s->mode.is_quiet |= is_passed_over;
  play_page(p, from);
  s->lesson->begun = s->page + 1;
  s->mode.is_quiet &= !is_passed_over;
  if (!s->mode.is_quiet &&
      journal_add(s->journal, "page", s->lesson->name, page, &e))
    shop_say("progress is not kept: %s", e.text);
  char *command = s->mode.is_playing ? NULL : s->after_page;
  if (!command)
    return p->failed == 0;
  s->after_page = NULL;
  bool fine = s->run_command(s, command);
  free(command);
  return fine;
}

bool player_show_page(struct shop *s) {
  return play_page_from(&(struct play){.s = s}, 0);
}

// ---- Lessons ----

// As many virtual GPUs as the lesson works on, where fewer are there.
static void make_devices(const struct lesson *l) {
  char count[16];
  if (l->devices <= gpu_virtual_count())
    return;
  snprintf(count, sizeof count, "%d", l->devices);
  setenv("WARPSHOP_VIRTUAL_DEVICES", count, true);
}

static bool load_lesson(struct shop *s, const struct lesson_index *index,
                        int number) {
  struct err_info e = {0};
  struct lesson *l;
  int at = lesson_find(index, number);
  if (at < 0) {
    shop_say("there is no lesson %d; there are %d (warpshop lesson list)",
             number, index->count);
    return false;
  }
  if (lesson_load(index->paths[at], &l, &e)) {
    if (e.file[0])
      shop_say("%s:%d: %s", e.file, e.line, e.text);
    else
      shop_say("%s", e.text);
    return false;
  }
  lesson_free(s->lesson);
  make_devices(l);
  s->wanted = NULL;
  l->played = xcalloc((size_t)l->item_count + 1, sizeof *l->played);
  s->lesson = l;
  s->lesson_number = number;
  s->page = 0;
  s->is_free = false;
  s->exercise[0] = 0;
  variables_forget(s);
  return true;
}

static bool open_lesson(struct shop *s, int number) {
  struct lesson_index index;
  struct err_info e = {0};
  if (lesson_index_load(&index, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  bool fine = load_lesson(s, &index, number);
  lesson_index_free(&index);
  return fine;
}

bool player_take(struct shop *s, int number) {
  return (s->lesson && s->lesson_number == number) || open_lesson(s, number);
}

bool player_open(struct shop *s, int number, int page) {
  if (!open_lesson(s, number))
    return false;
  if (page >= s->lesson->page_count)
    page = s->lesson->page_count - 1;
  // A page uses what the pages before it have defined.
  s->mode.is_quiet = true;
  for (; s->page < page; s->page++)
    player_show_page(s);
  s->mode.is_quiet = false;
  return true;
}

static int play_lesson(struct shop *s, bool says_nothing, int *ran) {
  struct play p = {.s = s, .says_nothing = says_nothing};
  for (s->page = 0; s->page < s->lesson->page_count; s->page++)
    play_page(&p, 0);
  *ran += p.ran;
  return p.failed;
}

// One Lua state a lesson: what one leaves behind must not help the next.
int player_play_one(struct shop *s, const struct lesson_index *index,
                    int number, bool says_nothing, struct player_sum *sum) {
  if (s->L)
    bind_close(s->L);
  s->L = NULL;
  s->launches = 0;
  pieces_free(&s->pieces);
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  if (load_lesson(s, index, number))
    sum->failed += play_lesson(s, says_nothing, &sum->cells);
  else
    sum->failed++;
  return EXIT_PASSED;
}

int player_play_all(struct shop *s, int number) {
  struct lesson_index index;
  struct err_info e = {0};
  struct player_sum sum = {0, 0};
  if (lesson_index_load(&index, &e)) {
    shop_say("%s", e.text);
    return EXIT_MACHINE;
  }
  int code = EXIT_PASSED;
  if (number && lesson_find(&index, number) < 0) {
    shop_say("there is no lesson %d; there are %d", number, index.count);
    code = EXIT_USAGE;
  }
  for (int i = 0; code == EXIT_PASSED && i < index.count; i++) {
    int its_number = lesson_number_at(&index, i);
    if (!number || number == its_number)
      code = player_play_one(s, &index, its_number, false, &sum);
  }
  lesson_index_free(&index);
  if (code == EXIT_PASSED)
    printf("\n%d cells run, %d failed\n", sum.cells, sum.failed);
  fflush(stdout);
  return code != EXIT_PASSED ? code : sum.failed ? EXIT_FAILED : EXIT_PASSED;
}

// SPDX-License-Identifier: Apache-2.0
// Plays lessons: shows prose, runs cells, asks questions. One player for a
// person at the prompt, for plain play without a terminal, and for the test.
#include "repl/shop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/check.h"
#include "lua/bind/bind.h"
#include "lua/bind/show.h"
#include "repl/input.h"

struct play {
  struct shop *s;
  const struct lesson_item *pending; // a prediction that no run has scored yet
  bool has_exercise;                 // on this page
  char *guess;
  int failed; // cells
  int ran;
  bool says_nothing; // lesson test: only what fails
  int rows;          // of the screen that the page has filled since a pause
};

// ---- Asking ----

static bool is_asking(const struct play *p) {
  return p->s->screen.is_terminal && !p->s->is_quiet;
}

// The learner leaves the page: the rest of it runs unseen, for later pages
// rest on it.
static void leave_page(struct play *p) {
  p->s->is_quiet = true;
}

// Asks until there is an answer: a command is run, and the question put again.
// NULL for none, and when a command leaves the page.
static char *ask(struct play *p, const char *question) {
  struct shop *s = p->s;
  p->rows = 0; // what stands above has been read
  for (;;) {
    char *answer = prompt_ask(question);
    if (!answer || (*answer != ':' && *answer != '?'))
      return answer;
    eval_lines(s, answer);
    free(answer);
    if (s->wants_quit || s->after_page) {
      leave_page(p);
      return NULL;
    }
  }
}

// ---- The screen's height ----

// Before `rows` more are printed: waits where they would push unread ones off
// the screen.
static void make_room(struct play *p, int rows) {
  if (!is_asking(p))
    return;
  if (p->rows && p->rows + rows > p->s->screen.rows - 2) {
    char *answer = ask(p, "-- more -- (Enter goes on, q stops) ");
    if (!answer || *answer == 'q')
      leave_page(p);
    free(answer);
  }
  p->rows += rows;
}

// Prints a part of the page that stays together.
static void put(struct play *p, enum style style, const char *text) {
  make_room(p, screen_rows_of(&p->s->screen, text));
  if (!p->s->is_quiet)
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
  put(p, style, out.data);
  str_free(&out);
}

static void print_prose(struct play *p, const struct lesson_item *item) {
  struct str out = STR_INIT;
  int lead = (int)strlen(item->lead);
  str_addf(&out, "%*s%s", item->indent - lead, "", item->lead);
  screen_wrap(&p->s->screen, item->text, item->indent, &out);
  if (item->kind == ITEM_PROSE)
    str_add_char(&out, '\n');
  put(p, STYLE_PLAIN, out.data);
  str_free(&out);
}

// ---- Predictions ----

static lua_Integer product(lua_State *L, const char *field) {
  lua_Integer all = 1;
  if (lua_getfield(L, -1, field) == LUA_TTABLE)
    for (int i = 1; i <= 3; i++) {
      lua_rawgeti(L, -1, i);
      all *= lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 1;
      lua_pop(L, 1);
    }
  lua_pop(L, 1);
  return all;
}

// Threads that went out of bounds: the finding with the most of them, for one
// thread may do it on several lines.
static lua_Integer out_of_bounds_threads(lua_State *L) {
  lua_Integer most = 0;
  lua_getfield(L, -1, "diagnostics");
  for (lua_Integer i = 1; lua_istable(L, -1) && i <= luaL_len(L, -1); i++) {
    lua_geti(L, -1, i);
    lua_getfield(L, -1, "kind");
    lua_getfield(L, -2, "count");
    const char *kind = lua_tostring(L, -2);
    if (kind && !strcmp(kind, "out-of-bounds") && lua_tointeger(L, -1) > most)
      most = lua_tointeger(L, -1);
    lua_pop(L, 3);
  }
  lua_pop(L, 1);
  return most;
}

// (counters, name): any other counter, of the last launch run once more; it is
// profiled when the first is asked for.
static int profiled(lua_State *L) {
  lua_settop(L, 2);
  if (lua_rawgetp(L, 1, (void *)profiled) == LUA_TNIL) {
    shop_push_field(L, "cuda", "profile");
    lua_call(L, 0, 1);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, 1, (void *)profiled);
  }
  lua_pushvalue(L, 2);
  lua_gettable(L, -2);
  return 1;
}

// Pushes the table `counters` of the last launch.
static int push_counters(lua_State *L) {
  lua_newtable(L);
  shop_push_field(L, "cuda", "last_launch");
  lua_call(L, 0, 1); // [counters, launch]
  if (lua_istable(L, -1)) {
    lua_Integer blocks = product(L, "grid");
    lua_pushinteger(L, blocks);
    lua_setfield(L, -3, "blocks");
    lua_pushinteger(L, blocks * product(L, "block"));
    lua_setfield(L, -3, "threads");
  }
  lua_pop(L, 1);
  lua_getfield(L, LUA_REGISTRYINDEX, "warpshop.last_error");
  lua_Integer outside = lua_istable(L, -1) ? out_of_bounds_threads(L) : 0;
  lua_pop(L, 1);
  lua_pushinteger(L, outside);
  lua_setfield(L, -2, "out_of_bounds_threads");
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, profiled);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  return 1;
}

// Evaluates "from:" (upvalue-free, protected by the caller) with `counters` as
// a global for as long as it runs.
static int measure(lua_State *L) {
  const char *from = lua_tostring(L, 1);
  bool is_unfinished;
  push_counters(L);
  lua_setglobal(L, "counters");
  if (input_compile(L, from, "=from", &is_unfinished) != LUA_OK)
    return lua_error(L);
  lua_call(L, 0, 1);
  lua_pushnil(L);
  lua_setglobal(L, "counters");
  return 1;
}

// [value] -> [bool]: is the guess the value? Numbers by value.
static bool is_right_guess(lua_State *L, const char *guess) {
  if (lua_isnumber(L, -1) && lua_stringtonumber(L, guess)) {
    bool equal = lua_compare(L, -1, -2, LUA_OPEQ);
    lua_pop(L, 1);
    return equal;
  }
  struct str text = STR_INIT;
  show_value(L, -1, 0, &text);
  bool equal = !strcmp(text.data, guess);
  str_free(&text);
  return equal;
}

static void print_score(struct play *p, const struct lesson_item *item) {
  lua_State *L = p->s->L;
  struct str out = STR_INIT;
  str_add(&out, "Measured: ");
  if (lua_type(L, -1) == LUA_TNUMBER)
    str_addf(&out, "%.14g", lua_tonumber(L, -1));
  else
    show_value(L, -1, p->s->screen.columns, &out);
  if (p->guess && *p->guess)
    str_addf(&out,
             is_right_guess(L, p->guess) ? " - as you said.\n"
                                         : " - you said %s.\n",
             p->guess);
  else
    str_add(&out, ".\n");
  if (item->explain) {
    screen_wrap(&p->s->screen, item->explain, 0, &out);
    str_add_char(&out, '\n');
  }
  put(p, STYLE_PLAIN, out.data);
  str_free(&out);
}

static void fail(struct play *p, const struct lesson_item *item,
                 const char *what) {
  fflush(stdout);
  fprintf(stderr, "%s:%d: %s\n", p->s->lesson->path, item->line, what);
  p->failed++;
}

static void score_prediction(struct play *p) {
  const struct lesson_item *item = p->pending;
  lua_State *L = p->s->L;
  p->pending = NULL;
  if (!item)
    return;
  lua_pushcfunction(L, measure);
  lua_pushstring(L, item->from);
  if (bind_pcall(L, 1, 1) != LUA_OK) {
    eval_show_error(p->s);
    fail(p, item, "the prediction could not be measured");
  } else {
    if (lua_isnil(L, -1))
      fail(p, item, "the prediction's from: gives nil");
    else if (!p->says_nothing && !p->s->is_quiet)
      print_score(p, item);
    lua_pop(L, 1);
  }
  free(p->guess);
  p->guess = NULL;
}

// ---- Questions ----

static void print_question(struct play *p, const char *ask) {
  struct str out = STR_INIT;
  str_add(&out, "? ");
  screen_wrap(&p->s->screen, ask, 2, &out);
  put(p, STYLE_TITLE, out.data);
  str_free(&out);
}

static void predict(struct play *p, const struct lesson_item *item) {
  score_prediction(p);
  p->pending = item;
  if (p->says_nothing || p->s->is_quiet)
    return;
  print_question(p, item->ask);
  if (is_asking(p))
    p->guess = ask(p, "your guess (Enter to pass): ");
}

static void print_choices(struct play *p, const struct lesson_item *item,
                          bool mark_right) {
  for (int i = 0; i < item->choice_count; i++) {
    struct str out = STR_INIT;
    bool right = mark_right && item->choices[i].is_right;
    str_addf(&out, "  %s%d ", right ? "*" : " ", i + 1);
    screen_wrap(&p->s->screen, item->choices[i].text, 5, &out);
    put(p, STYLE_PLAIN, out.data);
    str_free(&out);
  }
}

// Asks until one of the choices is named; 0 when the learner passes.
static int ask_choice(struct play *p, const struct lesson_item *item) {
  for (;;) {
    char *answer = ask(p, "your answer (a number; Enter to pass): ");
    int n = answer ? atoi(answer) : 0;
    bool passes = !answer || !*answer;
    free(answer);
    if (passes)
      return 0;
    if (n >= 1 && n <= item->choice_count)
      return n;
    printf("A number from 1 to %d, please, or Enter alone to pass; the prompt "
           "comes back behind the page.\n",
           item->choice_count);
  }
}

static void quiz(struct play *p, const struct lesson_item *item) {
  if (p->says_nothing || p->s->is_quiet)
    return;
  bool asking = is_asking(p);
  print_question(p, item->ask);
  print_choices(p, item, !asking);
  if (asking && is_asking(p)) {
    int n = ask_choice(p, item);
    if (p->s->is_quiet)
      return;
    bool is_right = n && item->choices[n - 1].is_right;
    if (n)
      puts(is_right ? "Right." : "Not quite:");
    if (!is_right)
      print_choices(p, item, true);
  }
  struct str out = STR_INIT;
  if (item->explain)
    screen_wrap(&p->s->screen, item->explain, 0, &out);
  str_add_char(&out, '\n');
  put(p, STYLE_PLAIN, out.data);
  str_free(&out);
}

// ---- Code ----

static void print_code(struct play *p, const struct lesson_item *item) {
  if (p->says_nothing || p->s->is_quiet)
    return;
  print_lines(p, STYLE_CODE, 2, item->text);
}

static void run_lua(struct play *p, const struct lesson_item *item) {
  lua_pushnil(p->s->L);
  lua_setfield(p->s->L, LUA_REGISTRYINDEX, "warpshop.last_error");
  bool fine = eval_lines(p->s, item->text);
  p->ran++;
  if (!fine && !item->wants_error)
    fail(p, item, "this cell failed");
  else if (fine && item->wants_error)
    fail(p, item, "this cell should have ended in an error, and did not");
}

static void run_check(struct play *p, const struct lesson_item *item) {
  char chunk[400];
  bool was_quiet = p->s->is_quiet;
  snprintf(chunk, sizeof chunk, "=%s:%d", p->s->lesson->name, item->line);
  p->ran++;
  p->s->is_quiet = true;
  if (!eval_lua(p->s, item->text, chunk))
    fail(p, item, "this check failed");
  p->s->is_quiet = was_quiet;
}

static void run_cuda(struct play *p, const struct lesson_item *item) {
  p->ran++;
  if (!eval_lines(p->s, item->text))
    fail(p, item, "this cell failed");
}

static void run_cell(struct play *p, const struct lesson_item *item) {
  bool was = p->s->is_quiet;
  p->s->is_quiet |= p->says_nothing;
  p->s->hides_expected = item->wants_error && p->s->is_quiet;
  p->s->error_to_stdout = item->wants_error;
  p->s->echoes = item->kind != ITEM_CHECK && !p->s->is_quiet;
  if (item->kind == ITEM_CUDA)
    run_cuda(p, item);
  else if (item->kind == ITEM_CHECK)
    run_check(p, item);
  else
    run_lua(p, item);
  p->s->hides_expected = p->s->error_to_stdout = p->s->echoes = false;
  p->s->is_quiet = was;
}

// A cell's own lines, and a few for what it prints.
enum { RESULT_ROWS = 4 };

static void play_code(struct play *p, const struct lesson_item *item) {
  if (item->is_run && item->kind != ITEM_CHECK && !p->says_nothing)
    make_room(p, screen_rows_of(&p->s->screen, item->text) + RESULT_ROWS);
  if (!item->is_run)
    print_code(p, item);
  if (item->is_run)
    run_cell(p, item);
  if (item->is_run && item->kind != ITEM_CHECK) {
    if (!p->says_nothing && !p->s->is_quiet)
      putchar('\n');
    score_prediction(p);
  }
}

static void print_exercise(struct play *p, const char *name,
                           const struct check_about *about) {
  struct str task = STR_INIT;
  screen_wrap(&p->s->screen, about->task, 2, &task);
  char *text = xasprintf("Exercise %s\n  %s    %s\n  :check %s judges it.\n\n",
                         name, task.data, about->signature, name);
  put(p, STYLE_PLAIN, text);
  free(text);
  str_free(&task);
}

// The first exercise of a page is the one that :check means.
static void play_exercise(struct play *p, const struct lesson_item *item) {
  struct shop *s = p->s;
  struct check_about about;
  struct err_info e = {0};
  if (check_about(item->text, &about, &e)) {
    fail(p, item, e.text);
    return;
  }
  if (!p->has_exercise) {
    p->has_exercise = true;
    snprintf(s->exercise, sizeof s->exercise, "%s", item->text);
    s->hints = 0;
    eval_forget_work(s); // what was typed for something else is no solution
  }
  if (!p->says_nothing && !s->is_quiet)
    print_exercise(p, item->text, &about);
  check_about_free(&about);
}

static void play_item(struct play *p, const struct lesson_item *item) {
  bool silent = p->says_nothing || p->s->is_quiet;
  switch (item->kind) {
  case ITEM_LUA:
  case ITEM_CUDA:
  case ITEM_CHECK: play_code(p, item); break;
  case ITEM_QUIZ: quiz(p, item); break;
  case ITEM_PREDICT: predict(p, item); break;
  case ITEM_EXERCISE: play_exercise(p, item); break;
  case ITEM_VERBATIM:
    if (!silent)
      print_lines(p, STYLE_PLAIN, item->indent + 2, item->text);
    break;
  default:
    if (!silent)
      print_prose(p, item);
  }
}

// ---- Pages ----

static void print_page_head(struct play *p) {
  const struct lesson *l = p->s->lesson;
  const struct lesson_page *page = &l->pages[p->s->page];
  char text[400];
  snprintf(text, sizeof text, "%d · %s · page %d of %d", p->s->lesson_number,
           l->title, p->s->page + 1, l->page_count);
  screen_print(&p->s->screen, STYLE_DIM, text);
  if (p->s->page == 0 && l->minutes)
    printf(" · about %d min", l->minutes);
  printf("\n");
  screen_print(&p->s->screen, STYLE_TITLE, page->title);
  printf("\n\n");
}

static void play_page(struct play *p) {
  const struct lesson *l = p->s->lesson;
  const struct lesson_page *page = &l->pages[p->s->page];
  bool was_prompt = p->s->is_prompt, was_quiet = p->s->is_quiet;
  bool was_playing = p->s->is_playing;
  p->s->is_prompt = p->s->is_playing = true;
  p->has_exercise = false;
  p->rows = 3; // the head's
  if (!p->says_nothing && !p->s->is_quiet)
    print_page_head(p);
  for (int i = 0; i < page->count && !p->s->wants_quit; i++) {
    const struct lesson_item *item = &l->items[page->first + i];
    // Bullets stand together; what follows them stands apart.
    bool ends_list =
        i && item[-1].kind == ITEM_BULLET && item->kind != ITEM_BULLET;
    if (ends_list && !p->says_nothing && !p->s->is_quiet)
      putchar('\n');
    play_item(p, item);
  }
  score_prediction(p);
  p->s->is_prompt = was_prompt;
  p->s->is_quiet = was_quiet;
  p->s->is_playing = was_playing;
  fflush(stdout);
}

bool player_show_page(struct shop *s) {
  struct play p = {.s = s};
  char page[16];
  struct err_info e;
  play_page(&p);
  snprintf(page, sizeof page, "%d", s->page + 1);
  if (!s->is_quiet &&
      journal_add(s->journal, "page", s->lesson->name, page, &e))
    shop_say("progress is not kept: %s", e.text);
  char *command = s->is_playing ? NULL : s->after_page;
  if (!command)
    return p.failed == 0;
  s->after_page = NULL;
  bool fine = command_run(s, command);
  free(command);
  return fine;
}

// ---- Lessons ----

static bool load_lesson(struct shop *s, const struct lesson_index *index,
                        int number) {
  struct err_info e = {0};
  struct lesson *l;
  if (number < 1 || number > index->count) {
    shop_say("there is no lesson %d; there are %d (warpshop lesson list)",
             number, index->count);
    return false;
  }
  if (lesson_load(index->paths[number - 1], &l, &e)) {
    if (e.file[0])
      shop_say("%s:%d: %s", e.file, e.line, e.text);
    else
      shop_say("%s", e.text);
    return false;
  }
  lesson_free(s->lesson);
  s->lesson = l;
  s->lesson_number = number;
  s->page = 0;
  s->exercise[0] = 0;
  return true;
}

bool player_open(struct shop *s, int number, int page) {
  struct lesson_index index;
  struct err_info e = {0};
  if (lesson_index_load(&index, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  bool fine = load_lesson(s, &index, number);
  lesson_index_free(&index);
  if (!fine)
    return false;
  if (page >= s->lesson->page_count)
    page = s->lesson->page_count - 1;
  // A page uses what the pages before it have defined.
  s->is_quiet = true;
  for (; s->page < page; s->page++)
    player_show_page(s);
  s->is_quiet = false;
  return true;
}

static int play_lesson(struct shop *s, bool says_nothing, int *ran) {
  struct play p = {.s = s, .says_nothing = says_nothing};
  for (s->page = 0; s->page < s->lesson->page_count; s->page++)
    play_page(&p);
  *ran += p.ran;
  return p.failed;
}

// One Lua state a lesson: what one leaves behind must not help the next.
static int each_lesson(struct shop *s, int number, bool is_test) {
  struct lesson_index index;
  struct err_info e = {0};
  int failed = 0, ran = 0;
  if (lesson_index_load(&index, &e)) {
    shop_say("%s", e.text);
    return EXIT_MACHINE;
  }
  int code = EXIT_PASSED;
  if (number > index.count || number < 0) {
    shop_say("there is no lesson %d; there are %d", number, index.count);
    code = EXIT_USAGE;
  }
  for (int i = 1; code == EXIT_PASSED && i <= index.count; i++) {
    int cells = 0, bad;
    if (number && number != i)
      continue;
    if (s->L)
      bind_close(s->L);
    s->L = NULL;
    s->launches = 0;
    pieces_free(&s->pieces);
    code = shop_open_lua(s);
    if (code != EXIT_PASSED)
      break;
    if (!load_lesson(s, &index, i)) {
      failed++;
      continue;
    }
    bad = play_lesson(s, is_test, &cells);
    if (is_test)
      printf("%-32s %3d cells, %d failed\n", s->lesson->name, cells, bad);
    failed += bad;
    ran += cells;
  }
  lesson_index_free(&index);
  if (code == EXIT_PASSED)
    printf("%s%d cells run, %d failed\n", is_test ? "" : "\n", ran, failed);
  fflush(stdout);
  return code != EXIT_PASSED ? code : failed ? EXIT_FAILED : EXIT_PASSED;
}

int player_play_all(struct shop *s, int number) {
  return each_lesson(s, number, false);
}

int player_test(struct shop *s, int number) {
  return each_lesson(s, number, true);
}

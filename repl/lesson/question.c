// SPDX-License-Identifier: Apache-2.0
// What a page asks: predictions, scored against what its cells do, and quizzes.
#include "repl/lesson/question.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/eval.h"
#include "repl/lesson/player.h"
#include "repl/tui/tui.h"

static void add_question(const struct shop *s, const char *ask,
                         struct str *out) {
  str_add(out, "? ");
  screen_wrap(&s->screen, ask, 2, out);
}

static void print_question(struct play *p, const char *ask) {
  struct str out = STR_INIT;
  add_question(p->s, ask, &out);
  play_put(p, STYLE_TITLE, out.data);
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
    lua_pushnil(L);
    lua_createtable(L, 0, 1); // [.., profile, nil, options]
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "hardware"); // no question asks for that
    lua_call(L, 2, 1);
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
  if (bind_compile(L, from, "=from", &is_unfinished) != LUA_OK)
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

// "33 * 128 - 4097" is as good as 127: a sum of numbers is that number. NULL
// for what is no sum. The caller frees it.
static char *worked_out(lua_State *L, const char *guess) {
  if (guess[strspn(guess, "0123456789.+-*/% ()")])
    return NULL;
  char *chunk = xasprintf("return %s", guess), *number = NULL;
  if (luaL_loadstring(L, chunk) == LUA_OK && bind_pcall(L, 0, 1) == LUA_OK &&
      lua_type(L, -1) == LUA_TNUMBER)
    number = xasprintf("%.14g", lua_tonumber(L, -1));
  lua_pop(L, 1);
  free(chunk);
  return number;
}

// A word about a guess that is not the value, for the next one.
static void print_nearer(struct shop *s, const char *guess, int left) {
  lua_State *L = s->L;
  const char *where = "";
  if (lua_isnumber(L, -1) && lua_stringtonumber(L, guess)) {
    bool is_less = lua_compare(L, -1, -2, LUA_OPLT);
    where = is_less ? message(" It is more.") : message(" It is less.");
    lua_pop(L, 1);
  }
  shop_print(s, "Not %s.%s %s", guess, where,
             left > 1 ? message("Two more tries.") : message("One more try."));
}

enum { CHANCES = 3 };

// As play_ask; :hint speaks of this question for so long.
static char *ask_about(struct play *p, const struct lesson_item *item,
                       const char *question) {
  p->s->asked = item;
  char *answer = play_ask(p, question);
  p->s->asked = NULL;
  return answer;
}

static bool is_number(lua_State *L, const char *text) {
  bool is = lua_stringtonumber(L, text);
  lua_pop(L, is ? 1 : 0);
  return is;
}

// [value]: one guess, or NULL for none. What cannot be a number where a number
// is asked for is a slip, or a line for the prompt, and costs no try.
static char *ask_guess(struct play *p, const struct lesson_item *item) {
  lua_State *L = p->s->L;
  for (;;) {
    char *guess = ask_about(p, item, message("your guess (Enter to pass): "));
    if (guess && *guess && lua_isnumber(L, -1) && !is_number(L, guess)) {
      char *number = worked_out(L, guess);
      if (number) {
        free(guess);
        return number;
      }
      shop_print(p->s, "A number, please, or Enter alone to pass; the prompt "
                       "comes back behind the page.");
      free(guess);
      continue;
    }
    if (guess && *guess)
      return guess;
    free(guess);
    return NULL;
  }
}

// [value]: asks for it, and again where the guess is wrong; the last guess, or
// NULL for none. The caller frees it.
static char *ask_guesses(struct play *p, const struct lesson_item *item) {
  lua_State *L = p->s->L;
  char *guess = NULL;
  for (int left = CHANCES; left-- > 0;) {
    char *next = ask_guess(p, item);
    if (!next)
      return guess;
    free(guess);
    guess = next;
    if (is_right_guess(L, guess))
      return guess;
    if (left)
      print_nearer(p->s, guess, left);
  }
  return guess;
}

static void add_measured(struct play *p, struct str *out) {
  lua_State *L = p->s->L;
  if (lua_type(L, -1) == LUA_TNUMBER)
    str_addf(out, "%.14g", lua_tonumber(L, -1));
  else
    show_value(L, -1, p->s->screen.columns, out);
}

// [value]
static void print_score(struct play *p, const struct lesson_item *item,
                        const char *guess) {
  lua_State *L = p->s->L;
  struct str out = STR_INIT;
  str_add(&out, message("Measured: "));
  add_measured(p, &out);
  if (guess)
    str_addf(&out,
             is_right_guess(L, guess) ? message(" - as you said.\n")
                                      : message(" - you said %s.\n"),
             guess);
  else
    str_add(&out, ".\n");
  if (item->explain) {
    screen_wrap(&p->s->screen, item->explain, 0, &out);
    str_add_char(&out, '\n');
  }
  play_put(p, STYLE_PLAIN, out.data);
  str_free(&out);
}

// [value]
static void note_guess(struct play *p, const struct lesson_item *item,
                       const char *guess) {
  struct str measured = STR_INIT;
  add_measured(p, &measured);
  review_note_asked(p->s, item, guess && is_right_guess(p->s->L, guess),
                    measured.data);
  str_free(&measured);
}

// [value]: asks, shows what the cell did, and scores.
static void settle(struct play *p, const struct lesson_item *item,
                   const char *seen) {
  bool is_asked = play_is_asking(p);
  char *guess = is_asked ? ask_guesses(p, item) : NULL;
  if (is_asked && !p->s->mode.is_quiet)
    note_guess(p, item, guess);
  if (!p->s->mode.is_quiet && seen)
    fputs(seen, stdout);
  if (!p->s->mode.is_quiet)
    print_score(p, item, guess);
  free(guess);
}

void question_score(struct play *p, const char *seen) {
  const struct lesson_item *item = p->pending;
  lua_State *L = p->s->L;
  p->pending = NULL;
  if (!item)
    return;
  lua_pushcfunction(L, measure);
  lua_pushstring(L, item->from);
  if (bind_pcall(L, 1, 1) != LUA_OK) {
    eval_show_error(p->s);
    play_fail(p, item, "the prediction could not be measured");
    if (seen)
      fputs(seen, stdout);
    return;
  }
  if (lua_isnil(L, -1))
    play_fail(p, item, "the prediction's from: gives nil");
  else if (!p->says_nothing && !p->s->mode.is_quiet)
    settle(p, item, seen);
  lua_pop(L, 1);
}

// Only a cell that runs right behind it can be what a prediction speaks of.
static bool is_run_next(const struct play *p, const struct lesson_item *item) {
  const struct lesson *l = p->s->lesson;
  const struct lesson_page *page = &l->pages[p->s->page];
  const struct lesson_item *end = &l->items[page->first + page->count];
  return item + 1 < end && item[1].is_run && item[1].kind != ITEM_CHECK;
}

void question_predict(struct play *p, const struct lesson_item *item) {
  question_score(p, NULL);
  p->pending = item;
  if (!p->says_nothing && !p->s->mode.is_quiet)
    print_question(p, item->ask);
  if (!is_run_next(p, item))
    question_score(p, NULL);
}

// ---- What the learner types ----

// [expression] -> [whether it holds]
static int holds(lua_State *L) {
  bool is_unfinished;
  if (bind_compile(L, lua_tostring(L, 1), "=check", &is_unfinished) != LUA_OK)
    return lua_error(L);
  lua_call(L, 0, 1);
  return 1;
}

// An expression that fails does not hold: it may name what is not there yet.
static bool is_met(lua_State *L, const struct lesson_item *item) {
  lua_pushcfunction(L, holds);
  lua_pushstring(L, item->check);
  bool is = bind_pcall(L, 1, 1) == LUA_OK && lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is;
}

static void print_explanation(struct play *p, const struct lesson_item *item) {
  struct str out = STR_INIT;
  if (item->explain)
    screen_wrap(&p->s->screen, item->explain, 0, &out);
  str_add_char(&out, '\n');
  play_put(p, STYLE_PLAIN, out.data);
  str_free(&out);
}

// Nobody types: the answer runs, and must do what the check asks for.
static void answer_try(struct play *p, const struct lesson_item *item) {
  if (is_met(p->s->L, item))
    play_fail(p, item, "the check holds before anything was typed");
  play_answer(p, item);
  if (!is_met(p->s->L, item))
    play_fail(p, item, "the answer does not do what the check asks for");
}

// Does the page go on behind it with something to answer or to read at the
// prompt's lines? Then the prompt is far away, and the next question would be
// taken for this one.
static bool is_far_from_prompt(const struct play *p,
                               const struct lesson_item *item) {
  const struct lesson *l = p->s->lesson;
  const struct lesson_page *page = &l->pages[p->s->page];
  const struct lesson_item *end = &l->items[page->first + page->count];
  for (const struct lesson_item *i = item + 1; i < end; i++)
    if (i->kind == ITEM_QUIZ || i->kind == ITEM_PREDICT ||
        (i->is_run && i->kind != ITEM_CHECK))
      return true;
  return false;
}

static bool is_last_of_page(const struct play *p,
                            const struct lesson_item *item) {
  const struct lesson_page *page = &p->s->lesson->pages[p->s->page];
  return item == &p->s->lesson->items[page->first + page->count - 1];
}

void question_held(struct play *p) {
  const struct lesson_page *page = &p->s->lesson->pages[p->s->page];
  const struct lesson_item *first = &p->s->lesson->items[page->first];
  for (const struct lesson_item *i = first; i < first + page->count; i++)
    if (i->kind != ITEM_TRY)
      continue;
    else if (p->says_nothing) // the test types when a learner would
      answer_try(p, i);
    else if (play_is_asking(p) && is_far_from_prompt(p, i) &&
             !(p->answers && answers_has(p->answers, i)))
      print_question(p, i->ask);
}

// The value of the last line belongs to what was asked before.
static void forget_last_value(lua_State *L) {
  lua_pushnil(L);
  lua_setglobal(L, "_");
}

// The first try of a page is what is waited for.
void question_want(struct shop *s, const struct lesson_item *item) {
  s->has_reminded = false;
  if (s->wanted)
    return;
  s->wanted = item;
  s->tries = 0;
  forget_last_value(s->L);
}

void question_try(struct play *p, const struct lesson_item *item) {
  question_score(p, NULL);
  if (p->says_nothing)
    return; // at the page's end
  if (p->is_cut) {
    question_want(p->s, item);
  } else if (!p->s->screen.is_terminal) {
    if (!p->s->mode.is_quiet)
      print_question(p, item->ask);
    answer_try(p, item);
    if (!p->s->mode.is_quiet)
      print_explanation(p, item);
  } else if (!p->s->mode.is_quiet) {
    if (!is_far_from_prompt(p, item))
      print_question(p, item->ask);
    if (!is_far_from_prompt(p, item) && !is_last_of_page(p, item))
      putchar('\n');
    question_want(p->s, item);
  }
}

// The next of this page, behind the one that was met.
static const struct lesson_item *next_wanted(const struct shop *s) {
  const struct lesson_page *page = &s->lesson->pages[s->page];
  const struct lesson_item *end = &s->lesson->items[page->first + page->count];
  for (const struct lesson_item *i = s->wanted + 1; i < end; i++)
    if (i->kind == ITEM_TRY)
      return i;
  return NULL;
}

// Where the answer is several lines, nobody has tried who is still at the first
// ones. A kernel's or a function's text is typed as one, and what is done with it
// behind its end is a line more.
static int lines_beyond_one(const char *answer) {
  bool is_text =
      str_starts(answer, "__global__") || str_starts(answer, "function");
  int lines = 0;
  for (const char *p = answer; *p; p++)
    if (*p == '\n')
      lines += p[1] && p[1] != ' ' &&
               !(is_text && (p[1] == '}' || str_starts(p + 1, "end")));
    else
      lines += *p == ';' && !is_text;
  return lines;
}

// What nobody has found after three tries is shown.
void question_show_answer(struct shop *s) {
  const struct lesson_item *item = s->wanted;
  struct str out = STR_INIT;
  str_add(&out, message("This does it:\n"));
  for (const char *p = item->answer; *p;) {
    size_t n = strcspn(p, "\n");
    str_addf(&out, "  %.*s\n", (int)n, p);
    p += n + (p[n] == '\n');
  }
  screen_print(&s->screen, STYLE_PLAIN, out.data);
  str_free(&out);
}

void question_ask_wanted(struct shop *s) {
  struct str out = STR_INIT;
  str_add_char(&out, '\n');
  add_question(s, s->wanted->ask, &out);
  screen_print(&s->screen, STYLE_TITLE, out.data);
  str_free(&out);
}

void question_typed(struct shop *s, bool is_command) {
  const struct lesson_item *item = s->wanted;
  if (!item)
    return;
  if (!is_met(s->L, item)) {
    if (!is_command && ++s->tries == CHANCES + lines_beyond_one(item->answer))
      question_show_answer(s);
    return;
  }
  s->tries = 0;
  review_note_typed(s, item);
  s->wanted = next_wanted(s);
  shop_print(s, "Right.%s%s", item->explain ? " " : "",
             item->explain ? item->explain : "");
  if (s->wanted)
    question_ask_wanted(s);
}

// ---- Quizzes ----

// The order in which choices are shown: the author's, or another one each time.
static int *choice_order(const struct lesson_item *item, bool shuffles) {
  int n = item->choice_count;
  int *order = xcalloc((size_t)n, sizeof *order);
  for (int i = 0; i < n; i++)
    order[i] = i;
  for (int i = n - 1; shuffles && i > 0; i--) {
    uint32_t r;
    if (getrandom(&r, sizeof r, 0) != sizeof r)
      break;
    int k = (int)(r % (uint32_t)(i + 1)), t = order[i];
    order[i] = order[k];
    order[k] = t;
  }
  return order;
}

static void add_choices(struct play *p, const struct lesson_item *item,
                        const int *order, bool mark_right, struct str *out) {
  for (int i = 0; i < item->choice_count; i++) {
    const struct lesson_choice *choice = &item->choices[order[i]];
    bool right = mark_right && choice->is_right;
    if (p->s->screen.is_plain)
      str_addf(out, "%d%s: ", i + 1, right ? message(", the right one") : "");
    else
      str_addf(out, "  %s%d ", right ? "*" : " ", i + 1);
    screen_wrap(&p->s->screen, choice->text, 5, out);
  }
}

// The question and its choices stay together, and with what asks for the answer.
static void print_quiz(struct play *p, const struct lesson_item *item,
                       const int *order, bool mark_right) {
  struct str ask = STR_INIT, choices = STR_INIT;
  add_question(p->s, item->ask, &ask);
  add_choices(p, item, order, mark_right, &choices);
  play_make_room(p, screen_rows_of(&p->s->screen, ask.data) +
                        screen_rows_of(&p->s->screen, choices.data) + 1);
  if (!p->s->mode.is_quiet) {
    screen_print(&p->s->screen, STYLE_TITLE, ask.data);
    screen_print(&p->s->screen, STYLE_PLAIN, choices.data);
  }
  str_free(&ask);
  str_free(&choices);
}

// A wrong choice of several: one less to think about. NULL: only one is wrong.
static const char *struck_choice(const struct lesson_item *item) {
  const char *last = NULL;
  int wrong = 0;
  for (int i = 0; i < item->choice_count; i++)
    if (!item->choices[i].is_right)
      last = item->choices[i].text, wrong++;
  return wrong > 1 ? last : NULL;
}

void question_hint(struct shop *s) {
  const struct lesson_item *item = s->asked;
  const char *struck = item->kind == ITEM_QUIZ ? struck_choice(item) : NULL;
  if (item->hint)
    shop_print(s, "%s", item->hint);
  else if (struck)
    shop_print(s, "One that is not right: %s", struck);
  else
    shop_print(
        s,
        "%s A wrong answer costs nothing, and the reason is told "
        "behind it.",
        item->kind == ITEM_QUIZ
            ? message("Look for what the lines above say of each choice.")
            : message("Work it out from the lines above; roughly will do for a "
                      "start."));
}

// Asks until one of the choices is named; 0 when the learner passes.
static int ask_choice(struct play *p, const struct lesson_item *item) {
  for (;;) {
    char *answer =
        ask_about(p, item, message("your answer (a number; Enter to pass): "));
    int n = answer ? atoi(answer) : 0;
    bool passes = !answer || !*answer;
    free(answer);
    if (passes)
      return 0;
    if (n >= 1 && n <= item->choice_count)
      return n;
    shop_print(p->s,
               "A number from 1 to %d, please, or Enter alone to pass; the "
               "prompt comes back behind the page.",
               item->choice_count);
  }
}

void question_quiz(struct play *p, const struct lesson_item *item) {
  if (p->says_nothing || p->s->mode.is_quiet)
    return;
  bool asking = play_is_asking(p);
  int *order = choice_order(item, asking);
  print_quiz(p, item, order, !asking);
  if (asking && play_is_asking(p)) {
    int n = ask_choice(p, item);
    if (p->s->mode.is_quiet) {
      free(order);
      return;
    }
    bool is_right = n && item->choices[order[n - 1]].is_right;
    review_note_asked(p->s, item, is_right, NULL);
    if (n)
      puts(is_right ? message("Right.") : message("Not quite:"));
    if (!is_right) {
      struct str right = STR_INIT;
      add_choices(p, item, order, true, &right);
      play_put(p, STYLE_PLAIN, right.data);
      str_free(&right);
    }
  }
  free(order);
  print_explanation(p, item);
}

// ---- For who reads ----

void question_show(struct play *p, const struct lesson_item *item) {
  if (item->kind != ITEM_QUIZ) {
    print_question(p, item->ask);
    return;
  }
  int *order = choice_order(item, false);
  print_quiz(p, item, order, false);
  free(order);
}

static void show_end(struct play *p, const struct lesson_item *item,
                     const char *text) {
  struct str out = STR_INIT;
  str_addf(&out, "%s%s", text, item->explain ? " " : "");
  if (item->explain)
    str_add(&out, item->explain);
  struct str wrapped = STR_INIT;
  screen_wrap(&p->s->screen, out.data, 0, &wrapped);
  str_add_char(&wrapped, '\n');
  play_put(p, STYLE_PLAIN, wrapped.data);
  str_free(&wrapped);
  str_free(&out);
}

void question_show_measured(struct play *p, const struct lesson_item *item,
                            const char *measured) {
  char *text = xasprintf("%s%s.", message("Measured: "), measured);
  show_end(p, item, text);
  free(text);
}

void question_show_typed(struct play *p, const struct lesson_item *item) {
  show_end(p, item, "Done.");
}

// ---- Reviews ----

static bool is_skip(const char *answer) {
  return !answer || !strcmp(answer, "q");
}

static enum review_outcome
review_quiz(struct play *p, const struct lesson_item *item, const int *order) {
  print_quiz(p, item, order, false);
  for (;;) {
    char *answer = ask_about(
        p, item,
        message("your answer (a number; Enter to pass, q skips these): "));
    bool skips = is_skip(answer);
    int n = skips ? 0 : atoi(answer);
    bool is_answer = skips || !*answer || (n >= 1 && n <= item->choice_count);
    free(answer);
    if (skips)
      return REVIEW_SKIPPED;
    if (!is_answer) {
      shop_print(p->s, "A number from 1 to %d, please.", item->choice_count);
      continue;
    }
    bool is_right = n && item->choices[order[n - 1]].is_right;
    if (n)
      puts(is_right ? message("Right.") : message("Not quite:"));
    struct str right = STR_INIT;
    if (!is_right)
      add_choices(p, item, order, true, &right);
    play_put(p, STYLE_PLAIN, right.data);
    str_free(&right);
    return is_right ? REVIEW_RIGHT : REVIEW_MISSED;
  }
}

// The cell that the prediction spoke of.
static void print_predicted(struct play *p, const struct lesson *l,
                            const struct lesson_item *item) {
  bool has_cell = item + 1 < l->items + l->item_count && item[1].is_run &&
                  item[1].kind != ITEM_CHECK;
  struct str out = STR_INIT;
  for (const char *t = has_cell ? item[1].text : ""; *t;) {
    size_t n = strcspn(t, "\n");
    str_addf(&out, "  %.*s\n", (int)n, t);
    t += n + (t[n] == '\n');
  }
  play_put(p, STYLE_CODE, out.data);
  str_free(&out);
}

static bool is_same_value(const char *guess, const char *measured) {
  char *a, *b;
  double x = strtod(guess, &a), y = strtod(measured, &b);
  if (a != guess && !*a && b != measured && !*b)
    return x == y;
  return !strcmp(guess, measured);
}

static enum review_outcome review_prediction(struct play *p,
                                             const struct lesson *l,
                                             const struct lesson_item *item,
                                             const char *measured) {
  print_predicted(p, l, item);
  print_question(p, item->ask);
  char *guess = ask_about(
      p, item, message("your guess (Enter to pass, q skips these): "));
  bool skips = is_skip(guess);
  bool is_right = !skips && is_same_value(guess, measured);
  if (!skips)
    shop_print(p->s, "It was %s%s", measured,
               is_right ? message(" - as you said.") : ".");
  free(guess);
  return skips ? REVIEW_SKIPPED : is_right ? REVIEW_RIGHT : REVIEW_MISSED;
}

enum review_outcome question_review(struct play *p, const struct lesson *l,
                                    const struct lesson_item *item,
                                    const char *measured) {
  int *order = choice_order(item, true);
  enum review_outcome outcome = item->kind == ITEM_QUIZ
                                    ? review_quiz(p, item, order)
                                    : review_prediction(p, l, item, measured);
  free(order);
  if (outcome != REVIEW_SKIPPED)
    print_explanation(p, item);
  return outcome;
}

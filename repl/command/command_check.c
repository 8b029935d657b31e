// SPDX-License-Identifier: Apache-2.0
// Exercises at the prompt: :check, :hint, :solution, :reset.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "grade/check/check.h"
#include "grade/input/input.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/exercise/exercise.h"
#include "repl/lesson/lesson.h"
#include "repl/tui/tui.h"

static bool is_cancelled(void *context) {
  (void)context;
  return bind_is_interrupted();
}

static bool report(struct shop *s, const struct err_info *e) {
  shop_warn(s, "%s", e->text);
  return false;
}

// Takes the exercise from the argument, else the one that the lesson set. A
// name that is none leaves the one that is open.
static bool take_exercise(struct shop *s, const char *name,
                          struct err_info *e) {
  struct check_about about;
  if (check_about(name, &about, e))
    return false;
  check_about_free(&about);
  snprintf(s->exercise, sizeof s->exercise, "%s", name);
  s->hints = 0;
  return true;
}

bool check_take(struct shop *s, const char *name) {
  struct err_info e = {0};
  return take_exercise(s, name, &e);
}

static bool choose_exercise(struct shop *s, const char *name) {
  struct err_info e = {0};
  if (*name && strcmp(name, s->exercise) && !take_exercise(s, name, &e))
    return report(s, &e);
  if (*s->exercise)
    return true;
  shop_warn(s, "No exercise is open: name one, such as :check vector-add, or "
               "go to the page that sets it.");
  return false;
}

// ---- :check ----

static bool open_judge(struct shop *s) {
  struct err_info e = {0};
  return !hand_in_open(s, is_cancelled, NULL, &e) || report(s, &e);
}

// ---- A race that the judge saw, for :race ----

static void set_text(lua_State *L, const char *name, const char *text) {
  if (!text)
    return;
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

static void set_triple(lua_State *L, const char *name, const uint32_t x[3]) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, x[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, name);
}

// One of the two threads, as `d` tells it or its other party.
static void set_side(lua_State *L, const struct verdict_diagnostic *d,
                     const struct gpu_place *p, const char *source) {
  static const char *const access[] = {"access", "read", "write", "atomic"};
  const uint32_t *size = d->size, *t = p->thread;
  for (int i = 1; i < p->line && source && *source; i++) {
    source += strcspn(source, "\n");
    source += *source == '\n';
  }
  if (source && p->line > 0) {
    lua_pushlstring(L, source, strcspn(source, "\r\n"));
    lua_setfield(L, -2, "text");
  }
  set_triple(L, "block", p->block);
  set_triple(L, "thread", t);
  set_text(L, "access", access[p->access & 3]);
  lua_pushinteger(L, p->line);
  lua_setfield(L, -2, "line");
  if (!size[0])
    return;
  lua_pushinteger(L, (t[0] + size[0] * (t[1] + size[1] * t[2])) / 32);
  lua_setfield(L, -2, "warp");
}

// Races of visible cases alone have two threads to show.
static void keep_races(struct shop *s, const struct verdict *v,
                       const char *source) {
  static const char *const spaces[] = {"", "global", "shared"};
  lua_State *L = s->L;
  for (int i = v->diagnostic_count; i-- > 0;) {
    const struct verdict_diagnostic *d = &v->diagnostics[i];
    struct gpu_place at = {.line = d->line, .access = (int32_t)d->access};
    if (!d->has_thread || !d->other.access || strcmp(d->kind, "race") != 0)
      continue;
    memcpy(at.block, d->block, sizeof at.block);
    memcpy(at.thread, d->thread, sizeof at.thread);
    lua_newtable(L);
    set_text(L, "kind", d->kind);
    set_text(L, "file", d->file);
    set_text(L, "cell", d->cell);
    set_text(L, "value", d->value);
    lua_pushinteger(L, d->interval);
    lua_setfield(L, -2, "interval");
    lua_pushinteger(L, d->first);
    lua_setfield(L, -2, "first");
    set_text(L, "explain", d->explain);
    set_text(L, "space",
             d->space <= GPU_SPACE_SHARED ? spaces[d->space] : NULL);
    set_side(L, d, &at, source);
    lua_newtable(L);
    set_text(L, "value", d->other_value);
    set_side(L, d, &d->other, source);
    lua_setfield(L, -2, "other");
    eval_keep_race(s);
    lua_pop(L, 1);
  }
}

static bool judge(struct shop *s, const char *name, const char *text) {
  struct verdict *verdict;
  struct err_info e = {0};
  char *page, *file = xstrdup(name);
  terminal_catch_interrupts(true);
  struct hand_in h = {{s->exercise, file, text}, is_cancelled, NULL};
  enum err err = hand_in(s, &h, &verdict, &page, &e);
  terminal_catch_interrupts(false);
  free(file);
  if (err)
    return report(s, &e);
  bool passed = verdict->verdict == VERDICT_PASS;
  shop_report(s, page);
  keep_races(s, verdict, text);
  if (s->has_just_passed) {
    exercises_show_editorial(s, s->exercise);
    terminal_catch_interrupts(true);
    ending_show(s, s->exercise, is_cancelled, NULL);
    terminal_catch_interrupts(false);
  }
  free(page);
  verdict_free(verdict);
  return passed;
}

// Nothing was typed since the exercise was set: what an earlier session left.
static void take_draft(struct shop *s) {
  char *text = *s->work ? NULL : draft_read(DRAFT_EXERCISE, s->exercise);
  if (text)
    eval_keep_work(s, text);
  free(text);
}

static bool is_asked_for(const struct check_about *about, const char *name) {
  for (int i = 0; i < about->kernel_count; i++)
    if (!strcmp(about->kernels[i], name))
      return true;
  return false;
}

// A kernel of another name that compiles was for something else, where one that
// the exercise names was written, too.
static void choose_kernel(struct shop *s, const struct check_about *about) {
  if (!*s->work || !s->work_compiles || is_asked_for(about, s->work))
    return;
  for (int i = 0; i < about->kernel_count; i++)
    if (eval_is_work(s, about->kernels[i])) {
      snprintf(s->work, sizeof s->work, "%s", about->kernels[i]);
      return;
    }
}

// What was typed, or the file that was loaded, where the function of that name
// was defined; NULL: there is none. The caller frees it.
static char *lua_function_text(struct shop *s, const char *name) {
  lua_Debug ar;
  char *text = NULL;
  lua_pushglobaltable(s->L);
  lua_pushstring(s->L, name);
  if (lua_rawget(s->L, -2) == LUA_TFUNCTION && !lua_iscfunction(s->L, -1)) {
    lua_pushvalue(s->L, -1);
    lua_getinfo(s->L, ">S", &ar);
    text = bind_lines(s->L, ar.source + strspn(ar.source, "@="), 1, INT_MAX);
  }
  lua_pop(s->L, 2);
  return text;
}

static bool check_lua(struct shop *s, const char *name) {
  char *text = lua_function_text(s, name);
  if (!text) {
    shop_warn(s,
              "Type the function %s first, or :load a file that has it; "
              "then :check.",
              name);
    return false;
  }
  char *file = xasprintf("%s.lua", name);
  bool fine = open_judge(s) && judge(s, file, text);
  free(file);
  free(text);
  return fine;
}

static bool check_kernels(struct shop *s, const struct check_about *about) {
  take_draft(s);
  choose_kernel(s, about);
  char *text = eval_work_source(s, about->kernels, about->kernel_count);
  if (!text) {
    shop_warn(s, "Type the kernel first, or :edit the starter; then :check.");
    return false;
  }
  char *file = xasprintf("%s.cu", s->work);
  bool fine = open_judge(s) && judge(s, file, text);
  free(file);
  free(text);
  return fine;
}

// A script is a file of the learner's own, which nothing here runs.
static char *script_path(const char *exercise) {
  const char *slash = strrchr(exercise, '/');
  return xasprintf("%s.sh", slash ? slash + 1 : exercise);
}

static bool check_script(struct shop *s) {
  char *path = script_path(s->exercise), *text = NULL;
  size_t bytes;
  struct err_info e = {0};
  bool fine = false;
  if (access(path, F_OK))
    shop_warn(s, "There is no %s here yet: :edit begins it.", path);
  else if (file_read(path, SOURCE_MAX_BYTES, &text, &bytes, &e))
    shop_warn(s, "%s", e.text);
  else
    fine = open_judge(s) && judge(s, path, text);
  free(text);
  free(path);
  return fine;
}

bool check_edit_script(struct shop *s) {
  char *path = script_path(s->exercise), *starter = check_starter(s);
  struct err_info e = {0};
  bool fine = starter != NULL;
  if (fine && access(path, F_OK) &&
      file_write(path, starter, strlen(starter), 0644, &e)) {
    shop_warn(s, "%s", e.text);
    fine = false;
  }
  fine = fine && terminal_edit(s, path) && check_script(s);
  free(starter);
  free(path);
  return fine;
}

bool check_is_script(const struct shop *s) {
  struct check_about about;
  bool is_script = false;
  if (*s->exercise && !check_about(s->exercise, &about, NULL)) {
    is_script = about.is_script;
    check_about_free(&about);
  }
  return is_script;
}

bool command_check(struct shop *s, const char *args_text) {
  struct check_about about;
  struct err_info e = {0};
  if (!choose_exercise(s, args_text))
    return false;
  if (check_about(s->exercise, &about, &e))
    return report(s, &e);
  bool fine = about.is_script ? check_script(s)
              : about.is_lua  ? check_lua(s, about.kernel)
                              : check_kernels(s, &about);
  check_about_free(&about);
  return fine;
}

void check_forget_judge(struct shop *s) {
  check_close(s->judge);
  s->judge = NULL;
}

// ---- :exercise ----

static bool open_exercise(struct shop *s, const char *name) {
  struct check_about about;
  struct err_info e = {0};
  if (check_about(name, &about, &e))
    return report(s, &e);
  snprintf(s->exercise, sizeof s->exercise, "%s", name);
  s->hints = 0;
  seat_tell(s, EVENT_BEGIN, name, "", "");
  eval_forget_work(s); // what was typed for something else is no solution
  exercises_print_task(s, name, &about);
  shop_print(s, about.is_script ? ":edit it, then :check."
                : about.is_lua  ? "Type the function, then :check."
                                : "Type it or :edit it, then :check.");
  check_about_free(&about);
  return true;
}

bool command_exercise(struct shop *s, const char *args_text) {
  if (!*args_text || !strcmp(args_text, "list"))
    return exercises_list(s);
  if (strcmp(args_text, "next") != 0) {
    bool has_start = str_starts(args_text, "start ");
    return open_exercise(s, args_text + (has_start ? 6 : 0));
  }
  char *name = exercises_next(s->journal, *s->exercise ? s->exercise : NULL);
  bool fine = name && open_exercise(s, name);
  if (!name)
    exercises_print_end(s, *s->exercise ? s->exercise : NULL);
  free(name);
  return fine || !name;
}

// ---- :hint ----

// A line that the page asks for has no hints but its answer.
static bool is_for_line(const struct shop *s, const char *args_text) {
  return !*args_text && !*s->exercise && s->wanted;
}

bool command_hint(struct shop *s, const char *args_text) {
  if (!*args_text && s->asked) {
    question_hint(s);
    return true;
  }
  if (!*args_text && s->wanted) { // asked last, or it would be gone
    question_show_answer(s);
    if (*s->exercise)
      shop_note(s, ":hint %s helps with the exercise", s->exercise);
    return true;
  }
  return choose_exercise(s, args_text) && exercises_hint(s, s->exercise, NULL);
}

// ---- :solution, :reset ----

// The starter of the exercise; the caller frees it.
static char *starter_text(struct shop *s) {
  struct err_info e = {0};
  char *starter, *solution;
  if (check_texts(s->exercise, &starter, &solution, &e)) {
    report(s, &e);
    return NULL;
  }
  free(solution);
  return starter;
}

char *check_starter(struct shop *s) {
  return *s->exercise ? starter_text(s) : NULL;
}

bool command_solution(struct shop *s, const char *args_text) {
  if (!*args_text && s->asked) {
    shop_print(s, "Enter alone passes the question, and shows what is right.");
    return true;
  }
  if (is_for_line(s, args_text))
    return command_hint(s, args_text);
  return choose_exercise(s, args_text) &&
         exercises_show_solution(s, s->exercise, true);
}

bool command_reset(struct shop *s, const char *args_text) {
  if (!choose_exercise(s, args_text))
    return false;
  char *text = starter_text(s);
  if (text) {
    char *old = draft_set_aside(DRAFT_EXERCISE, s->exercise);
    eval_forget_work(s);
    s->hints = 0;
    shop_print(s, "%s:edit opens this, with an empty kernel to fill in.\n",
               text);
    if (old)
      shop_print(s, "What you had is kept in %s", old);
    free(old);
  }
  free(text);
  return text != NULL;
}

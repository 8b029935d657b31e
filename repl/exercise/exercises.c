// SPDX-License-Identifier: Apache-2.0
// The exercises in their order, hints and solutions.
#include "repl/exercise/exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "cluster/cluster.h"
#include "grade/exercise/exercise.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"

// ---- In order ----

// It asks for a real GPU, and there is none. What a device's memory or capability
// lacks shows only once it is judged.
static bool lacks_gpu(const char *name) {
  struct check_about about;
  if (check_about(name, &about, NULL))
    return false;
  bool lacks = about.needs_gpu && !login_has_gpu();
  check_about_free(&about);
  return lacks;
}

char *exercises_next(const struct journal *j, const char *after) {
  char **names, *first = NULL, *next = NULL;
  int count;
  struct err_info e;
  if (exercise_names(&names, &count, &e))
    return NULL;
  bool is_behind = false;
  for (int i = 0; i < count && !next; i++) {
    if (after && !strcmp(names[i], after)) {
      is_behind = true;
      continue;
    }
    struct exercise_progress p = progress_of(j, names[i]);
    if ((first && !is_behind) || p.has_passed || p.was_skipped ||
        lacks_gpu(names[i]))
      continue;
    if (!first)
      first = names[i];
    if (is_behind || !after)
      next = names[i];
  }
  next = next ? next : first;
  next = next ? xstrdup(next) : NULL;
  exercise_names_free(names, count);
  return next;
}

void exercises_print_end(struct shop *s, const char *except) {
  char **names;
  int count, left = 0;
  struct err_info e;
  if (exercise_names(&names, &count, &e))
    return;
  for (int i = 0; i < count; i++)
    left += !progress_of(s->journal, names[i]).has_passed &&
            (!except || strcmp(names[i], except) != 0);
  exercise_names_free(names, count);
  const char *others = except ? message("other ") : "";
  if (left)
    shop_print(s,
               "All %sexercises that this machine can judge have passed. %d "
               "cannot be judged here; exercise list says what they need.",
               others, left);
  else
    shop_print(s, "All %sexercises have passed.", others);
}

bool exercises_need_hardware(const char *name) {
  struct check_about about;
  if (check_about(name, &about, NULL))
    return false;
  bool needs = about.hardware != NULL;
  check_about_free(&about);
  return needs;
}

void exercises_count(const struct journal *j, int *passed, int *all) {
  char **names;
  struct err_info e;
  *passed = *all = 0;
  if (exercise_names(&names, all, &e))
    return;
  for (int i = 0; i < *all; i++)
    *passed += progress_of(j, names[i]).has_passed;
  exercise_names_free(names, *all);
}

static void add_row(struct shop *s, const char *name, const char *next,
                    struct str *out) {
  struct check_about about;
  struct err_info e = {0};
  if (check_about(name, &about, &e)) {
    str_addf(out, "  %s: %s\n", name, e.text);
    return;
  }
  struct exercise_progress p = progress_of(s->journal, name);
  struct str done = STR_INIT;
  bool is_next = next && !strcmp(name, next);
  progress_add_text(&p, &done);
  str_addf(out, "%s %-20s %3d min  %s%s%s%s%s%s\n", is_next ? ">" : " ", name,
           about.minutes, about.title, done.len ? " · " : "", done.data,
           is_next ? message(" · next") : "",
           about.hardware ? message(" · needs ") : "",
           about.hardware ? about.hardware : "");
  str_free(&done);
  check_about_free(&about);
}

bool exercises_list(struct shop *s) {
  char **names;
  int count, passed = 0;
  struct err_info e = {0};
  if (exercise_names(&names, &count, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  struct str out = STR_INIT;
  char *next = exercises_next(s->journal, NULL);
  for (int i = 0; i < count; i++) {
    add_row(s, names[i], next, &out);
    passed += progress_of(s->journal, names[i]).has_passed;
  }
  str_addf(&out, message("%d of %d have passed\n"), passed, count);
  shop_print(s, "%s", out.data);
  str_free(&out);
  free(next);
  exercise_names_free(names, count);
  return true;
}

void exercises_add_code(const struct check_about *about, struct str *out) {
  if (!about->code)
    return;
  str_add(out, message("  The code that is there:\n"));
  for (const char *at = about->code; *at;) {
    size_t n = strcspn(at, "\n");
    str_addf(out, "%s%.*s\n", n ? "    " : "", (int)n, at);
    at += n + (at[n] == '\n');
  }
}

void exercises_print_task(struct shop *s, const char *name,
                          const struct check_about *about) {
  struct str code = STR_INIT;
  exercises_add_code(about, &code);
  shop_print(s, "%s · %s (%d min)\n  %s\n    %s\n%s", name, about->title,
             about->minutes, about->task, about->signature,
             code.len ? code.data : "");
  str_free(&code);
}

// ---- Hints ----

static void record(struct shop *s, const char *kind, const char *name,
                   const char *value) {
  struct err_info e;
  if (journal_add(s->journal, kind, name, value, &e))
    shop_say("progress is not kept: %s", e.text);
}

bool exercises_hint(struct shop *s, const char *name, const char *key) {
  struct err_info e = {0};
  const char *way =
      s->mode.is_prompt ? ":solution" : "warpshop exercise solution ";
  int count;
  char number[16], *hint = check_hint(name, s->hints, &count, &e);
  if (hint) {
    snprintf(number, sizeof number, "%d", ++s->hints);
    record(s, "hint", name, number);
    seat_tell(s, EVENT_HINT, name, number, "");
    shop_print(s, "(%d of %d) %s", s->hints, count, hint);
  } else if (count) {
    shop_print(s, "Those were all %d hints. %s%s shows the solution.", count,
               key ? key : way, key || s->mode.is_prompt ? "" : name);
  } else {
    shop_warn(s, "%s", e.text);
  }
  free(hint);
  return count > 0;
}

// ---- Solutions ----

static bool is_confirmed(struct shop *s) {
  if (!s->screen.is_terminal)
    return true;
  char *answer =
      terminal_ask(message("Show the solution? Your own try is worth more. "
                           "[y/N] "),
                   message("Enter alone is no"));
  bool yes = answer && (*answer == 'y' || *answer == 'Y');
  free(answer);
  return yes;
}

// The course may keep solutions from who has not passed.
static bool is_kept_back(struct shop *s, const char *name, bool has_passed) {
  struct check_about about;
  if (has_passed || check_about(name, &about, NULL))
    return false;
  bool is_locked = about.is_locked;
  check_about_free(&about);
  if (is_locked)
    shop_warn(s, "This course shows a solution to those who have passed. :hint "
                 "helps on the way.");
  return is_locked;
}

void exercises_show_editorial(struct shop *s, const char *name) {
  char *text = check_editorial(name);
  if (text)
    shop_print(s, "%s", text);
  free(text);
}

bool exercises_show_solution(struct shop *s, const char *name, bool asks) {
  struct err_info e = {0};
  char *starter, *solution;
  bool has_passed = progress_of(s->journal, name).has_passed;
  if (is_kept_back(s, name, has_passed))
    return false;
  if (check_texts(name, &starter, &solution, &e)) {
    shop_warn(s, "%s", e.text);
    return false;
  }
  bool shows = has_passed || !asks || is_confirmed(s);
  if (shows && !has_passed)
    record(s, "solution", name, "shown");
  if (shows) {
    shop_print(s, "%s", solution);
    exercises_show_editorial(s, name);
  }
  free(starter);
  free(solution);
  return shows;
}

// SPDX-License-Identifier: Apache-2.0
// :attempts: what was handed in before, and what changed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "grade/check/check.h"
#include "repl/command/command.h"
#include "repl/progress/progress.h"
#include "repl/tui/tui.h"

static void add_rows(const struct attempts *all, struct str *out) {
  for (int i = 0; i < all->count; i++) {
    const struct attempt *a = &all->list[i];
    time_t seconds = (time_t)(a->time_ms / 1000);
    struct tm tm;
    char when[32];
    localtime_r(&seconds, &tm);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    str_addf(out, "%3d  %s  %-13s %7s%s%s\n", i + 1, when, a->verdict, a->score,
             *a->code ? "  " : "", a->code);
  }
}

// Lines led by "-" were in the older text, by "+" are in the newer one.
static bool add_change(struct shop *s, const struct attempts *all, int from,
                       int to, struct str *out) {
  const struct attempt *a = &all->list[from - 1], *b = &all->list[to - 1];
  if (!strcmp(a->text, b->text)) {
    str_addf(out, message("Attempts %d and %d are the same text.\n"), from, to);
    return true;
  }
  char old[32], new[32];
  snprintf(old, sizeof old, "attempt %d", from);
  snprintf(new, sizeof new, "attempt %d", to);
  if (attempts_add_difference(old, a->text, new, b->text, out))
    return true;
  shop_warn(s, "What changed is shown by diff, which is not installed here "
               "(Debian's package diffutils).");
  return false;
}

// "[EXERCISE] [N M]", "[EXERCISE] [N]": the attempts whose texts are compared;
// without numbers the last two. False for nonsense.
static bool read_numbers(const char *text, int count, int *from, int *to) {
  char rest;
  int n = sscanf(text, "%d %d %c", from, to, &rest);
  if (n <= 0 && *text)
    return false;
  if (n <= 0)
    *to = count, *from = count - 1;
  if (n == 1)
    *to = *from, *from = *to - 1;
  return n < 3 && *from >= (n > 1) && *to >= 1 && *from <= count &&
         *to <= count;
}

static bool show(struct shop *s, const char *name, const char *numbers) {
  struct attempts all;
  struct str out = STR_INIT;
  int from, to;
  bool fine = true;
  attempts_read(NULL, name, &all);
  if (!all.count) {
    shop_print(s,
               "Nothing was handed in for %s yet: :check keeps each attempt.",
               name);
  } else if (!read_numbers(numbers, all.count, &from, &to)) {
    shop_warn(s,
              ":attempts compares two attempts by their numbers, from 1 to %d: "
              ":attempts %s 1 %d",
              all.count, name, all.count);
    fine = false;
  } else {
    if (!*numbers) {
      str_addf(&out, "%s\n", name);
      add_rows(&all, &out);
    }
    if (from >= 1)
      fine = add_change(s, &all, from, to, &out);
    shop_print(s, "%s", out.data);
  }
  str_free(&out);
  attempts_free(&all);
  return fine;
}

bool command_attempts(struct shop *s, const char *args_text) {
  size_t n = strcspn(args_text, " \t");
  bool is_named = n && !strchr("0123456789-", *args_text);
  char *name = is_named ? xstrndup(args_text, n) : xstrdup(s->exercise);
  const char *numbers = is_named ? args_text + n : args_text;
  struct check_about about;
  struct err_info e = {0};
  bool fine = false;
  if (!*name)
    shop_warn(s,
              "No exercise is open: name one, such as :attempts vector-add.");
  else if (check_about(name, &about, &e))
    shop_warn(s, "%s", e.text);
  else {
    check_about_free(&about);
    fine = show(s, name, numbers + strspn(numbers, " \t"));
  }
  free(name);
  return fine;
}

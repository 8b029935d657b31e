// SPDX-License-Identifier: Apache-2.0
// :history, :transcript: what was typed, and what came of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/tui/tui.h"

// ---- :history ----

// Further lines stand below the first.
static void add_entry(struct str *out, int number, const char *entry) {
  str_addf(out, "%5d  ", number);
  for (; *entry; entry++) {
    str_add_char(out, *entry);
    if (*entry == '\n')
      str_addf(out, "%7s", "");
  }
  str_add_char(out, '\n');
}

// The line that asks is remembered, too; it is no answer.
static bool is_this(int i, const char *entry, const char *args_text) {
  return !terminal_remembered(i + 1) && strchr(":%", *entry) &&
         str_ends(entry, args_text);
}

bool command_history(struct shop *s, const char *args_text) {
  struct str out = STR_INIT;
  const char *entry;
  for (int i = 0; (entry = terminal_remembered(i)); i++)
    if (strstr(entry, args_text) && !is_this(i, entry, args_text))
      add_entry(&out, i + 1, entry);
  bool is_found = out.len > 0;
  if (is_found)
    pager_print(s, out.data);
  else if (*args_text)
    shop_warn(s, "Nothing that you typed holds \"%s\".", args_text);
  else
    shop_warn(s, "Nothing is kept yet; what comes from a pipe never is.");
  str_free(&out);
  return is_found;
}

// ---- :rerun ----

static bool is_rerun(const char *entry) {
  size_t n = strcspn(entry, " ");
  return (n == 2 && str_starts(entry, ":r")) ||
         (n > 3 && !strncmp(entry, ":rerun", n)) || str_starts(entry, "%rerun");
}

// The newest `n`, each on lines of its own; how many there were.
static int add_newest(int n, struct str *out) {
  const char *entry;
  int count = 0, found = 0;
  while (terminal_remembered(count))
    count++;
  while (count > 0 && found < n)
    found += !is_rerun(terminal_remembered(--count));
  for (; (entry = terminal_remembered(count)); count++)
    if (!is_rerun(entry))
      str_addf(out, "%s%s", out->len ? "\n" : "", entry);
  return found;
}

// Each is shown, for nobody knows for sure what was last but two.
bool command_rerun(struct shop *s, const char *args_text) {
  struct str text = STR_INIT;
  int n = *args_text ? atoi(args_text) : 1,
      found = n > 0 ? add_newest(n, &text) : 0;
  bool fine = found == n && n > 0;
  if (n <= 0)
    shop_warn(s, ":rerun takes a number: how many of the last entries, such as "
                 ":rerun 3");
  else if (!fine)
    shop_warn(s, found
                     ? "So many are not kept: :history shows them."
                     : "Nothing is kept yet; what comes from a pipe never is.");
  if (fine) {
    bool echoed = s->mode.echoes;
    s->mode.echoes = true;
    fine = eval_lines(s, text.data);
    s->mode.echoes = echoed;
  }
  str_free(&text);
  return fine;
}

// ---- :transcript ----

// A fence that the text does not end: longer than its longest row of "`".
static int fence_of(const char *text) {
  int longest = 2, row = 0;
  for (; *text; text++) {
    row = *text == '`' ? row + 1 : 0;
    longest = row > longest ? row : longest;
  }
  return longest + 1;
}

static void add_fenced(struct str *out, const char *language,
                       const char *text) {
  static const char ticks[] = "````````````````````";
  int n = fence_of(text) < 20 ? fence_of(text) : 20;
  size_t bytes = strlen(text);
  str_addf(out, "%.*s%s\n%s%s%.*s\n\n", n, ticks, language, text,
           bytes && text[bytes - 1] == '\n' ? "" : "\n", n, ticks);
}

static void add_turn(void *context, const char *typed, const char *shown) {
  struct str *out = context;
  if (!typed[strspn(typed, " \t\n")] || str_starts(typed, ":transcript "))
    return;
  add_fenced(out, input_starts_cuda(typed) ? "cuda" : "lua", typed);
  if (shown[strspn(shown, " \t\n")])
    add_fenced(out, "", shown);
}

// ":transcript today" means today.md.
static char *transcript_path(const char *name) {
  const char *slash = strrchr(name, '/');
  bool has_end = !*name || strchr(slash ? slash : name, '.');
  return xasprintf("%s%s", name, has_end ? "" : ".md");
}

bool command_transcript(struct shop *s, const char *args_text) {
  struct str out = STR_INIT;
  char *path = transcript_path(args_text);
  struct err_info e = {0};
  bool fine = false;
  transcript_each(add_turn, &out);
  if (!str_ends(path, ".md"))
    shop_warn(s, ":transcript takes the name of a .md file, such as today.md");
  else if (!out.len)
    shop_warn(s, "Nothing is kept yet; what comes from a pipe never is.");
  else if (!access(path, F_OK))
    shop_warn(s, "%s is there: choose a name of its own.", path);
  else if (file_write(path, out.data, out.len, 0644, &e))
    shop_warn(s, "%s", e.text);
  else {
    shop_print(s, "%s: %zu bytes are saved", path, out.len);
    fine = true;
  }
  free(path);
  str_free(&out);
  return fine;
}

// SPDX-License-Identifier: Apache-2.0
// The prompt: lines are read, run and remembered, until the person leaves.
#include "repl/prompt/prompt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text/text.h"
#include "base/tree.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/eval.h"
#include "repl/exercise/exercise.h"
#include "repl/lesson/lesson.h"
#include "repl/progress/progress.h"
#include "repl/prompt/complete.h"
#include "repl/prompt/history.h"
#include "repl/tui/tui.h"
#include "repl/workbook/workbook.h"

// ---- The prompt's text ----

enum { PROMPT_BYTES = 280 };

// `more` is as wide, and stands before further lines. The exercise that is being
// worked on is named where the prompt leaves most of the row.
static void prompt_text(struct shop *s, char *out, char *more) {
  char first[260], place[120], device[200], page[24] = "";
  bool is_far = bind_device_place(s->L, place, sizeof place);
  snprintf(device, sizeof device, "%.70s%s%s", bind_device_id(s->L),
           is_far ? " on " : "", is_far ? place : "");
  if (s->lesson && !s->is_free)
    snprintf(page, sizeof page, "%d.%d ", s->lesson_number, s->page + 1);
  int n = snprintf(first, sizeof first, "%s%s%s%s", s->exercise,
                   *s->exercise ? " " : "", page, device);
  if (*s->exercise && n + 2 > s->screen.columns * 2 / 5)
    n = snprintf(first, sizeof first, "%s%s", page, device);
  snprintf(more, PROMPT_BYTES, "%*s ", n + 1, ".");
  snprintf(out, PROMPT_BYTES, "%s> ", first);
}

// ---- The session ----

struct session {
  struct shop *s;
  struct input in;  // what was read and is not whole yet
  struct str entry; // the same as it was typed, for the history
  struct history history;
};

static void remember_entry(const char *entry) {
  terminal_remember(entry);
}

static void reap(void *context) {
  const struct shop *s = context;
  bind_reap(s->L);
}

static char **complete(void *context, const char *line, int start, int end,
                       bool is_debugging) {
  return is_debugging ? complete_debug(line, start, end)
                      : complete_line(context, line, start, end);
}

// Two empty lines in a row: perhaps somebody wants out.
#define STILL_OPEN "{ ( \" or /* is still open: Ctrl-C gives up, :edit opens it"

// ":quit", "help": a line of somebody who believes to be at the prompt.
static bool is_meant_for_prompt(const char *text) {
  static const char *const words[] = {"quit",   "exit", "quit()",
                                      "exit()", "help", "help()"};
  const char *newline = strrchr(text, '\n'),
             *line = newline ? newline + 1 : text;
  line += strspn(line, " \t");
  if (*line == ':' && line[1] >= 'a' && line[1] <= 'z')
    return !strpbrk(line, "({;");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(line, words[i]))
      return true;
  return false;
}

static bool is_whole(void *context, const char *text, struct str *note) {
  const struct shop *s = context;
  int empty_lines;
  if (input_is_whole(s->L, text, &empty_lines))
    return true;
  if (is_meant_for_prompt(text))
    str_add(
        note,
        message("part of a text that is not whole yet: Ctrl-C gives it up"));
  else if (empty_lines == 2)
    str_add(note, STILL_OPEN);
  return false;
}

enum { MAX_TEXT = 1 << 20 };

static bool edit_file(struct shop *s, const char *path, struct str *text) {
  struct err_info e;
  char *edited;
  size_t bytes;
  enum err err = file_write(path, text->data, text->len, 0600, &e);
  if (!err && !terminal_edit(s, path))
    return false;
  if (err || file_read(path, MAX_TEXT, &edited, &bytes, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  while (bytes && strchr("\r\n", edited[bytes - 1]))
    edited[--bytes] = 0;
  str_clear(text);
  str_add(text, edited);
  free(edited);
  return true;
}

// In a folder of its own, where what the editor leaves beside it is, too.
static bool edit(void *context, struct str *text) {
  const char *tmp = getenv("TMPDIR");
  char *folder = xasprintf("%s/warpshop.XXXXXX", tmp && *tmp ? tmp : "/tmp");
  bool fine = mkdtemp(folder) != NULL;
  if (!fine)
    shop_say("no file can be made: %s: %s", folder, strerror(errno));
  char *path = xasprintf("%s/text.%s", folder,
                         input_starts_cuda(text->data) ? "cu" : "lua");
  if (fine) {
    fine = edit_file(context, path, text);
    tree_remove(folder);
  }
  free(path);
  free(folder);
  return fine;
}

static enum terminal_left look(void *context) {
  struct shop *s = context;
  if (eval_has_left_failure(s))
    return LEFT_FAILED;
  return bind_is_unsettled(s->L) ? LEFT_RUNNING : LEFT_NOTHING;
}

static void tell(void *context) {
  eval_show_error(context);
}

static void open_terminal(struct session *n) {
  struct err_info e;
  terminal_open(&(struct terminal_session){
      .context = n->s,
      .reap = reap,
      .complete = complete,
      .breaks = complete_breaks,
      .is_whole = is_whole,
      .is_cuda_line = input_starts_cuda,
      .edit = edit,
      .look = look,
      .tell = tell,
      .has_colour = n->s->screen.has_colour,
  });
  if (history_open(&n->history, remember_entry, &e))
    shop_say("history is not kept: %s", e.text);
}

static void remember(struct session *n, const char *text) {
  struct err_info e;
  if (terminal_remember(text) && history_append(&n->history, text, &e))
    shop_say("history is not kept: %s", e.text);
}

static void say_what_is_open(struct shop *s, const struct input *in) {
  if (in->is_cuda && in->empty_lines == 2)
    shop_note(s, "(" STILL_OPEN ")");
}

// Before it runs: what hangs or ends the program is wanted back most.
static bool remember_whole(struct session *n) {
  int empty_lines;
  if (!input_is_whole(n->s->L, n->entry.data, &empty_lines))
    return false;
  terminal_end_text();
  remember(n, n->entry.data);
  return true;
}

// What was read may hold several lines (a paste); after an error the rest of
// them is dropped, for it may rest on what failed.
static void feed(struct session *n, char *text) {
  struct shop *s = n->s;
  struct input *in = &n->in;
  struct str *entry = &n->entry;
  bool failed = false, more = false;
  char *rest = text;
  if (entry->len)
    str_add_char(entry, '\n');
  str_add(entry, text);
  bool is_kept = remember_whole(n);
  for (char *line; !failed && !s->wants_quit && (line = strsep(&rest, "\n"));)
    more = eval_line(s, in, line, &failed);
  if (more) {
    say_what_is_open(s, in);
    const char *newline = strrchr(entry->data, '\n');
    terminal_remember_line(newline ? newline + 1 : entry->data);
  } else {
    terminal_end_text();
    if (!is_kept)
      remember(n, entry->data);
    const char *first = entry->data + strspn(entry->data, " \t");
    bool is_command = *first == ':' || *first == '?';
    str_clear(entry);
    question_typed(s, is_command);
    seat_tell_run(s, s->lesson ? s->lesson->name : "");
  }
}

// Ctrl-C inside a text: CUDA C that somebody began is kept.
static void give_up(struct session *n, const char *line) {
  struct input *in = &n->in;
  terminal_end_text();
  if (!in->text.len && strchr(line, '\n') && input_starts_cuda(line)) {
    str_add(&in->text, line);
    in->is_cuda = true;
    line = "";
  }
  if (in->is_cuda && in->text.len) {
    if (*line)
      str_addf(&in->text, "\n%s", line);
    eval_keep_work(n->s, in->text.data);
    shop_note(n->s, "(given up; :edit opens what was typed)");
  }
  input_clear(in);
  str_clear(&n->entry);
}

static bool is_next_key(const struct shop *s, const struct input *in,
                        const char *line) {
  return ((s->lesson && !s->is_free) || s->workbook) && !in->text.len && !*line;
}

// The exercise of this page that has not passed yet, or NULL.
static const char *asked_exercise(const struct shop *s) {
  const struct lesson_page *page = &s->lesson->pages[s->page];
  for (int i = 0; i < page->count; i++) {
    const struct lesson_item *item = &s->lesson->items[page->first + i];
    if (item->kind == ITEM_EXERCISE &&
        !progress_of(s->journal, item->text).has_passed)
      return item->text;
  }
  return NULL;
}

// Enter alone goes on, but not past what the page asks for.
static void next_page(struct shop *s, struct input *in) {
  const char *name = s->workbook ? NULL : asked_exercise(s);
  bool failed = false;
  if (name)
    shop_print(s,
               "This page asks for %s: type it or :edit it, then :check %s. "
               ":next goes on without it.\n",
               name, name);
  else if (s->wanted && !s->has_reminded) {
    shop_print(s,
               "This page asks you to type something: %s Enter once more "
               "goes on without it.",
               s->wanted->ask);
    s->has_reminded = true; // not below: the next page reminds anew
  } else if (s->workbook)
    workbook_come_back(s);
  else
    eval_line(s, in, ":next", &failed);
}

static void read_and_run(struct session *n) {
  struct shop *s = n->s;
  struct input *in = &n->in;
  char prompt[PROMPT_BYTES], more[PROMPT_BYTES];
  bool cleared;
  if (!in->text.len)
    seat_listen(s);
  screen_measure(&s->screen);
  prompt_text(s, prompt, more);
  char *line = in->text.len ? terminal_line(more, &cleared)
                            : terminal_text(prompt, more, &cleared);
  if (cleared) {
    give_up(n, line);
  } else if (!line) {
    give_up(n, "");
    s->wants_quit = true;
    putchar('\n');
  } else if (is_next_key(s, in, line)) {
    next_page(s, in);
  } else {
    screen_measure(&s->screen);
    feed(n, line);
  }
  free(line);
}

// Input from a pipe: no echo, no editing, but the same lines.
static int run_piped(struct shop *s) {
  struct input in;
  char *line = NULL;
  size_t capacity = 0;
  bool failed = false;
  input_init(&in);
  for (ssize_t n;
       !s->wants_quit && (n = getline(&line, &capacity, stdin)) > 0;) {
    if (line[n - 1] == '\n')
      line[n - 1] = 0;
    if (!in.text.len)
      seat_listen(s);
    eval_line(s, &in, line, &failed);
  }
  failed |= !eval_end(s, &in);
  seat_tell(s, EVENT_END, "", "", "");
  input_free(&in);
  free(line);
  return failed ? EXIT_FAILED : EXIT_PASSED;
}

int prompt_run(struct shop *s, void (*begin)(struct shop *s)) {
  s->mode.is_prompt = true;
  if (!s->screen.is_terminal)
    return run_piped(s);
  struct session n = {.s = s, .entry = STR_INIT};
  input_init(&n.in);
  open_terminal(&n);
  if (begin)
    begin(s);
  while (!s->wants_quit)
    read_and_run(&n);
  terminal_close();
  seat_tell(s, EVENT_END, "", "", "");
  input_free(&n.in);
  str_free(&n.entry);
  history_close(&n.history);
  return EXIT_PASSED;
}

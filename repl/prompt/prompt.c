// SPDX-License-Identifier: Apache-2.0
// The prompt: reading lines with GNU Readline's callback interface, so that
// one wait sees keys, Ctrl-C and a resized window alike.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/mem.h"
#include "lua/bind/bind.h"
#include "repl/eval/input.h"
#include "repl/lesson/progress.h"
#include "repl/shop.h"

// ---- Signals ----

static atomic_bool is_running, was_interrupted, was_resized, has_lost_child,
    has_come_back;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  if (atomic_load(&is_running))
    bind_interrupt("Ctrl-C");
  else
    atomic_store(&was_interrupted, true);
}

static void on_resize(int signal_number) {
  (void)signal_number;
  atomic_store(&was_resized, true);
}

static void on_child(int signal_number) {
  (void)signal_number;
  atomic_store(&has_lost_child, true);
}

static void on_continue(int signal_number) {
  (void)signal_number;
  atomic_store(&has_come_back, true);
}

void prompt_catch_interrupts(bool running) {
  if (running)
    bind_clear_interrupt();
  atomic_store(&is_running, running);
}

void prompt_catch_signals(void) {
  struct sigaction on = {.sa_handler = on_interrupt};
  sigemptyset(&on.sa_mask);
  sigaction(SIGINT, &on, NULL);
}

// ---- One line ----

// The session, for Readline's hooks, which take no context, and the wait.
static struct shop *session;

// Readline's interface is global; these are what it hands over to.
static char *line_read;
static bool line_is_there;

static void take_line(char *line) {
  line_read = line;
  line_is_there = true;
  rl_callback_handler_remove(); // the terminal is the learner's again
}

static void start_line(const char *prompt) {
  line_is_there = false;
  line_read = NULL;
  rl_callback_handler_install(prompt, take_line);
}

static void clear_line(const char *prompt) {
  atomic_store(&was_interrupted, false);
  rl_free_line_state();
  rl_callback_sigcleanup();
  rl_replace_line("", 0);
  rl_crlf();
  rl_callback_handler_remove();
  start_line(prompt);
}

// Waits for one key or signal with SIGINT and SIGWINCH let in only here, so
// that none is missed between the test of its flag and the wait.
static void wait_for_key(const sigset_t *while_waiting) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  if (ppoll(&in, 1, NULL, while_waiting) > 0)
    rl_callback_read_char();
}

// The signals that are let in only while a key is waited for.
static void hold_signals(sigset_t *before) {
  static const int numbers[] = {SIGINT, SIGWINCH, SIGCHLD, SIGCONT};
  sigset_t caught;
  sigemptyset(&caught);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaddset(&caught, numbers[i]);
  sigprocmask(SIG_BLOCK, &caught, before);
}

// Reads one line: NULL at its end (Ctrl-D). `*cleared` is set when Ctrl-C
// threw it away: then what stood there is returned.
static char *read_line(const char *prompt, bool *cleared) {
  sigset_t before;
  hold_signals(&before);
  *cleared = false;
  start_line(prompt);
  while (!line_is_there && !*cleared) {
    wait_for_key(&before);
    if (atomic_exchange(&was_resized, false))
      rl_resize_terminal();
    if (atomic_exchange(&has_come_back, false)) { // the shell's line is there
      rl_prep_terminal(1);
      rl_forced_update_display();
    }
    if (atomic_exchange(&has_lost_child, false))
      bind_reap(session->L);
    if (atomic_load(&was_interrupted) && !line_is_there) {
      char *thrown = xstrdup(rl_line_buffer);
      clear_line(prompt);
      line_read = thrown;
      rl_callback_handler_remove();
      *cleared = true;
    }
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return line_read;
}

// Without what Ctrl-C threw away.
static char *read_answer(const char *question, bool *cleared) {
  char *line = read_line(question, cleared);
  if (!*cleared)
    return line;
  free(line);
  return NULL;
}

char *prompt_ask(const char *question) {
  bool cleared;
  char *line = read_answer(question, &cleared);
  if (!line)
    putchar('\n');
  return line;
}

char *prompt_ask_from(int key, const char *question) {
  rl_stuff_char(key);
  return prompt_ask(question);
}

// ---- One key ----

static void set_key_mode(const struct termios *lines) {
  struct termios keys = *lines;
  keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
}

// The rest of what an arrow key sends.
static void drop_pending(void) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  char rest;
  while (poll(&in, 1, 0) > 0 && read(STDIN_FILENO, &rest, 1) == 1)
    continue;
}

static int wait_for_one(const char *question, const struct termios *lines,
                        const sigset_t *before) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  unsigned char key;
  for (;;) {
    int n = ppoll(&in, 1, NULL, before);
    if (atomic_exchange(&was_interrupted, false))
      return 'q';
    if (atomic_exchange(&has_come_back, false)) {
      set_key_mode(lines);
      fputs(question, stdout);
      fflush(stdout);
    }
    if (n > 0 && read(STDIN_FILENO, &key, 1) != 1)
      return 'q'; // the terminal is gone
    if (n > 0)
      break;
  }
  if (key == 27)
    drop_pending();
  return key == 4 ? 'q' : key; // Ctrl-D
}

int prompt_key(const char *question) {
  struct termios lines;
  sigset_t before;
  if (tcgetattr(STDIN_FILENO, &lines))
    return 'q';
  hold_signals(&before);
  fputs(question, stdout);
  fflush(stdout);
  set_key_mode(&lines);
  int key = wait_for_one(question, &lines, &before);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &lines);
  sigprocmask(SIG_SETMASK, &before, NULL);
  printf("\r%*s\r", (int)strlen(question), "");
  fflush(stdout);
  return key;
}

// ---- Histories ----

// The prompt's own, the debugger's, and the lines of a text that is not whole
// yet: Up inside a kernel stays inside it.
enum which_history { OF_PROMPT, OF_DEBUGGER, OF_TEXT, HISTORIES };
static HISTORY_STATE *histories[HISTORIES]; // those that are not in use
static enum which_history history_in_use;

static void use_history(enum which_history h) {
  static HISTORY_STATE empty;
  if (h == history_in_use)
    return;
  histories[history_in_use] = history_get_history_state();
  history_set_history_state(histories[h] ? histories[h] : &empty);
  free(histories[h]);
  histories[h] = NULL;
  history_in_use = h;
}

// A text that is under way has its own lines to go back to.
static void remember_line(const char *line) {
  use_history(OF_TEXT);
  if (*line)
    add_history(line);
}

static void end_text_history(void) {
  if (history_in_use != OF_TEXT)
    return;
  clear_history();
  use_history(OF_PROMPT);
}

// ---- A prompt inside a command ----

static bool is_debugging;

void prompt_enter_debug(bool on) {
  if (!session) // no terminal
    return;
  is_debugging = on;
  use_history(on ? OF_DEBUGGER : OF_PROMPT);
}

char *prompt_read(struct shop *s, const char *prompt, bool *cleared) {
  char *line = NULL;
  size_t capacity = 0;
  *cleared = false;
  if (s->screen.is_terminal) {
    line = read_answer(prompt, cleared);
    HIST_ENTRY *last = history_length ? history_get(history_length) : NULL;
    if (line && *line && (!last || strcmp(last->line, line) != 0))
      add_history(line);
    if (!line && !*cleared)
      putchar('\n');
    return line;
  }
  if (getline(&line, &capacity, stdin) > 0)
    return line;
  free(line);
  return NULL;
}

// ---- The prompt's text ----

static void prompt_text(struct shop *s, bool is_more, char *out, size_t bytes) {
  char first[64];
  const char *device = bind_device_id(s->L);
  if (s->lesson)
    snprintf(first, sizeof first, "%d.%d %s", s->lesson_number, s->page + 1,
             device);
  else
    snprintf(first, sizeof first, "%s", device);
  if (is_more)
    snprintf(out, bytes, "%*s ", (int)strlen(first) + 1, ".");
  else
    snprintf(out, bytes, "%s> ", first);
}

// ---- The session ----

static char **complete(const char *text, int start, int end) {
  (void)text;
  return is_debugging ? complete_debug(rl_line_buffer, start, end)
                      : complete_line(session, rl_line_buffer, start, end);
}

static void remember_entry(const char *entry) {
  add_history(entry);
}

static void open_readline(struct shop *s) {
  struct err_info e;
  struct sigaction resize = {.sa_handler = on_resize};
  struct sigaction child = {.sa_handler = on_child, .sa_flags = SA_RESTART};
  rl_readline_name = "warpshop";
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_outstream = stdout;
  rl_attempted_completion_function = complete;
  rl_completion_word_break_hook = complete_breaks;
  session = s;
  sigemptyset(&resize.sa_mask);
  sigaction(SIGWINCH, &resize, NULL);
  sigemptyset(&child.sa_mask);
  sigaction(SIGCHLD, &child, NULL);
  struct sigaction comes_back = {.sa_handler = on_continue,
                                 .sa_flags = SA_RESTART};
  sigemptyset(&comes_back.sa_mask);
  sigaction(SIGCONT, &comes_back, NULL);
  using_history();
  mem_set_fatal_hook(rl_callback_handler_remove);
  if (history_open(&s->history, remember_entry, &e))
    shop_say("history is not kept: %s", e.text);
}

static void remember(struct shop *s, const char *text) {
  struct err_info e;
  HIST_ENTRY *last = history_length ? history_get(history_length) : NULL;
  if (!*text || (last && !strcmp(last->line, text)))
    return;
  add_history(text);
  if (history_append(&s->history, text, &e))
    shop_say("history is not kept: %s", e.text);
}

// Two empty lines in a row: perhaps somebody wants out.
static void say_what_is_open(struct shop *s, const struct input *in) {
  if (in->is_cuda && in->empty_lines == 2)
    shop_note(s, "(a brace, a quote or a comment is still open; Ctrl-C gives "
                 "the text up and keeps it for :edit)");
}

// What was read may hold several lines (a paste); after an error the rest of
// them is dropped, for it may rest on what failed.
static void feed(struct shop *s, struct input *in, struct str *entry,
                 char *text) {
  bool failed = false, more = false;
  char *rest = text;
  if (entry->len)
    str_add_char(entry, '\n');
  str_add(entry, text);
  for (char *line; !failed && !s->wants_quit && (line = strsep(&rest, "\n"));)
    more = eval_line(s, in, line, &failed);
  if (more) {
    say_what_is_open(s, in);
    const char *newline = strrchr(entry->data, '\n');
    remember_line(newline ? newline + 1 : entry->data);
  } else {
    end_text_history();
    remember(s, entry->data);
    str_clear(entry);
    question_typed(s);
  }
}

// Ctrl-C inside a text: CUDA C that somebody began is kept.
static void give_up(struct shop *s, struct input *in, struct str *entry,
                    const char *line) {
  end_text_history();
  if (in->is_cuda && in->text.len) {
    if (*line)
      str_addf(&in->text, "\n%s", line);
    eval_keep_work(s, in->text.data);
    shop_note(s, "(given up; :edit opens what was typed)");
  }
  input_clear(in);
  str_clear(entry);
}

static bool is_next_key(const struct shop *s, const struct input *in,
                        const char *line) {
  return s->lesson && !in->text.len && !*line;
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
  const char *name = asked_exercise(s);
  bool failed = false;
  if (name)
    shop_print(s,
               "This page asks for %s: type it or :edit it, then :check %s. "
               ":next goes on without it.\n",
               name, name);
  else if (s->wanted && !s->has_reminded)
    shop_print(s,
               "This page asks you to type something: %s Enter once more "
               "goes on without it.",
               s->wanted->ask);
  else
    eval_line(s, in, ":next", &failed);
  s->has_reminded = true;
}

static void read_and_run(struct shop *s, struct input *in, struct str *entry) {
  char prompt[80];
  bool cleared;
  prompt_text(s, in->text.len > 0, prompt, sizeof prompt);
  char *line = read_line(prompt, &cleared);
  if (cleared) {
    give_up(s, in, entry, line);
  } else if (!line) {
    give_up(s, in, entry, "");
    s->wants_quit = true;
    putchar('\n');
  } else if (is_next_key(s, in, line)) {
    next_page(s, in);
  } else {
    screen_measure(&s->screen);
    feed(s, in, entry, line);
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
    eval_line(s, &in, line, &failed);
  }
  failed |= !eval_end(s, &in);
  input_free(&in);
  free(line);
  return failed ? EXIT_FAILED : EXIT_PASSED;
}

int prompt_run(struct shop *s) {
  s->is_prompt = true;
  if (!s->screen.is_terminal)
    return run_piped(s);
  struct input in;
  struct str entry = STR_INIT;
  input_init(&in);
  open_readline(s);
  while (!s->wants_quit)
    read_and_run(s, &in, &entry);
  input_free(&in);
  str_free(&entry);
  return EXIT_PASSED;
}

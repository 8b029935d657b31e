// SPDX-License-Identifier: Apache-2.0
// Lines and keys from a terminal, by GNU Readline's callback interface, so that
// one wait sees keys, Ctrl-C and a resized window alike.
#include "repl/tui/terminal.h"

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
#include "base/str.h"
#include "base/text/text.h"
#include "lua/bind/state/bind.h"
#include "repl/shop.h"
#include "repl/tui/block.h"
#include "repl/tui/editor.h"
#include "repl/tui/tui.h"
#include "repl/tui/unread.h"

// ---- Signals ----

// A bit each: something runs that Ctrl-C stops; and what came since one looked.
enum {
  RUNNING = 1,
  INTERRUPTED = 2,
  RESIZED = 4,
  LOST_CHILD = 8,
  CAME_BACK = 16
};
static atomic_uint signals;

static void note_signal(unsigned bit) {
  atomic_fetch_or(&signals, bit);
}

// Whether it came; it is forgotten then.
static bool take_signal(unsigned bit) {
  return atomic_fetch_and(&signals, ~bit) & bit;
}

static bool has_signal(unsigned bit) {
  return atomic_load(&signals) & bit;
}

static void on_interrupt(int signal_number) {
  (void)signal_number;
  if (has_signal(RUNNING))
    bind_interrupt("Ctrl-C");
  else
    note_signal(INTERRUPTED);
}

static void on_resize(int signal_number) {
  (void)signal_number;
  note_signal(RESIZED);
}

static void on_child(int signal_number) {
  (void)signal_number;
  note_signal(LOST_CHILD);
}

static void on_continue(int signal_number) {
  (void)signal_number;
  note_signal(CAME_BACK);
}

static void catch_signal(int number, void (*handler)(int), int flags) {
  struct sigaction on = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&on.sa_mask);
  sigaction(number, &on, NULL);
}

void terminal_catch_interrupts(bool running) {
  if (!running) {
    take_signal(RUNNING);
    return;
  }
  bind_clear_interrupt();
  note_signal(RUNNING);
}

void terminal_catch_signals(void) {
  catch_signal(SIGINT, on_interrupt, 0);
}

// ---- One line ----

// The prompt's own, the debugger's, and the lines of a text that is not whole
// yet: Up inside a kernel stays inside it.
enum which_history { OF_PROMPT, OF_DEBUGGER, OF_TEXT, HISTORIES };

// Readline serves one terminal, which it keeps in variables of its own, and gives
// its hooks no context: this is what we keep of it.
static struct {
  struct terminal_session session;
  char *line; // that was read, once it is there
  bool has_line;
  HISTORY_STATE *histories[HISTORIES]; // those that are not in use
  enum which_history history;          // the one that is
  bool is_debugging;
} terminal;

static void take_line(char *line) {
  terminal.line = line;
  terminal.has_line = true;
  if (line && block_is_open())
    block_leave();
  rl_callback_handler_remove(); // the terminal is the learner's again
}

static void start_line(const char *prompt, const char *more) {
  terminal.has_line = false;
  terminal.line = NULL;
  block_begin(more);
  rl_callback_handler_install(prompt, take_line);
  block_begun();
}

static char *throw_line(void) {
  char *thrown = xstrdup(rl_line_buffer);
  take_signal(INTERRUPTED);
  rl_free_line_state(); // draws once more
  rl_callback_sigcleanup();
  block_leave();
  rl_replace_line("", 0);
  rl_callback_handler_remove();
  return thrown;
}

// Where Readline has its keys from.
static int next_key(FILE *in) {
  return unread_has() ? unread_take() : rl_getc(in);
}

// Ctrl-C takes away what was typed before it and is not read yet: a key that can be
// read while it is pending was typed behind it, and waits its turn. ppoll lets no
// signal in where there is a key.
static bool let_interrupt_in(const sigset_t *while_waiting) {
  sigset_t pending, held;
  if (sigpending(&pending) || !sigismember(&pending, SIGINT))
    return false;
  sigprocmask(SIG_SETMASK, while_waiting, &held);
  sigprocmask(SIG_SETMASK, &held, NULL);
  return true;
}

// Waits for one key or signal with SIGINT and SIGWINCH let in only here, so
// that none is missed between the test of its flag and the wait.
static void wait_for_key(const sigset_t *while_waiting) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  if (!unread_has() && (ppoll(&in, 1, NULL, while_waiting) <= 0 ||
                        let_interrupt_in(while_waiting)))
    return;
  rl_callback_read_char();
  if (!terminal.has_line)
    block_key_done();
}

// The signals that are let in only while a key is waited for.
static void hold_signals(sigset_t *before) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGWINCH, SIGCHLD, SIGCONT};
  sigset_t caught;
  sigemptyset(&caught);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaddset(&caught, numbers[i]);
  sigprocmask(SIG_BLOCK, &caught, before);
}

static void after_signals(void) {
  if (take_signal(RESIZED))
    block_resized();
  if (take_signal(CAME_BACK)) { // the shell's line is there
    rl_prep_terminal(1);
    block_redraw();
  }
  if (take_signal(LOST_CHILD))
    terminal.session.reap(terminal.session.context);
}

char *terminal_text(const char *prompt, const char *more, bool *cleared) {
  sigset_t before;
  fflush(stdout);
  hold_signals(&before);
  *cleared = false;
  start_line(prompt, more);
  while (!terminal.has_line && !*cleared) {
    wait_for_key(&before);
    if (!terminal.has_line)
      after_signals();
    if (has_signal(INTERRUPTED) && !terminal.has_line) {
      terminal.line = throw_line();
      *cleared = true;
    }
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  transcript_typed(prompt, more, terminal.line ? terminal.line : "");
  return terminal.line;
}

char *terminal_line(const char *prompt, bool *cleared) {
  return terminal_text(prompt, NULL, cleared);
}

bool terminal_has_texts(void) {
  return block_is_open();
}

void terminal_note(const char *text) {
  block_note(text);
}

// Without what Ctrl-C threw away.
static char *read_answer(const char *question, bool *cleared) {
  char *line = terminal_line(question, cleared);
  if (!*cleared)
    return line;
  free(line);
  return NULL;
}

char *terminal_ask(const char *question) {
  bool cleared;
  char *line = read_answer(question, &cleared);
  if (!line)
    putchar('\n');
  return line;
}

void terminal_keep_keys(const char *keys) {
  unread_add(keys);
}

void terminal_keep_key(int key) {
  rl_stuff_char(key);
}

char *terminal_ask_from(int key, const char *question) {
  terminal_keep_key(key);
  return terminal_ask(question);
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
    let_interrupt_in(before);
    if (take_signal(INTERRUPTED))
      return 'q';
    if (take_signal(CAME_BACK)) {
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

// A key that says nothing here begins what the learner types: the next line
// that is read begins with it.
static void keep_key(int key) {
  if (key > ' ' && key != 127 && !strchr("q:?", key))
    rl_stuff_char(key);
}

int terminal_key(const char *question) {
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
  if (plain_is_wanted())
    putchar('\n'); // what was said stays
  else
    printf("\r%*s\r", width_of(question, strlen(question)), "");
  fflush(stdout);
  keep_key(key);
  return key;
}

// ---- Keys while other things are waited for ----

static bool is_in_foreground(void) {
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
         tcgetpgrp(STDIN_FILENO) == getpgrp();
}

void terminal_keys_begin(struct terminal_keys *k) {
  catch_signal(SIGTERM, on_interrupt, 0);
  catch_signal(SIGCONT, on_continue, SA_RESTART);
  k->is_on = is_in_foreground() && !tcgetattr(STDIN_FILENO, &k->lines);
  if (k->is_on)
    set_key_mode(&k->lines);
}

void terminal_keys_end(struct terminal_keys *k) {
  if (k->is_on)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &k->lines);
  k->is_on = false;
}

static int read_key(void) {
  unsigned char key;
  if (read(STDIN_FILENO, &key, 1) != 1)
    return KEY_END; // the terminal is gone
  if (key == 27)
    drop_pending();
  return key;
}

int terminal_wait(const struct terminal_keys *k, int fd, int ms) {
  struct pollfd in[] = {{k->is_on ? STDIN_FILENO : -1, POLLIN, 0},
                        {fd, POLLIN, 0}};
  struct timespec most = {ms / 1000, ms % 1000 * 1000000L};
  sigset_t before;
  int key = 0;
  hold_signals(&before);
  if (has_signal(INTERRUPTED))
    key = KEY_INTERRUPT;
  else if (ppoll(in, 2, &most, &before) > 0 && in[0].revents)
    key = read_key();
  if (has_signal(INTERRUPTED))
    key = KEY_INTERRUPT;
  if (take_signal(CAME_BACK) && k->is_on)
    set_key_mode(&k->lines);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return key;
}

// ---- An editor ----

static const char *editor(void) {
  static const char *const names[] = {"VISUAL", "EDITOR"};
  for (int i = 0; i < 2; i++) {
    const char *value = getenv(names[i]);
    if (value && *value)
      return value;
  }
  return access("/usr/bin/nano", X_OK) ? "vi" : "nano";
}

bool terminal_edit(struct shop *s, const char *path) {
  return terminal_edit_at(s, path, 0);
}

bool terminal_edit_at(struct shop *s, const char *path, int line) {
  struct str command = STR_INIT;
  editor_add_command(editor(), path, line, &command);
  fflush(stdout);
  int status = system(command.data);
  str_free(&command);
  if (status == 0)
    return true;
  shop_warn(s, "The editor (%s) did not end well; nothing was changed.",
            editor());
  return false;
}

// ---- Histories ----

static void use_history(enum which_history h) {
  HISTORY_STATE empty = {0}, **kept = terminal.histories;
  if (h == terminal.history)
    return;
  kept[terminal.history] = history_get_history_state();
  history_set_history_state(kept[h] ? kept[h] : &empty); // takes a copy
  free(kept[h]);
  kept[h] = NULL;
  terminal.history = h;
}

// A text that is under way has its own lines to go back to.
void terminal_remember_line(const char *line) {
  use_history(OF_TEXT);
  if (*line)
    add_history(line);
}

void terminal_end_text(void) {
  if (terminal.history != OF_TEXT)
    return;
  clear_history();
  use_history(OF_PROMPT);
}

const char *terminal_remembered(int i) {
  const HIST_ENTRY *entry = history_get(history_base + i);
  return entry ? entry->line : NULL;
}

bool terminal_remember(const char *text) {
  HIST_ENTRY *last = history_length ? history_get(history_length) : NULL;
  if (!*text || (last && !strcmp(last->line, text)))
    return false;
  add_history(text);
  return true;
}

// ---- A prompt inside a command ----

void terminal_enter_debug(bool on) {
  if (!terminal.session.complete) // no terminal
    return;
  terminal.is_debugging = on;
  use_history(on ? OF_DEBUGGER : OF_PROMPT);
}

char *terminal_read(struct shop *s, const char *prompt, bool *cleared) {
  char *line = NULL;
  size_t capacity = 0;
  *cleared = false;
  if (s->screen.is_terminal) {
    line = read_answer(prompt, cleared);
    if (line)
      terminal_remember(line);
    if (!line && !*cleared)
      putchar('\n');
    return line;
  }
  if (getline(&line, &capacity, stdin) > 0)
    return line;
  free(line);
  return NULL;
}

// ---- Opening ----

static char **complete(const char *text, int start, int end) {
  (void)text;
  return terminal.session.complete(terminal.session.context, rl_line_buffer,
                                   start, end, terminal.is_debugging);
}

void terminal_turn_plain(bool has_colour) {
  if (!terminal.session.complete) // no terminal
    return;
  terminal.session.has_colour = has_colour;
  block_turn_plain(&terminal.session);
}

void terminal_open(const struct terminal_session *s) {
  terminal.session = *s;
  rl_readline_name = "warpshop";
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_outstream = transcript_terminal();
  rl_getc_function = next_key;
  rl_attempted_completion_function = complete;
  rl_completion_word_break_hook = s->breaks;
  block_open(&terminal.session);
  catch_signal(SIGWINCH, on_resize, 0);
  catch_signal(SIGCHLD, on_child, SA_RESTART);
  catch_signal(SIGCONT, on_continue, SA_RESTART);
  using_history();
  mem_set_fatal_hook(rl_callback_handler_remove);
}

// SPDX-License-Identifier: Apache-2.0
// The terminal is left as it was found: at the end, before an abort, and when a
// signal ends or stops the process. What the handlers need is made before, for they
// may only write bytes and set modes (signal-safety(7)). Nothing can be done at
// SIGKILL: a note in the runtime folder tells the next program on this terminal.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "display/screen.h"

enum { LEAVE_BYTES = 256, SIGNALS = 65, STACK_BYTES = 1 << 16 };

// The note, as it stands in its file.
struct note {
  char magic[16];
  pid_t pid, session;
  uint64_t pid_start, session_start;
  struct termios modes;
  uint32_t bytes;
  char leave[LEAVE_BYTES];
};
static const char magic[16] = "warpshop screen";

// Of the one screen that is open: handlers get no context.
static struct {
  volatile sig_atomic_t is_open, is_resized, is_to_stop, has_come_back;
  struct note note;
  char *path;   // of the note's file
  char *folder; // which goes with the last note in it
  int terminal; // standard output may be somebody else's meanwhile
  struct sigaction before[SIGNALS];
  bool is_caught[SIGNALS];
  bool has_exit_hook, has_modes;
  bool is_whole; // a screen, and no prompt
  char *guarded; // what is written to leave a prompt; NULL: there is none
  int guarded_terminal;
  mem_fatal_hook *fatal_hook; // that was there before
  char stack[STACK_BYTES];    // a handler's, where the other one has run over
} open_screen;

// ---- What must work in a handler ----

// Called by handlers of signals as well.
static void drop_note(void) {
  if (!open_screen.folder)
    return;
  unlink(open_screen.path);
  rmdir(open_screen.folder);
}

static void write_leave(int fd, const struct note *n) {
  for (size_t at = 0; at < n->bytes;) {
    ssize_t put = write(fd, n->leave + at, n->bytes - at);
    if (put <= 0 && errno != EINTR)
      return;
    at += put > 0 ? (size_t)put : 0;
  }
}

// With all signals held: a second one would end the process in the middle of this.
void restore_now(void) {
  int error = errno;
  bool is_ours = open_screen.note.pid == 0 || open_screen.note.pid == getpid();
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  if (open_screen.is_open && is_ours) { // and no child of ours
    open_screen.is_open = 0;
    write_leave(open_screen.terminal, &open_screen.note);
    tcsetattr(STDIN_FILENO, TCSANOW, &open_screen.note.modes);
    drop_note();
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
}

static void on_end(int number) {
  restore_now();
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigset_t this;
  sigaction(number, &usual, NULL);
  sigemptyset(&this);
  sigaddset(&this, number);
  sigprocmask(SIG_UNBLOCK, &this, NULL);
  raise(number); // the status says which signal it was
}

static void on_resize(int number) {
  (void)number;
  open_screen.is_resized = 1;
}

static void on_stop(int number) {
  (void)number;
  open_screen.is_to_stop = 1;
}

static void on_continue(int number) {
  (void)number;
  open_screen.has_come_back = 1;
}

// ---- Signals ----

// Those that end no process unless they are caught, or cannot be.
static bool is_harmless(int number) {
  static const int numbers[] = {SIGKILL,  SIGSTOP, SIGCHLD, SIGCONT, SIGURG,
                                SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i] == number)
      return true;
  return false;
}

static void catch (int number, void (*handler)(int)) {
  struct sigaction on = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigemptyset(&on.sa_mask);
  open_screen.is_caught[number] =
      !sigaction(number, &on, &open_screen.before[number]);
}

// What the program ignores or sees to by itself, it goes on to.
static void catch_ends(void) {
  stack_t stack = {.ss_sp = open_screen.stack, .ss_size = STACK_BYTES};
  struct sigaction now;
  sigaltstack(&stack, NULL);
  for (int i = 1; i < SIGNALS; i++)
    if (!is_harmless(i) && !sigaction(i, NULL, &now) &&
        now.sa_handler == SIG_DFL)
      catch (i, on_end);
}

static void catch_all(void) {
  catch_ends();
  catch (SIGWINCH, on_resize);
  catch (SIGTSTP, on_stop);
  catch (SIGCONT, on_continue);
}

void restore_hold(sigset_t *before) {
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGWINCH);
  sigaddset(&held, SIGTSTP);
  sigaddset(&held, SIGCONT);
  sigprocmask(SIG_BLOCK, &held, before);
}

struct restore_news restore_take_news(void) {
  struct restore_news n = {open_screen.is_resized, open_screen.is_to_stop,
                           open_screen.has_come_back};
  open_screen.is_resized = open_screen.is_to_stop = 0;
  open_screen.has_come_back = 0;
  return n;
}

// ---- The note ----

// Of this terminal; NULL: there is none, or no folder for it.
static char *note_path(int terminal) {
  struct stat st;
  char *folder = file_xdg(XDG_RUNTIME);
  char *path =
      folder && !fstat(terminal, &st) && S_ISCHR(st.st_mode)
          ? xasprintf("%s/screen-%llx", folder, (unsigned long long)st.st_rdev)
          : NULL;
  free(folder);
  return path;
}

static void write_note(void) {
  struct note *n = &open_screen.note;
  struct err_info e;
  n->pid = getpid();
  n->session = getsid(0);
  n->pid_start = process_start(n->pid);
  n->session_start = process_start(n->session);
  char *path = note_path(open_screen.terminal), *folder = file_xdg(XDG_RUNTIME);
  bool is_there = false;
  // Another program may have dropped the last note, and the folder, in between.
  for (int i = 0; i < 2 && path && !is_there; i++)
    is_there = !file_make_folder(folder, &e) &&
               !file_replace_unsynced(path, n, sizeof *n, &e);
  // Without it a screen is as good, but for SIGKILL.
  if (is_there) {
    char *old = open_screen.path, *old_folder = open_screen.folder;
    open_screen.folder = folder;
    open_screen.path = path; // a handler sees the one or the other
    path = old;
    folder = old_folder;
  }
  free(path);
  free(folder);
}

// One that we wrote ourselves, and nobody else: its bytes go to the terminal.
static bool read_note(const char *path, struct note *out) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  bool is_ours = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
                 st.st_uid == geteuid() && !(st.st_mode & 077) &&
                 read(fd, out, sizeof *out) == (ssize_t)sizeof *out &&
                 !memcmp(out->magic, magic, sizeof magic) &&
                 out->bytes <= LEAVE_BYTES;
  if (fd >= 0)
    close(fd);
  return is_ours;
}

static bool lives(pid_t pid, uint64_t start) {
  return start && process_start(pid) == start;
}

void display_repair(void) {
  struct note n;
  struct termios now;
  int fd = isatty(STDOUT_FILENO)   ? STDOUT_FILENO
           : isatty(STDERR_FILENO) ? STDERR_FILENO
                                   : STDIN_FILENO;
  char *path = isatty(fd) ? note_path(fd) : NULL;
  if (path && !access(path, F_OK) && tcgetpgrp(fd) == getpgrp() &&
      read_note(path, &n) && !lives(n.pid, n.pid_start)) {
    unlink(path);
    // Another session's terminal only has the number that this one had.
    if (n.session == getsid(0) && lives(n.session, n.session_start)) {
      write_leave(fd, &n);
      if (!tcgetattr(fd, &now) && !(now.c_lflag & (ICANON | ECHO)))
        tcsetattr(fd, TCSADRAIN, &n.modes);
    }
  }
  free(path);
}

// ---- Beginning and end ----

static void begin(void (*catch_signals)(void)) {
  struct note *n = &open_screen.note;
  if (!open_screen.has_modes)
    open_screen.has_modes = !tcgetattr(STDIN_FILENO, &n->modes);
  memcpy(n->magic, magic, sizeof magic);
  n->bytes = 0;
  open_screen.terminal = STDOUT_FILENO;
  if (!open_screen.path) // else a note may be there already: a prompt's
    open_screen.path = xstrdup("");
  memset(open_screen.is_caught, 0, sizeof open_screen.is_caught);
  catch_signals();
  if (!open_screen.has_exit_hook)
    open_screen.has_exit_hook = !atexit(restore_now);
  mem_fatal_hook *hook = mem_set_fatal_hook(restore_now);
  if (hook != restore_now)
    open_screen.fatal_hook = hook;
  open_screen.is_open = 1;
}

void restore_begin(void) {
  begin(catch_all);
  open_screen.is_whole = true;
}

bool display_is_open(void) {
  return open_screen.is_whole;
}

// With all signals held: a note that is there and that no handler knows of would stay.
void restore_leave_with(int terminal, const char *leave) {
  struct note *n = &open_screen.note;
  sigset_t all, before;
  open_screen.terminal = terminal;
  size_t bytes = strlen(leave);
  if (bytes < LEAVE_BYTES) {
    memcpy(n->leave, leave, bytes);
    n->bytes = (uint32_t)bytes;
  }
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  write_note();
  sigprocmask(SIG_SETMASK, &before, NULL);
}

void restore_end(bool comes_back) {
  open_screen.is_whole = false;
  mem_set_fatal_hook(open_screen.fatal_hook);
  for (int i = 1; i < SIGNALS; i++)
    if (open_screen.is_caught[i])
      sigaction(i, &open_screen.before[i], NULL);
  open_screen.has_modes = comes_back;
}

// ---- A prompt ----

static void guard(void) {
  begin(catch_ends);
  restore_leave_with(open_screen.guarded_terminal, open_screen.guarded);
}

// Standard output may be held back where a screen gives the prompt's terminal back.
bool display_guard(const char *leave) {
  if (!isatty(STDIN_FILENO) || open_screen.is_open)
    return false;
  open_screen.guarded = xstrdup(leave);
  open_screen.guarded_terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  guard();
  return true;
}

void restore_guard_again(void) {
  if (open_screen.guarded)
    guard();
}

void display_unguard(void) {
  if (!open_screen.guarded)
    return;
  open_screen.is_open = 0;
  drop_note();
  restore_end(false);
  close(open_screen.guarded_terminal);
  free(open_screen.guarded);
  open_screen.guarded = NULL;
}

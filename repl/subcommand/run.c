// SPDX-License-Identifier: Apache-2.0
// warpshop run: a script from a file, from -e, or from standard input.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "lua/bind/bind.h"
#include "repl/shop.h"

enum { MAX_SCRIPT = 64 << 20, GRACE_S = 5 };

// ---- The deadline ----

static volatile sig_atomic_t seconds_over;

// A script that swallows the first stop is stopped again every second, and
// after a while for good.
static void on_deadline(int signal_number) {
  static const char text[] = "warpshop: the script did not stop at its "
                             "deadline\n";
  (void)signal_number;
  bind_interrupt("its deadline");
  if (++seconds_over > GRACE_S) {
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
      _exit(EXIT_MACHINE);
    _exit(EXIT_FAILED);
  }
}

static void start_deadline(double seconds) {
  struct sigaction on = {.sa_handler = on_deadline};
  struct itimerval timer = {
      .it_value = {(time_t)seconds,
                   (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)},
      .it_interval = {1, 0},
  };
  if (seconds <= 0)
    return;
  sigemptyset(&on.sa_mask);
  sigaction(SIGALRM, &on, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
}

bool run_is_over(void) {
  return seconds_over > 0;
}

// A script's own error may have a text that never ends: it is stopped, too.
static int to_text(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

// Says that the deadline passed, and where the script was.
static void say_stopped(struct shop *s, bool fine) {
  char place[200] = "";
  if (!fine) {
    lua_pushcfunction(s->L, to_text);
    eval_push_last_error(s);
    bool has_text = lua_pcall(s->L, 1, 1, 0) == LUA_OK;
    const char *text = has_text ? lua_tostring(s->L, -1) : "";
    const char *end = strstr(text, ": stopped by");
    if (end)
      snprintf(place, sizeof place, ", at %.*s", (int)(end - text), text);
    lua_pop(s->L, 1);
  }
  shop_say("the script was stopped at its deadline of %g s%s", s->deadline_s,
           place);
}

// ---- The script ----

static char *read_stdin(void) {
  struct str s = STR_INIT;
  char buffer[16384];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, stdin)) > 0;)
    str_add_bytes(&s, buffer, n);
  return str_take(&s);
}

// "#!" lets a script name its program; Lua itself skips it only in files. The
// line's end stays, so that lines keep their numbers.
static const char *skip_shebang(const char *text) {
  return text[0] == '#' ? text + strcspn(text, "\n") : text;
}

static void set_arg(lua_State *L, const char *script, int argc, char **argv) {
  lua_createtable(L, argc, 1);
  lua_pushstring(L, script);
  lua_rawseti(L, -2, 0);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setglobal(L, "arg");
}

static int run_text(struct shop *s, const char *text, const char *chunk,
                    int argc, char **argv) {
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  set_arg(s->L, chunk + 1, argc, argv);
  s->script_argv = argv;
  s->script_argc = argc;
  prompt_catch_signals();
  start_deadline(s->deadline_s);
  bool fine = eval_lua(s, skip_shebang(text), chunk);
  if (seconds_over)
    say_stopped(s, fine);
  return fine && !seconds_over ? EXIT_PASSED : EXIT_FAILED;
}

static int run_file(struct shop *s, const char *path, int argc, char **argv) {
  struct err_info e = {0};
  char *text;
  size_t bytes;
  if (file_read(path, MAX_SCRIPT, &text, &bytes, &e)) {
    shop_say("%s", e.text);
    return EXIT_USAGE;
  }
  if (strlen(text) != bytes) {
    shop_say("%s: not a text: it holds zero bytes", path);
    free(text);
    return EXIT_USAGE;
  }
  char *chunk = xasprintf("@%s", path);
  int code = run_text(s, text, chunk, argc, argv);
  free(chunk);
  free(text);
  return code;
}

int sub_run(struct shop *s, int argc, char **argv) {
  if (argc >= 3 && !strcmp(argv[1], "-e"))
    return run_text(s, argv[2], "=(-e)", argc - 3, argv + 3);
  if (argc >= 2 && !strcmp(argv[1], "-")) {
    char *text = read_stdin();
    int code = run_text(s, text, "=stdin", argc - 2, argv + 2);
    free(text);
    return code;
  }
  if (argc >= 2 && argv[1][0] != '-')
    return run_file(s, argv[1], argc - 2, argv + 2);
  shop_say("usage: warpshop run [--device D] [--deadline S] "
           "[--schedule-seed N] FILE|-e CODE|- "
           "[ARG...]");
  return EXIT_USAGE;
}

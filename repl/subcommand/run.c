// SPDX-License-Identifier: Apache-2.0
// warpshop run: a script from a file, from -e, or from standard input.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/eval.h"
#include "repl/shop.h"
#include "repl/tui/tui.h"

enum { MAX_SCRIPT = 64 << 20 };

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

// What the script wants is not on this machine, or it failed.
static int code_of_failure(struct shop *s) {
  eval_push_last_error(s);
  bool is_absent = !strcmp(bind_error_kind(s->L, -1), "not-found");
  lua_pop(s->L, 1);
  return is_absent ? EXIT_MACHINE : EXIT_FAILED;
}

static int run_text(struct shop *s, const char *text, const char *chunk,
                    int argc, char **argv) {
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  set_arg(s->L, chunk + 1, argc, argv);
  s->script_argv = argv;
  s->script_argc = argc;
  terminal_catch_signals();
  deadline_start(s->deadline_s);
  bool fine = eval_lua(s, skip_shebang(text), chunk);
  if (!deadline_is_over())
    return fine ? EXIT_PASSED : code_of_failure(s);
  say_stopped(s, fine);
  return EXIT_FAILED;
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

// A kernel's file is no script.
static bool is_cuda_file(const char *path) {
  if (!str_ends(path, ".cu"))
    return false;
  shop_say("%s is CUDA C, and a script is Lua: at the prompt, :load %s takes "
           "its kernels; in a script, cuda.module(text)",
           path, path);
  return true;
}

int sub_run(struct shop *s, int argc, char **argv) {
  if (argc >= 2 && is_cuda_file(argv[1]))
    return EXIT_USAGE;
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

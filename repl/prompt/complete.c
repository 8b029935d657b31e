// SPDX-License-Identifier: Apache-2.0
// Tab: commands after ":" and what they take, files in quotes, CUDA C in a
// kernel, and the names of Lua, also after "?".
#include "repl/prompt/complete.h"

#include <readline/readline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/debugger/debugger.h"
#include "repl/edit/edit.h"
#include "repl/tui/tui.h"

// ---- Commands ----

static void add_commands(const char *word, struct complete_matches *m) {
  for (int i = 0; command_name(i); i++)
    if (str_starts(command_name(i), word + 1))
      complete_add(m, xasprintf(":%s", command_name(i)));
}

// ---- Lua ----

// Adds "head" + key for every string key of the table on top of the stack.
static void add_keys(lua_State *L, struct complete_matches *m, const char *head,
                     const char *tail) {
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      continue;
    const char *key = lua_tostring(L, -1);
    if (str_starts(key, tail) && !(str_starts(key, "__") && !*tail))
      complete_add(m, xasprintf("%s%s", head, key));
  }
}

// Pushes the table whose keys may follow the value on top: its own, what its
// metatable looks in, or an array's methods or properties.
static void push_fields(lua_State *L, char separator) {
  if (array_test(L, -1)) {
    if (separator == ':')
      array_push_methods(L);
    else
      array_push_properties(L);
  } else if (luaL_getmetafield(L, -1, "__complete") != LUA_TNIL) {
    lua_pushvalue(L, -2); // a frame's methods, or its columns
    lua_pushboolean(L, separator == ':');
    lua_call(L, 2, 1);
  } else if (lua_istable(L, -1)) {
    lua_pushvalue(L, -1);
  } else if (luaL_getmetafield(L, -1, "__index") == LUA_TNIL) {
    lua_pushnil(L);
  }
}

struct completion {
  const char *word;
  struct complete_matches *m;
};

// jax and jnp are filled when a field is first looked at, which takes a while.
static bool is_still_empty(lua_State *L) {
  if (!lua_istable(L, -1) || !lua_getmetatable(L, -1))
    return false;
  lua_pop(L, 1);
  lua_pushnil(L);
  if (!lua_next(L, -2))
    return true;
  lua_pop(L, 2);
  return false;
}

// What has a help text, up to the next dot.
static void add_helped(lua_State *L, const struct completion *c) {
  size_t bytes = strlen(c->word);
  help_push_texts(L);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    const char *name =
        lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (!str_starts(name, c->word))
      continue;
    size_t n = bytes + strcspn(name + bytes, ".");
    complete_add(c->m, xstrndup(name, n));
  }
}

static int complete_protected(lua_State *L) {
  struct completion *c = lua_touserdata(L, 1);
  char *path = xstrdup(c->word), *rest = path, *part;
  lua_pushglobaltable(L);
  char separator = '.';
  while ((part = rest) && (rest = strpbrk(part, ".:"))) {
    separator = *rest;
    *rest++ = 0;
    lua_getfield(L, -1, part);
    if (is_still_empty(L)) {
      add_helped(L, c);
      break;
    }
    push_fields(L, separator);
    if (!lua_istable(L, -1))
      break;
  }
  if (!c->m->count && lua_istable(L, -1)) {
    char *head = xstrndup(c->word, (size_t)(part - path));
    add_keys(L, c->m, head, part);
    free(head);
  }
  free(path);
  return 0;
}

static void call(struct shop *s, lua_CFunction f, void *context) {
  lua_pushcfunction(s->L, f);
  lua_pushlightuserdata(s->L, context);
  if (bind_pcall(s->L, 1, 0) != LUA_OK)
    lua_pop(s->L, 1);
}

static void add_lua(struct shop *s, const char *word,
                    struct complete_matches *m) {
  struct completion c = {word, m};
  call(s, complete_protected, &c);
}

// ---- What a single match is ----

struct described {
  const char *name;
  struct str *out;
};

// [texts] -> [texts, text or nil]: "x:sum" is np.sum, where x is an array.
static void push_method_text(lua_State *L, const char *name) {
  size_t n = strcspn(name, ":");
  char *head = xstrndup(name, n);
  lua_getglobal(L, head);
  free(head);
  const struct array *a = name[n] ? array_test(L, -1) : NULL;
  lua_pop(L, 1);
  if (a) {
    lua_pushfstring(L, "%s.%s", a->is_jax ? "jnp" : "np", name + n + 1);
    lua_rawget(L, -2);
  } else {
    lua_pushnil(L);
  }
}

// A function of the learner's by its parameters: "f(a, b)".
static void describe_function(lua_State *L, const struct described *d) {
  lua_Debug ar;
  const char *parameter;
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">Su", &ar);
  if (*ar.what == 'C')
    return;
  str_addf(d->out, "%s(", d->name);
  for (int i = 1; i <= ar.nparams; i++)
    if ((parameter = lua_getlocal(L, NULL, i)))
      str_addf(d->out, "%s%s", i > 1 ? ", " : "", parameter);
  str_addf(d->out, "%s)", !ar.isvararg ? "" : ar.nparams ? ", ..." : "...");
}

// A help text's first line; of a kernel or a function of the learner's its
// parameters.
static int describe_protected(lua_State *L) {
  const struct described *d = lua_touserdata(L, 1);
  help_push_texts(L);
  if (lua_getfield(L, -1, d->name) != LUA_TSTRING) {
    lua_pop(L, 1);
    push_method_text(L, d->name);
  }
  if (!lua_isstring(L, -1)) {
    bind_push_named(L, d->name);
    if (lua_isfunction(L, -1)) {
      describe_function(L, d);
      return 0;
    }
    if (!lua_isuserdata(L, -1) || array_test(L, -1))
      return 0;
    lua_getfield(L, -1, "signature");
  }
  const char *text = lua_tostring(L, -1);
  if (text)
    str_addf(d->out, "%.*s", (int)strcspn(text, "\n"), text);
  return 0;
}

// A code's page says in its first line what it is.
static int describe_code(lua_State *L) {
  const struct described *d = lua_touserdata(L, 1);
  if (help_push_pages(L) && lua_getfield(L, -1, d->name) == LUA_TSTRING) {
    const char *page = lua_tostring(L, -1);
    str_addf(d->out, "%s: %.*s", d->name, (int)strcspn(page, "\n"), page);
  }
  return 0;
}

static void describe_command(const char *name, struct str *out) {
  const char *help, *args = command_args(name, strlen(name), &help);
  if (args)
    str_addf(out, ":%s%s%s: %s", name, *args ? " " : "", args, help);
}

// `word` is what is typed, of which "?" is no part of the name.
static void describe(struct shop *s, const char *word, struct str *out) {
  const char *name = word + strspn(word, "?");
  struct described d = {name, out};
  if (*name == ':')
    describe_command(name + 1, out);
  else
    call(s, describe_protected, &d);
  const char *text = out->len || name == word ? NULL : glossary_find(name);
  if (text)
    str_addf(out, "%s: %s", name, text);
  if (!out->len && name > word)
    call(s, describe_code, &d);
}

// ---- A line ----

// An open text in the line up to `at`: a file's name may stand there.
static bool is_in_quotes(const char *line, size_t at) {
  char quote = 0;
  for (size_t i = 0; i < at; i++)
    if (quote ? line[i] == quote : strchr("\"'", line[i]) != NULL)
      quote = quote ? 0 : line[i];
  return quote != 0;
}

// What :help says of the arguments of the command that the line begins with, or
// NULL.
static const char *arguments_of(const char *line, size_t at) {
  const char *help;
  size_t n = strcspn(line, " \t\n");
  return *line == ':' && n > 1 && at > n ? command_args(line + 1, n - 1, &help)
                                         : NULL;
}

// How many words stand between the command and `at`.
static int place_of(const char *line, size_t at) {
  int words = -1; // the command
  for (size_t i = 0; i < at; i++)
    words += line[i] != ' ' && line[i] != '\t' &&
             (i + 1 == at || line[i + 1] == ' ' || line[i + 1] == '\t');
  return words > 0 ? words : 0;
}

static bool is_file_name(const char *line, size_t at) {
  const char *args = arguments_of(line, at);
  return (args && strstr(args, "FILE")) || str_starts(line, ":!") ||
         is_in_quotes(line, at);
}

char *complete_breaks(void) {
  static const char of_names[] = " \t\n\"'`@$><=;|&{}()[]+-*/%^#~,";
  static const char of_words[] = " \t\n\"'"; // of files, and behind a command
  static const char of_topics[] = "\n";
  size_t line = edit_line_start(rl_line_buffer, (size_t)rl_point);
  size_t at = (size_t)rl_point - line;
  const char *args = arguments_of(rl_line_buffer + line, at);
  if (rl_line_buffer[line] == '?')
    return (char *)of_topics; // ?bank conflict, ?oob-write
  bool is_word = is_file_name(rl_line_buffer + line, at) ||
                 (args && (strstr(args, "EXERCISE") || strstr(args, "|next")));
  return (char *)(is_word ? of_words : of_names);
}

static int add_codes(lua_State *L) {
  const struct completion *c = lua_touserdata(L, 1);
  if (!help_push_pages(L))
    return 0;
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    if (str_starts(lua_tostring(L, -1), c->word))
      complete_add(c->m, xstrdup(lua_tostring(L, -1)));
  }
  return 0;
}

// What ? explains: names, words of GPU computing, codes, commands. `marks` are its
// question marks.
static void add_topics(struct shop *s, const char *marks, const char *word,
                       struct complete_matches *m) {
  const char *term;
  if (*word == ':') {
    add_commands(word, m);
  } else {
    struct completion c = {word, m};
    call(s, complete_protected, &c);
    for (int i = 0; *word && (term = glossary_word(i)); i++)
      if (str_starts(term, word))
        complete_add(m, xstrdup(term));
    if (*word)
      call(s, add_codes, &c);
  }
  for (int i = 1; i <= m->count; i++) {
    char *name = m->list[i];
    m->list[i] = xasprintf("%s%s", marks, name);
    free(name);
  }
}

static void add_matches(struct shop *s, const char *text, size_t start,
                        const char *word, struct complete_matches *m) {
  size_t line = edit_line_start(text, start), end = start + strlen(word);
  const char *args = arguments_of(text + line, start - line);
  int place = place_of(text + line, start - line);
  if (start == line && *word == ':')
    add_commands(word, m);
  else if (start == line && *word == '?')
    add_topics(s, word[1] == '?' ? "??" : "?", word + strspn(word, "?"), m);
  else if (!args && (str_starts(word, "__") || complete_is_cuda(text, start)))
    complete_cuda(text, start, end, m);
  else if (!args || complete_argument(args, place, word, m) == COMPLETE_LUA) {
    add_lua(s, word, m);
    if (*word && !args && !strpbrk(word, ".:"))
      complete_own_names(text, start, end, m);
  }
}

// A line below the text that says what the only match is.
static void note_match(struct shop *s, const char *text, size_t start,
                       const char *match) {
  struct str out = STR_INIT;
  size_t line = edit_line_start(text, start);
  const char *args = arguments_of(text + line, start - line);
  if (args && !strcmp(args, "[NAME]"))
    describe_command(match, &out);
  if (!out.len)
    describe(s, match, &out);
  if (!out.len && !args && complete_is_cuda(text, start))
    complete_declaration(text, match, start, &out);
  if (out.len)
    terminal_note(out.data);
  str_free(&out);
}

// "FILE.cu|FILE.lua": one of those, or a folder.
static bool is_wanted_file(const char *args, const char *name) {
  struct stat there;
  const char *end = strrchr(name, '.');
  char *path = tilde_expand(name); // Readline leaves "~" as it was typed
  bool is_folder = !stat(path, &there) && S_ISDIR(there.st_mode);
  free(path);
  if (is_folder)
    return true;
  for (; end && (args = strstr(args, "FILE.")); args++) {
    size_t n = strspn(args + 5, "abcdefghijklmnopqrstuvwxyz");
    if (strlen(end + 1) == n && !strncmp(end + 1, args + 5, n))
      return true;
  }
  return false;
}

// NULL where there are none: then any file may be meant.
static char **complete_files(const char *args, const char *word) {
  struct complete_matches m = {0};
  char *name;
  for (int i = 0; (name = rl_filename_completion_function(word, i)); i++)
    if (is_wanted_file(args, name))
      complete_add(&m, name);
    else
      free(name);
  if (m.count)
    rl_filename_completion_desired = 1;
  return complete_finish(&m);
}

char **complete_line(struct shop *s, const char *text, int start, int end) {
  size_t line = edit_line_start(text, (size_t)start);
  rl_attempted_completion_over = 1;
  rl_completion_append_character = '\0';
  rl_sort_completion_matches = 1;
  if (is_file_name(text + line, (size_t)start - line)) {
    const char *args = arguments_of(text + line, (size_t)start - line);
    char *begun = xstrndup(text + start, (size_t)(end - start));
    char **files =
        args && strstr(args, "FILE.") ? complete_files(args, begun) : NULL;
    free(begun);
    rl_attempted_completion_over = files != NULL; // else Readline completes
    return files;
  }
  char *word = xstrndup(text + start, (size_t)(end - start));
  struct complete_matches m = {0};
  add_matches(s, text, (size_t)start, word, &m);
  if (m.count == 1)
    note_match(s, text, (size_t)start, m.list[1]);
  free(word);
  rl_sort_completion_matches = 0; // as complete_finish sorts them
  return complete_finish(&m);
}

// The first word of a line of the debugger.
char **complete_debug(const char *line, int start, int end) {
  struct complete_matches m = {0};
  rl_attempted_completion_over = 1;
  rl_completion_append_character = '\0';
  if (start > (int)strspn(line, " "))
    return NULL;
  char *word = xstrndup(line + start, (size_t)(end - start)), *found;
  for (int i = 0; (found = debugger_complete(word, i)); i++)
    complete_add(&m, found);
  free(word);
  return complete_finish(&m);
}

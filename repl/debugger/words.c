// SPDX-License-Identifier: Apache-2.0
// The words of the debugger's prompt: the back end's commands
// (gpu/debug_command.def), a few about the screen, and what people type who know gdb.
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/text/text.h"
#include "gpu/debug.h"
#include "repl/debugger/debugger.h"
#include "repl/debugger/session.h"
#include "repl/debugger/words.h"

static const char *const own_commands[][4] = {
    {"list", "l", "[LINE]",
     MESSAGE("the source around the line, or further on")},
    {"display", "", "[EXPRESSION]",
     MESSAGE("print it at every stop; without one: now")},
    {"undisplay", "", "[N]", MESSAGE("no longer; without N none at all")},
    {"help", "h", "[COMMAND]", MESSAGE("this list")},
    {"quit", "q", "",
     MESSAGE("leave; a launch that has not ended leaves no trace")},
};
_Static_assert(sizeof own_commands / sizeof *own_commands == OWNS, "rows");

bool debugger_is_own(enum own_command row, const char *word) {
  const char *name = own_commands[row][0], *alias = own_commands[row][1];
  return *word && (!strcmp(word, alias) || str_starts(name, word));
}

// What people type who know gdb: our words for it, or why there are none.
static const struct {
  const char *typed, *meant, *instead;
} gdb_words[] = {
    {"reverse-step", "back", NULL},
    {"reverse-next", "back-next", NULL},
    {"reverse-continue", "back-continue", NULL},
    {"backtrace", "where", NULL},
    {"advance", "until", NULL},
    {"inspect", "print", NULL},
    {"info threads", "warps", NULL},
    {"info warps", "warps", NULL},
    {"info lanes", "warps", NULL},
    {"info args", "locals", NULL},
    {"info stack", "where", NULL},
    {"info b", "breakpoints", NULL},
    {"info break", "breakpoints", NULL},
    {"info breakpoints", "breakpoints", NULL},
    {"info watchpoints", "breakpoints", NULL},
    {"info display", "display", NULL},
    {"info locals", "locals", NULL},
    {"info source", "list", NULL},
    {"info line", "list", NULL},
    {"cuda kernel", "where", NULL},
    {"cuda thread", "thread", NULL},
    {"cuda block", "block", NULL},
    {"cuda warp", "warp", NULL},
    {"cuda lane", "lane", NULL},
    {"info", NULL, MESSAGE("info what? locals, warps, breakpoints, display")},
    {"cuda", NULL, MESSAGE("the words are block, thread, warp and lane")},
    {"set", NULL,
     MESSAGE("Values cannot be changed here: change the source, and launch "
             "again.")},
    {"x", NULL,
     MESSAGE("print and shared show memory: print a[3], shared tile 0:7.")},
    {"tbreak", NULL,
     MESSAGE("until LINE stops there once, for the thread in focus.")},
    {"disassemble", NULL,
     MESSAGE("stepi shows the PTX; the kernel's .ptx has it all.")},
    {"kill", NULL, MESSAGE("quit gives the launch up.")},
};

bool debugger_translate(struct debugging *d, const char *line,
                        char out[DEBUGGER_LINE]) {
  for (size_t i = 0; i < sizeof gdb_words / sizeof *gdb_words; i++) {
    const char *typed = gdb_words[i].typed;
    size_t n = strlen(typed);
    if (strncmp(line, typed, n) != 0 || !(!line[n] || strchr(" \t/", line[n])))
      continue;
    if (gdb_words[i].instead)
      shop_warn(d->shop, "%s", message(gdb_words[i].instead));
    else
      snprintf(out, DEBUGGER_LINE, "%s%s", gdb_words[i].meant, line + n);
    return gdb_words[i].meant != NULL;
  }
  snprintf(out, DEBUGGER_LINE, "%s", line);
  return true;
}

// ---- Help ----

static void add_command(const char *name, const char *alias, const char *args,
                        const char *help, struct str *out) {
  char usage[120];
  snprintf(usage, sizeof usage, "%s%s%s%s%s", name, *alias ? ", " : "", alias,
           *args ? " " : "", args);
  if (strlen(usage) > 22)
    str_addf(out, "  %s\n  %-22s  %s\n", usage, "", message(help));
  else
    str_addf(out, "  %-22s  %s\n", usage, message(help));
}

void debugger_print_help(struct shop *s, const char *name) {
  struct str out = STR_INIT;
  bool any = !*name;
  for (int i = 0; gpu_debug_command(i); i++) {
    const struct gpu_debug_command *c = gpu_debug_command(i);
    if (c->shows != GPU_DEBUG_HIDDEN && (!*name || gpu_debug_find(name) == i)) {
      add_command(c->name, c->alias, c->args, c->help, &out);
      any = true;
    }
  }
  for (int i = 0; i < OWNS; i++)
    if (!*name || str_starts(own_commands[i][0], name)) {
      add_command(own_commands[i][0], own_commands[i][1], own_commands[i][2],
                  own_commands[i][3], &out);
      any = true;
    }
  if (!any)
    shop_warn(s, "There is no command %s here.", name);
  if (!*name)
    str_add(&out,
            message("\nAn empty line repeats the last command. Ctrl-C stops "
                    "what runs. Words may be shortened as long as they are "
                    "clear.\n"));
  if (out.len)
    shop_print(s, "%s", out.data);
  str_free(&out);
}

void debugger_help(struct shop *s) {
  debugger_print_help(s, "");
}

const char *debugger_nearest(const char *word) {
  struct nearest near = nearest_to(word);
  const struct gpu_debug_command *c;
  for (int i = 0; (c = gpu_debug_command(i)); i++)
    if (c->shows != GPU_DEBUG_HIDDEN)
      nearest_try(&near, c->name, strlen(c->name));
  for (int i = 0; i < OWNS; i++)
    nearest_try(&near, own_commands[i][0], strlen(own_commands[i][0]));
  return near.name;
}

char *debugger_complete(const char *word, int i) {
  int rows = 0;
  for (; gpu_debug_command(rows); rows++)
    if (gpu_debug_command(rows)->shows != GPU_DEBUG_HIDDEN &&
        str_starts(gpu_debug_command(rows)->name, word) && i-- == 0)
      return xstrdup(gpu_debug_command(rows)->name);
  for (int k = 0; k < OWNS; k++)
    if (str_starts(own_commands[k][0], word) && i-- == 0)
      return xstrdup(own_commands[k][0]);
  return NULL;
}

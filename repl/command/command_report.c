// SPDX-License-Identifier: Apache-2.0
// :report: what an author or an instructor needs to know of a page that is
// wrong, in a file to send; nothing in it says who wrote it.
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <lua.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/eval/eval.h"
#include "repl/lesson/lesson.h"
#include "repl/tui/tui.h"

enum { LAST_LINES = 120, MOST_REPORTS = 1000 };

// ---- Nothing private ----

static bool is_part_of_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Replaces `what` where it stands, names only as whole words.
static void replace(struct str *text, const char *what, const char *with,
                    bool is_name) {
  size_t n = what ? strlen(what) : 0;
  struct str out = STR_INIT;
  if (n < 2)
    return;
  for (const char *p = text->data; *p;) {
    bool is_it = !strncmp(p, what, n);
    if (is_name && is_it)
      is_it = !is_part_of_word(p[n]) &&
              (p == text->data || !is_part_of_word(p[-1]));
    if (is_it)
      str_add(&out, with);
    else
      str_add_char(&out, *p);
    p += is_it ? n : 1;
  }
  str_free(text);
  *text = out;
}

static void hide_private(struct str *text) {
  const struct passwd *who = getpwuid(getuid());
  struct utsname machine;
  char here[4096];
  if (getcwd(here, sizeof here) && here[1])
    replace(text, here, ".", false);
  replace(text, getenv("HOME"), "~", false);
  replace(text, who ? who->pw_dir : NULL, "~", false);
  replace(text, who ? who->pw_name : NULL, "USER", true);
  replace(text, getenv("USER"), "USER", true);
  replace(text, getenv("LOGNAME"), "USER", true);
  if (!uname(&machine))
    replace(text, machine.nodename, "HOST", true);
}

// ---- What it says ----

static void add_place(struct shop *s, struct str *out) {
  const struct lesson *l = s->lesson;
  if (l) {
    const struct lesson_page *page = &l->pages[s->page];
    const struct lesson_item *item =
        s->wanted ? s->wanted : &l->items[page->first];
    str_addf(out, "lesson    %d, %s (%s)\npage      %d of %d, %s\n",
             s->lesson_number, l->title, l->name, s->page + 1, l->page_count,
             page->title);
    str_addf(out, "line      %d of the lesson's file\n",
             page->count ? item->line : 1);
  }
  if (*s->exercise)
    str_addf(out, "exercise  %s\n", s->exercise);
}

static void add_nvrtc(struct str *out) {
  struct nvrtc *n;
  struct nvrtc_found found = {0};
  struct err_info e = {0};
  if (nvrtc_open(NULL, &n, &e))
    return;
  if (nvrtc_find(n, &found, &e))
    str_add(out, "NVRTC     none\n");
  else
    str_addf(out, "NVRTC     %d.%d\n", found.major, found.minor);
  nvrtc_close(n);
}

static void add_machine(struct shop *s, struct str *out) {
  struct utsname machine;
  struct capture c;
  str_addf(out, "warpshop  %s, %s\n", WARPSHOP_VERSION, LUA_RELEASE);
  add_nvrtc(out);
  if (!uname(&machine))
    str_addf(out, "system    %s %s %s\n", machine.sysname, machine.release,
             machine.machine);
  if (!capture_begin(&c))
    return;
  device_list(s);
  char *devices = capture_end(&c);
  str_addf(out, "devices\n%s", devices);
  free(devices);
}

static struct str make_report(struct shop *s) {
  struct str out = STR_INIT, shown = STR_INIT;
  transcript_add_last(LAST_LINES, &shown); // before the devices are listed
  str_add(&out, "A report of warpshop. What went wrong, and what should be "
                "there instead?\n\n\n");
  add_place(s, &out);
  add_machine(s, &out);
  str_addf(&out, "\nThe last lines:\n\n%s", shown.data);
  str_free(&shown);
  hide_private(&out);
  return out;
}

// ---- The file ----

// A new file in this folder; NULL with errno set where none can be made.
static FILE *open_new(char *name, size_t bytes) {
  for (int i = 1; i <= MOST_REPORTS; i++) {
    if (i == 1)
      snprintf(name, bytes, "warpshop-report.txt");
    else
      snprintf(name, bytes, "warpshop-report-%d.txt", i);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0)
      return fdopen(fd, "w");
    if (errno != EEXIST)
      break;
  }
  return NULL;
}

bool command_report(struct shop *s, const char *args_text) {
  char name[64] = "";
  (void)args_text;
  struct str report = make_report(s);
  FILE *f = open_new(name, sizeof name);
  bool fine = f && fwrite(report.data, 1, report.len, f) == report.len;
  if (f)
    fine &= !fclose(f);
  if (fine)
    shop_print(s,
               "Written to %s: where you are, versions, devices and the last "
               "%d lines. Read it, say on top what went wrong, and send it.",
               name, LAST_LINES);
  else
    shop_warn(s, "%s could not be written in this folder: %s", name,
              strerror(errno));
  str_free(&report);
  return fine;
}

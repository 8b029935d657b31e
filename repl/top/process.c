// SPDX-License-Identifier: Apache-2.0
// Processes as /proc has them (proc(5)). A device server says in its own command line
// what it serves and how many launches it has had (gpu/remote). Looking at every
// process of a machine each second would cost more than the dashboard may: a number
// that was there at the look before is not looked at again, but for now and then.
#include <ctype.h>
#include <dirent.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/top/machine.h"

enum { MOST_PIDS = 1 << 22, LOOKS_UNTIL_ALL = 16 };

struct followed { // a server, with its processor time at the look before
  pid_t pid;
  uint64_t ticks;
  double at_s;
};

struct process_watch {
  char *root;
  uid_t uid;
  unsigned char *seen; // a bit for each number that was there
  int looks;
  struct followed *servers;
  int count;
};

struct process_watch *process_watch_new(const char *root) {
  struct process_watch *w = xcalloc(1, sizeof *w);
  w->root = xstrdup(root ? root : "/proc");
  w->uid = getuid();
  w->seen = xcalloc(MOST_PIDS / 8, 1);
  return w;
}

void process_watch_free(struct process_watch *w) {
  if (!w)
    return;
  free(w->root);
  free(w->seen);
  free(w->servers);
  free(w);
}

// ---- One process ----

// The bytes of a small file; 0: it is not there.
static size_t read_file(const struct process_watch *w, pid_t pid,
                        const char *name, char *out, size_t bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d/%s", w->root, (int)pid, name);
  FILE *f = fopen(path, "re");
  size_t n = f ? fread(out, 1, bytes - 1, f) : 0;
  out[n] = 0;
  if (f)
    fclose(f);
  return n;
}

// The bytes of the UTF-8 character at `p`; 0: it is none, or controls something.
static size_t character(const char *p, size_t room) {
  unsigned char c = (unsigned char)*p;
  size_t n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
  if (!n || n > room || c > 0xF4 || c < ' ' || c == 127)
    return 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xC0) != 0x80)
      return 0;
  unsigned second = (unsigned char)p[1];
  if (c == 0xC2 && second < 0xA0) // C1 controls
    return 0;
  if ((c == 0xE0 && second < 0xA0) || (c == 0xED && second > 0x9F) ||
      (c == 0xF0 && second < 0x90) || (c == 0xF4 && second > 0x8F))
    return 0; // too long, half of a pair, beyond Unicode
  return n;
}

// A command is whatever its process says: what could act on a terminal is "?".
static void clean(const char *from, size_t bytes, char *to, size_t room) {
  size_t at = 0;
  for (size_t i = 0; i < bytes;) {
    size_t n = character(from + i, bytes - i);
    if (at + (n ? n : 1) >= room)
      break;
    if (n)
      memcpy(to + at, from + i, n);
    else
      to[at] = from[i] ? '?' : ' '; // words end with a zero
    at += n ? n : 1;
    i += n ? n : 1;
  }
  while (at && to[at - 1] == ' ')
    at--;
  to[at] = 0;
}

static void name_user(uid_t uid, char *out) {
  const struct passwd *p = getpwuid(uid);
  if (p)
    clean(p->pw_name, strlen(p->pw_name), out, NAME_BYTES);
  else
    snprintf(out, NAME_BYTES, "%u", (unsigned)uid);
}

// A process that gave up being looked into belongs to root as a file: who runs it,
// its status says.
static bool read_status(const struct process_watch *w, pid_t pid,
                        struct process_look *out) {
  char text[2048];
  unsigned uid = 0;
  int parent = 0;
  if (!read_file(w, pid, "status", text, sizeof text))
    return false;
  const char *line = strstr(text, "\nUid:");
  const char *of = strstr(text, "\nPPid:");
  bool is_read = line && sscanf(line + 5, "%u", &uid) == 1 && of &&
                 sscanf(of + 6, "%d", &parent) == 1;
  out->uid = uid;
  out->parent = parent;
  return is_read;
}

static void read_times(const struct process_watch *w, pid_t pid,
                       struct process_look *out) {
  char text[1024];
  unsigned long user = 0, system = 0;
  long pages = 0;
  read_file(w, pid, "stat", text, sizeof text);
  const char *end = strrchr(text, ')'); // of its name; utime is the 14th field
  if (end && sscanf(end + 1,
                    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d "
                    "%*d %*d %*d %*d %*d %*u %*u %ld",
                    &user, &system, &pages) == 3) {
    out->cpu_ticks = user + system;
    out->bytes = (int64_t)pages * sysconf(_SC_PAGESIZE);
  }
}

bool process_look(const struct process_watch *w, pid_t pid,
                  struct process_look *out) {
  char text[COMMAND_BYTES * 2];
  *out = (struct process_look){0};
  if (!read_status(w, pid, out))
    return false;
  size_t n = read_file(w, pid, "cmdline", text, sizeof text);
  if (n) {
    clean(text, n, out->command, sizeof out->command);
  } else { // a thread of the kernel's, or one that ends
    read_file(w, pid, "comm", text, sizeof text);
    clean(text, strcspn(text, "\n"), out->command, sizeof out->command);
  }
  name_user(out->uid, out->user);
  read_times(w, pid, out);
  return true;
}

// ---- Device servers ----

// "/usr/libexec/warpshop/warpshop-device --server 3 virtual:0 launches=0000000012":
// words that end with zeros.
static bool parse_server(const char *text, size_t bytes,
                         struct machine_server *out) {
  const char *words[5];
  size_t at = 0;
  for (int i = 0; i < 5; i++) {
    if (at >= bytes)
      return false;
    words[i] = text + at;
    at += strlen(words[i]) + 1;
  }
  const char *slash = strrchr(words[0], '/');
  unsigned long long launches;
  if (strcmp(slash ? slash + 1 : words[0], "warpshop-device") ||
      strcmp(words[1], "--server") ||
      sscanf(words[4], "launches=%llu", &launches) != 1)
    return false;
  clean(words[3], strlen(words[3]), out->device, sizeof out->device);
  out->launches = launches;
  return true;
}

static bool read_server(const struct process_watch *w, pid_t pid,
                        struct machine_server *out) {
  char text[4096];
  struct process_look parent;
  size_t n = read_file(w, pid, "cmdline", text, sizeof text);
  *out = (struct machine_server){.pid = pid, .cpu = {0, NVML_NEEDS_TWO}};
  if (!n || !parse_server(text, n, out) || !process_look(w, pid, &out->look) ||
      out->look.uid != w->uid)
    return false;
  if (process_look(w, out->look.parent, &parent))
    memcpy(out->program, parent.command, sizeof out->program);
  return true;
}

static void follow(struct process_watch *w, pid_t pid) {
  for (int i = 0; i < w->count; i++)
    if (w->servers[i].pid == pid)
      return;
  w->servers =
      xrealloc(w->servers, (size_t)(w->count + 1) * sizeof *w->servers);
  w->servers[w->count++] = (struct followed){.pid = pid};
}

static void look_for_new(struct process_watch *w) {
  unsigned char *now = xcalloc(MOST_PIDS / 8, 1);
  DIR *folder = opendir(w->root);
  bool all = w->looks++ % LOOKS_UNTIL_ALL == 0;
  struct machine_server server;
  for (struct dirent *d; folder && (d = readdir(folder));) {
    long pid = isdigit((unsigned char)d->d_name[0]) ? atol(d->d_name) : 0;
    if (pid <= 0 || pid >= MOST_PIDS)
      continue;
    unsigned char bit = (unsigned char)(1 << pid % 8);
    now[pid / 8] |= bit;
    if ((all || !(w->seen[pid / 8] & bit)) &&
        read_server(w, (pid_t)pid, &server))
      follow(w, (pid_t)pid);
  }
  if (folder)
    closedir(folder);
  free(w->seen);
  w->seen = now;
}

static void measure(struct followed *f, struct machine_server *s) {
  double now = clock_s();
  double ticks = (double)(s->look.cpu_ticks - f->ticks);
  if (f->at_s > 0 && now > f->at_s && s->look.cpu_ticks >= f->ticks)
    s->cpu = (struct nvml_value){
        (int64_t)(100 * ticks / (double)sysconf(_SC_CLK_TCK) / (now - f->at_s) +
                  0.5),
        0};
  f->ticks = s->look.cpu_ticks;
  f->at_s = now;
}

static int by_pid(const void *a, const void *b) {
  pid_t left = ((const struct machine_server *)a)->pid;
  pid_t right = ((const struct machine_server *)b)->pid;
  return (left > right) - (left < right);
}

struct machine_server *process_servers(struct process_watch *w, int *count) {
  look_for_new(w);
  struct machine_server *list = xcalloc((size_t)w->count + 1, sizeof *list);
  int kept = 0;
  for (int i = 0; i < w->count; i++) {
    if (!read_server(w, w->servers[i].pid, &list[kept]))
      continue;
    w->servers[kept] = w->servers[i];
    measure(&w->servers[kept], &list[kept]);
    kept++;
  }
  w->count = kept;
  qsort(list, (size_t)kept, sizeof *list, by_pid);
  *count = kept;
  return list;
}

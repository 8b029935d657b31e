// SPDX-License-Identifier: Apache-2.0
// Attempts in files. Each is
//   warpshop-attempt/1 <length of payload> <CRC-32 of payload>\n<payload>
// with the payload "<ms since 1970>\t<verdict>\t<score>\t<code>\n<source>".
// Its name begins with its time, so that names sort as the attempts came.
#include "repl/progress/progress.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "grade/course/course.h"

enum { MAX_FILE = 2 << 20, MAX_NAME = 100 };
static const char magic[] = "warpshop-attempt/1";
static const char ending[] = ".attempt";

// An exercise may be named by its folder's path.
static char *folder_of(const char *folder, const char *exercise) {
  char *state = folder ? xstrdup(folder) : course_xdg(XDG_STATE);
  char *name = xstrndup(exercise, MAX_NAME);
  for (char *p = name; *p; p++)
    if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
      *p = '_';
  char *path = state ? xasprintf("%s/attempts/%s", state, name) : NULL;
  free(state);
  free(name);
  return path;
}

static unsigned long crc_of(const char *data, size_t bytes) {
  return crc32(crc32(0, NULL, 0), (const unsigned char *)data, (unsigned)bytes);
}

// ---- Reading ----

struct names {
  int count;
  char **list; // whole paths, oldest first
};

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct names list_names(const char *folder) {
  struct names names = {0};
  DIR *d = opendir(folder);
  for (struct dirent *de; d && (de = readdir(d));) {
    if (!str_ends(de->d_name, ending))
      continue;
    names.list =
        xrealloc(names.list, (size_t)(names.count + 1) * sizeof *names.list);
    names.list[names.count++] = xasprintf("%s/%s", folder, de->d_name);
  }
  if (d)
    closedir(d);
  if (names.count)
    qsort(names.list, (size_t)names.count, sizeof *names.list, compare_names);
  return names;
}

static void free_names(struct names *names) {
  for (int i = 0; i < names->count; i++)
    free(names->list[i]);
  free(names->list);
}

// Cuts `out` up to `end` off *p; false where `end` does not come.
static bool take_field(char **p, char end, char *out, size_t bytes) {
  char *stop = strchr(*p, end);
  if (!stop)
    return false;
  *stop = 0;
  snprintf(out, bytes, "%s", *p);
  *p = stop + 1;
  return true;
}

static bool parse(char *data, size_t bytes, struct attempt *out) {
  size_t length;
  unsigned long crc;
  int head = 0;
  char time[24];
  memset(out, 0, sizeof *out);
  if (!str_starts(data, magic) ||
      sscanf(data + sizeof magic - 1, " %zu %lx%n", &length, &crc, &head) != 2)
    return false;
  char *p = data + sizeof magic - 1 + head;
  if (*p++ != '\n' || (size_t)(data + bytes - p) != length ||
      crc_of(p, length) != crc || !take_field(&p, '\t', time, sizeof time) ||
      !take_field(&p, '\t', out->verdict, sizeof out->verdict) ||
      !take_field(&p, '\t', out->score, sizeof out->score) ||
      !take_field(&p, '\n', out->code, sizeof out->code))
    return false;
  out->time_ms = atoll(time);
  out->text = xstrdup(p);
  return true;
}

static bool read_attempt(const char *path, struct attempt *out) {
  char *data;
  size_t bytes;
  if (file_read(path, MAX_FILE, &data, &bytes, NULL))
    return false;
  bool is_whole = parse(data, bytes, out);
  free(data);
  return is_whole;
}

void attempts_read(const char *folder, const char *exercise,
                   struct attempts *out) {
  char *own = folder_of(folder, exercise);
  struct names names = own ? list_names(own) : (struct names){0};
  *out = (struct attempts){0};
  out->list = xcalloc((size_t)names.count + 1, sizeof *out->list);
  for (int i = 0; i < names.count; i++)
    out->count += read_attempt(names.list[i], &out->list[out->count]);
  free_names(&names);
  free(own);
}

void attempts_free(struct attempts *a) {
  for (int i = 0; i < a->count; i++)
    free(a->list[i].text);
  free(a->list);
  *a = (struct attempts){0};
}

char *attempts_passed(const char *folder, const char *exercise) {
  struct attempts all;
  char *text = NULL;
  attempts_read(folder, exercise, &all);
  for (int i = all.count; !text && i-- > 0;)
    if (!strcmp(all.list[i].verdict, "pass"))
      text = xstrdup(all.list[i].text);
  attempts_free(&all);
  return text;
}

// ---- Keeping ----

// Which one passed last: it is what the end of a part judges once more.
static int last_pass(const struct names *names) {
  for (int i = names->count; i-- > 0;) {
    struct attempt a;
    bool is_pass =
        read_attempt(names->list[i], &a) && !strcmp(a.verdict, "pass");
    free(a.text);
    if (is_pass)
      return i;
  }
  return -1;
}

static void drop_oldest(const char *folder) {
  struct names names = list_names(folder);
  struct stat st;
  size_t bytes = 0;
  for (int i = 0; i < names.count; i++)
    bytes += stat(names.list[i], &st) ? 0 : (size_t)st.st_size;
  bool is_full = names.count > ATTEMPTS_MAX || bytes > ATTEMPTS_MAX_BYTES;
  int pass = is_full ? last_pass(&names) : -1, left = names.count;
  for (int i = 0; i + 1 < names.count; i++) {
    if (left <= ATTEMPTS_MAX && bytes <= ATTEMPTS_MAX_BYTES)
      break;
    if (i == pass || stat(names.list[i], &st) || unlink(names.list[i]))
      continue;
    bytes -= (size_t)st.st_size;
    left--;
  }
  free_names(&names);
}

static struct str make_file(const struct attempt *a, int64_t ms) {
  struct str payload = STR_INIT, file = STR_INIT;
  str_addf(&payload, "%lld\t%s\t%s\t%s\n%s", (long long)ms, a->verdict,
           a->score, a->code, a->text);
  str_addf(&file, "%s %zu %08lx\n", magic, payload.len,
           crc_of(payload.data, payload.len));
  str_add_bytes(&file, payload.data, payload.len);
  str_free(&payload);
  return file;
}

// A file that is there already is another session's of the same millisecond.
static int open_new(const char *folder, int64_t *ms, char **path) {
  for (;; (*ms)++) {
    *path = xasprintf("%s/%013lld%s", folder, (long long)*ms, ending);
    int fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EEXIST)
      return fd;
    free(*path);
  }
}

static enum err write_new(const char *folder, const struct attempt *a,
                          struct err_info *e) {
  int64_t ms = a->time_ms ? a->time_ms : clock_day_ms();
  char *path;
  int fd = open_new(folder, &ms, &path);
  struct str file = make_file(a, ms);
  ssize_t n = fd < 0 ? -1 : write(fd, file.data, file.len);
  enum err err = ERR_OK;
  if (n != (ssize_t)file.len)
    err = err_set(e, ERR_IO, "%s: %s", path,
                  n < 0 ? strerror(errno) : "the disk is full");
  if (fd >= 0) {
    close(fd);
    if (err)
      unlink(path);
  }
  str_free(&file);
  free(path);
  return err;
}

enum err attempts_keep(const char *folder, const char *exercise,
                       const struct attempt *a, struct err_info *e) {
  char *own = folder_of(folder, exercise);
  if (!own)
    return err_set(e, ERR_IO, "there is no home folder to keep attempts in");
  enum err err = file_make_folder(own, e);
  if (!err)
    err = write_new(own, a, e);
  if (!err)
    drop_oldest(own);
  free(own);
  return err;
}

// ---- Differences ----

// The text in a file without a name, which `diff` opens by its number. A last
// line without its end is ended: `diff` would speak of it.
static int in_memory(const char *text) {
  size_t n = strlen(text);
  int fd = memfd_create("attempt", 0);
  if (fd < 0)
    return fd;
  bool is_whole = write(fd, text, n) == (ssize_t)n &&
                  (!n || text[n - 1] == '\n' || write(fd, "\n", 1) == 1);
  if (is_whole)
    return fd;
  close(fd);
  return -1;
}

bool attempts_add_difference(const char *old_name, const char *old_text,
                             const char *new_name, const char *new_text,
                             struct str *out) {
  int from = in_memory(old_text), to = in_memory(new_text);
  char *command = xasprintf(
      "diff -U 2 --label '%s' --label '%s' /dev/fd/%d /dev/fd/%d 2>/dev/null",
      old_name, new_name, from, to);
  FILE *f = from < 0 || to < 0 ? NULL : popen(command, "r");
  char part[4096];
  for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0;)
    str_add_bytes(out, part, n);
  int status = f ? pclose(f) : -1;
  free(command);
  close(from);
  close(to);
  return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) < 2;
}

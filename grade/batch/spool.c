// SPDX-License-Identifier: Apache-2.0
#include "grade/batch/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/record.h"

enum { MAX_FILE_BYTES = 64 << 20, ID_BYTES = 8, MAX_OPEN = 8 };

static const char *const folders[] = {"in", "plan", "out", "log"};
enum { FOLDERS = sizeof folders / sizeof *folders };

struct spool {
  char *path;
  char id[2 * ID_BYTES + 1];
  int lock;
};

const char *spool_path(const struct spool *s) {
  return s->path;
}

const char *spool_id(const struct spool *s) {
  return s->id;
}

// ---- The folder ----

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *at) {
  (void)st;
  (void)type;
  (void)at;
  remove(path);
  return 0;
}

static void remove_tree(const char *path) {
  nftw(path, remove_one, MAX_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

// What lies there decides marks: nobody else may have put it there.
static enum err check_ours(const char *path, struct err_info *e) {
  struct stat st;
  if (lstat(path, &st))
    return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
  if (!S_ISDIR(st.st_mode))
    return err_set(e, ERR_ARGUMENT, "%s: this is no folder", path);
  if (st.st_uid != geteuid() || st.st_mode & 077)
    return err_set(e, ERR_ARGUMENT,
                   "%s: a spool is its owner's alone: chmod 700, or name "
                   "another with --spool",
                   path);
  return ERR_OK;
}

static enum err make_folder(const char *path, struct err_info *e) {
  if (mkdir(path, 0700) && errno != EEXIST)
    return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
  return check_ours(path, e);
}

static enum err lock(struct spool *s, struct err_info *e) {
  char *path = xasprintf("%s/lock", s->path);
  enum err err = ERR_OK;
  s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (s->lock < 0)
    err = err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
  else if (flock(s->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
    err = err_set(e, ERR_ARGUMENT,
                  "%s: another batch is being judged with this spool", s->path);
  free(path);
  return err;
}

static char *inside(const char *folder, const char *name) {
  return xasprintf("%s/%s", folder, name);
}

// A folder with other things in it is not a spool, and is left as it is.
static bool is_strange(const struct spool *s) {
  int count;
  char **names = file_names(s->path, &count);
  bool has_id = false, has_more = false;
  for (int i = 0; i < count; i++) {
    has_id |= !strcmp(names[i], "id");
    has_more |= strcmp(names[i], "lock") != 0;
  }
  file_names_free(names, count);
  return has_more && !has_id;
}

static bool read_id(struct spool *s) {
  char *path = inside(s->path, "id"), *text = NULL;
  size_t bytes;
  bool is_one = !file_read(path, sizeof s->id, &text, &bytes, NULL) &&
                bytes == sizeof s->id - 1 &&
                strspn(text, "0123456789abcdef") == bytes;
  if (is_one)
    memcpy(s->id, text, sizeof s->id);
  free(text);
  free(path);
  return is_one;
}

static enum err make_id(struct spool *s, struct err_info *e) {
  unsigned char bytes[ID_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return err_set(e, ERR_IO, "no random bytes: %s", strerror(errno));
  for (int i = 0; i < ID_BYTES; i++)
    snprintf(s->id + 2 * (size_t)i, 3, "%02x", bytes[i]);
  return spool_put(s, "id", s->id, e);
}

static enum err set_up(struct spool *s, bool resumes, struct err_info *e) {
  enum err err = ERR_OK;
  if (!resumes || !read_id(s)) {
    for (int i = 0; i < FOLDERS; i++) {
      char *path = inside(s->path, folders[i]);
      remove_tree(path);
      free(path);
    }
    err = make_id(s, e);
  }
  for (int i = 0; !err && i < FOLDERS; i++) {
    char *path = inside(s->path, folders[i]);
    err = make_folder(path, e);
    free(path);
  }
  return err;
}

enum err spool_open(const char *path, bool resumes, struct spool **out,
                    struct err_info *e) {
  struct spool *s = xcalloc(1, sizeof *s);
  s->lock = -1;
  enum err err = make_folder(path, e);
  s->path = err ? NULL : realpath(path, NULL);
  if (!err && !s->path)
    err = err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
  // sbatch reads a percent sign in the name of a log as something of its own.
  if (!err && strpbrk(s->path, "%\\\n"))
    err = err_set(e, ERR_ARGUMENT,
                  "%s: Slurm takes no such name for a log; name another folder "
                  "with --spool",
                  s->path);
  if (!err && is_strange(s))
    err = err_set(e, ERR_ARGUMENT,
                  "%s: there are other things in this folder; name another "
                  "with --spool",
                  s->path);
  err = err ? err : lock(s, e);
  err = err ? err : set_up(s, resumes, e);
  if (err) {
    spool_close(s, false);
    s = NULL;
  }
  *out = s;
  return err;
}

void spool_close(struct spool *s, bool removes) {
  if (!s)
    return;
  if (removes)
    remove_tree(s->path);
  if (s->lock >= 0)
    close(s->lock);
  free(s->path);
  free(s);
}

// ---- What goes in ----

enum err spool_put(struct spool *s, const char *name, const char *text,
                   struct err_info *e) {
  char *path = inside(s->path, name);
  enum err err = file_replace(path, text, strlen(text), e);
  free(path);
  return err;
}

void spool_drop(struct spool *s, const char *name) {
  char *path = inside(s->path, name);
  unlink(path);
  free(path);
}

// With the mark that the text was handed in with: its hash is over all bytes.
enum err spool_put_hand_in(struct spool *s, const struct hand_in *one,
                           struct err_info *e) {
  char *folder = xasprintf("%s/in/%s", s->path, one->learner);
  char *path = xasprintf("%s/%s", folder, one->file);
  char *text = xasprintf("%s%s", one->source.had_mark ? SOURCE_MARK : "",
                         one->source.text);
  enum err err = make_folder(folder, e);
  err = err ? err : file_replace(path, text, strlen(text), e);
  free(text);
  free(path);
  free(folder);
  return err;
}

int *spool_plans(struct spool *s, int *count) {
  char *folder = inside(s->path, "plan");
  int names, end;
  char **list = file_names(folder, &names);
  int *out = xcalloc((size_t)names + 1, sizeof *out);
  *count = 0;
  for (int i = 0; i < names; i++)
    if (sscanf(list[i], "%9d.json%n", &out[*count], &end) == 1 &&
        !list[i][end] && out[*count] > 0)
      ++*count;
  file_names_free(list, names);
  free(folder);
  return out;
}

enum err spool_read_plan(const char *path, int number, json_t **out,
                         struct err_info *e) {
  char *file = xasprintf("%s/plan/%d.json", path, number), *text = NULL;
  size_t bytes;
  enum err err = file_read(file, MAX_FILE_BYTES, &text, &bytes, e);
  *out = err ? NULL : json_loads(text, 0, NULL);
  if (!err && !json_is_object(*out)) {
    json_decref(*out);
    *out = NULL;
    err = err_set(e, ERR_IO, "%s: this is no plan", file);
  }
  free(text);
  free(file);
  return err;
}

// ---- What comes out ----

enum err spool_put_verdict(const char *path, const char *wanted,
                           const char *key, json_t *verdict,
                           struct err_info *e) {
  json_t *o = json_pack("{s:s,s:s,s:O*}", "wanted", wanted, "key", key,
                        "verdict", verdict);
  char *text = json_dumps(o, JSON_COMPACT);
  char *file = xasprintf("%s/out/%s", path, wanted);
  struct str line = STR_INIT;
  record_make(&line, text, strlen(text));
  enum err err = file_replace(file, line.data, line.len, e);
  str_free(&line);
  free(file);
  free(text);
  json_decref(o);
  return err;
}

// What one file says.
struct found {
  const struct spool_reader *to;
  const char *name;
  bool is_used;
};

static void take_record(void *context, char *payload) {
  struct found *f = context;
  json_t *o = json_loads(payload, 0, NULL);
  const char *wanted = json_string_value(json_object_get(o, "wanted"));
  const char *key = json_string_value(json_object_get(o, "key"));
  if (wanted && key && !strcmp(wanted, f->name))
    f->is_used =
        f->to->take(f->to->context, wanted, key, json_object_get(o, "verdict"));
  json_decref(o);
}

// Without the right length and sum it is no record: nothing is taken, and it goes.
static void collect_one(const struct spool_reader *to, const char *folder,
                        const char *name) {
  char *path = inside(folder, name), *data = NULL;
  size_t bytes;
  struct found f = {to, name, true};
  struct err_info e;
  enum err err = file_read(path, MAX_FILE_BYTES, &data, &bytes, &e);
  if (!err)
    record_read(data, bytes, take_record, &f);
  if (!err && f.is_used)
    unlink(path);
  free(data);
  free(path);
}

// A file that is still being written has another name.
static bool is_key(const char *name) {
  return strlen(name) == SEED_HEX - 1 &&
         strspn(name, "0123456789abcdef") == SEED_HEX - 1;
}

void spool_collect(struct spool *s, const struct spool_reader *to) {
  char *folder = inside(s->path, "out");
  int count;
  char **names = file_names(folder, &count);
  for (int i = 0; i < count; i++)
    if (is_key(names[i]))
      collect_one(to, folder, names[i]);
  file_names_free(names, count);
  free(folder);
}

void spool_refresh(struct spool *s) {
  if (!spool_put(s, "out/.seen", "", NULL))
    spool_drop(s, "out/.seen");
}

char *spool_last_words(struct spool *s, int number, int index) {
  char *path = xasprintf("%s/log/%d_%d.txt", s->path, number, index);
  char *text = NULL, *last = NULL;
  size_t bytes;
  if (!file_read(path, MAX_FILE_BYTES, &text, &bytes, NULL))
    last = output_last_line(text);
  if (last && !*last) {
    free(last);
    last = NULL;
  }
  free(text);
  free(path);
  return last;
}

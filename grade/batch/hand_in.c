// SPDX-License-Identifier: Apache-2.0
// What is to be judged: files, or a folder of learners.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/batch/batch.h"
#include "grade/input/input.h"

static struct hand_in *add(struct hand_ins *h) {
  size_t count = (size_t)h->count + 1;
  h->list = xrealloc(h->list, count * sizeof *h->list);
  struct hand_in *one = &h->list[h->count++];
  memset(one, 0, sizeof *one);
  return one;
}

static void add_note(struct hand_ins *h, char *text) {
  size_t count = (size_t)h->note_count + 1;
  h->notes = xrealloc(h->notes, count * sizeof *h->notes);
  h->notes[h->note_count++] = text_clean(text, strlen(text), 500, 0);
  free(text);
}

static void add_exercise(struct hand_ins *h, struct exercise *ex) {
  size_t count = (size_t)h->exercise_count + 1;
  h->exercises = xrealloc(h->exercises, count * sizeof(struct exercise *));
  h->exercises[h->exercise_count++] = ex;
}

// ---- Files ----

enum err hand_ins_of_files(const char *name, char **paths, int count,
                           const char *learner, struct hand_ins *out,
                           struct err_info *e) {
  struct exercise *ex;
  memset(out, 0, sizeof *out);
  enum err err = exercise_load(name, &ex, e);
  if (err)
    return err;
  add_exercise(out, ex);
  for (int i = 0; i < count; i++) {
    struct hand_in *one = add(out);
    one->name = source_show_name(paths[i]);
    one->learner = learner ? xstrdup(learner) : NULL;
    one->ex = ex;
    source_read(paths[i], &one->source, &one->refused, &one->unread);
  }
  return ERR_OK;
}

// ---- A folder ----

// What is searched, and for which exercises.
struct search {
  struct hand_ins *out;
  int folder;
  char **names;
  int name_count;
};

static bool is_wanted(const struct search *s, const char *name) {
  for (int i = 0; i < s->name_count; i++)
    if (!strcmp(s->names[i], name))
      return true;
  return !s->name_count;
}

// Loaded once each. NULL: there is none, or it is broken, which `e` says.
static struct exercise *find_exercise(struct hand_ins *h, const char *name,
                                      struct err_info *e) {
  struct exercise *ex;
  for (int i = 0; i < h->exercise_count; i++)
    if (!strcmp(h->exercises[i]->name, name))
      return h->exercises[i];
  if (strchr(name, '/') || exercise_load(name, &ex, e))
    return NULL;
  add_exercise(h, ex);
  return ex;
}

// "vector-add" of "vector-add.cu"; NULL: its name is no hand-in's.
static char *exercise_of(const char *file) {
  const char *kind = source_kind(file);
  return kind && *file != '.' ? xstrndup(file, strlen(file) - strlen(kind))
                              : NULL;
}

// What is no file of the learner's (a link, a FIFO, a folder, a device, another
// name of somebody's file) is what was handed in, as a binary is, and no fault of
// the machine's. A file that cannot be read may be the machine's fault.
static void refuse_no_file(const struct search *s, const char *path,
                           struct hand_in *one) {
  struct stat st;
  if (!one->unread.code || fstatat(s->folder, path, &st, AT_SYMLINK_NOFOLLOW) ||
      (S_ISREG(st.st_mode) && st.st_nlink == 1))
    return;
  const char *why = one->unread.text;
  one->refused = text_clean(why, strlen(why), 1000, 0);
  one->source.name = text_file_name(path);
  one->source.text = xstrdup("");
  one->unread.code = ERR_OK;
}

static void take_file(struct search *s, const char *learner, const char *file) {
  struct err_info e = {0};
  char *name = exercise_of(file);
  struct exercise *ex = NULL;
  if (name && !is_wanted(s, name)) {
    free(name);
    return;
  }
  if (name)
    ex = find_exercise(s->out, name, &e);
  bool has_kind = ex && str_ends(file, exercise_extension(ex->kind));
  if (!has_kind) {
    add_note(s->out,
             xasprintf("%s/%s: %s", learner, file,
                       !name ? "no hand-in, which is <exercise>.cu, .lua or .sh"
                       : !ex ? e.text
                             : "the exercise takes the other kind of file"));
  } else {
    char *path = xasprintf("%s/%s", learner, file);
    struct hand_in *one = add(s->out);
    one->name = text_clean(path, strlen(path), 200, 0);
    one->learner = xstrdup(learner);
    one->file = xstrdup(file);
    one->ex = ex;
    source_read_beneath(s->folder, path, &one->source, &one->refused,
                        &one->unread);
    refuse_no_file(s, path, one);
    free(path);
  }
  free(name);
}

// Of a learner's own folder, no link to another's.
static void take_learner(struct search *s, const char *folder,
                         const char *learner) {
  struct stat st;
  if (fstatat(s->folder, learner, &st, AT_SYMLINK_NOFOLLOW) ||
      !S_ISDIR(st.st_mode)) {
    add_note(s->out, xasprintf("%s: no learner's folder", learner));
    return;
  }
  int count;
  char *path = xasprintf("%s/%s", folder, learner);
  char **files = file_names(path, &count);
  for (int i = 0; i < count; i++)
    take_file(s, learner, files[i]);
  file_names_free(files, count);
  free(path);
}

static enum err begin(struct search *s, const char *folder,
                      struct err_info *e) {
  memset(s->out, 0, sizeof *s->out);
  s->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return s->folder >= 0 ? ERR_OK
                        : err_set(e, ERR_IO, "%s: %s", folder, strerror(errno));
}

enum err hand_ins_of_list(const char *folder, const char *const *learners,
                          const char *const *files, int count,
                          struct hand_ins *out, struct err_info *e) {
  struct search s = {out, -1, NULL, 0};
  enum err err = begin(&s, folder, e);
  for (int i = 0; !err && i < count; i++) {
    take_file(&s, learners[i], files[i]);
    if (out->note_count)
      err = err_set(e, ERR_ARGUMENT, "%s", out->notes[0]);
  }
  if (s.folder >= 0)
    close(s.folder);
  return err;
}

enum err hand_ins_of_folder(const char *folder, char **names, int name_count,
                            struct hand_ins *out, struct err_info *e) {
  struct search s = {out, -1, names, name_count};
  enum err err = begin(&s, folder, e);
  if (err)
    return err;
  for (int i = 0; i < name_count; i++)
    if (!find_exercise(out, names[i], e)) {
      close(s.folder);
      return e->code;
    }
  int count;
  char **learners = file_names(folder, &count);
  for (int i = 0; i < count; i++)
    take_learner(&s, folder, learners[i]);
  file_names_free(learners, count);
  close(s.folder);
  if (!out->count)
    return err_set(e, ERR_NOT_FOUND,
                   "%s holds no hand-in: they are FOLDER/<learner>/"
                   "<exercise>.cu or .lua%s%s",
                   folder, out->note_count ? "; for one, " : "",
                   out->note_count ? out->notes[0] : "");
  return ERR_OK;
}

void hand_ins_free(struct hand_ins *h) {
  for (int i = 0; i < h->count; i++) {
    struct hand_in *one = &h->list[i];
    free(one->name);
    free(one->learner);
    free(one->file);
    free(one->refused);
    source_free(&one->source);
  }
  for (int i = 0; i < h->exercise_count; i++)
    exercise_free(h->exercises[i]);
  for (int i = 0; i < h->note_count; i++)
    free(h->notes[i]);
  free(h->list);
  free(h->exercises);
  free(h->notes);
  memset(h, 0, sizeof *h);
}

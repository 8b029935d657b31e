// SPDX-License-Identifier: Apache-2.0
#include "grade/subcommand/autograder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tree.h"

enum { MAX_FILE_BYTES = 1 << 20 };

// The folders of ours that judging reads.
static const char *const own_folders[] = {"lua", "kernels",
                                          "gpu/nvrtc/include"};
enum { OWN_FOLDERS = sizeof own_folders / sizeof *own_folders };

// Copies where there is something to copy; frees `from`.
static enum err copy(char *take_from, const struct autograder *a,
                     const char *under, struct err_info *e) {
  char *to = xasprintf("%s/%s", a->into, under), *slash = strrchr(to, '/');
  *slash = 0;
  enum err err = file_make_folder(to, e);
  *slash = '/';
  if (!err && !take_from)
    err = err_set(e, ERR_NOT_FOUND, "%s is not where this program is", under);
  if (!err)
    err = tree_copy(take_from, to, e);
  free(to);
  free(take_from);
  return err;
}

// ---- The scripts ----

static void replace_all(struct str *out, const char *text, const char *from,
                        const char *to) {
  for (const char *hit; (hit = strstr(text, from)); text = hit + strlen(from))
    str_addf(out, "%.*s%s", (int)(hit - text), text, to);
  str_add(out, text);
}

static enum err write_script(const struct autograder *a, const char *name,
                             struct err_info *e) {
  char *under = xasprintf("skeleton/autograder/%s", name);
  char *from = file_own(under), *to = xasprintf("%s/%s", a->into, name);
  char *text = NULL;
  size_t bytes;
  struct str named = STR_INIT, whole = STR_INIT;
  enum err err = from ? file_read(from, MAX_FILE_BYTES, &text, &bytes, e)
                      : err_set(e, ERR_NOT_FOUND, "%s is not installed", under);
  if (!err) {
    replace_all(&named, text, "EXERCISE", a->exercise);
    replace_all(&whole, named.data, "ENDING", a->ending);
    err = file_write(to, whole.data, whole.len, 0755, e);
  }
  str_free(&named);
  str_free(&whole);
  free(text);
  free(to);
  free(from);
  free(under);
  return err;
}

// ---- The course of one exercise ----

static enum err write_text(const struct autograder *a, const char *under,
                           char *take_text, struct err_info *e) {
  char *to = xasprintf("%s/%s", a->into, under);
  enum err err = file_write(to, take_text, strlen(take_text), 0644, e);
  free(take_text);
  free(to);
  return err;
}

// What is hidden comes along: learners do not see the folder.
static enum err copy_folders(const struct autograder *a, struct err_info *e) {
  const char *const parts[][2] = {{"exercises", a->folder},
                                  {"exercises-private", a->private_folder}};
  enum err err = ERR_OK;
  for (int i = 0; i < 2 && parts[i][1] && !err; i++) {
    char *under = xasprintf("course/%s/%s", parts[i][0], a->exercise);
    err = copy(xstrdup(parts[i][1]), a, under, e);
    free(under);
  }
  return err;
}

static enum err copy_exercise(const struct autograder *a, struct err_info *e) {
  enum err err = copy_folders(a, e);
  if (!err)
    err = write_text(a, "course/exercises/index",
                     xasprintf("%s\n", a->exercise), e);
  if (!err)
    err = write_text(a, "course/course",
                     xasprintf("name: %s\ntitle: %s\nversion: 1\n", a->exercise,
                               a->exercise),
                     e);
  return err;
}

// ---- This program ----

static enum err copy_program(const struct autograder *a, struct err_info *e) {
  static const char bin[] = "warpshop/bin/warpshop";
  static const char libexec[] = "warpshop/libexec/warpshop/";
  char *device = xasprintf("%swarpshop-device", libexec);
  char *learner = xasprintf("%swarpshop-learner", libexec);
  enum err err = copy(xstrdup("/proc/self/exe"), a, bin, e);
  if (!err)
    err = copy(file_device_program(), a, device, e);
  if (!err)
    err = copy(file_learner_program(), a, learner, e);
  for (int i = 0; i < OWN_FOLDERS && !err; i++) {
    char *under = xasprintf("warpshop/share/warpshop/%s", own_folders[i]);
    err = copy(file_own(own_folders[i]), a, under, e);
    free(under);
  }
  free(device);
  free(learner);
  return err;
}

enum err autograder_make(const struct autograder *a, char **said,
                         struct err_info *e) {
  *said = NULL;
  if (mkdir(a->into, 0755))
    return err_set(e, errno == EEXIST ? ERR_ARGUMENT : ERR_IO,
                   errno == EEXIST
                       ? "%.300s is there already and was left as it is"
                       : "the folder %.300s cannot be made: %s",
                   a->into, strerror(errno));
  enum err err = copy_program(a, e);
  if (!err)
    err = copy_exercise(a, e);
  if (!err)
    err = write_script(a, "setup.sh", e);
  if (!err)
    err = write_script(a, "run_autograder", e);
  if (err)
    tree_remove(a->into);
  else
    *said =
        xasprintf("made %s; zip what is in it (cd %s && zip -r ../%s.zip .) "
                  "and give Gradescope the file\n",
                  a->into, a->into, a->exercise);
  return err;
}

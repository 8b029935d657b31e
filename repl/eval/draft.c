// SPDX-License-Identifier: Apache-2.0
// The CUDA C that a learner wrote, kept in files.
#include "repl/eval/draft.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/course/course.h"

enum { MAX_DRAFT = 4 << 20, MAX_NAME = 100 };

// A name may be anything that was typed: what a file's name should not hold
// becomes "_".
static char *file_name(const char *name) {
  char *out = xstrndup(name, MAX_NAME);
  for (char *p = out; *p; p++)
    if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
      *p = '_';
  return out;
}

static char *folder_of(enum draft_kind kind) {
  char *state = course_xdg(XDG_STATE);
  char *folder =
      state ? xasprintf("%s/drafts/%s", state,
                        kind == DRAFT_EXERCISE ? "exercises" : "kernels")
            : NULL;
  free(state);
  return folder;
}

static char *path_of(enum draft_kind kind, const char *name) {
  char *folder = folder_of(kind), *file = file_name(name);
  char *path = folder ? xasprintf("%s/%s.cu", folder, file) : NULL;
  free(folder);
  free(file);
  return path;
}

enum err draft_keep(enum draft_kind kind, const char *name, const char *text,
                    struct err_info *e) {
  char *folder = folder_of(kind), *path = path_of(kind, name);
  enum err err =
      path ? file_make_folder(folder, e)
           : err_set(e, ERR_IO, "there is no home folder to keep drafts in");
  if (!err)
    err = file_replace(path, text, strlen(text), e);
  free(folder);
  free(path);
  return err;
}

char *draft_read(enum draft_kind kind, const char *name) {
  char *path = path_of(kind, name), *text = NULL;
  size_t bytes;
  if (path && file_read(path, MAX_DRAFT, &text, &bytes, NULL))
    text = NULL;
  free(path);
  return text;
}

char *draft_set_aside(enum draft_kind kind, const char *name) {
  char *path = path_of(kind, name);
  char *old = path ? xasprintf("%s.old", path) : NULL;
  bool moved = path && !rename(path, old);
  free(path);
  if (moved)
    return old;
  free(old);
  return NULL;
}

// SPDX-License-Identifier: Apache-2.0
// A course: a folder with a file `course` (name, title, version), lessons/ and
// exercises/, each with its index. warpshop's own is one of them. One is in use
// at a time; docs/authoring.md says how one is written.
#ifndef GRADE_COURSE_H
#define GRADE_COURSE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"

struct course {
  char *folder; // absolute
  char *name;   // progress is kept by it: small letters, digits and -
  char *title, *version;
  bool locks_solutions; // who has passed sees one, and nobody else
};

// Reads the course in a folder. ERR_NOT_FOUND: it holds none. ERR_ARGUMENT names
// the line of the file that is not as it should be.
enum err course_load(const char *folder, struct course **out,
                     struct err_info *e);
void course_free(struct course *c); // NULL is fine
// Can a course, an exercise or a lesson be called so?
bool course_is_name(const char *name);
// Is there a course in the folder, right or wrong?
bool course_is_folder(const char *folder);

// The course in use: $WARPSHOP_COURSE, else warpshop's own.
enum err course_in_use(struct course **out, struct err_info *e);
enum err course_own(struct course **out, struct err_info *e);

// From here on, for this process and those that it starts, a course is in use:
// that of a folder, or the one of that name among those that there are.
enum err course_use(const char *what, struct err_info *e);

// The courses that there are, each once: the one in use, warpshop's own, and
// what the folders of $WARPSHOP_COURSES (separated by ":") are or hold. *notes,
// which is the caller's, has a line for each that could not be read.
struct course_list {
  int count;
  struct course **at;
};
void course_list_load(struct course_list *out, struct str *notes);
void course_list_free(struct course_list *list);

// The lines of an index, "lessons" or "exercises": without comments and empty
// ones; freed with file_names_free. No exercises/ is no exercise. ERR_IO: it
// cannot be read.
enum err course_index(const struct course *c, const char *part, char ***names,
                      int *count, struct err_info *e);

// The parts that the index of the lessons names: a line "# II Kernels" begins the
// second one. None is fine.
struct course_part {
  char *numeral, *title; // "II", "Kernels"
  int first, count;      // of course_index's lessons, from 0
};
enum err course_parts(const struct course *c, struct course_part **out,
                      int *count, struct err_info *e);
void course_parts_free(struct course_part *parts, int count);

// Says, one sentence with its place a call, what is wrong with an index: a name
// that is not there or there twice, a lesson's number that is, a file or folder
// that is not listed (not even as a comment). Returns how many.
int course_check(const struct course *c, const char *part,
                 void (*say)(void *context, const char *text), void *context);

// The user's folder (base/file.h) for what belongs to the course in use: of
// warpshop's own it is file_xdg's, of others a folder in it. NULL: there is no
// home, or no such course. The caller frees it.
char *course_xdg(enum xdg which);

// ---- A new one ----

// Copies of skeleton/ that pass their own checks. Nothing that is there is written
// over; what could not be made whole is not left half.

// Each fills *said, which is the caller's, with what was made and what comes
// next. ERR_ARGUMENT: the name is none, or is taken. ERR_IO: the system says no.

// A course in a new folder, with one lesson and no exercise.
enum err scaffold_course(const char *folder, char **said, struct err_info *e);
// The last lesson of the course in the folder where we are.
enum err scaffold_lesson(const char *name, char **said, struct err_info *e);
// The last exercise of that course; where there is none, a folder of its own.
// `kind`: what skeleton/exercises has.
enum err scaffold_exercise(const char *name, const char *kind, char **said,
                           struct err_info *e);

#endif

// SPDX-License-Identifier: Apache-2.0
// New courses, lessons and exercises: copies of skeleton/ that pass their own
// checks. Nothing that is there is written over; what could not be made whole is
// not left half.
#ifndef GRADE_COURSE_SCAFFOLD_H
#define GRADE_COURSE_SCAFFOLD_H

#include "base/err.h"

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

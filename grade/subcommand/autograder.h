// SPDX-License-Identifier: Apache-2.0
// A folder whose content, zipped, is an autograder for Gradescope: its two scripts,
// this program, one exercise.
#ifndef GRADE_SUBCOMMAND_AUTOGRADER_H
#define GRADE_SUBCOMMAND_AUTOGRADER_H

#include "base/err.h"

struct autograder {
  const char *exercise, *folder; // its name, where it lies
  const char *private_folder;    // in exercises-private/; NULL: there is none
  const char *ending;            // of an answer: "cu"
  const char *into;              // the folder to make
};

// Fills *said, which is the caller's, with what was made and what comes next.
// ERR_ARGUMENT: the folder is there already. What could not be made whole is not
// left half.
enum err autograder_make(const struct autograder *a, char **said,
                         struct err_info *e);

#endif

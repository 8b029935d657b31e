// SPDX-License-Identifier: Apache-2.0
// Sources: reading a submission, and what an exercise cuts from its solution
// (the starter and the mutants).
#ifndef GRADE_INPUT_SOURCE_H
#define GRADE_INPUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "grade/input/seed.h"

enum { SOURCE_MAX_BYTES = 1 << 20 };
#define SOURCE_MARK "\xef\xbb\xbf" // some editors' byte order mark

struct source {
  char *name;            // to show: the file's own name, cleaned
  char *text;            // without a byte order mark; ends with a zero
  bool had_mark;         // it was handed in with one
  char sha256[SEED_HEX]; // of the bytes as handed in; "": not all were read
};

// Reads a file, once; "-", "/dev/stdin" and "/dev/fd/N" as streams. ERR_IO: it
// cannot be read (missing, a folder, a FIFO), or another user's link leads to it
// (base/open.h). ERR_OK with `*refused` set to a sentence (to be freed), and
// `text` empty, where the bytes are no source: binary or too large; `e` has no
// error then.
enum err source_read(const char *path, struct source *out, char **refused,
                     struct err_info *e);
// The same below an open folder whose files others own: no link is followed, and
// nobody hands in another's file (open_beneath).
enum err source_read_beneath(int folder, const char *path, struct source *out,
                             char **refused, struct err_info *e);
// The same for text that is in memory already.
void source_from_text(const char *name, const char *text, size_t bytes,
                      struct source *out, char **refused);
// What source_read calls the file; to be freed.
char *source_show_name(const char *path);
void source_free(struct source *s);

// The ending of a hand-in's file, ".cu", ".lua" or ".sh"; NULL: it is none.
const char *source_kind(const char *file);

// The name to compile under: `name` where it is plain, else "submission.cu".
const char *source_compile_name(const struct source *s);

// Does the code use a name that stands for the time of compiling, __DATE__,
// __TIME__ or __TIMESTAMP__, whole or in pieces that ## could put together? Its
// name and its line, from 1; NULL: none.
const char *source_find_clock(const char *text, int *line);

// Finds the lines between "BEGIN SOLUTION" and "END SOLUTION", which must be
// there once and in order; ERR_ARGUMENT names the one that is not.
enum err source_find_solution(const char *text, const char *comment,
                              const char **start, const char **end,
                              struct err_info *e);

// Cuts the starter from a solution: what is between the lines
//   // BEGIN SOLUTION      and      // END SOLUTION
// goes, and each line "// STARTER: text" becomes "text"; `comment` is what begins
// them, "//" or "--". ERR_ARGUMENT names a marker that is missing or out of order.
enum err source_cut_starter(const char *solution, const char *comment,
                            char **out, struct err_info *e);

// The solution without its marker lines.
enum err source_cut_solution(const char *solution, const char *comment,
                             char **out, struct err_info *e);

// The solution with `from` replaced by `to`; `from` must be there exactly
// once between the markers.
enum err source_mutate(const char *solution, const char *comment,
                       const char *from, const char *to, char **out,
                       struct err_info *e);

#endif

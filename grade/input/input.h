// SPDX-License-Identifier: Apache-2.0
// What comes from outside, and what it is judged with: seeds, the sources that are
// handed in, texts made safe to show, and the tokens of a source.
#ifndef GRADE_INPUT_INPUT_H
#define GRADE_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

// ---- Seeds (seed.c) ----

// What a case's inputs are drawn from. They depend on a secret of the
// course, so that a submission cannot know its inputs. Each case is drawn
// twice: once for the learner alone, so that no number of tries draws other
// inputs, and once for the submission as well, so that what was learnt of the
// first does not help. Grading again gives the same verdict.

enum { SEED_BYTES = 32, SEED_HEX = 2 * SEED_BYTES + 1 };

struct seed {
  uint8_t bytes[SEED_BYTES];
};

// The course's secret: the text of the file `path` (NULL: the file that
// WARPSHOP_COURSE_SECRET_FILE names, else the text in WARPSHOP_COURSE_SECRET,
// else a constant that everybody knows, for practice). ERR_IO when a named
// file cannot be read, ERR_ARGUMENT when the secret is empty.
enum err seed_from_secret(const char *path, struct seed *out,
                          struct err_info *e);

// What a seed is drawn for. NULL counts as "", but for the submission: the
// first draw knows none.
struct seed_for {
  const char *course, *learner, *exercise, *name; // of the case
  const char *submission;                         // its SHA-256
};

// HMAC-SHA-256 under `key` of these texts; each is ended by a zero byte.
void seed_derive(const struct seed *key, const struct seed_for *who,
                 struct seed *out);

// `bytes` of the ChaCha20 stream number `stream` of the seed.
void seed_fill(const struct seed *s, uint64_t stream, void *out, size_t bytes);

void seed_hex(const struct seed *s, char out[SEED_HEX]);
void sha256_hex(const void *data, size_t bytes, char out[SEED_HEX]);

// ---- Sources (source.c) ----

// Reading a submission, and what an exercise cuts from its solution
// (the starter and the mutants).

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

// ---- Texts made safe (text.c) ----

// Text that a submission had a hand in (its name, its output, the compiler's
// words about it), made safe for a terminal, a log, JSON and XML 1.0.

// A copy of at most `max_bytes` in valid UTF-8 without control characters
// (newlines and tabs stay when `lines` is set) and without code points that are
// no characters; what is dropped becomes '?'.
// The caller frees it.
char *text_clean(const char *bytes, size_t n, size_t max_bytes, int lines);

// The last part of a path, cleaned and cut to a name's length.
char *text_file_name(const char *path);

// ---- Tokens (token.c) ----

// The tokens of a text in CUDA C or in Lua, its brackets and its statements.

enum token_kind {
  TOKEN_NAME, // keywords as well
  TOKEN_NUMBER,
  TOKEN_TEXT, // a string, a character
  TOKEN_SIGN, // an operator, a bracket
};

struct token {
  enum token_kind kind;
  size_t offset, bytes;
  int line, column; // from 1
  int partner;      // of a bracket, the other one; -1: none
  int outer;        // the bracket that was opened last and is not closed; -1
};

struct tokens {
  const char *text; // borrowed
  bool is_lua;
  int first, end; // those that are looked at: [first, end)
  int count;
  struct token *list;
};

// Those of a text. Comments are left out, and the preprocessor's lines of CUDA C.
void tokens_read(const char *text, bool is_lua, struct tokens *out);
void tokens_free(struct tokens *t);

// Is token `i` there, and `word`?
bool token_is(const struct tokens *t, int i, const char *word);
// Is it one of these, which are between spaces: " if while for "?
bool token_is_any(const struct tokens *t, int i, const char *words);
// Does a statement begin with token `i`?
bool token_begins_statement(const struct tokens *t, int i);
// Of Lua: does a value end with it?
bool token_ends_value(const struct tokens *t, int i);
// The bytes from the beginning of token `first` to the end of `last`.
size_t token_span(const struct tokens *t, int first, int last);

// The same as one line of at most 40 bytes; to be freed.
char *token_show(const struct tokens *t, int first, int last);
// Any text as such a line.
char *token_flatten(const char *text, size_t bytes);

#endif

// SPDX-License-Identifier: Apache-2.0
// What a finding is about, in the source's own names.
#ifndef GPU_FINDING_FINDING_SUBJECT_H
#define GPU_FINDING_FINDING_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/finding.h"

// An integer parameter of the launch.
struct finding_number {
  const char *name;
  int64_t value;
};

// What the launcher knows of a finding; all borrowed, all may be left out.
struct finding_scene {
  const char *source;   // the learner's text, numbered from 1
  const char *file;     // as it was named to the compiler
  const char *array;    // the pointer parameter that was used
  const char *declared; // its type: "const float *"
  const char *variable; // the prompt's name for the array
  int64_t elem_bytes;   // of the array
  int64_t start;        // of the pointer, in bytes from the finding's base
  uint64_t threads;     // of the whole grid
  uint32_t grid[3];     // of the launch; 0: unknown
  uint32_t block[3];
  int number_count;
  const struct finding_number *numbers;
  bool is_cooperative; // the launch: its blocks can wait for each other
  bool is_wrong; // its results are: what is no mistake by itself may be why
};

// A finding with what can be said about it.
struct finding_subject {
  const struct gpu_finding *finding; // borrowed, as is the scene
  struct finding_scene scene;
  char array[64]; // the parameter, or a shared variable without mangling; ""
  char type[64];  // of an element, as in the source; ""
  int64_t elem_bytes;
  int64_t elems;    // of the array; -1: unknown
  int64_t index;    // of the element; valid when elem_bytes > 0
  int64_t offset;   // in bytes from its array's start; may be negative
  char element[32]; // "[1][0]" of an array that the compiler took apart; or ""
  int column; // from 1: of `array[...]` in the line, else the compiler's; 0
};

void finding_subject(const struct gpu_finding *f,
                     const struct finding_scene *scene,
                     struct finding_subject *out);

// Line `line` (from 1) of the learner's source, if it is that file's.
bool finding_source_line(const struct finding_subject *s, int line,
                         const char **start, int *length);
// The column of the access (from 1; 0: unknown); `*marks` is how many
// characters of the line it takes.
int finding_column(const struct finding_subject *s, int *marks);
// An array's end was passed, into bytes that are nobody's.
bool finding_is_behind_local(const struct finding_subject *s);

// The file's name without the folder that the compiler may have put before it.
const char *finding_file(const struct gpu_finding *f);

// The name in the source: "part" for "_ZZ9block_sumPKfPfiE4part"; "" where a
// mangled name cannot be read.
void finding_demangle(const char *mangled, char *out, size_t bytes);

// May it stand in a name?
bool finding_is_word(char c);
// The next place from `at` on, in the text that begins at `start`, where the name stands
// whole; NULL: none.
const char *finding_find_name(const char *at, const char *start,
                              const char *name);

#endif

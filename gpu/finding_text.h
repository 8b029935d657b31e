// SPDX-License-Identifier: Apache-2.0
// A finding in the learner's words, the same at the prompt and in a verdict:
// the array and its element, a sentence, what it means, where it stands in the
// source. Nothing here touches a device, Lua or a terminal.
#ifndef GPU_FINDING_TEXT_H
#define GPU_FINDING_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
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

// A warning that threads of a warp had left before a barrier says nothing where
// the source shows that they returned, which is legal.
bool finding_is_moot(const struct finding_subject *s);
// "write out of bounds: out[4096], 4 bytes past the end of out (float[4096])".
void finding_add_sentence(struct str *out, const struct finding_subject *s);
// What it means; tells sizes where they are known. Adds nothing for a kind
// without advice.
void finding_add_explanation(struct str *out, const struct finding_subject *s);
// "block (0,0,0) thread (1,0,0), and 3 more threads".
void finding_add_who(struct str *out, const struct gpu_finding *f);
// Place, sentence, source with a mark, and what it means; no newline at the
// end.
void finding_add_report(struct str *out, const struct finding_subject *s);

// The stable key "oob-write", "race"; the same in words, "write out of
// bounds"; and the advice that tells no sizes (NULL: none).
const char *finding_code(const struct gpu_finding *f);
const char *finding_what(const struct gpu_finding *f);
const char *finding_advice(const struct gpu_finding *f);

// Where this kind stands among findings of one severity, the first being 0: what
// ends the kernel comes before all that it may have led to.
int finding_rank(const char *kind);

const char *finding_access_word(int access); // "read"
const char *finding_space_word(int space);   // "shared"; "" for none
// The file's name without the folder that the compiler may have put before it.
const char *finding_file(const struct gpu_finding *f);

// The name in the source: "part" for "_ZZ9block_sumPKfPfiE4part"; "" where a
// mangled name cannot be read.
void finding_demangle(const char *mangled, char *out, size_t bytes);

#endif

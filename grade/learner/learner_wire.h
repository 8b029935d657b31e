// SPDX-License-Identifier: Apache-2.0
// What the two ends of a learner's process say to each other: one request, one
// answer, each a head and what it announces.
#ifndef GRADE_LEARNER_LEARNER_WIRE_H
#define GRADE_LEARNER_LEARNER_WIRE_H

#include "grade/learner/learner.h"

#define LEARNER_MAGIC 0x77736c32u

// Then the file's text, the kernels' record and their text (of kind host), the
// library, the results that are wanted, and each input followed by its data.
struct learner_ask {
  uint32_t magic;
  uint32_t text_bytes;
  uint64_t budget;
  int32_t cpu_limit_s;
  int32_t input_count, result_count;
  uint32_t record_bytes, kernels_bytes; // 0 and 0: not of kind host
  uint64_t library_bytes;               // 0: it reads files
  char entry[64], file[64], kernels_file[64];
};

// Then the output, and after LEARNER_DONE each result followed by its data.
struct learner_tell {
  uint32_t magic;
  int32_t end; // enum learner_end, or -1: it could not be confined
  int32_t line;
  uint32_t output_bytes;
  uint64_t work;
  struct gpu_calls calls;
  int32_t note_count;
  struct learner_note notes[LEARNER_MAX_NOTES];
  char text[LEARNER_TEXT], kind[24], code[40];
};

#endif

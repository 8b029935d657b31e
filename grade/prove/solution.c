// SPDX-License-Identifier: Apache-2.0
#include "grade/prove/solution.h"

#include "grade/input/input.h"

void solution_read_tokens(const struct exercise *ex, struct tokens *out) {
  const char *text = ex->written, *start, *end;
  tokens_read(text, ex->kind != EXERCISE_CUDA, out);
  if (source_find_solution(text, exercise_comment(ex->kind), &start, &end,
                           NULL))
    return; // the exercise was not loaded, then
  out->end = 0;
  for (int i = 0; i < out->count; i++) {
    out->first += text + out->list[i].offset < start;
    out->end += text + out->list[i].offset < end;
  }
}

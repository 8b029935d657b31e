// SPDX-License-Identifier: Apache-2.0
// repl/lesson/vocabulary.h: what a source uses of what is taught.
#include "repl/lesson/vocabulary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// The words that a source uses, in the table's order.
static const char *words_of(const char *source) {
  static char text[400];
  const struct vocabulary nothing = {0}, used = vocabulary_of(source);
  const char *word;
  size_t n = 0;
  text[0] = 0;
  for (int at = 0; (word = vocabulary_lacks(&used, &nothing, &at));)
    n +=
        (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "", word);
  return text;
}

static void uses(void **state) {
  static const struct {
    const char *source, *words;
  } rows[] = {
      {"", ""},
      {"__global__ void k(int *a) { a[threadIdx.x] = 1; }",
       "kernel thread-index"},
      {"a[threadIdx.y]", "thread-index two-dimensions"},
      {"int i = blockIdx.x * blockDim.x; for (;; i += gridDim.x)",
       "blocks grid-stride"},
      {"__shared__ int s[4]; __syncthreads();", "shared barrier"},
      {"extern __shared__ int s[];", "shared dynamic-shared"},
      {"extern \"C\" __global__ void k()", "kernel"},
      {"int half = 1, myatomicAdd, atomicAddx;", ""},
      {"// __shared__\n/* atomicAdd */ \"__syncthreads\"", ""},
      {"v += __shfl_down_sync(~0u, v, 1)", "shuffles"},
      {"cooperative_groups::this_grid().sync()",
       "cooperative-groups grid-sync"},
      {"f = jax.jit(jax.vmap(g)); jnp.sin(x)", "math-functions jnp jit vmap"},
      {"ajax.jit", ""},
      {"cuda.comm(4); jax.shard_map(f, o); scale.map(f, {})",
       "collectives meshes chunked-arrays"},
      {"#include <cuda_fp16.h>\n__half h;", "half"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(words_of(rows[i].source), rows[i].words) != 0)
      fail_msg("%s: \"%s\", not \"%s\"", rows[i].source,
               words_of(rows[i].source), rows[i].words);
}

static void lacks(void **state) {
  struct vocabulary used = {0}, taught = {0}, more = {0};
  int at = 0;
  (void)state;
  vocabulary_add(&used, "shared");
  vocabulary_add(&used, "batch-jobs"); // beyond the first 64
  vocabulary_add(&used, "no such word");
  vocabulary_add(&taught, "kernel");
  assert_string_equal(vocabulary_lacks(&used, &taught, &at), "shared");
  assert_string_equal(vocabulary_lacks(&used, &taught, &at), "batch-jobs");
  assert_null(vocabulary_lacks(&used, &taught, &at));
  vocabulary_add(&more, "shared");
  vocabulary_add(&more, "batch-jobs");
  vocabulary_join(&taught, &more);
  at = 0;
  assert_null(vocabulary_lacks(&used, &taught, &at));
}

static void names(void **state) {
  (void)state;
  assert_true(vocabulary_has("grid-stride"));
  assert_false(vocabulary_has("grid stride"));
  assert_string_equal(vocabulary_nearest("barier"), "barrier");
  assert_null(vocabulary_nearest("xyzzy"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uses),
      cmocka_unit_test(lacks),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

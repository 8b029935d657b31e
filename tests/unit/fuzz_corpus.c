// SPDX-License-Identifier: Apache-2.0
// Replays the kept fuzzing corpus and the PTX tests through the parser and the
// virtual GPU, as they are and in mutations that are the same every time. A
// crash, a hang or (under the sanitizers) a stray access fails the program.
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_BYTES = 65536, MUTATIONS = 120, IN_A_ROW = 4 };

struct corpus {
  glob_t files;
  char **texts;
  size_t *sizes;
};

static void add_files(struct corpus *c, const char *files, int flags) {
  char *home = file_own("tests");
  char *pattern = xasprintf("%s/%s", home ? home : "tests", files);
  assert_int_equal(glob(pattern, flags, NULL, &c->files), 0);
  free(pattern);
  free(home);
}

static int read_all(void **state) {
  static struct corpus c;
  add_files(&c, "fuzz/corpus/*", 0);
  add_files(&c, "ptx/*.ptx", GLOB_APPEND);
  size_t count = c.files.gl_pathc;
  assert_true(count > 200); // the kept corpus, and a file for each op
  c.texts = xcalloc(count, sizeof *c.texts);
  c.sizes = xcalloc(count, sizeof *c.sizes);
  for (size_t i = 0; i < count; i++) {
    struct err_info e;
    if (file_read(c.files.gl_pathv[i], 1 << 20, &c.texts[i], &c.sizes[i], &e))
      fail_msg("%s", e.text);
  }
  *state = &c;
  return 0;
}

static int forget(void **state) {
  struct corpus *c = *state;
  for (size_t i = 0; i < c->files.gl_pathc; i++)
    free(c->texts[i]);
  free(c->texts);
  free(c->sizes);
  globfree(&c->files);
  return 0;
}

static void replay(const struct corpus *c,
                   void (*target)(const uint8_t *, size_t), int mutations) {
  uint8_t *data = xmalloc(MAX_BYTES);
  for (size_t i = 0; i < c->files.gl_pathc; i++) {
    target((const uint8_t *)c->texts[i], c->sizes[i]);
    size_t other = (i * 7 + 3) % c->files.gl_pathc;
    size_t size = 0;
    for (int n = 0; n < mutations; n++) {
      if (n % IN_A_ROW == 0) {
        size = c->sizes[i] < MAX_BYTES ? c->sizes[i] : MAX_BYTES;
        memcpy(data, c->texts[i], size);
      }
      size = fuzz_mutate(data, size, MAX_BYTES, (uint8_t *)c->texts[other],
                         c->sizes[other], (unsigned)(i * MUTATIONS) + n);
      target(data, size);
    }
  }
  free(data);
}

static void parser_survives(void **state) {
  replay(*state, fuzz_ptx, MUTATIONS);
}

static void planner_survives(void **state) {
  replay(*state, fuzz_tier, MUTATIONS / 6);
}

static void engine_survives(void **state) {
  replay(*state, fuzz_vgpu, MUTATIONS / 3);
}

// Mutated texts are worth nothing when none of them gets past the parser.
static void mutator_changes_text(void **state) {
  const struct corpus *c = *state;
  uint8_t *data = xmalloc(MAX_BYTES);
  size_t changed = 0;
  for (unsigned seed = 0; seed < 100; seed++) {
    memcpy(data, c->texts[0], c->sizes[0]);
    size_t size = fuzz_mutate(data, c->sizes[0], MAX_BYTES, NULL, 0, seed);
    changed += size != c->sizes[0] || memcmp(data, c->texts[0], size) != 0;
  }
  free(data);
  assert_true(changed > 80);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mutator_changes_text),
      cmocka_unit_test(parser_survives),
      cmocka_unit_test(planner_survives),
      cmocka_unit_test(engine_survives),
  };
  return cmocka_run_group_tests(tests, read_all, forget);
}

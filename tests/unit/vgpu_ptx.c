// SPDX-License-Identifier: Apache-2.0
// Runs tests/ptx/*.ptx and tests/ptx/made/*.ptx on the virtual GPU, each with
// every width of vectors that this processor has: all must give the same bits.
// ptx_case.h tells what the files say. That every row of the tables has a file
// is looked after by `make ptx-coverage`.
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/vgpu/code/handlers.h"
#include "tests/unit/ptx_compare.h"

static const struct gpu_backend *const back = &gpu_virtual_backend;

static void check(enum err err, const struct err_info *e, const char *what) {
  if (err)
    fail_msg("%s: %s: %s", what, err_kind(err), e->text);
}

static void compare(const struct ptx_case *c, const uint64_t *got) {
  for (int n = 0; n < c->count * c->outputs; n++)
    if (ptx_case_compare(c, n, got[n]) == PTX_DIFFERS)
      fail_msg("case %d (0x%llx ...), output %d: got 0x%llx, want 0x%llx",
               n / c->outputs + 1,
               (unsigned long long)c->in[n / c->outputs * c->inputs],
               n % c->outputs, (unsigned long long)got[n],
               (unsigned long long)c->want[n]);
}

// What must hold for the counts of any launch.
static void check_counts(struct gpu_device *d, const char *path) {
  struct gpu_counts counts;
  struct gpu_line_counts *lines;
  struct err_info e;
  check(back->counts(d, &counts, &lines, &e), &e, path);
  free(lines);
#define COUNT(name) counts.count[GPU_COUNT_##name]
  assert_int_equal(counts.count[GPU_COUNT_LAUNCHES], 1);
  assert_true(COUNT(INST) > 0);
  assert_true(COUNT(INST) <= COUNT(THREAD_INST));
  assert_true(COUNT(THREAD_INST) <= 32 * COUNT(INST));
  assert_true(COUNT(THREAD_INST_ON) <= COUNT(THREAD_INST));
  assert_true(COUNT(DIVERGENT) <= COUNT(BRANCHES));
  assert_true(COUNT(GLOBAL_LD) <= COUNT(GLOBAL_LD_SECTORS));
  assert_true(COUNT(GLOBAL_ST) <= COUNT(GLOBAL_ST_SECTORS));
  assert_true(COUNT(SHARED_LD) <= COUNT(SHARED_LD_WAVEFRONTS));
  assert_true(COUNT(SHARED_LD_CONFLICTS) <= COUNT(SHARED_LD_WAVEFRONTS));
  assert_true(COUNT(ATOMIC_WAITS) <= COUNT(ATOMIC_THREADS));
#undef COUNT
}

static void run(const char *path, struct ptx_case *c, uint64_t *got) {
  struct err_info e;
  struct gpu_device *d;
  bool started;
  check(back->open(0, NULL, &d, &e), &e, "open");
  enum err err = ptx_case_run(back, d, c, got, &started, &e);
  if (!started)
    check(err, &e, path);
  if (strcmp(err ? err_kind(err) : "", c->error) != 0)
    fail_msg("%s: ended with %s, want %s: %s", path, err_kind(err),
             c->error[0] ? c->error : "ok", err ? e.text : "");
  compare(c, got);
  if (started && c->flags & GPU_LAUNCH_COUNT)
    check_counts(d, path);
  back->close(d);
}

static void run_file(void **state) {
  struct ptx_case *c = xcalloc(1, sizeof *c);
  struct err_info e;
  uint64_t *first = xcalloc(MAX_CASES * MAX_SLOTS, sizeof *first);
  uint64_t *got = xcalloc(MAX_CASES * MAX_SLOTS, sizeof *got);
  check(ptx_case_read(*state, c, &e), &e, *state);
  enum vg_isa most = vg_isa_limit(VG_AVX512);
  run(*state, c, first);
  for (enum vg_isa isa = VG_PLAIN; isa < most; isa++) {
    vg_isa_limit(isa);
    run(*state, c, got);
    for (int n = 0; n < c->count * c->outputs; n++)
      if (got[n] != first[n])
        fail_msg("output %d: 0x%llx with vectors of kind %d, 0x%llx with %d", n,
                 (unsigned long long)got[n], (int)isa,
                 (unsigned long long)first[n], (int)most);
  }
  vg_isa_limit(VG_AVX512);
  c->flags = GPU_LAUNCH_COUNT; // which changes nothing
  run(*state, c, got);
  ptx_case_free(c);
  free(first);
  free(got);
}

int main(void) {
  glob_t files;
  char *folder = file_own("tests/ptx");
  char *pattern = xasprintf("%s/*.ptx", folder ? folder : "tests/ptx");
  char *made = xasprintf("%s/made/*.ptx", folder ? folder : "tests/ptx");
  if (glob(pattern, 0, NULL, &files) != 0 ||
      glob(made, GLOB_APPEND, NULL, &files) != 0)
    return 1;
  size_t count = files.gl_pathc;
  struct CMUnitTest *tests = xcalloc(count, sizeof *tests);
  for (size_t i = 0; i < count; i++) {
    const char *slash = strrchr(files.gl_pathv[i], '/');
    tests[i] = (struct CMUnitTest){.name = slash ? slash + 1 : "",
                                   .test_func = run_file,
                                   .initial_state = files.gl_pathv[i]};
  }
  int failed = _cmocka_run_group_tests("tests/ptx", tests, count, NULL, NULL);
  free(tests);
  free(pattern);
  free(made);
  free(folder);
  globfree(&files);
  return failed;
}

// SPDX-License-Identifier: Apache-2.0
// gpu/nvml over a library of our own (tests/fixtures/fake_nvml.c), and over none.
#include "gpu/nvml/nvml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *library;

static void looks(void **state) {
  (void)state;
  struct nvml *n;
  struct nvml_look l;
  struct err_info e;
  assert_int_equal(nvml_open(library, (struct nvml_place){0, 0x65, 0}, &n, &e),
                   ERR_OK);
  assert_string_equal(nvml_driver(n), "580.1");
  nvml_look(n, &l);
  assert_int_equal(l.sm_mhz, 1980);
  assert_int_equal(l.most_sm_mhz, 1980);
  assert_int_equal(l.memory_mhz, 2619);
  assert_int_equal(l.celsius, 41);
  assert_int_equal(l.milliwatts, -1); // it does not tell
  assert_int_equal(l.ecc, 1);
  assert_int_equal(l.mig, -1); // it has no such call
  assert_int_equal(l.process_count, 2);
  assert_int_equal(l.pids[1], 200);
  assert_int_equal(nvml_find_process(&l, 200), 1);
  assert_int_equal(nvml_find_process(&l, 201), -1);
  assert_int_equal(l.busy_count, 2);
  nvml_look(n, &l); // nobody has worked since then
  assert_int_equal(l.busy_count, 0);
  assert_int_equal(l.sm_mhz, 1880);
  nvml_close(n);
}

static bool has(const int *list, int count, int pid) {
  for (int i = 0; i < count; i++)
    if (list[i] == pid)
      return true;
  return false;
}

// The GPU at 66 is cut: 100 and 300 are in one slice, 200 in another, 400 in both,
// and nobody tells where 500 was, which has ended.
static void one_slice(void **state) {
  (void)state;
  struct nvml *n;
  struct nvml_look l;
  struct err_info e;
  assert_int_equal(nvml_open(library, (struct nvml_place){0, 0x66, 0}, &n, &e),
                   ERR_OK);
  nvml_look(n, &l);
  assert_int_equal(l.process_count, 5);
  assert_int_equal(l.busy_count, 3);
  nvml_keep_slice(&l, 77); // not there
  assert_int_equal(l.process_count, 5);
  nvml_keep_slice(&l, 100);
  assert_int_equal(l.process_count, 3);
  assert_true(has(l.pids, 3, 100) && has(l.pids, 3, 300) &&
              has(l.pids, 3, 400));
  assert_int_equal(l.busy_count, 2);
  assert_true(has(l.busy, 2, 100) && has(l.busy, 2, 500));
  nvml_close(n);
}

static void no_slices(void **state) {
  (void)state;
  struct nvml *n;
  struct nvml_look l;
  struct err_info e;
  assert_int_equal(nvml_open(library, (struct nvml_place){0, 0x65, 0}, &n, &e),
                   ERR_OK);
  nvml_look(n, &l);
  assert_int_equal(l.slices[0], -1);
  nvml_keep_slice(&l, 100);
  assert_int_equal(l.process_count, 2);
  assert_int_equal(l.busy_count, 2);
  l.busy_count = -1; // a cut GPU tells nobody's work
  nvml_keep_slice(&l, 100);
  assert_int_equal(l.busy_count, -1);
  nvml_close(n);
}

static void refusals(void **state) {
  (void)state;
  struct nvml *n;
  struct err_info e;
  assert_int_equal(nvml_open(library, (struct nvml_place){0, 1, 0}, &n, &e),
                   ERR_NOT_FOUND);
  assert_non_null(strstr(e.text, "00000000:01:00.0"));
  assert_int_equal(nvml_open("/no/such.so", (struct nvml_place){0}, &n, &e),
                   ERR_NOT_FOUND);
  assert_null(n);
  assert_int_equal(nvml_open("libm.so.6", (struct nvml_place){0}, &n, &e),
                   ERR_UNSUPPORTED);
  assert_non_null(strstr(e.text, "nvmlInit_v2"));
}

static void slices(void **state) {
  (void)state;
  char uuids[4][NVML_UUID_BYTES];
  assert_int_equal(nvml_slices(library, uuids, 4), 2);
  assert_string_equal(uuids[0], "MIG-0");
  assert_string_equal(uuids[1], "MIG-2");
  assert_int_equal(nvml_slices(library, uuids, 1), 1);
  assert_int_equal(nvml_slices("/no/such.so", uuids, 4), 0);
  assert_int_equal(nvml_slices("libm.so.6", uuids, 4), 0);
}

static void reasons(void **state) {
  (void)state;
  char *text = nvml_throttle_text(0x1 | 0x4 | 0x40);
  assert_string_equal(text, "power limit, hardware's thermal limit");
  free(text);
  text = nvml_throttle_text(1);
  assert_string_equal(text, "");
  free(text);
}

// The library lies beside this program.
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(looks),     cmocka_unit_test(refusals),
      cmocka_unit_test(reasons),   cmocka_unit_test(slices),
      cmocka_unit_test(one_slice), cmocka_unit_test(no_slices),
  };
  static char path[4096];
  const char *slash = argc ? strrchr(argv[0], '/') : NULL;
  size_t n = slash ? (size_t)(slash - argv[0] + 1) : 0;
  if (n > sizeof path - 20)
    return 1;
  memcpy(path, argv[0], n);
  strcpy(path + n, "fake_nvml.so");
  library = path;
  return cmocka_run_group_tests(tests, NULL, NULL);
}

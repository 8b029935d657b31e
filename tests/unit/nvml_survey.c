// SPDX-License-Identifier: Apache-2.0
// gpu/nvml/survey over a library of our own (tests/fixtures/fake_nvml_top.c), over
// none, and through the process that asks it.
#include "gpu/nvml/nvml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char library[4096];
static struct survey now;

static int64_t value(int gpu, enum nvml_metric m) {
  assert_int_equal(now.gpus[gpu].is[m].why, 0);
  return now.gpus[gpu].is[m].is;
}

static const char *why(int gpu, enum nvml_metric m) {
  assert_int_not_equal(now.gpus[gpu].is[m].why, 0);
  return nvml_why_text(now.gpus[gpu].is[m].why);
}

static void tells_everything(void **state) {
  (void)state;
  struct surveyor *s = surveyor_open(library);
  surveyor_look(s, &now);
  assert_int_equal(now.err, ERR_OK);
  assert_string_equal(now.driver, "580.1");
  assert_int_equal(now.gpu_count, 3);
  assert_string_equal(now.gpus[0].name, "NVIDIA H200");
  assert_string_equal(now.gpus[0].bus, "00000000:65:00.0");
  assert_int_equal(value(0, NVML_GPU_USE), 87);
  assert_int_equal(value(0, NVML_CONTROLLER_USE), 43);
  // Without what the driver keeps for itself.
  assert_int_equal(value(0, NVML_MEMORY_USED) >> 20, 61 * 1024 + 256);
  assert_int_equal(value(0, NVML_SM_CLOCK), 1755);
  assert_int_equal(value(0, NVML_SM_CLOCK_MOST), 1980);
  assert_int_equal(value(0, NVML_POWER_LIMIT), 700000);
  assert_int_equal(value(0, NVML_PCIE_IN), 1234567000);
  assert_int_equal(value(0, NVML_PCIE_OUT), 345678000);
  assert_int_equal(value(0, NVML_ECC_CORRECTED), 3);
  assert_string_equal(why(0, NVML_FAN), "this driver does not tell");
  assert_string_equal(why(0, NVML_NVLINK_IN), "needs two looks");
  surveyor_look(s, &now);
  assert_int_equal(value(0, NVML_GPU_USE), 12);
  assert_int_equal(value(0, NVML_NVLINK_IN), 24LL << 30);
  assert_int_equal(value(0, NVML_NVLINK_OUT), 12LL << 30);
  surveyor_close(s);
}

static void says_what_is_not_told(void **state) {
  (void)state;
  struct surveyor *s = surveyor_open(library);
  surveyor_look(s, &now);
  assert_string_equal(why(1, NVML_GPU_USE), "not supported");
  assert_string_equal(why(1, NVML_SM_CLOCK), "no permission");
  assert_string_equal(why(1, NVML_NVLINK_IN), "not supported");
  assert_int_equal(value(1, NVML_MIG), 1);
  assert_string_equal(why(2, NVML_MEMORY_USED), "the GPU is lost");
  assert_int_equal(now.gpus[2].users_why, 15);
  assert_string_equal(now.gpus[2].name, "");
  surveyor_close(s);
}

static void finds_slices(void **state) {
  (void)state;
  struct surveyor *s = surveyor_open(library);
  surveyor_look(s, &now);
  assert_int_equal(now.slice_count, 2);
  assert_int_equal(now.slices[0].gpu, 1);
  assert_int_equal(now.slices[0].gpu_instance, 7);
  assert_string_equal(now.slices[0].name, "NVIDIA H200 MIG 1g.18gb");
  assert_string_equal(now.slices[1].uuid, "MIG-25d1a0c2-0000");
  assert_int_equal(now.slices[1].total.is >> 30, 16);
  surveyor_close(s);
}

static const struct survey_user *user(int pid) {
  for (int i = 0; i < now.user_count; i++)
    if (now.users[i].pid == pid)
      return &now.users[i];
  return NULL;
}

static void lists_processes(void **state) {
  (void)state;
  struct surveyor *s = surveyor_open(library);
  surveyor_look(s, &now);
  assert_int_equal(now.user_count, 4);
  assert_true(user(4002)->computes && user(4002)->draws); // one row for both
  assert_true(user(4001)->computes && !user(4001)->draws);
  assert_int_equal(user(4001)->use.is,
                   87); // the newest sample, not the largest
  assert_int_equal(user(4003)->use.is, 0);
  assert_int_equal(user(4003)->use.why, 0);
  assert_int_equal(user(4004)->slice, 7);
  assert_string_equal(nvml_why_text(user(4004)->bytes.why), "not supported");
  assert_string_equal(nvml_why_text(user(4004)->use.why), "not supported");
  surveyor_look(s, &now);
  surveyor_look(s, &now);
  assert_false(user(4002)->computes); // it draws still
  surveyor_close(s);
}

static void says_why_there_is_nothing(void **state) {
  (void)state;
  struct surveyor *s = surveyor_open("/no/such.so");
  surveyor_look(s, &now);
  assert_int_equal(now.err, ERR_NOT_FOUND);
  assert_non_null(strstr(now.text, "/no/such.so"));
  assert_int_equal(now.gpu_count, 0);
  surveyor_close(s);
  setenv("FAKE_NVML_REFUSES", "9", 1);
  s = surveyor_open(library);
  surveyor_look(s, &now);
  unsetenv("FAKE_NVML_REFUSES");
  assert_non_null(strstr(now.text, "the driver is not loaded"));
  surveyor_close(s);
}

static void every_status_has_words(void **state) {
  (void)state;
  assert_string_equal(nvml_why_text(3), "not supported");
  assert_string_equal(nvml_why_text(12345), "unknown error");
  assert_string_equal(nvml_metric_field(NVML_MIG), "mig_is_on");
}

// ---- Through warpshop-device ----

static void asks_another_process(void **state) {
  (void)state;
  struct nvml_watch *w;
  struct err_info e;
  setenv("WARPSHOP_NVML", library, 1);
  assert_int_equal(nvml_watch_open(&w, &e), ERR_OK);
  assert_false(nvml_watch_take(w, &now)); // nobody asked
  nvml_watch_ask(w);
  nvml_watch_ask(w); // it is on its way
  assert_true(nvml_watch_wait(w, 600, &now));
  assert_int_equal(value(0, NVML_GPU_USE), 87);
  assert_false(nvml_watch_take(w, &now));
  nvml_watch_ask(w);
  assert_true(nvml_watch_wait(w, 600, &now));
  assert_int_equal(value(0, NVML_GPU_USE), 12);
  nvml_watch_close(w);
}

static void one_that_hangs_holds_nobody_up(void **state) {
  (void)state;
  struct nvml_watch *w;
  struct err_info e;
  setenv("FAKE_NVML_HANGS", "1", 1);
  assert_int_equal(nvml_watch_open(&w, &e), ERR_OK);
  nvml_watch_ask(w);
  assert_true(nvml_watch_wait(w, 600, &now));
  assert_true(nvml_watch_waits_s(w) == 0);
  nvml_watch_ask(w);
  assert_false(nvml_watch_wait(w, 0.01, &now));
  assert_true(nvml_watch_waits_s(w) > 0);
  nvml_watch_close(w);
  unsetenv("FAKE_NVML_HANGS");
}

// The library lies beside this program, and warpshop-device two folders above.
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tells_everything),
      cmocka_unit_test(says_what_is_not_told),
      cmocka_unit_test(finds_slices),
      cmocka_unit_test(lists_processes),
      cmocka_unit_test(says_why_there_is_nothing),
      cmocka_unit_test(every_status_has_words),
      cmocka_unit_test(asks_another_process),
      cmocka_unit_test(one_that_hangs_holds_nobody_up),
  };
  const char *slash = argc ? strrchr(argv[0], '/') : NULL;
  size_t n = slash ? (size_t)(slash - argv[0] + 1) : 0;
  if (n > sizeof library - 20)
    return 1;
  memcpy(library, argv[0], n);
  strcpy(library + n, "fake_nvml_top.so");
  return cmocka_run_group_tests(tests, NULL, NULL);
}

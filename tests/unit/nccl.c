// SPDX-License-Identifier: Apache-2.0
// NCCL's library: which one is taken, what it is told before it is used, and what a
// rank without a group says. Groups themselves: tests/cli/comm.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/nccl/nccl.h"

// A fake library beside this program.
static void name_library(const char *name) {
  const char *build = getenv("BUILD");
  char *path = xasprintf("%s/tests/unit/%s", build ? build : "build", name);
  char *real = realpath(path, NULL);
  assert_non_null(real);
  setenv("WARPSHOP_NCCL", real, 1);
  free(real);
  free(path);
}

static struct nccl *opened(void) {
  struct nccl *n;
  struct err_info e = {0};
  int version = 0;
  name_library("fake_nccl.so");
  assert_int_equal(nccl_open(&n, &version, &e), ERR_OK);
  assert_int_equal(version, 22809);
  return n;
}

static void is_told_what_to_leave_alone(void **state) {
  (void)state;
  unsetenv("NCCL_NVLS_ENABLE");
  setenv("NCCL_SOCKET_IFNAME", "eth7", 1);
  setenv("NCCL_COMM_ID", "elsewhere:1", 1);
  nccl_close(opened());
  assert_string_equal(getenv("NCCL_NVLS_ENABLE"), "0");
  assert_string_equal(getenv("NCCL_RUNTIME_CONNECT"), "0");
  assert_string_equal(getenv("NCCL_RAS_ENABLE"), "0");
  assert_string_equal(getenv("NCCL_SOCKET_IFNAME"), "eth7"); // the user's
  assert_null(getenv("NCCL_COMM_ID"));
  setenv("NCCL_NVLS_ENABLE", "1", 1);
  nccl_close(opened());
  assert_string_equal(getenv("NCCL_NVLS_ENABLE"), "1");
  unsetenv("NCCL_NVLS_ENABLE");
}

static void refuses(const char *library, const char *version,
                    const char *says) {
  struct nccl *n;
  struct err_info e = {0};
  int number;
  if (library[0] == '/')
    setenv("WARPSHOP_NCCL", library, 1);
  else
    name_library(library);
  if (version)
    setenv("FAKE_NCCL_VERSION", version, 1);
  assert_int_equal(nccl_open(&n, &number, &e), ERR_UNSUPPORTED);
  assert_null(n);
  assert_non_null(strstr(e.text, says));
  unsetenv("FAKE_NCCL_VERSION");
}

static void refuses_other_libraries(void **state) {
  (void)state;
  refuses("/nowhere/libnccl.so.2", NULL, "/nowhere/libnccl.so.2");
  refuses("fake_nccl.so", "21703", "is NCCL 2.17.3");
  refuses("fake_nccl.so", "30000", "is NCCL 3.0.0");
  refuses("fake_nvml.so", NULL, "has no ncclGetVersion");
}

static void says_that_there_is_no_group(void **state) {
  (void)state;
  struct nccl *n = opened();
  struct err_info e = {0};
  struct gpu_collective c = {.count = 1};
  unsigned char id[GPU_COMM_ID_BYTES] = {0};
  struct nccl_device with = {0};
  assert_int_equal(nccl_queue(n, &c, 1, NULL, &e), ERR_DEVICE_LOST);
  assert_int_equal(nccl_check(n, &e), ERR_OK);
  assert_int_equal(nccl_check(NULL, &e), ERR_OK);
  nccl_abort(n);
  nccl_abort(NULL);
  assert_int_equal(nccl_join(n, 0, 1, id, &with, &e), ERR_PROTOCOL);
  assert_int_equal(nccl_join(n, 3, 3, id, &with, &e), ERR_PROTOCOL);
  assert_int_equal(nccl_join(n, 0, GPU_MAX_RANKS + 1, id, &with, &e),
                   ERR_PROTOCOL);
  nccl_close(n);
}

// Where it is installed, beside NVRTC, it is found without being named.
static void finds_the_real_one(void **state) {
  (void)state;
  struct nccl *n;
  struct err_info e = {0};
  int version = 0;
  unsetenv("WARPSHOP_NCCL");
  if (nccl_open(&n, &version, &e)) {
    print_message("# %s\n", e.text);
    assert_int_equal(e.code, ERR_UNSUPPORTED);
    skip();
  }
  assert_in_range(version, 21800, 29999);
  nccl_close(n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_told_what_to_leave_alone),
      cmocka_unit_test(refuses_other_libraries),
      cmocka_unit_test(says_that_there_is_no_group),
      cmocka_unit_test(finds_the_real_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// cuBLAS is found and loads in a process that has given up the file system but
// for its folder. Starting it takes a GPU.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/cuda/cuda_blas.h"
#include "gpu/remote/remote.h"

enum { LOADED = 10, LACKING, OTHER };

// What starting the library says in such a process.
static int start_confined(void) {
  struct cuda_blas *b = cuda_blas_find();
  struct err_info e = {0};
  if (!cuda_blas_folder(b))
    return LACKING;
  confine_for_good(false,
                   &(struct confine_paths){.folders = {cuda_blas_folder(b)}});
  if (open("/etc/passwd", O_RDONLY) >= 0)
    fputs("# no Landlock here: files can still be opened\n", stderr);
  enum err err = cuda_blas_start(b, &e);
  if (err)
    fprintf(stderr, "# %s\n", e.text);
  // Without a GPU it is cuBLAS that refuses, so it has been loaded.
  bool is_loaded = !err || strstr(e.text, "cuBLAS status");
  return is_loaded ? LOADED : OTHER;
}

static void loads_when_confined(void **state) {
  (void)state;
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    _exit(start_confined());
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == LACKING)
    skip();
  assert_int_equal(WEXITSTATUS(status), LOADED);
}

static void is_no_crash_without(void **state) {
  (void)state;
  struct err_info e = {0};
  assert_int_equal(cuda_blas_start(NULL, &e), ERR_UNSUPPORTED);
  assert_non_null(strstr(e.text, "cuBLAS"));
  assert_null(cuda_blas_folder(NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_when_confined),
      cmocka_unit_test(is_no_crash_without),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

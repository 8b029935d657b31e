// SPDX-License-Identifier: Apache-2.0
// Where NVRTC is looked for, in made-up folders; and a library that cannot be
// loaded, which is passed over.
#include "nvrtc_fixture.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/file.h"
#include "gpu/nvrtc/toolkit/nvrtc_places.h"

static char top[] = "/tmp/warpshop-places-XXXXXX";

static void put(const char *relative) {
  char *path = xasprintf("%s/%s", top, relative), *folder = xstrdup(path);
  *strrchr(folder, '/') = 0;
  assert_int_equal(file_make_folder(folder, NULL), ERR_OK);
  assert_int_equal(file_replace(path, "no ELF file", 11, NULL), ERR_OK);
  free(path);
  free(folder);
}

static void point(const char *variable, const char *relative) {
  char *path = xasprintf("%s/%s", top, relative);
  setenv(variable, path, 1);
  free(path);
}

static int make_top(void **state) {
  (void)state;
  return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state) {
  char *command = xasprintf("rm -rf %s", top);
  int rc = system(command);
  free(command);
  unsetenv("CUDA_HOME");
  unsetenv("WARPSHOP_HOME");
  return rc | remove_cache(state);
}

static void assert_place(const struct nvrtc_place *p, const char *library,
                         int major, const char *const *includes, int count) {
  char *path = xasprintf("%s/%s", top, library);
  assert_string_equal(p->library, path);
  assert_int_equal(p->major, major);
  assert_int_equal(p->include_count, count);
  free(path);
  for (int i = 0; i < count; i++) {
    path = xasprintf("%s/%s", top, includes[i]);
    assert_string_equal(p->includes[i], path);
    free(path);
  }
}

static void finds_a_toolkit(void **state) {
  (void)state;
  struct nvrtc_places p;
  put("kit/lib64/libnvrtc.so.12");
  put("kit/lib64/libnvrtc.so.13");
  put("kit/lib64/libnvrtc.alt.so.13");
  put("kit/lib64/libnvrtc-builtins.so.13.0");
  put("kit/include/cuda_runtime.h");
  put("kit/include/cccl/nv/target");
  point("CUDA_HOME", "kit");
  put(".deps/none"); // not this tree's .deps
  point("WARPSHOP_HOME", "");
  nvrtc_places_find(&p);
  const char *const includes[] = {"kit/include", "kit/include/cccl"};
  assert_int_equal(p.count, 2);
  assert_place(&p.places[0], "kit/lib64/libnvrtc.so.13", 13, includes, 2);
  assert_place(&p.places[1], "kit/lib64/libnvrtc.so.12", 12, includes, 2);
  nvrtc_places_free(&p);
}

// What the set-up fetches: wheels of CUDA 13 in one folder, those of CUDA 12
// in one each.
static void finds_wheels(void **state) {
  (void)state;
  struct nvrtc_places p;
  put(".deps/nvidia/cu13/lib/libnvrtc.so.13");
  put(".deps/nvidia/cu13/include/cuda_runtime.h");
  put(".deps/nvidia/cu13/include/cccl/cuda/std/cstdint");
  put(".deps/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  put(".deps/nvidia/cuda_nvrtc/include/nvrtc.h");
  put(".deps/nvidia/cuda_runtime/include/cuda_runtime.h");
  put(".deps/nvidia/cuda_nvcc/include/crt/host_defines.h");
  put(".deps/nvidia/curand/include/curand_kernel.h");
  put(".deps/nvidia/cuda_cccl/include/nv/target");
  unsetenv("CUDA_HOME");
  point("WARPSHOP_HOME", "");
  nvrtc_places_find(&p);
  const char *const in13[] = {".deps/nvidia/cu13/include",
                              ".deps/nvidia/cu13/include/cccl"};
  const char *const in12[] = {
      ".deps/nvidia/cuda_runtime/include", ".deps/nvidia/cuda_nvcc/include",
      ".deps/nvidia/curand/include", ".deps/nvidia/cuda_cccl/include"};
  assert_int_equal(p.count, 2);
  assert_place(&p.places[0], ".deps/nvidia/cu13/lib/libnvrtc.so.13", 13, in13,
               2);
  assert_place(&p.places[1], ".deps/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", 12,
               in12, 4);
  nvrtc_places_free(&p);
  unsetenv("WARPSHOP_HOME");
}

// What somebody with an installed program fetches.
static void finds_what_a_user_fetched(void **state) {
  (void)state;
  struct nvrtc_places p;
  char *data = getenv("XDG_DATA_HOME");
  data = data ? xstrdup(data) : NULL;
  put("data/warpshop/nvrtc/nvidia/cu13/lib/libnvrtc.so.13");
  put("data/warpshop/nvrtc/nvidia/cu13/include/cuda_runtime.h");
  put("empty/none");
  unsetenv("CUDA_HOME");
  point("WARPSHOP_HOME", "empty");
  point("XDG_DATA_HOME", "data");
  nvrtc_places_find(&p);
  const char *const includes[] = {"data/warpshop/nvrtc/nvidia/cu13/include"};
  assert_true(p.count >= 1); // this tree's own come behind it
  int at = p.count - 1;
  while (at > 0 && !strstr(p.places[at].library, "/data/warpshop/"))
    at--;
  assert_place(&p.places[at],
               "data/warpshop/nvrtc/nvidia/cu13/lib/libnvrtc.so.13", 13,
               includes, 1);
  nvrtc_places_free(&p);
  unsetenv("WARPSHOP_HOME");
  unsetenv("XDG_DATA_HOME");
  if (data)
    setenv("XDG_DATA_HOME", data, 1);
  free(data);
}

// A copy of this program in a tree of its own, `--first` its first argument,
// says what it finds first.
static void says_first(const char *program, char *line, size_t bytes) {
  char *command = xasprintf("%s --first", program);
  FILE *out = popen(command, "r");
  assert_non_null(out);
  assert_non_null(fgets(line, (int)bytes, out));
  assert_int_equal(pclose(out), 0);
  free(command);
}

// A copy of this program at `relative` finds the library of `wanted` first.
static void expect_first(const char *relative, const char *wanted) {
  char line[300];
  char *program = xasprintf("%s/%s", top, relative);
  char *copy =
      xasprintf("install -D -m 755 /proc/%d/exe %s", (int)getpid(), program);
  char *library =
      xasprintf("%s/%s/.deps/nvidia/cu13/lib/libnvrtc.so.13\n", top, wanted);
  assert_int_equal(system(copy), 0);
  says_first(program, line, sizeof line);
  assert_string_equal(line, library);
  free(program);
  free(copy);
  free(library);
}

// What the set-up fetched serves a program from wherever it is started, with
// its lessons in another home or in its own: in its tree, and installed.
static void finds_what_came_with_the_program(void **state) {
  (void)state;
  put("tree/base/err.def");
  put("tree/.deps/nvidia/cu13/lib/libnvrtc.so.13");
  put("usr/share/warpshop/.deps/nvidia/cu13/lib/libnvrtc.so.13");
  put("other/lessons/index");
  point("WARPSHOP_HOME", "other");
  for (int own = 0; own < 2; own++) {
    expect_first("tree/build/tests/unit/copy", "tree");
    expect_first("tree/build/copy", "tree");
    expect_first("usr/bin/copy", "usr/share/warpshop");
    expect_first("usr/libexec/warpshop/copy", "usr/share/warpshop");
    unsetenv("WARPSHOP_HOME");
  }
}

static int print_first(void) {
  struct nvrtc_places p;
  nvrtc_places_find(&p);
  puts(p.count ? p.places[0].library : "none");
  return 0;
}

// The file is there and is no library: the next place serves.
static void passes_over_a_broken_library(void **state) {
  NEED_NVRTC();
  struct nvrtc_found found;
  struct err_info e;
  put("broken/lib64/libnvrtc.so.13");
  point("CUDA_HOME", "broken");
  assert_int_equal(open_compiler(state), 0);
  assert_non_null(compiler);
  assert_int_equal(nvrtc_find(compiler, &found, &e), ERR_OK);
  assert_null(strstr(found.library, top));
  next_compile_works();
  unsetenv("CUDA_HOME");
}

enum { IS_THERE = 77 };

// With /usr/local, where toolkits are, empty. A status.
static int look_without_toolkits(void) {
  struct nvrtc_program *p;
  struct nvrtc_found found;
  struct nvrtc_request r = {
      .source = add_source, .file = "add.cu", .arch = "sm_80"};
  struct err_info e = {0};
  put("nowhere/.deps/none");
  point("WARPSHOP_HOME", "nowhere");
  if (unshare(CLONE_NEWNS) ||
      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
      mount("empty", "/usr/local", "tmpfs", MS_RDONLY, "size=4k") ||
      nvrtc_open(NULL, &compiler, &e))
    return IS_THERE;
  if (nvrtc_find(compiler, &found, &e) != ERR_NOT_FOUND)
    return IS_THERE;
  if (!strstr(e.text, "Searched: ") ||
      !strstr(e.text, " /usr/local/cuda/lib64"))
    return 1;
  e = (struct err_info){0};
  if (nvrtc_compile(compiler, &r, &p, &e) != ERR_NOT_FOUND)
    return 2;
  return strstr(e.text, "make learn") && strstr(e.text, "warpshop doctor") &&
                 !strstr(e.text, "Searched")
             ? 0
             : 3;
}

static void says_how_to_get_one(void **state) {
  (void)state;
  int status;
  pid_t pid = fork();
  if (!pid)
    _exit(look_without_toolkits());
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == IS_THERE)
    skip();
  assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "--first"))
    return print_first();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_a_toolkit),
      cmocka_unit_test(finds_wheels),
      cmocka_unit_test(finds_what_a_user_fetched),
      cmocka_unit_test(finds_what_came_with_the_program),
      cmocka_unit_test(says_how_to_get_one),
      cmocka_unit_test_setup_teardown(passes_over_a_broken_library,
                                      open_compiler, NULL),
  };
  return cmocka_run_group_tests(tests, make_top, remove_top);
}

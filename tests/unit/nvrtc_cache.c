// SPDX-License-Identifier: Apache-2.0
// The disk cache: hits without a worker, torn files, many processes, folders
// that cannot be written, a full disk, its bound.
#include "gpu/nvrtc/cache/cache.h"
#include "nvrtc_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file.h"
#include "base/str.h"

static struct nvrtc_request request_for(const char *source) {
  return (struct nvrtc_request){
      .source = source, .file = "add.cu", .arch = "sm_80"};
}

static char *path_of(const char *key) {
  return xasprintf("%s/%s", cache_folder, key);
}

// ---- Hits ----

static void assert_same(const struct nvrtc_program *a,
                        const struct nvrtc_program *b) {
  assert_int_equal(a->code_bytes, b->code_bytes);
  assert_memory_equal(a->code, b->code, a->code_bytes);
  assert_int_equal(a->is_ptx, b->is_ptx);
  assert_string_equal(a->arch, b->arch);
  assert_string_equal(a->version, b->version);
  assert_string_equal(a->key, b->key);
  assert_int_equal(a->diagnostic_count, b->diagnostic_count);
  assert_int_equal(a->kernel_count, b->kernel_count);
  for (int i = 0; i < a->kernel_count; i++) {
    const struct nvrtc_kernel *k = &a->kernels[i], *l = &b->kernels[i];
    assert_string_equal(k->name, l->name);
    assert_string_equal(k->mangled, l->mangled);
    assert_int_equal(k->registers, l->registers);
    assert_int_equal(k->param_count, l->param_count);
    for (int j = 0; j < k->param_count; j++) {
      assert_string_equal(k->params[j].name, l->params[j].name);
      assert_string_equal(k->params[j].declared, l->params[j].declared);
      assert_int_equal(k->params[j].type, l->params[j].type);
      assert_int_equal(k->params[j].bytes, l->params[j].bytes);
      assert_int_equal(k->params[j].is_const, l->params[j].is_const);
    }
  }
}

// A compiler that cannot start answers from the cache all the same.
static void finds_without_a_worker(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *first = compile_as(request_for(add_source), ERR_OK);
  struct nvrtc_program *second, *third;
  struct nvrtc *n;
  struct err_info e;
  struct nvrtc_options o = {.program = "/nonexistent",
                            .cache_folder = cache_folder};
  assert_int_equal(nvrtc_open(&o, &n, &e), ERR_OK);
  struct nvrtc_request r = request_for(add_source);
  assert_int_equal(nvrtc_compile(n, &r, &second, &e), ERR_OK);
  assert_true(second->is_cached);
  assert_same(first, second);
  r.no_cache = true;
  assert_int_equal(nvrtc_compile(n, &r, &third, &e), ERR_NOT_FOUND);
  nvrtc_close(n);
  nvrtc_program_free(first);
  nvrtc_program_free(second);
}

// Whatever changes the code changes the key.
static void keys_differ(void **state) {
  (void)state;
  const char *const o1[] = {"-DA", "-DB"}, *const o2[] = {"-DA-DB"};
  const struct nvrtc_request all[] = {
      {.source = "a", .file = "f", .arch = "sm_80"},
      {.source = "b", .file = "f", .arch = "sm_80"},
      {.source = "a", .file = "g", .arch = "sm_80"},
      {.source = "a", .file = "f", .arch = "sm_90"},
      {.source = "a", .file = "f", .arch = "sm_80", .want_ptx = true},
      {.source = "a",
       .file = "f",
       .arch = "sm_80",
       .want_ptx = true,
       .no_ptxas = true},
      {.source = "a",
       .file = "f",
       .arch = "sm_80",
       .options = o1,
       .option_count = 1},
      {.source = "a",
       .file = "f",
       .arch = "sm_80",
       .options = o1,
       .option_count = 2},
      {.source = "a",
       .file = "f",
       .arch = "sm_80",
       .options = o2,
       .option_count = 1},
      {.source = "a",
       .file = "f",
       .arch = "sm_80",
       .instantiate = o1,
       .instantiate_count = 1},
  };
  enum { N = sizeof all / sizeof *all };
  char keys[N + 1][NVRTC_KEY_BYTES];
  for (int i = 0; i < N; i++)
    nvrtc_make_key("compiler", &all[i], keys[i]);
  nvrtc_make_key("another", &all[0], keys[N]);
  for (int i = 0; i <= N; i++)
    for (int j = 0; j < i; j++)
      assert_string_not_equal(keys[i], keys[j]);
}

static void keeps_no_failures(void **state) {
  (void)state;
  NEED_NVRTC();
  for (int i = 0; i < 2; i++) {
    struct nvrtc_program *p =
        compile_as(request_for("__global__ void f( {}\n"), ERR_COMPILE);
    assert_false(p->is_cached);
    char *path = path_of(p->key);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
    nvrtc_program_free(p);
  }
}

// ---- Damage ----

static void believes_no_damaged_record(void **state) {
  (void)state;
  struct nvrtc_diagnostic d = {NVRTC_WARNING, xstrdup("f"), 3,   4,
                               xstrdup("t"),  xstrdup("s"), NULL};
  struct nvrtc_param param = {.name = xstrdup("x"), .bytes = 8};
  struct nvrtc_kernel k = {.name = xstrdup("k"),
                           .mangled = xstrdup("_Z1kPf"),
                           .param_count = 1,
                           .params = &param};
  struct nvrtc_program p = {.code = (void *)"code\0code",
                            .code_bytes = 9,
                            .arch = "sm_80",
                            .kernel_count = 1,
                            .kernels = &k,
                            .diagnostic_count = 1,
                            .diagnostics = &d,
                            .version = "13.0",
                            .key = "00"};
  struct nvrtc_program *read;
  struct str s = STR_INIT;
  nvrtc_record_write(&p, &s);
  assert_true(nvrtc_record_read(s.data, s.len, &read));
  assert_memory_equal(read->code, "code\0code", 9);
  assert_string_equal(read->diagnostics[0].source, "s");
  assert_null(read->diagnostics[0].hint);
  nvrtc_program_free(read);
  for (size_t n = 0; n < s.len; n++) {
    char *part = malloc(n + 1);
    memcpy(part, s.data, n);
    assert_false(nvrtc_record_read(part, n, &read));
    assert_null(read);
    free(part);
    s.data[n] ^= 1;
    assert_false(nvrtc_record_read(s.data, s.len, &read));
    s.data[n] ^= 1;
  }
  str_add_char(&s, 'x');
  assert_false(nvrtc_record_read(s.data, s.len, &read));
  str_free(&s);
  free(d.file), free(d.text), free(d.source);
  free(k.name), free(k.mangled), free(param.name);
}

static void replaces_damaged_files(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p = compile_as(request_for(add_source), ERR_OK);
  char *path = path_of(p->key);
  nvrtc_program_free(p);
  for (int round = 0; round < 3; round++) {
    if (round == 0)
      assert_int_equal(truncate(path, 100), 0);
    else if (round == 1)
      assert_int_equal(truncate(path, 0), 0);
    else
      assert_int_equal(file_replace(path, "rubbish", 7, NULL), ERR_OK);
    p = compile_as(request_for(add_source), ERR_OK);
    assert_false(p->is_cached);
    nvrtc_program_free(p);
    p = compile_as(request_for(add_source), ERR_OK);
    assert_true(p->is_cached);
    nvrtc_program_free(p);
  }
  free(path);
}

// A record under another record's name is not that record.
static void believes_no_exchanged_file(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *a = compile_as(request_for(add_source), ERR_OK);
  struct nvrtc_program *b = compile_as(
      request_for("__global__ void other(int *x) { *x = 1; }\n"), ERR_OK);
  char *from = path_of(b->key), *to = path_of(a->key);
  assert_int_equal(rename(from, to), 0);
  nvrtc_program_free(a);
  nvrtc_program_free(b);
  a = compile_as(request_for(add_source), ERR_OK);
  assert_false(a->is_cached);
  assert_string_equal(a->kernels[0].name, "add");
  nvrtc_program_free(a);
  free(from);
  free(to);
}

// ---- Folders that cannot be written ----

static int compile_into(const char *folder) {
  struct nvrtc *n;
  struct err_info e;
  struct nvrtc_program *p;
  struct nvrtc_options o = {.cache_folder = folder};
  if (nvrtc_open(&o, &n, &e))
    return 1;
  struct nvrtc_request r = request_for(add_source);
  for (int i = 0; i < 2; i++) {
    enum err err = nvrtc_compile(n, &r, &p, &e);
    if (err || !p->code)
      return 2;
    nvrtc_program_free(p);
  }
  nvrtc_close(n);
  return 0;
}

static int status_of(pid_t pid) {
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

static void works_without_a_cache(void **state) {
  (void)state;
  NEED_NVRTC();
  assert_int_equal(compile_into("/proc/warpshop"), 0);
  assert_int_equal(compile_into("/dev/null/warpshop"), 0);
  pid_t pid = fork();
  if (!pid) { // no home folder at all
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    _exit(compile_into(NULL));
  }
  assert_int_equal(status_of(pid), 0);
}

enum { CANNOT_MOUNT = 77 };

// A tiny file system of our own, in a namespace of our own.
static int on_small_disk(const char *options, unsigned long flags) {
  char folder[] = "/tmp/warpshop-disk-XXXXXX";
  if (!mkdtemp(folder))
    return 3;
  pid_t pid = fork();
  if (!pid) {
    if (unshare(CLONE_NEWNS) ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("small", folder, "tmpfs", flags, options))
      _exit(CANNOT_MOUNT);
    char *inner = xasprintf("%s/cache", folder);
    _exit(compile_into(inner));
  }
  int rc = status_of(pid);
  rmdir(folder);
  return rc;
}

static void works_on_a_full_disk(void **state) {
  (void)state;
  NEED_NVRTC();
  int full = on_small_disk("size=4k,nr_inodes=8", 0);
  int read_only = on_small_disk("size=64k", MS_RDONLY);
  if (full == CANNOT_MOUNT || read_only == CANNOT_MOUNT)
    skip();
  assert_int_equal(full, 0);
  assert_int_equal(read_only, 0);
}

static void works_at_a_file_limit(void **state) {
  (void)state;
  NEED_NVRTC();
  char *folder = xasprintf("%s/limited", cache_folder);
  pid_t pid = fork();
  if (!pid) {
    struct rlimit r = {1000, 1000};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &r);
    _exit(compile_into(folder));
  }
  assert_int_equal(status_of(pid), 0);
  // Nothing half written stays behind.
  DIR *d = opendir(folder);
  assert_non_null(d);
  for (struct dirent *de; (de = readdir(d));)
    assert_int_equal(de->d_name[0], '.');
  closedir(d);
  free(folder);
}

// ---- Many processes ----

enum { PROCESSES = 50, SOURCES = 5 };

static int one_of_many(int which) {
  struct nvrtc *n;
  struct err_info e;
  struct nvrtc_options o = {.cache_folder = cache_folder};
  if (nvrtc_open(&o, &n, &e))
    return 1;
  for (int i = 0; i < SOURCES; i++) {
    int v = (which + i) % SOURCES;
    char *source =
        xasprintf("__global__ void many%d(int *x) { *x = %d; }\n", v, 1000 + v);
    char *name = xasprintf("many%d", v);
    struct nvrtc_request r = request_for(source);
    struct nvrtc_program *p;
    enum err err = nvrtc_compile(n, &r, &p, &e);
    if (err)
      return 2;
    if (p->kernel_count != 1 || strcmp(p->kernels[0].name, name) ||
        memcmp(p->code, "\177ELF", 4))
      return 3;
    nvrtc_program_free(p);
    free(source);
    free(name);
  }
  nvrtc_close(n);
  return 0;
}

static void serves_many_processes(void **state) {
  (void)state;
  NEED_NVRTC();
  pid_t pids[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) {
    pids[i] = fork();
    if (!pids[i])
      _exit(one_of_many(i));
  }
  for (int i = 0; i < PROCESSES; i++)
    assert_int_equal(status_of(pids[i]), 0);
  DIR *d = opendir(cache_folder);
  for (struct dirent *de; (de = readdir(d));)
    if (de->d_type == DT_REG)
      assert_int_equal(strlen(de->d_name), 64); // no temporary file is left
  closedir(d);
}

// ---- Its bound ----

static void put_file(const char *folder, const char *name, int age_s) {
  char *path = xasprintf("%s/%s", folder, name), block[8192] = {1};
  assert_int_equal(file_replace(path, block, sizeof block, NULL), ERR_OK);
  struct timespec t[2] = {{.tv_sec = time(NULL) - age_s},
                          {.tv_sec = time(NULL) - age_s}};
  assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
  free(path);
}

static bool has_file(const char *folder, const char *name) {
  char *path = xasprintf("%s/%s", folder, name);
  bool is_there = !access(path, F_OK);
  free(path);
  return is_there;
}

static void sweeps_what_is_not_used(void **state) {
  (void)state;
  char *folder = xasprintf("%s/swept", cache_folder);
  assert_int_equal(file_make_folder(folder, NULL), ERR_OK);
  put_file(folder, "old", 300);
  put_file(folder, "older", 400);
  put_file(folder, "new", 0);
  put_file(folder, "abc.tmpabc", 7200);
  put_file(folder, "def.tmpdef", 10);
  nvrtc_cache_sweep(folder, 1 << 20, 0); // far from full
  assert_true(has_file(folder, "older"));
  assert_false(has_file(folder, "abc.tmpabc")); // a killed writer's
  assert_true(has_file(folder, "def.tmpdef"));
  nvrtc_cache_sweep(folder, 3 * 8192, 2 * 8192);
  assert_false(has_file(folder, "older"));
  assert_false(has_file(folder, "old"));
  assert_true(has_file(folder, "new"));
  free(folder);
}

// A judge of a class opens a cache for each learner and keeps a program or two in it.
static void caches_of_one_program_sweep(void **state) {
  (void)state;
  char *folder = xasprintf("%s/one", cache_folder);
  assert_int_equal(file_make_folder(folder, NULL), ERR_OK);
  put_file(folder, "abc.tmpabc", 7200);
  for (int i = 0; i < 256; i++) {
    struct nvrtc_program p = {.code = "", .is_ptx = true, .arch = "sm_80"};
    snprintf(p.key, sizeof p.key, "%02x%062x", i, i);
    struct nvrtc_cache *c = nvrtc_cache_open(folder);
    nvrtc_cache_keep(c, &p);
    nvrtc_cache_close(c);
    assert_true(has_file(folder, p.key));
    if (i == 16) // one in 32, not each
      put_file(folder, "def.tmpdef", 7200);
    assert_int_equal(has_file(folder, "def.tmpdef"), i >= 16 && i < 32);
  }
  assert_false(has_file(folder, "abc.tmpabc"));
  free(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_without_a_worker),
      cmocka_unit_test(keys_differ),
      cmocka_unit_test(keeps_no_failures),
      cmocka_unit_test(believes_no_damaged_record),
      cmocka_unit_test(replaces_damaged_files),
      cmocka_unit_test(believes_no_exchanged_file),
      cmocka_unit_test(works_without_a_cache),
      cmocka_unit_test(works_on_a_full_disk),
      cmocka_unit_test(works_at_a_file_limit),
      cmocka_unit_test(serves_many_processes),
      cmocka_unit_test(sweeps_what_is_not_used),
      cmocka_unit_test(caches_of_one_program_sweep),
  };
  return cmocka_run_group_tests(tests, open_compiler, remove_cache);
}

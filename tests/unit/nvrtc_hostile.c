// SPDX-License-Identifier: Apache-2.0
// Sources that attack the compiler: files it must not read, bombs, aborts,
// escapes. After each, the next compile works. Run once under Landlock and
// once with the confinement of kernels without it.
#include <signal.h>
#include <sys/resource.h>

#include "nvrtc_fixture.h"

#include "base/str.h"
#include "gpu/nvrtc/words/nvrtc_log.h"

// ---- Files ----

// All that a learner sees of a compile.
static char *everything(const struct nvrtc_program *p) {
  struct str s = STR_INIT;
  char *text = nvrtc_format(p->diagnostics, p->diagnostic_count);
  str_add(&s, text);
  str_add(&s, last.text);
  free(text);
  return str_take(&s);
}

static char secret_file[] = "/tmp/warpshop-secret-XXXXXX";
static const char secret[] = "zebra_crossing_42";

static int write_secret(void) {
  int fd = mkstemp(secret_file);
  if (fd < 0)
    return -1;
  bool is_ok = dprintf(fd, "%s %s;\n", secret, secret) > 0;
  close(fd);
  setenv("WARPSHOP_TEST_SECRET", secret, 1);
  return is_ok ? 0 : -1;
}

static void refuse(const char *source, const char *named) {
  struct nvrtc_program *p = compile(source, ERR_COMPILE);
  char *text = everything(p);
  if (!strstr(text, "cannot include") || !strstr(text, named))
    print_error("%s\n", text);
  assert_non_null(strstr(text, "cannot include"));
  assert_non_null(strstr(text, named));
  assert_null(strstr(text, secret));
  assert_null(strstr(text, "root:"));
  assert_null(strstr(text, "PATH="));
  free(text);
  nvrtc_program_free(p);
  next_compile_works();
}

static void refuses_foreign_files(void **state) {
  (void)state;
  NEED_NVRTC();
  char *own = xasprintf("#include \"%s\"\n", secret_file);
  char *angle = xasprintf("#include <%s>\n", secret_file);
  char *up = xasprintf("#include \"../../../../../../..%s\"\n", secret_file);
  char *through =
      xasprintf("#include <cooperative_groups/../../../../../../../../..%s>\n",
                secret_file);
  char *macro = xasprintf("#define NAME \"%s\"\n#include NAME\n", secret_file);
  char *built = xasprintf("#define TEXT(x) #x\n#define MAKE(x) TEXT(x)\n"
                          "#define PATH %s\n#include MAKE(PATH)\n",
                          "/etc/passwd");
  refuse(own, secret_file);
  refuse(angle, secret_file);
  refuse(up, secret_file);
  refuse(through, secret_file);
  refuse(macro, secret_file);
  refuse(built, "/etc/passwd");
  refuse("#include \"/etc/passwd\"\n", "/etc/passwd");
  refuse("#include \"/proc/self/environ\"\n", "/proc/self/environ");
  refuse("#include \"/proc/self/maps\"\n", "/proc/self/maps");
  refuse("#include \"/dev/stdin\"\n", "/dev/stdin");
  refuse("#include \"../../../../etc/hostname\"\n", "etc/hostname");
  free(own);
  free(angle);
  free(up);
  free(through);
  free(macro);
  free(built);
}

// Neither what a file holds nor whether it is there.
static void hides_that_files_exist(void **state) {
  (void)state;
  NEED_NVRTC();
  char *source = xasprintf("#if __has_include(\"%s\")\n"
                           "__global__ void seen(int *x) { *x = 1; }\n"
                           "#else\n"
                           "__global__ void hidden(int *x) { *x = 1; }\n"
                           "#endif\n",
                           secret_file);
  struct nvrtc_program *p = compile(source, ERR_OK);
  assert_string_equal(p->kernels[0].name, "hidden");
  nvrtc_program_free(p);
  free(source);
}

// Other ways to have a file read: each is refused or reads nothing.
static void reads_no_file_otherwise(void **state) {
  (void)state;
  NEED_NVRTC();
  static const char *const ways[] = {
      "__device__ const unsigned char x[] = {\n#embed \"%s\"\n};\n"
      "__global__ void f(int *p) { *p = x[0]; }\n",
      "__global__ void f(int *p) { asm(\".include \\\"%s\\\"\"); }\n",
      "__global__ void f(int *p) { asm(\".file 9 \\\"%s\\\"\"); *p = 1; }\n",
      "#pragma include_alias(\"a\", \"%s\")\n#include \"a\"\n",
      "#include_next <%s>\n",
      "#import \"%s\"\n",
  };
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    char source[600];
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(source, sizeof source, ways[i], secret_file);
    struct nvrtc_request r = {
        .source = source, .file = "way.cu", .arch = "sm_80", .no_cache = true};
    struct nvrtc_program *p;
    last = (struct err_info){0};
    nvrtc_compile(compiler, &r, &p, &last);
    char *text = p ? everything(p) : xstrdup(last.text);
    assert_null(strstr(text, secret));
    if (p && p->code)
      assert_null(memmem(p->code, p->code_bytes, secret, strlen(secret)));
    free(text);
    nvrtc_program_free(p);
    next_compile_works();
  }
}

// ---- Bombs ----

// The worker that compiles: this process's only child.
static int find_child(void) {
  char path[80];
  int pid = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *f = fopen(path, "re");
  assert_non_null(f);
  if (fscanf(f, "%d", &pid) != 1)
    pid = 0;
  fclose(f);
  return pid;
}

// The most that the worker had mapped, in kB.
static bool note_peak(void *context) {
  unsigned long *most = context, kb = 0;
  char path[40], line[200];
  snprintf(path, sizeof path, "/proc/%d/status", find_child());
  FILE *f = fopen(path, "re");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "VmPeak: %lu", &kb) == 1 && kb > *most)
      *most = kb;
  if (f)
    fclose(f);
  return false;
}

static void stops_macro_bomb(void **state) {
  NEED_NVRTC();
  struct nvrtc_options o = {.deadline_s = 3,
                            .without_landlock = *state != NULL};
  assert_int_equal(open_compiler_with(o), 0);
  struct str s = STR_INIT;
  str_add(&s, "#define A 1");
  for (int i = 1; i < 100; i++)
    str_add(&s, ",1");
  for (char name = 'B'; name <= 'D'; name++) {
    str_addf(&s, "\n#define %c %c", name, name - 1);
    for (int i = 1; i < 100; i++)
      str_addf(&s, ",%c", name - 1);
  }
  str_add(&s, "\n__device__ int x[] = {D};\n");
  // Whichever limit it meets first: memory, or processor time.
  unsigned long peak_kb = 0;
  struct nvrtc_request bomb = {.source = s.data,
                               .file = "bomb.cu",
                               .arch = "sm_80",
                               .no_cache = true,
                               .is_cancelled = note_peak,
                               .context = &peak_kb};
  struct nvrtc_program *p;
  enum err err = nvrtc_compile(compiler, &bomb, &p, &last);
  assert_true(err == ERR_NOMEM || err == ERR_TIMEOUT);
  assert_non_null(strstr(last.text, err == ERR_NOMEM ? "memory" : " 3 s of"));
  assert_null(p);
#ifndef __SANITIZE_ADDRESS__            // which maps terabytes of its own
  assert_in_range(peak_kb, 1, 3 << 19); // the limit, and what was mapped before
#endif
  str_free(&s);
  next_compile_works();
  o.deadline_s = 0;
  assert_int_equal(open_compiler_with(o), 0);
}

static void survives_abort(void **state) {
  (void)state;
  NEED_NVRTC();
  assert_null(compile("__device__ int big[1ul << 33] = {1};\n"
                      "__global__ void f(int *x) { *x = big[3]; }\n",
                      ERR_NOMEM));
  assert_non_null(strstr(last.text, "1 GiB"));
  next_compile_works();
}

static const char unrolled[] =
    "__global__ void f(float *x) {\n"
    "  float a[1024];\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 1024; i++) a[i] = x[i];\n"
    "#pragma unroll\n"
    "  for (int k = 0; k < 256; k++)\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < 1024; i++) a[i] = a[(i * 7 + k) % 1024] * a[i];\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 1024; i++) x[i] = a[i];\n"
    "}\n";

static void stops_at_deadline(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_options o = {.deadline_s = 1,
                            .without_landlock = *state != NULL};
  assert_int_equal(open_compiler_with(o), 0);
  assert_null(compile(unrolled, ERR_TIMEOUT));
  assert_non_null(strstr(last.text, "more than 1 s of processor time"));
  next_compile_works();
  o.deadline_s = 0;
  assert_int_equal(open_compiler_with(o), 0);
}

static bool cancel_soon(void *context) {
  return ++*(int *)context > 20;
}

static void stops_when_cancelled(void **state) {
  (void)state;
  NEED_NVRTC();
  int polls = 0;
  struct nvrtc_request r = {.source = unrolled,
                            .no_cache = true,
                            .is_cancelled = cancel_soon,
                            .context = &polls};
  assert_null(compile_as(r, ERR_CANCELLED));
  assert_in_range(polls, 21, 22);
  next_compile_works();
}

// ---- Workers that are killed or stopped from outside ----

struct signals {
  int signal, left,
      last; // workers to send it to still, and the last that has it
};

static bool send_signal(void *context) {
  struct signals *s = context;
  int pid = s->left ? find_child() : 0;
  if (!pid || pid == s->last || kill(pid, s->signal))
    return false;
  s->last = pid;
  s->left--;
  return false;
}

// The first compile's worker has it, then both workers of another compile.
static void expect_second_chance(int signal, enum err wanted,
                                 const char *words) {
  struct signals once = {.signal = signal, .left = 1};
  struct signals twice = {.signal = signal, .left = 2};
  struct nvrtc_request r = {.source = "__global__ void f(int *x) { *x = 1; }",
                            .no_cache = true,
                            .is_cancelled = send_signal,
                            .context = &once};
  nvrtc_program_free(compile_as(r, ERR_OK));
  assert_int_equal(once.left, 0);
  next_compile_works();
  r.context = &twice;
  assert_null(compile_as(r, wanted));
  assert_non_null(strstr(last.text, words));
  next_compile_works();
}

static void a_killed_worker_is_replaced(void **state) {
  (void)state;
  NEED_NVRTC();
  expect_second_chance(SIGKILL, ERR_INTERNAL, "killed from outside");
}

// A machine that let it stand still lets the next one run.
static void a_stopped_worker_is_replaced(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_options o = {.standstill_s = 4};
  assert_int_equal(open_compiler_with(o), 0);
  expect_second_chance(SIGSTOP, ERR_IO, "got no processor time");
  assert_int_equal(open_compiler(state), 0);
}

// ---- Workers without memory ----

// Takes the memory of the first worker that it sees: no more than it has mapped.
static bool take_memory(void *context) {
  int *taken = context, pid = *taken ? 0 : find_child();
  char path[40];
  unsigned long long pages = 0;
  if (!pid)
    return false;
  snprintf(path, sizeof path, "/proc/%d/statm", pid);
  FILE *f = fopen(path, "re");
  assert_non_null(f);
  assert_int_equal(fscanf(f, "%llu", &pages), 1);
  fclose(f);
  struct rlimit r = {pages * (unsigned)getpagesize(), RLIM_INFINITY};
  r.rlim_max = r.rlim_cur;
  assert_int_equal(prlimit(pid, RLIMIT_AS, &r, NULL), 0);
  *taken = pid;
  return false;
}

// What a worker has left, the next one has whole.
static void memory_is_looked_for_twice(void **state) {
  (void)state;
  NEED_NVRTC();
  static const char longer[] =
      "__global__ void f(float *x) {\n"
      "  float a[64];\n"
      "#pragma unroll\n"
      "  for (int k = 0; k < 64; k++)\n"
      "#pragma unroll\n"
      "    for (int i = 0; i < 64; i++)\n"
      "      a[i] = (k ? a[(i * 7 + k) % 64] : 1) * x[i * 64 + k];\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 64; i++) x[i] = a[i];\n"
      "}\n";
  int taken = 0;
  struct nvrtc_request r = {.source = longer,
                            .no_cache = true,
                            .is_cancelled = take_memory,
                            .context = &taken};
  next_compile_works();
  nvrtc_program_free(compile_as(r, ERR_OK));
  assert_int_not_equal(taken, 0);
  assert_int_not_equal(taken, find_child());
}

// ---- Logs ----

static void bounds_long_logs(void **state) {
  (void)state;
  NEED_NVRTC();
  struct str s = STR_INIT;
  for (int i = 0; i < 3000; i++)
    str_addf(&s, "__device__ int f%d() { return undefined_name_%d; }\n", i, i);
  struct nvrtc_program *p = compile(s.data, ERR_COMPILE);
  char *text = everything(p);
  assert_in_range(p->diagnostic_count, 1, NVRTC_MAX_DIAGNOSTICS);
  assert_true(strlen(text) < NVRTC_LOG_BYTES);
  free(text);
  nvrtc_program_free(p);
  str_free(&s);
  p = compile("template <int N> struct R { static const int v = R<N + 1>::v; "
              "};\n__device__ int z = R<0>::v;\n",
              ERR_COMPILE);
  assert_int_equal(p->diagnostics[0].severity, NVRTC_ERROR);
  assert_int_equal(p->diagnostics[1].severity, NVRTC_NOTE);
  nvrtc_program_free(p);
  next_compile_works();
}

static void shows_no_escapes(void **state) {
  (void)state;
  NEED_NVRTC();
  struct nvrtc_program *p = compile_as(
      (struct nvrtc_request){.source = "#error \033[2J\033]0;x\007 "
                                       "\302\233 \200 \342\200\256\n",
                             .file = "a\033[31m\n.cu",
                             .no_cache = true},
      ERR_COMPILE);
  char *text = everything(p);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
  free(text);
  nvrtc_program_free(p);
}

static void survives_odd_sources(void **state) {
  (void)state;
  NEED_NVRTC();
  nvrtc_program_free(compile("", ERR_OK));
  char *deep = xasprintf("__device__ int x = %0200000d;\n", 0);
  memset(deep + 19, '(', 100000);
  struct nvrtc_request r = {
      .source = deep, .file = "deep.cu", .arch = "sm_80", .no_cache = true};
  struct nvrtc_program *p;
  assert_int_not_equal(nvrtc_compile(compiler, &r, &p, &last), ERR_OK);
  nvrtc_program_free(p);
  free(deep);
  next_compile_works();
}

// ---- Both kinds of confinement ----

static int start_landlocked(void **state) {
  return write_secret() || open_compiler(state);
}

static int start_trapped(void **state) {
  (void)state;
  return open_compiler_with((struct nvrtc_options){.without_landlock = true});
}

static int finish(void **state) {
  unlink(secret_file);
  return remove_cache(state);
}

static int keep(void **state) {
  (void)state;
  return 0;
}

#define TEST(f, marks)                                                         \
  { #f, f, NULL, NULL, marks }

int main(void) {
  static int trapped;
  const struct CMUnitTest tests[] = {
      TEST(refuses_foreign_files, NULL),
      TEST(hides_that_files_exist, NULL),
      TEST(reads_no_file_otherwise, NULL),
      TEST(stops_macro_bomb, NULL),
      TEST(survives_abort, NULL),
      TEST(stops_at_deadline, NULL),
      TEST(stops_when_cancelled, NULL),
      TEST(bounds_long_logs, NULL),
      TEST(shows_no_escapes, NULL),
      TEST(survives_odd_sources, NULL),
      TEST(a_killed_worker_is_replaced, NULL),
      TEST(a_stopped_worker_is_replaced, NULL),
      TEST(memory_is_looked_for_twice, NULL),
  };
  const struct CMUnitTest other[] = {
      TEST(refuses_foreign_files, &trapped),
      TEST(hides_that_files_exist, &trapped),
      TEST(reads_no_file_otherwise, &trapped),
      TEST(stops_macro_bomb, &trapped),
      TEST(survives_abort, &trapped),
      TEST(stops_at_deadline, &trapped),
  };
  int failed =
      cmocka_run_group_tests_name("landlock", tests, start_landlocked, keep);
  return failed +
         cmocka_run_group_tests_name("trapped", other, start_trapped, finish);
}

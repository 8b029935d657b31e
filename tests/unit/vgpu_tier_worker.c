// SPDX-License-Identifier: Apache-2.0
// The tier around its compiled code: what is said of kernels, compiles in the
// background, a worker that is killed, the cache and files in it that are not ours.
// Skips where there is no libLLVM.
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "gpu/vgpu/tier/tier_cache.h"
#include "gpu/vgpu/tier/tier_emit.h"
#include "gpu/vgpu/tier/tier_relocate.h"
#include "gpu/vgpu/tier/tier_wire.h"
#include "tests/unit/tier_there.h"

static const struct gpu_backend *const back = &gpu_virtual_backend;

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry twice(.param .u64 p, .param .u32 rounds) {\n"
    "  .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %q;\n"
    "  ld.param.u64 %rd0, [p]; ld.param.u32 %r4, [rounds];\n"
    "  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
    "  mad.lo.s32 %r0, %r1, %r2, %r0; mul.wide.s32 %rd1, %r0, 4;\n"
    "  add.s64 %rd2, %rd0, %rd1; mov.u32 %r3, 0;\n"
    "again: mad.lo.s32 %r3, %r3, 3, %r0; sub.s32 %r4, %r4, 1;\n"
    "  setp.gt.s32 %q, %r4, 0; @%q bra again;\n"
    "  st.global.u32 [%rd2], %r3; ret;\n}\n"
    // In a warp's 29 first threads: of every fourth the address wraps to 0.
    ".visible .entry apart(.param .u64 p) {\n"
    "  .reg .b32 %r<5>; .reg .pred %q; .shared .align 4 .b8 s[256];\n"
    "  mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 32768;\n"
    "  mul.lo.u32 %r2, %r1, 32768; mov.u32 %r3, s; add.u32 %r4, %r2, %r3;\n"
    "  setp.lt.u32 %q, %r0, 29; @%q st.shared.u32 [%r4], %r0; ret;\n}\n"
    // Two parameters, of one array perhaps: a minimum, and a sum.
    ".visible .entry ordered(.param .u64 p, .param .u64 q) {\n"
    "  .reg .b64 %rd<2>;\n"
    "  ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q];\n"
    "  red.global.min.u32 [%rd1], 5; red.global.add.u32 [%rd0], 1; ret;\n}\n"
    ".visible .entry fenced(.param .u64 p) { membar.gl; ret; }\n";

enum { BLOCKS = 40, THREADS = 64, WORDS = BLOCKS * THREADS };

static void check(enum err err, const struct err_info *e) {
  if (err)
    fail_msg("%s: %s", err_kind(err), e->text);
}

struct fixture {
  struct gpu_device *d;
  gpu_handle module, twice, fenced;
  gpu_ptr at;
};

static void end(struct fixture *f) {
  back->close(f->d);
}

static void begin(struct fixture *f, const char *tier) {
  struct err_info e;
  setenv("WARPSHOP_TIER", tier, 1);
  check(back->open(0, NULL, &f->d, &e), &e);
  setenv("WARPSHOP_TIER", "0", 1);
  check(back->module_load(f->d, text, sizeof text - 1, &f->module, &e), &e);
  check(back->function_get(f->d, f->module, "twice", &f->twice, NULL, &e), &e);
  check(back->function_get(f->d, f->module, "fenced", &f->fenced, NULL, &e),
        &e);
  check(back->mem_alloc(f->d, WORDS * 4, 0, &f->at, &e), &e);
}

static void wait_for(struct fixture *f) {
  struct err_info e;
  enum err err;
  while ((err = back->poll(f->d, GPU_ALL_STREAMS, &e)) == ERR_NOT_READY)
    ;
  check(err, &e);
}

static void launch(struct fixture *f, gpu_handle kernel, uint32_t rounds,
                   uint32_t flags) {
  struct err_info e;
  struct {
    gpu_ptr at;
    uint32_t rounds, none;
  } params = {f->at, rounds, 0};
  struct gpu_launch l = {.function = kernel,
                         .grid = {BLOCKS, 1, 1},
                         .block = {THREADS, 1, 1},
                         .flags = flags,
                         .params = &params,
                         .param_bytes = sizeof params};
  check(back->launch(f->d, &l, &e), &e);
  wait_for(f);
}

// Launches it, and looks whether what it left is right.
static void run(struct fixture *f, uint32_t rounds) {
  struct err_info e;
  uint32_t got[WORDS];
  launch(f, f->twice, rounds, GPU_LAUNCH_UNCHECKED);
  check(back->copy_out(f->d, got, f->at, sizeof got, 0, &e), &e);
  wait_for(f);
  for (uint32_t n = 0; n < WORDS; n++) {
    uint32_t want = 0;
    for (uint32_t k = 0; k < rounds; k++)
      want = want * 3 + n;
    assert_int_equal(got[n], want);
  }
}

static const struct vg_tier_kernel *kernel_of(struct fixture *f) {
  return vg_own(f->d)->functions[f->twice - 1].code->tier;
}

static bool runs_compiled(struct fixture *f) {
  return kernel_of(f) && atomic_load(&kernel_of(f)->state) == TIER_RUNS;
}

static const char *told(struct fixture *f) {
  static struct gpu_device_info info;
  struct err_info e;
  check(back->info(f->d, &info, &e), &e);
  return info.tier;
}

static void skip_without_llvm(struct fixture *f) {
  if (tier_is_there(f->d))
    return;
  end(f);
  skip();
}

static void test_off(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, "0");
  run(&f, 3);
  assert_null(vg_own(f.d)->tier);
  assert_null(kernel_of(&f));
  assert_string_equal(told(&f), "");
  end(&f);
}

static void test_told(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, "always");
  run(&f, 3);
  skip_without_llvm(&f);
  assert_true(runs_compiled(&f));
  launch(&f, f.fenced, 1, GPU_LAUNCH_UNCHECKED);
  assert_non_null(strstr(told(&f), "twice in blocks of 64: runs compiled"));
  assert_non_null(
      strstr(told(&f), "fenced in blocks of 64: is interpreted: membar"));
  end(&f);
}

// ---- Launches that must not go wrong ----

static enum err run_with(struct fixture *f, const char *name, uint32_t flags,
                         const uint32_t shape[2], gpu_ptr q,
                         struct err_info *e) {
  gpu_handle kernel;
  check(back->function_get(f->d, f->module, name, &kernel, NULL, e), e);
  gpu_ptr params[2] = {f->at, q};
  struct gpu_launch l = {.function = kernel,
                         .grid = {1, 1, 1},
                         .block = {shape[0], shape[1], 1},
                         .flags = flags,
                         .params = params,
                         .param_bytes = q ? 16 : 8};
  check(back->launch(f->d, &l, e), e);
  enum err err;
  while ((err = back->poll(f->d, GPU_ALL_STREAMS, e)) == ERR_NOT_READY)
    ;
  return err;
}

static enum err run_plain(struct fixture *f, const char *name, uint32_t x,
                          uint32_t y, gpu_ptr q, struct err_info *e) {
  uint32_t shape[2] = {x, y};
  return run_with(f, name, GPU_LAUNCH_UNCHECKED, shape, q, e);
}

// A kernel is compiled again for launches that are checked, of which some are the
// interpreter's all the same: here one that adds to what nothing wrote.
static void test_checked(void **state) {
  (void)state;
  static const uint32_t shape[2] = {16, 2};
  struct fixture f;
  struct err_info e;
  begin(&f, "always");
  assert_int_equal(run_with(&f, "ordered", 0, shape, f.at, &e),
                   ERR_UNINITIALISED);
  launch(&f, f.twice, 3, 0);
  skip_without_llvm(&f);
  assert_non_null(
      strstr(told(&f), "twice in blocks of 64, checked: runs compiled"));
  assert_non_null(strstr(told(&f), "ordered in blocks of 16 x 2, checked: is "
                                   "compiled, and no launch has run so yet"));
  end(&f);
}

// Lanes between two that are inside may lie outside.
static void test_apart(void **state) {
  (void)state;
  struct fixture f;
  struct err_info e;
  struct gpu_finding plain, tier;
  begin(&f, "0");
  enum err err = run_plain(&f, "apart", 32, 1, 0, &e);
  assert_int_not_equal(err, ERR_OK);
  assert_int_equal(back->findings(f.d, &plain, 1), 1);
  end(&f);
  begin(&f, "always");
  assert_int_equal(run_plain(&f, "apart", 32, 1, 0, &e), err);
  assert_int_equal(back->findings(f.d, &tier, 1), 1);
  assert_string_equal(tier.text, plain.text);
  assert_int_equal(plain.at.thread[0], 1);
  assert_int_equal(tier.at.thread[0], 1);
  skip_without_llvm(&f);
  end(&f);
}

// Of gangs of 16, which would show: a warp's minimum comes before its sums.
static void test_ordered(void **state) {
  (void)state;
  struct fixture f;
  struct err_info e;
  uint32_t got = 0;
  begin(&f, "always");
  check(back->copy_in(f.d, f.at, &got, sizeof got, 0, &e), &e);
  check(run_plain(&f, "ordered", 16, 2, f.at, &e), &e);
  check(back->copy_out(f.d, &got, f.at, sizeof got, 0, &e), &e);
  wait_for(&f);
  assert_int_equal(got, 32);
  skip_without_llvm(&f);
  assert_non_null(
      strstr(told(&f), "ordered in blocks of 16 x 2: runs compiled"));
  end(&f);
}

// A text that the worker does not take: lanes of each branch may wait in 250 others.
static char *big_text(void) {
  struct str s = STR_INIT;
  str_add(&s, ".version 8.0\n.target sm_80\n.address_size 64\n"
              ".visible .entry big(.param .u64 p) {\n"
              "  .reg .b32 %r<2>; .reg .pred %q;\n"
              "  mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\n");
  for (int n = 0; n < 250; n++)
    str_addf(&s, "setp.eq.u32 %%q, %%r0, %d; @%%q bra away%d;\n", n + 99, n);
  str_add(&s, "bra done;\n");
  for (int n = 0; n < 250; n++)
    str_addf(&s, "away%d: add.u32 %%r1, %%r1, 1; bra done;\n", n);
  str_add(&s, "done: ret;\n}\n");
  return str_take(&s);
}

static void test_big(void **state) {
  (void)state;
  struct fixture f;
  struct err_info e;
  char *big = big_text();
  begin(&f, "always");
  check(back->module_load(f.d, big, strlen(big), &f.module, &e), &e);
  check(run_plain(&f, "big", 32, 1, 0, &e), &e);
  assert_non_null(strstr(told(&f), "big in blocks of 32: is interpreted: "
                                   "it is too large"));
  run(&f, 3);
  skip_without_llvm(&f); // the worker goes on
  assert_true(runs_compiled(&f));
  end(&f);
  free(big);
}

// Counted launches are the interpreter's, checked or not.
static void test_counted(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, "always");
  launch(&f, f.twice, 2, GPU_LAUNCH_COUNT);
  launch(&f, f.twice, 2, GPU_LAUNCH_COUNT | GPU_LAUNCH_UNCHECKED);
  assert_null(kernel_of(&f));
  end(&f);
}

// Who does not wait gets there as well, once it has run for long enough.
static void test_background(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, "1");
  run(&f, 1);
  while (!runs_compiled(&f) && !atomic_load(&vg_own(f.d)->tier->is_lost))
    launch(&f, f.twice, 20000, GPU_LAUNCH_UNCHECKED);
  skip_without_llvm(&f);
  run(&f, 5);
  end(&f);
}

static uint32_t finished(struct fixture *f) {
  const struct vg_tier_kernel *k = kernel_of(f);
  return k ? atomic_load(&k->finished) : 0;
}

// A launch that does little for how large its array is would wait for copies of that.
static void test_large(void **state) {
  (void)state;
  struct fixture f;
  struct err_info e;
  gpu_ptr large;
  begin(&f, "1");
  while (!runs_compiled(&f) && !atomic_load(&vg_own(f.d)->tier->is_lost))
    launch(&f, f.twice, 20000, 0);
  skip_without_llvm(&f);
  uint32_t before = finished(&f);
  launch(&f, f.twice, 5, 0);
  assert_int_equal(finished(&f), before + 1);
  gpu_ptr small = f.at;
  check(back->mem_alloc(f.d, 256 << 20, 0, &large, &e), &e);
  f.at = large;
  launch(&f, f.twice, 5, 0);
  assert_int_equal(finished(&f), before + 1);
  f.at = small;
  launch(&f, f.twice, 5, 0);
  assert_int_equal(finished(&f), before + 2);
  end(&f);
}

// Most of its threads leave the array.
static void launch_wrong(struct fixture *f) {
  struct err_info e;
  struct gpu_finding found;
  gpu_ptr at[2] = {f->at + 4 * (WORDS - 64), 1};
  struct gpu_launch l = {.function = f->twice,
                         .grid = {BLOCKS, 1, 1},
                         .block = {THREADS, 1, 1},
                         .params = at,
                         .param_bytes = 16};
  check(back->launch(f->d, &l, &e), &e);
  while (back->poll(f->d, GPU_ALL_STREAMS, &e) == ERR_NOT_READY)
    ;
  assert_int_equal(back->findings(f->d, &found, 1), 1);
}

// How many right launches the interpreter runs until one runs compiled.
static int count_rests(struct fixture *f) {
  uint32_t before = finished(f);
  int count = 0;
  for (; count < 100; count++) {
    launch(f, f->twice, 3, 0);
    if (finished(f) > before)
      return count;
  }
  return count;
}

// A kernel that bailed is tried again, more seldom each time, and not for launches of
// which the interpreter has something to say.
static void test_rests(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, "always");
  launch(&f, f.twice, 3, 0);
  skip_without_llvm(&f);
  assert_int_equal(finished(&f), 1);
  launch_wrong(&f);
  assert_non_null(strstr(told(&f), "twice in blocks of 64, checked: is "
                                   "interpreted: a launch did what only"));
  assert_non_null(strstr(told(&f), "after 4 launches without a finding"));
  launch_wrong(&f);
  assert_int_equal(count_rests(&f), 4);
  assert_non_null(strstr(told(&f), "checked: runs compiled"));
  launch_wrong(&f);
  launch(&f, f.twice, 3, 0);
  launch_wrong(&f);
  assert_int_equal(count_rests(&f), 7);
  end(&f);
}

static void test_killed(void **state) {
  (void)state;
  struct fixture f;
  begin(&f, "always");
  run(&f, 3);
  skip_without_llvm(&f);
  kill(vg_own(f.d)->tier->pid, SIGKILL);
  run(&f, 4); // what is compiled stays
  launch(&f, f.fenced, 1, GPU_LAUNCH_UNCHECKED);
  end(&f);
  begin(&f, "always");
  kill(vg_own(f.d)->tier->pid, SIGKILL);
  run(&f, 3);
  assert_false(runs_compiled(&f));
  assert_non_null(strstr(told(&f), "No kernel is compiled"));
  end(&f);
}

// The only child of a process; 0 where the system does not say.
static pid_t child_of(pid_t pid) {
  char *path = xasprintf("/proc/%d/task/%d/children", (int)pid, (int)pid);
  FILE *f = fopen(path, "r");
  int child = 0;
  if (f && fscanf(f, "%d", &child) != 1)
    child = 0;
  if (f)
    fclose(f);
  free(path);
  return child;
}

// Another worker compiles what comes next, and what the one that died was asked for.
static void test_another(void **state) {
  (void)state;
  struct fixture f;
  struct err_info e;
  begin(&f, "always");
  run(&f, 3);
  skip_without_llvm(&f);
  pid_t keeper = vg_own(f.d)->tier->pid, worker = child_of(keeper);
  if (!worker)
    skip();
  kill(worker, SIGKILL);
  launch(&f, f.twice, 3, 0);
  assert_int_equal(finished(&f), 1);
  assert_int_not_equal(child_of(keeper), worker);
  // In the middle: it stands still until it has been asked, and dies then.
  worker = child_of(keeper);
  kill(worker, SIGSTOP);
  gpu_handle ordered;
  gpu_ptr params[2] = {f.at, f.at};
  check(back->function_get(f.d, f.module, "ordered", &ordered, NULL, &e), &e);
  struct gpu_launch l = {.function = ordered,
                         .grid = {1, 1, 1},
                         .block = {32, 1, 1},
                         .flags = GPU_LAUNCH_UNCHECKED,
                         .params = params,
                         .param_bytes = 16};
  check(back->launch(f.d, &l, &e), &e);
  const struct vg_tier_kernel *volatile *k =
      (const struct vg_tier_kernel *volatile *)&vg_own(f.d)
          ->functions[ordered - 1]
          .code->tier;
  while (!*k || atomic_load(&(*k)->state) != TIER_ASKED)
    ;
  kill(worker, SIGKILL);
  wait_for(&f);
  assert_int_equal(atomic_load(&(*k)->state), TIER_RUNS);
  end(&f);
}

// ---- The cache ----

static char *cached_file(const char *home) {
  char *folder = xasprintf("%s/warpshop/kernels", home);
  DIR *d = opendir(folder);
  char *path = NULL;
  for (struct dirent *n; d && (n = readdir(d));)
    if (n->d_name[0] != '.')
      path = xasprintf("%s/%s", folder, n->d_name);
  if (d)
    closedir(d);
  free(folder);
  return path;
}

static bool has_landlock(void) {
  return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0; // its version
}

// What is found is not made anew, and is marked as used, so that others are removed
// before it.
static void expect_marked(const char *path) {
  struct fixture f;
  struct stat before, after;
  static const struct timespec old[2] = {{1000, 0}, {1000, 0}};
  assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
  assert_int_equal(stat(path, &before), 0);
  begin(&f, "always");
  run(&f, 3);
  assert_true(runs_compiled(&f));
  end(&f);
  assert_int_equal(stat(path, &after), 0);
  assert_int_equal(after.st_ino, before.st_ino);
  assert_true(after.st_mtime > 1000);
}

// A cache of its own; `was`: what was set before, or NULL.
static char *begin_home(char **was) {
  char *home = xstrdup("/tmp/warpshop-tier-XXXXXX");
  assert_non_null(mkdtemp(home));
  *was = getenv("XDG_CACHE_HOME") ? xstrdup(getenv("XDG_CACHE_HOME")) : NULL;
  setenv("XDG_CACHE_HOME", home, 1);
  return home;
}

static void end_home(char *home, char *was) {
  if (was)
    setenv("XDG_CACHE_HOME", was, 1);
  else
    unsetenv("XDG_CACHE_HOME");
  char *remove = xasprintf("rm -rf '%s'", home);
  assert_int_equal(system(remove), 0);
  free(remove);
  free(home);
  free(was);
}

static void test_cache(void **state) {
  (void)state;
  struct fixture f;
  struct err_info e;
  char *first, *again, *was, *home = begin_home(&was);
  size_t bytes, count;
  begin(&f, "always");
  run(&f, 3);
  skip_without_llvm(&f);
  end(&f);
  char *path = cached_file(home);
  if (!path && !has_landlock())
    skip(); // this system confines no folder
  assert_non_null(path);
  check(file_read(path, 1 << 20, &first, &bytes, &e), &e);
  expect_marked(path);
  // One that is torn is made anew; so is one of another's bytes.
  for (int how = 0; how < 2; how++) {
    char *bad = xmalloc(bytes);
    memcpy(bad, first, bytes);
    bad[bytes / 2] ^= 1;
    check(file_replace(path, bad, how ? bytes / 2 : bytes, &e), &e);
    begin(&f, "always");
    run(&f, 3);
    assert_true(runs_compiled(&f));
    end(&f);
    check(file_read(path, 1 << 20, &again, &count, &e), &e);
    assert_int_equal(count, bytes);
    assert_memory_equal(again, first, bytes);
    free(again);
    free(bad);
  }
  end_home(home, was);
  free(first);
  free(path);
}

// ---- What is said to a worker ----

#define MODULE(number)                                                         \
  "target triple = \"" TIER_TRIPLE "\"\n"                                      \
  "define i32 @" TIER_FUNCTION "(ptr %c) {\n  ret i32 " number "\n}\n"
static const char one[] = MODULE("1"), two[] = MODULE("2");

struct said {
  struct tier_head h;
  char *bytes;
};

static struct said hear(int fd) {
  struct said s;
  assert_true(tier_hear(fd, &s.h, &s.bytes));
  return s;
}

static struct said find_text(int fd, const char *module) {
  unsigned char digest[TIER_DIGEST_BYTES];
  tier_cache_digest(module, strlen(module), digest);
  assert_true(tier_say(fd, TIER_FIND, digest, sizeof digest));
  return hear(fd);
}

static uint32_t word_of(struct said s) {
  free(s.bytes);
  return s.h.word;
}

// A worker of this process, which has said what it says first.
static int start_worker(pid_t *pid, uint32_t *first) {
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  *pid = fork();
  if (*pid == 0) {
    close(ends[0]);
    _exit(tier_work(ends[1]));
  }
  close(ends[1]);
  *first = word_of(hear(ends[0]));
  return ends[0];
}

// An object is kept under its text's digest alone, and found by that.
static void expect_found(int fd) {
  assert_int_equal(word_of(find_text(fd, one)), TIER_NONE);
  assert_true(tier_say_text(fd, TIER_COMPILE, one));
  struct said made = hear(fd);
  assert_int_equal(made.h.word, TIER_OBJECT);
  struct said found = find_text(fd, one);
  if (has_landlock()) {
    assert_int_equal(found.h.word, TIER_OBJECT);
    assert_int_equal(found.h.bytes, made.h.bytes);
    assert_memory_equal(found.bytes, made.bytes, made.h.bytes);
  } else {
    assert_int_equal(found.h.word, TIER_NONE);
  }
  assert_int_equal(word_of(find_text(fd, two)), TIER_NONE);
  free(made.bytes);
  free(found.bytes);
}

static void test_asked(void **state) {
  (void)state;
  pid_t pid;
  uint32_t first;
  struct said none;
  char *was, *home = begin_home(&was);
  int fd = start_worker(&pid, &first);
  if (first == TIER_READY) {
    expect_found(fd);
    // What is no digest is nonsense, of which it ends.
    assert_true(tier_say(fd, TIER_FIND, "../x", 4));
    assert_false(tier_hear(fd, &none.h, &none.bytes));
    free(none.bytes);
  }
  close(fd);
  assert_int_equal(WEXITSTATUS(process_wait(pid)), first == TIER_READY ? 0 : 3);
  end_home(home, was);
  if (first != TIER_READY)
    skip();
}

static void test_keys(void **state) {
  (void)state;
  unsigned char digest[TIER_DIGEST_BYTES];
  char a[TIER_KEY_BYTES], b[TIER_KEY_BYTES], c[TIER_KEY_BYTES];
  tier_cache_digest(one, strlen(one), digest);
  tier_cache_key("LLVM 15", digest, a);
  tier_cache_key("LLVM 16", digest, b);
  digest[TIER_DIGEST_BYTES - 1] ^= 1;
  tier_cache_key("LLVM 15", digest, c);
  assert_int_equal(strspn(a, "0123456789abcdef"), TIER_KEY_BYTES - 1);
  assert_string_not_equal(a, b);
  assert_string_not_equal(a, c);
  // BLAKE2b of 32 bytes, of "abc" (b2sum -l 256).
  tier_cache_digest("abc", 3, digest);
  assert_memory_equal(digest,
                      "\xbd\xdd\x81\x3c\x63\x42\x39\x72\x31\x71\xef\x3f"
                      "\xee\x98\x57\x9b\x94\x96\x4e\x3b\xb1\xcb\x3e\x42"
                      "\x72\x62\xc8\xc0\x68\xd5\x23\x19",
                      sizeof digest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_off),     cmocka_unit_test(test_told),
      cmocka_unit_test(test_large),   cmocka_unit_test(test_checked),
      cmocka_unit_test(test_counted), cmocka_unit_test(test_background),
      cmocka_unit_test(test_apart),   cmocka_unit_test(test_ordered),
      cmocka_unit_test(test_big),     cmocka_unit_test(test_killed),
      cmocka_unit_test(test_rests),   cmocka_unit_test(test_another),
      cmocka_unit_test(test_cache),   cmocka_unit_test(test_asked),
      cmocka_unit_test(test_keys)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

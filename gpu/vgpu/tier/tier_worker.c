// SPDX-License-Identifier: Apache-2.0
// The tier's worker, a process of its own: loads libLLVM, confines itself, takes the
// text of a module and gives an object.
//
// Its keeper (tier_keeper.c) has given up new privileges and core files for it. Each
// module is compiled in a child, which a text that blows LLVM up takes along: the worker
// itself goes on. Both can start nothing; the worker speaks to its keeper and its
// children alone and opens files of its cache's folder, a child speaks to the worker and
// opens none, and has 1 GiB and 5 s of processor time.
#include <errno.h>
#include <seccomp.h>
#include <signal.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"
#include "gpu/vgpu/tier/tier_cache.h"
#include "gpu/vgpu/tier/tier_llvm.h"
#include "gpu/vgpu/tier/tier_wire.h"

enum { CPU_S = 5, MEMORY_GIB = 1 };

struct worker {
  struct tier_llvm llvm;
  struct tier_cache cache;
  uint64_t mapped;
  int fd;
};

// ---- Confinement ----

static const int allowed[] = {
    SCMP_SYS(read),         SCMP_SYS(write),         SCMP_SYS(close),
    SCMP_SYS(mmap),         SCMP_SYS(munmap),        SCMP_SYS(mremap),
    SCMP_SYS(mprotect),     SCMP_SYS(madvise),       SCMP_SYS(brk),
    SCMP_SYS(futex),        SCMP_SYS(exit),          SCMP_SYS(exit_group),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigaction),  SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(sigaltstack),  SCMP_SYS(getpid),        SCMP_SYS(gettid),
    SCMP_SYS(tgkill),       SCMP_SYS(clock_gettime), SCMP_SYS(getrusage),
    SCMP_SYS(sched_yield),  SCMP_SYS(getrandom),     SCMP_SYS(prlimit64),
    SCMP_SYS(setrlimit),    SCMP_SYS(getrlimit),     SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),         SCMP_SYS(sendto),        SCMP_SYS(recvfrom),
};
// Of the worker alone, which has children.
static const int workers[] = {
    SCMP_SYS(clone), SCMP_SYS(clone3),     SCMP_SYS(fork),
    SCMP_SYS(wait4), SCMP_SYS(socketpair), SCMP_SYS(poll),
    SCMP_SYS(ppoll), SCMP_SYS(prctl),      SCMP_SYS(seccomp)};

static const int files[] = {SCMP_SYS(openat),    SCMP_SYS(renameat),
                            SCMP_SYS(renameat2), SCMP_SYS(unlinkat),
                            SCMP_SYS(fstat),     SCMP_SYS(newfstatat),
                            SCMP_SYS(lseek),     SCMP_SYS(utimensat)};

static void allow(scmp_filter_ctx filter, const int *calls, size_t count) {
  for (size_t n = 0; n < count; n++)
    seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[n], 0);
}

static bool confine(bool is_child, bool has_cache) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!filter)
    return false;
  allow(filter, allowed, sizeof allowed / sizeof *allowed);
  if (!is_child)
    allow(filter, workers, sizeof workers / sizeof *workers);
  if (has_cache) // within its folder, says Landlock
    allow(filter, files, sizeof files / sizeof *files);
  int rc = seccomp_load(filter);
  seccomp_release(filter);
  return rc == 0;
}

static void limit(int what, rlim_t value) {
  setrlimit(what, &(struct rlimit){value, value});
}

static uint64_t mapped_bytes(void) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f && fscanf(f, "%lu", &pages) != 1)
    pages = 0;
  if (f)
    fclose(f);
  return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

// ---- Compiling ----

static void compile(struct tier_llvm *l, int fd, const char *text,
                    size_t bytes) {
  const char *object;
  size_t count;
  const char *why = tier_llvm_compile(l, text, bytes, &object, &count);
  if (why)
    tier_say_text(fd, TIER_FAILED, why);
  else
    tier_say(fd, TIER_OBJECT, object, count);
}

// What it says goes to the worker alone: the keeper's channel and the cache are closed.
static void be_child(struct worker *w, int fd, const char *text, size_t bytes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(w->fd);
  if (w->cache.folder >= 0)
    close(w->cache.folder);
  limit(RLIMIT_CPU, CPU_S);
  limit(RLIMIT_AS, w->mapped + ((rlim_t)MEMORY_GIB << 30));
  if (confine(true, false))
    compile(&w->llvm, fd, text, bytes);
  else
    tier_say_text(fd, TIER_FAILED, "it cannot be confined");
  _exit(0);
}

// Under its text's own digest, whatever the device asked for.
static void keep(const struct worker *w, const char *text, size_t count,
                 const char *object, size_t bytes) {
  unsigned char digest[TIER_DIGEST_BYTES];
  char key[TIER_KEY_BYTES];
  tier_cache_digest(text, count, digest);
  tier_cache_key(w->llvm.identity, digest, key);
  tier_cache_keep(&w->cache, key, object, bytes);
}

// A child compiles; what it says goes on to the keeper, and into the cache.
static bool compile_apart(struct worker *w, const char *text, size_t count) {
  int ends[2];
  struct tier_head h;
  char *bytes = NULL;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return tier_say_text(w->fd, TIER_FAILED, "no channel");
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    be_child(w, ends[1], text, count);
  }
  close(ends[1]);
  bool is_whole = pid > 0 && tier_hear(ends[0], &h, &bytes);
  close(ends[0]);
  if (pid > 0)
    process_wait(pid);
  // First: with the answer the device may be done, and the worker is ended.
  if (is_whole && h.word == TIER_OBJECT)
    keep(w, text, count, bytes, h.bytes);
  bool goes_on = is_whole ? tier_say(w->fd, h.word, bytes, h.bytes)
                          : tier_say_text(w->fd, TIER_FAILED,
                                          "LLVM died of it, or took too long");
  free(bytes);
  return goes_on;
}

static bool find(struct worker *w,
                 const unsigned char digest[TIER_DIGEST_BYTES]) {
  char key[TIER_KEY_BYTES];
  size_t bytes = 0;
  tier_cache_key(w->llvm.identity, digest, key);
  char *object = tier_cache_find(&w->cache, key, &bytes);
  bool goes_on =
      tier_say(w->fd, object ? TIER_OBJECT : TIER_NONE, object, bytes);
  free(object);
  return goes_on;
}

static bool serve_one(struct worker *w, const struct tier_head *h,
                      const char *bytes) {
  if (h->word == TIER_FIND && h->bytes == TIER_DIGEST_BYTES)
    return find(w, (const unsigned char *)bytes);
  return h->word == TIER_COMPILE && compile_apart(w, bytes, h->bytes);
}

static int serve_all(struct worker *w) {
  struct tier_head h;
  char *bytes;
  bool goes_on = true;
  while (goes_on && tier_hear(w->fd, &h, &bytes)) {
    goes_on = serve_one(w, &h, bytes);
    free(bytes);
  }
  return 0;
}

int tier_work(int fd) {
  struct worker w = {.fd = fd};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const char *why =
      sodium_init() < 0 ? "libsodium does not start" : tier_llvm_load(&w.llvm);
  w.mapped = mapped_bytes();
  tier_cache_open(&w.cache);
  if (!why && !confine(false, w.cache.folder >= 0))
    why = "it cannot be confined";
  if (!tier_say_text(fd, why ? TIER_LACKS : TIER_READY,
                     why ? why : w.llvm.name) ||
      why)
    return why ? 3 : 0;
  return serve_all(&w);
}

// SPDX-License-Identifier: Apache-2.0
// The tier's worker, a process of its own: loads libLLVM, confines itself, takes the
// text of a module and gives an object.
//
// Its keeper (tier_keeper.c) has given up new privileges and core files for it. Each
// module is compiled in a child, which a text that blows LLVM up takes along: the worker
// itself goes on. Both can start nothing; the worker speaks to its keeper and its
// children alone and opens files of its cache's folder, a child speaks to the worker and
// opens none, and has 1 GiB and 5 s of processor time.
#include <dlfcn.h>
#include <errno.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"
#include "gpu/vgpu/tier/tier_cache.h"
#include "gpu/vgpu/tier/tier_wire.h"

enum { CPU_S = 5, MEMORY_GIB = 1, OPT_LEVEL = 1, PIC = 2, SMALL_MODEL = 3 };

// Of default<O1> those that make our code faster, in a quarter of its time: the text is
// one function, without calls of its own, and has no loop to unroll.
static const char passes[] =
    "function(sroa,early-cse,simplifycfg,instcombine,loop-mssa(licm),"
    "early-cse<memssa>,simplifycfg,adce)";

struct llvm {
#define LLVM(result, name, arguments) result(*name) arguments;
#include "gpu/vgpu/tier/tier_llvm.def"
#undef LLVM
  void *machine, *options;
  char *triple;
  char name[64];
  char *identity; // its file, and the processor that it compiles for
};

struct worker {
  struct llvm llvm;
  struct tier_cache cache;
  uint64_t mapped;
  int fd;
};

// ---- Loading ----

// By the names that distributions give it, the newest first.
static void *load_library(char name[64]) {
  static const char *const forms[] = {"libLLVM.so.%d.1", "libLLVM-%d.so.1",
                                      "libLLVM-%d.so"};
  for (int version = 19; version >= 15; version--)
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      snprintf(name, 64, forms[n], version);
#pragma GCC diagnostic pop
      void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library)
        return library;
    }
  return NULL;
}

static bool load_symbols(struct llvm *l, void *library) {
  bool has_all = true;
#define LLVM(result, name, arguments)                                          \
  *(void **)&l->name = dlsym(library, #name);                                  \
  has_all &= l->name != NULL;
#include "gpu/vgpu/tier/tier_llvm.def"
#undef LLVM
  return has_all;
}

static bool call_all(void *library, const char *const *names, size_t count) {
  bool has_all = true;
  for (size_t n = 0; n < count; n++) {
    void (*start)(void);
    *(void **)&start = dlsym(library, names[n]);
    has_all &= start != NULL;
    if (start)
      start();
  }
  return has_all;
}

static bool start_target(void *library) {
#ifdef __x86_64__
  static const char *const names[] = {
      "LLVMInitializeX86TargetInfo", "LLVMInitializeX86Target",
      "LLVMInitializeX86TargetMC", "LLVMInitializeX86AsmPrinter"};
  return call_all(library, names, sizeof names / sizeof *names);
#else
  return call_all(library, NULL, 0);
#endif
}

// What decides, beside the text, what it makes.
static char *identity_of(const struct llvm *l, const char *cpu,
                         const char *features) {
  Dl_info where;
  struct stat st = {0};
  void *one;
  memcpy(&one, &l->LLVMContextCreate, sizeof one);
  if (dladdr(one, &where))
    stat(where.dli_fname, &st);
  return xasprintf("%s %lld %lld %s %s %s", l->name, (long long)st.st_size,
                   (long long)st.st_mtime, l->triple, cpu, features);
}

static const char *make_machine(struct llvm *l) {
  void *target;
  char *why, *cpu = l->LLVMGetHostCPUName();
  char *features = l->LLVMGetHostCPUFeatures();
  l->triple = l->LLVMGetDefaultTargetTriple();
  if (l->LLVMGetTargetFromTriple(l->triple, &target, &why))
    return "its LLVM does not know this processor";
  l->machine = l->LLVMCreateTargetMachine(target, l->triple, cpu, features,
                                          OPT_LEVEL, PIC, SMALL_MODEL);
  l->identity = identity_of(l, cpu, features);
  l->options = l->LLVMCreatePassBuilderOptions();
  return l->machine ? NULL : "its LLVM does not know this processor";
}

// NULL, or why there is no LLVM for us.
static const char *load(struct llvm *l) {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return "the processor has no AVX2 and FMA";
#else
  return "the tier does not know this kind of processor";
#endif
  void *library = load_library(l->name);
  if (!library)
    return "libLLVM is not installed (15 to 19)";
  if (!load_symbols(l, library) || !start_target(library))
    return "libLLVM lacks a function";
  return make_machine(l);
}

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

static void compile(struct llvm *l, int fd, const char *text, size_t bytes) {
  void *module, *object, *context = l->LLVMContextCreate();
  char *why = NULL;
  void *buffer = l->LLVMCreateMemoryBufferWithMemoryRangeCopy(text, bytes, "k");
  if (l->LLVMParseIRInContext(context, buffer, &module, &why) ||
      l->LLVMVerifyModule(module, 2, &why)) {
    tier_say_text(fd, TIER_FAILED, why ? why : "LLVM refuses the module");
    return;
  }
  l->LLVMSetTarget(module, l->triple);
  l->LLVMSetModuleDataLayout(module, l->LLVMCreateTargetDataLayout(l->machine));
  void *error = l->LLVMRunPasses(module, passes, l->machine, l->options);
  if (error)
    tier_say_text(fd, TIER_FAILED, l->LLVMGetErrorMessage(error));
  else if (l->LLVMTargetMachineEmitToMemoryBuffer(l->machine, module, 1, &why,
                                                  &object))
    tier_say_text(fd, TIER_FAILED, why ? why : "LLVM makes no object");
  else
    tier_say(fd, TIER_OBJECT, l->LLVMGetBufferStart(object),
             l->LLVMGetBufferSize(object));
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

// A child compiles; what it says goes on to the keeper, and into the cache.
static bool compile_apart(struct worker *w, const char *key, const char *text,
                          size_t count) {
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
    tier_cache_keep(&w->cache, key, bytes, h.bytes);
  bool goes_on = is_whole ? tier_say(w->fd, h.word, bytes, h.bytes)
                          : tier_say_text(w->fd, TIER_FAILED,
                                          "LLVM died of it, or took too long");
  free(bytes);
  return goes_on;
}

static bool serve_one(struct worker *w, const char *text, size_t count) {
  char key[TIER_KEY_BYTES];
  size_t bytes;
  tier_cache_key(w->llvm.identity, text, count, key);
  char *object = tier_cache_find(&w->cache, key, &bytes);
  if (!object)
    return compile_apart(w, key, text, count);
  bool goes_on = tier_say(w->fd, TIER_OBJECT, object, bytes);
  free(object);
  return goes_on;
}

static int serve_all(struct worker *w) {
  struct tier_head h;
  char *text;
  bool goes_on = true;
  while (goes_on && tier_hear(w->fd, &h, &text)) {
    goes_on = h.word == TIER_COMPILE && serve_one(w, text, h.bytes);
    free(text);
  }
  return 0;
}

int tier_work(int fd) {
  struct worker w = {.fd = fd};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const char *why = load(&w.llvm);
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

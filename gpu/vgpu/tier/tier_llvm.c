// SPDX-License-Identifier: Apache-2.0
// libLLVM: found, loaded, and asked. It compiles for the processor that it runs on, or,
// where a text names another kind (a test under an emulator, whose worker is not
// emulated), for any of that kind.
#include "gpu/vgpu/tier/tier_llvm.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef __aarch64__
#  include <asm/hwcap.h>
#  include <sys/auxv.h>
#endif

#include "base/mem.h"

enum { OPT_LEVEL = 1, PIC = 2, SMALL_MODEL = 3 };

// Of default<O1> those that make our code faster, in a quarter of its time: the text is
// one function, without calls of its own, and has no loop to unroll.
static const char passes[] =
    "function(sroa,early-cse,simplifycfg,instcombine,loop-mssa(licm),"
    "early-cse<memssa>,simplifycfg,adce)";

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

static bool load_symbols(struct tier_llvm *l) {
  bool has_all = true;
#define LLVM(result, name, arguments)                                          \
  *(void **)&l->name = dlsym(l->library, #name);                               \
  has_all &= l->name != NULL;
#include "gpu/vgpu/tier/tier_llvm.def"
#undef LLVM
  return has_all;
}

// ---- Processors ----

// The part of a triple before its first "-".
static bool is_of(const char *triple, const char *kind) {
  size_t n = strlen(kind);
  return !strncmp(triple, kind, n) && triple[n] == '-';
}

// False where this LLVM was built without that kind.
static bool start_target(struct tier_llvm *l, const char *triple) {
  static const struct {
    const char *kind, *name;
  } kinds[] = {{"x86_64", "X86"}, {"aarch64", "AArch64"}};
  static const char *const parts[] = {"TargetInfo", "Target", "TargetMC",
                                      "AsmPrinter"};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (!is_of(triple, kinds[k].kind))
      continue;
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) {
      char name[64];
      void (*start)(void);
      snprintf(name, sizeof name, "LLVMInitialize%s%s", kinds[k].name,
               parts[n]);
      *(void **)&start = dlsym(l->library, name);
      if (!start)
        return false;
      start();
    }
    return true;
  }
  return false;
}

// What decides, beside the text, what it makes.
static char *identity_of(const struct tier_llvm *l, const char *cpu,
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

// NEON alone, of AArch64: of vectors of SVE whose width it does not know LLVM 15 makes
// wrong quotients of 16 bits.
static bool make_machine(struct tier_llvm *l, const char *cpu,
                         const char *host) {
  void *target;
  char *why, *features = is_of(l->triple, "aarch64")
                             ? xasprintf("%s%s-sve", host, *host ? "," : "")
                             : xstrdup(host);
  if (!start_target(l, l->triple) ||
      l->LLVMGetTargetFromTriple(l->triple, &target, &why))
    return false;
  l->machine = l->LLVMCreateTargetMachine(target, l->triple, cpu, features,
                                          OPT_LEVEL, PIC, SMALL_MODEL);
  free(features);
  return l->machine != NULL;
}

static bool is_same_kind(const char *a, const char *b) {
  size_t n = strcspn(a, "-");
  return n == strcspn(b, "-") && !memcmp(a, b, n);
}

// The machine that a module is for.
static bool aim(struct tier_llvm *l, void *module) {
  const char *triple = l->LLVMGetTarget(module);
  if (is_same_kind(triple, l->triple))
    return true;
  l->triple = xstrdup(triple);
  return make_machine(l, "generic", "");
}

// What the processor lacks, or NULL.
static const char *find_lack(void) {
#if defined __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return "the processor has no AVX2 and FMA";
  return NULL;
#elif defined __aarch64__ && defined __AARCH64EL__
  if (!(getauxval(AT_HWCAP) & HWCAP_ASIMD))
    return "the processor has no NEON";
  return NULL;
#else
  return "the tier does not know this kind of processor";
#endif
}

const char *tier_llvm_load(struct tier_llvm *l) {
  const char *lack = find_lack();
  if (lack)
    return lack;
  l->library = load_library(l->name);
  if (!l->library)
    return "libLLVM is not installed (15 to 19)";
  if (!load_symbols(l))
    return "libLLVM lacks a function";
  char *cpu = l->LLVMGetHostCPUName(), *features = l->LLVMGetHostCPUFeatures();
  l->triple = l->LLVMGetDefaultTargetTriple();
  if (!make_machine(l, cpu, features))
    return "its LLVM does not know this processor";
  l->identity = identity_of(l, cpu, features);
  l->options = l->LLVMCreatePassBuilderOptions();
  return NULL;
}

// ---- Compiling ----

const char *tier_llvm_compile(struct tier_llvm *l, const char *text,
                              size_t bytes, const char **object,
                              size_t *count) {
  void *module, *made, *context = l->LLVMContextCreate();
  char *why = NULL;
  void *buffer = l->LLVMCreateMemoryBufferWithMemoryRangeCopy(text, bytes, "k");
  if (l->LLVMParseIRInContext(context, buffer, &module, &why) ||
      l->LLVMVerifyModule(module, 2, &why))
    return why ? why : "LLVM refuses the module";
  if (!aim(l, module))
    return "its LLVM does not know that processor";
  l->LLVMSetTarget(module, l->triple);
  l->LLVMSetModuleDataLayout(module, l->LLVMCreateTargetDataLayout(l->machine));
  void *error = l->LLVMRunPasses(module, passes, l->machine, l->options);
  if (error)
    return l->LLVMGetErrorMessage(error);
  if (l->LLVMTargetMachineEmitToMemoryBuffer(l->machine, module, 1, &why,
                                             &made))
    return why ? why : "LLVM makes no object";
  *object = l->LLVMGetBufferStart(made);
  *count = l->LLVMGetBufferSize(made);
  return NULL;
}

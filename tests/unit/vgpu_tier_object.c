// SPDX-License-Identifier: Apache-2.0
// Objects that nobody made in good faith: every cut and every changed byte of a right
// one is refused or loads, and nothing else happens; a relocation that is not on the
// list, a symbol from outside, a writable section are refused. What relocations do to
// bytes, of each processor.
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/vgpu/tier/tier_object.h"
#include "gpu/vgpu/tier/tier_relocate.h"

#ifdef __aarch64__
enum { ON_LIST = R_AARCH64_PREL32, NOT_ON_LIST = R_AARCH64_ABS64 };
static const uint8_t seven[] = {0xE0, 0, 0x80, 0x52, 0xC0, 3, 0x5F, 0xD6};
#else
enum { ON_LIST = R_X86_64_PC32, NOT_ON_LIST = R_X86_64_64 };
static const uint8_t seven[] = {0xB8, 7, 0, 0, 0, 0xC3};
#endif

// An object: code that returns 7, with one relocation onto itself.
struct image {
  Elf64_Ehdr head;
  uint8_t code[16];
  char names[24];
  Elf64_Sym symbols[3];
  Elf64_Rela relocation;
  Elf64_Shdr sections[5];
};

static void make(struct image *m) {
  memset(m, 0, sizeof *m);
  memcpy(m->head.e_ident, ELFMAG, SELFMAG);
  m->head.e_ident[EI_CLASS] = ELFCLASS64;
  m->head.e_type = ET_REL;
  m->head.e_machine = TIER_MACHINE;
  m->head.e_shentsize = sizeof(Elf64_Shdr);
  m->head.e_shnum = 5;
  m->head.e_shoff = offsetof(struct image, sections);
  memcpy(m->code, seven, sizeof seven);
  strcpy(m->names + 1, "tier_gangs");
  m->symbols[1] = (Elf64_Sym){.st_name = 1, .st_shndx = 1};
  m->symbols[2] = (Elf64_Sym){.st_name = 0, .st_shndx = SHN_UNDEF};
  m->relocation = (Elf64_Rela){
      .r_offset = 8, .r_info = ELF64_R_INFO(1, ON_LIST), .r_addend = 0};
  m->sections[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                                .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                .sh_offset = offsetof(struct image, code),
                                .sh_size = sizeof m->code,
                                .sh_addralign = 16};
  m->sections[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                .sh_offset = offsetof(struct image, symbols),
                                .sh_size = sizeof m->symbols,
                                .sh_link = 3,
                                .sh_entsize = sizeof(Elf64_Sym)};
  m->sections[3] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                .sh_offset = offsetof(struct image, names),
                                .sh_size = sizeof m->names};
  m->sections[4] = (Elf64_Shdr){.sh_type = SHT_RELA,
                                .sh_offset = offsetof(struct image, relocation),
                                .sh_size = sizeof m->relocation,
                                .sh_link = 2,
                                .sh_info = 1,
                                .sh_entsize = sizeof(Elf64_Rela)};
}

static enum err load(const void *bytes, size_t count) {
  struct tier_object o;
  struct err_info e;
  enum err err = tier_object_load(bytes, count, &o, &e);
  if (!err)
    assert_non_null(o.run);
  tier_object_free(&o);
  return err;
}

static void test_right(void **state) {
  (void)state;
  struct image m;
  struct tier_object o;
  struct err_info e;
  make(&m);
  assert_int_equal(tier_object_load(&m, sizeof m, &o, &e), ERR_OK);
#if defined __x86_64__ || defined __aarch64__
  assert_int_equal(o.run(NULL), 7);
#endif
  int32_t distance;
  memcpy(&distance, (uint8_t *)o.pages + 8, sizeof distance);
  assert_int_equal(distance, -8);
  tier_object_free(&o);
}

// Who writes to its pages dies: they are executable. So do the pages' bits say.
static void test_pages(void **state) {
  (void)state;
  struct image m;
  struct tier_object o;
  struct err_info e;
  char line[256], want[40];
  bool is_found = false;
  make(&m);
  assert_int_equal(tier_object_load(&m, sizeof m, &o, &e), ERR_OK);
  snprintf(want, sizeof want, "%lx-", (unsigned long)(uintptr_t)o.pages);
  FILE *f = fopen("/proc/self/maps", "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    assert_null(strstr(line, " rwx"));
    if (!strncmp(line, want, strlen(want))) {
      is_found = true;
      assert_non_null(strstr(line, " r-x"));
    }
  }
  fclose(f);
  assert_true(is_found);
  tier_object_free(&o);
}

static void test_list(void **state) {
  (void)state;
  struct image m;
  make(&m);
  m.relocation.r_info = ELF64_R_INFO(1, NOT_ON_LIST);
  assert_int_equal(load(&m, sizeof m), ERR_PROTOCOL);
  make(&m);
  m.relocation.r_info = ELF64_R_INFO(2, ON_LIST); // from outside
  assert_int_equal(load(&m, sizeof m), ERR_PROTOCOL);
  make(&m);
  m.relocation.r_offset = 13; // beyond the code's end
  assert_int_equal(load(&m, sizeof m), ERR_PROTOCOL);
  make(&m);
  m.sections[1].sh_flags |= SHF_WRITE;
  assert_int_equal(load(&m, sizeof m), ERR_PROTOCOL);
  make(&m);
  m.sections[3].sh_type = SHT_NOBITS; // of which the file has no bytes
  m.sections[3].sh_offset = UINT64_C(1) << 40;
  assert_int_equal(load(&m, sizeof m), ERR_PROTOCOL);
  make(&m);
  m.names[1] = 'x';
  assert_int_equal(load(&m, sizeof m), ERR_PROTOCOL);
}

static void test_cut(void **state) {
  (void)state;
  struct image m;
  make(&m);
  for (size_t n = 0; n < sizeof m; n++) {
    void *exact = xmalloc(n + 1);
    memcpy(exact, &m, n);
    assert_int_equal(load(exact, n), ERR_PROTOCOL);
    free(exact);
  }
}

static void test_bytes(void **state) {
  (void)state;
  struct image m;
  static const uint8_t values[] = {0, 1, 0x7F, 0x80, 0xFF};
  for (size_t n = 0; n < sizeof m; n++)
    for (size_t v = 0; v < sizeof values; v++) {
      make(&m);
      ((uint8_t *)&m)[n] = values[v];
      load(&m, sizeof m);
    }
}

// ---- What relocations do ----

// An instruction, or other bytes, at `at`, that are to refer to `target`: what becomes
// of them, or 0 where they are refused, and left as they were.
struct patch {
  unsigned machine;
  uint32_t type, bytes, want;
  uint64_t at, target;
};

static const struct patch patches[] = {
    {EM_X86_64, R_X86_64_PC32, 0x55, 0xFFFFFF00, 0x200, 0x100},
    {EM_X86_64, R_X86_64_PLT32, 0x55, 0x7FFFFFFF, 0, 0x7FFFFFFF},
    {EM_X86_64, R_X86_64_PC32, 0x55, 0, 0, 0x80000000},
    {EM_X86_64, R_X86_64_64, 0x55, 0, 0, 0x100},
    {EM_X86_64, R_AARCH64_PREL32, 0x55, 0, 0, 0x100},
    {EM_AARCH64, R_AARCH64_PREL32, 0x55, 0xFFFFFF00, 0x200, 0x100},
    {EM_AARCH64, R_AARCH64_PREL32, 0x55, 0, 0, 0x80000000},
    {EM_AARCH64, R_AARCH64_ABS64, 0x55, 0, 0, 0x100},
    {EM_AARCH64, R_AARCH64_CALL26, 0x94000000, 0, 0, 0x100},
    // adrp x8: pages on and back; the farthest, and beyond.
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0x90000008, 0xB0000008, 0xFFC,
     0x1000},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0x90000008, 0xF0FFFFE8, 0x1000,
     0xFFF},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0x90000008, 0xD0000088, 0x10,
     0x12FFF},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0x90000008, 0xF07FFFE8, 0,
     0xFFFFFFFF},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0x90000008, 0, 0, 0x100000000},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0x90000008, 0x90800008,
     0x100000000, 0},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0x90000008, 0, 0x100001000, 0},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0x10000008, 0, 0, 0x1000},
    // add x8, x8; ldr q1, d1, s1, h1, b1 of [x8]: counted in their sizes.
    {EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, 0x91000108, 0x91048D08, 0, 0x7123},
    {EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, 0xF9400108, 0, 0, 0x7123},
    {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, 0x3DC00101, 0x3DC3FD01, 0,
     0xFF0},
    {EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, 0xFD400101, 0xFD47FD01, 0,
     0xFF8},
    {EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, 0xBD400101, 0xBD4FFD01, 0,
     0xFFC},
    {EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, 0x7D400101, 0x7D5FFD01, 0,
     0xFFE},
    {EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC, 0x3D400101, 0x3D7FFD01, 0, 0xFFF},
    {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, 0x3DC00101, 0, 0, 0xFF8},
    {EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, 0xFD400101, 0, 0, 0xFFC},
    {EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, 0xBD400101, 0, 0, 0xFFE},
    {EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, 0x7D400101, 0, 0, 0xFFF},
    {EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, 0x91000108, 0, 0, 0xFF8},
    {EM_RISCV, R_X86_64_PC32, 0x55, 0, 0, 0x100},
};

static void test_patches(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof patches / sizeof *patches; n++) {
    const struct patch *p = &patches[n];
    uint8_t bytes[4];
    uint32_t got;
    memcpy(bytes, &p->bytes, sizeof bytes);
    const char *why =
        tier_relocate(p->machine, p->type, bytes, p->at, p->target);
    memcpy(&got, bytes, sizeof got);
    if (!why != (p->want != 0) || got != (p->want ? p->want : p->bytes))
      fail_msg("the %zuth is 0x%x (%s)", n, got, why ? why : "taken");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right), cmocka_unit_test(test_pages),
      cmocka_unit_test(test_list),  cmocka_unit_test(test_cut),
      cmocka_unit_test(test_bytes), cmocka_unit_test(test_patches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

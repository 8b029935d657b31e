// SPDX-License-Identifier: Apache-2.0
// Objects that nobody made in good faith: every cut and every changed byte of a right
// one is refused or loads, and nothing else happens; a relocation that is not on the
// list, a symbol from outside, a writable section are refused.
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
  static const uint8_t code[16] = {0xB8, 7, 0, 0, 0, 0xC3};
  memset(m, 0, sizeof *m);
  memcpy(m->head.e_ident, ELFMAG, SELFMAG);
  m->head.e_ident[EI_CLASS] = ELFCLASS64;
  m->head.e_type = ET_REL;
  m->head.e_machine = EM_X86_64;
  m->head.e_shentsize = sizeof(Elf64_Shdr);
  m->head.e_shnum = 5;
  m->head.e_shoff = offsetof(struct image, sections);
  memcpy(m->code, code, sizeof code);
  strcpy(m->names + 1, "tier_gangs");
  m->symbols[1] = (Elf64_Sym){.st_name = 1, .st_shndx = 1};
  m->symbols[2] = (Elf64_Sym){.st_name = 0, .st_shndx = SHN_UNDEF};
  m->relocation = (Elf64_Rela){
      .r_offset = 8, .r_info = ELF64_R_INFO(1, R_X86_64_PC32), .r_addend = 0};
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
#ifdef __x86_64__
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
  m.relocation.r_info = ELF64_R_INFO(1, R_X86_64_64);
  assert_int_equal(load(&m, sizeof m), ERR_PROTOCOL);
  make(&m);
  m.relocation.r_info = ELF64_R_INFO(2, R_X86_64_PC32); // from outside
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right), cmocka_unit_test(test_pages),
      cmocka_unit_test(test_list), cmocka_unit_test(test_cut),
      cmocka_unit_test(test_bytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

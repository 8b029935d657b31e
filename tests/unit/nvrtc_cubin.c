// SPDX-License-Identifier: Apache-2.0
// What cubins say about their kernels: files of both layouts, made here, and
// broken ones.
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/nvrtc/image/nvrtc_cubin.h"

enum { REGISTERS = 0x2f, FRAME = 0x11, WITH_LENGTH = 4 };

#define NAMES                                                                  \
  "\0.names\0.symtab\0.nv.info\0.text.one\0.text.two\0.nv.shared."             \
  "two\0one\0two"
enum { ONE = 60, TWO = 64 }; // where their names stand

struct attribute {
  uint8_t format, tag;
  uint16_t bytes;
  uint32_t symbol, value;
};

struct file {
  Elf64_Ehdr head;
  Elf64_Shdr sections[7];
  Elf64_Sym symbols[3];
  struct attribute attributes[4];
  char names[sizeof NAMES];
};

static Elf64_Shdr section(const char *name, uint32_t type, size_t at,
                          size_t bytes, uint32_t link, uint32_t flags) {
  static const char names[] = NAMES;
  const char *found = memmem(names, sizeof names, name, strlen(name) + 1);
  assert_non_null(found);
  return (Elf64_Shdr){.sh_name = (uint32_t)(found - names),
                      .sh_type = type,
                      .sh_offset = at,
                      .sh_size = bytes,
                      .sh_link = link,
                      .sh_info = flags};
}

#define AT(field) offsetof(struct file, field), sizeof((struct file *)0)->field

// In files of ABI 8, the info field of .text holds other things.
static struct file make(int abi, uint32_t info_one, uint32_t info_two) {
  struct file f = {
      .head = {.e_shoff = offsetof(struct file, sections),
               .e_shentsize = sizeof(Elf64_Shdr),
               .e_shnum = 7,
               .e_shstrndx = 1},
      .symbols = {{0}, {.st_name = ONE}, {.st_name = TWO}},
      .names = NAMES,
  };
  memcpy(f.head.e_ident, ELFMAG, SELFMAG);
  f.head.e_ident[EI_CLASS] = ELFCLASS64;
  f.head.e_ident[EI_ABIVERSION] = (unsigned char)abi;
  f.sections[1] = section(".names", SHT_STRTAB, AT(names), 0, 0);
  f.sections[2] = section(".symtab", SHT_SYMTAB, AT(symbols), 1, 0);
  f.sections[3] = section(".nv.info", SHT_LOPROC, AT(attributes), 2, 0);
  f.sections[4] = section(".text.one", SHT_PROGBITS, 0, 0, 2, info_one);
  f.sections[5] = section(".text.two", SHT_PROGBITS, 0, 0, 2, info_two);
  f.sections[6] = section(".nv.shared.two", SHT_NOBITS, 0, 2048, 0, 0);
  return f;
}

static struct attribute needs(uint8_t tag, uint32_t symbol, uint32_t value) {
  return (struct attribute){WITH_LENGTH, tag, 8, symbol, value};
}

static void expect(const struct file *f, const char *name, int registers,
                   int64_t local, int64_t shared) {
  struct cubin_kernel k;
  assert_true(cubin_find(f, sizeof *f, name, &k));
  assert_int_equal(k.registers, registers);
  assert_int_equal(k.local_bytes, local);
  assert_int_equal(k.shared_bytes, shared);
}

static void reads_attributes(void **state) {
  (void)state;
  struct file f = make(8, 6 | 69 << 4, 6);
  f.attributes[0] = needs(REGISTERS, 2, 109);
  f.attributes[1] = needs(FRAME, 2, 256);
  f.attributes[2] = needs(REGISTERS, 1, 10);
  f.attributes[3] = needs(FRAME, 1, 0);
  expect(&f, "one", 10, 0, 0);
  expect(&f, "two", 109, 256, 2048);
  f.attributes[2].symbol = 77; // no such kernel: not known, not 0
  expect(&f, "one", -1, 0, 0);
  f.attributes[0].value = 70000;
  expect(&f, "two", -1, 256, 2048);
}

static void reads_the_older_layout(void **state) {
  (void)state;
  struct file f = make(7, 14u << 24 | 5, 255u << 24);
  f.attributes[0] = needs(FRAME, 1, 8);
  expect(&f, "one", 14, 8, 0);
  expect(&f, "two", 255, 0, 2048);
  f.attributes[1] = needs(REGISTERS, 1, 15); // says so itself
  expect(&f, "one", 15, 8, 0);
}

static void survives_anything(void **state) {
  (void)state;
  struct cubin_kernel k;
  struct file f = make(8, 0, 0);
  for (size_t n = 0; n < sizeof f; n++) {
    char *part = xmalloc(n + 1); // on the heap, so that no byte more is read
    memcpy(part, &f, n);
    cubin_find(part, n, "two", &k);
    free(part);
    unsigned char broken[sizeof f];
    memcpy(broken, &f, sizeof f);
    broken[n] ^= 0xff;
    cubin_find(broken, sizeof f, "two", &k);
  }
  assert_false(cubin_find(NULL, 0, "two", &k));
  assert_false(cubin_find(&f, sizeof f, "three", &k));
  assert_int_equal(k.registers, -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_attributes),
      cmocka_unit_test(reads_the_older_layout),
      cmocka_unit_test(survives_anything),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

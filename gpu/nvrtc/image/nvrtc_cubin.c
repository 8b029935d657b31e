// SPDX-License-Identifier: Apache-2.0
// Reads cubins: a kernel's static shared memory is the size of its .nv.shared
// section; its registers and its stack frame are attributes in .nv.info.
// Without that attribute, registers stand in the info field of its .text
// section, which in files of ABI 8 (ptxas 13) holds flags instead.
#include "gpu/nvrtc/image/nvrtc_cubin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

// Attributes of .nv.info: a format byte, a tag, 16 bits of length or value.
enum { WITH_LENGTH = 4, TAG_FRAME_SIZE = 0x11, TAG_REGISTERS = 0x2f };

struct elf {
  const char *data;
  size_t bytes;
  Elf64_Ehdr head;
};

static bool read_at(const struct elf *f, uint64_t at, void *out, size_t n) {
  if (at > f->bytes || n > f->bytes - at)
    return false;
  memcpy(out, f->data + at, n);
  return true;
}

static bool open_elf(struct elf *f, const void *data, size_t bytes) {
  *f = (struct elf){.data = data, .bytes = bytes};
  return data && read_at(f, 0, &f->head, sizeof f->head) &&
         !memcmp(f->head.e_ident, ELFMAG, SELFMAG) &&
         f->head.e_ident[EI_CLASS] == ELFCLASS64 &&
         f->head.e_shentsize == sizeof(Elf64_Shdr);
}

static bool section(const struct elf *f, unsigned i, Elf64_Shdr *out) {
  uint64_t at = f->head.e_shoff + (uint64_t)i * sizeof *out;
  return i < f->head.e_shnum && at >= f->head.e_shoff &&
         read_at(f, at, out, sizeof *out);
}

// A zero-terminated text inside a string section, or "".
static const char *text_in(const struct elf *f, const Elf64_Shdr *strings,
                           uint64_t at) {
  uint64_t from = strings->sh_offset + at;
  bool is_inside = strings->sh_type == SHT_STRTAB && at < strings->sh_size &&
                   from >= at && from < f->bytes &&
                   memchr(f->data + from, 0, f->bytes - from);
  return is_inside ? f->data + from : "";
}

static bool find_section(const struct elf *f, const char *prefix,
                         const char *name, Elf64_Shdr *out) {
  Elf64_Shdr names;
  if (!section(f, f->head.e_shstrndx, &names))
    return false;
  for (unsigned i = 0; section(f, i, out); i++) {
    const char *text = text_in(f, &names, out->sh_name);
    size_t n = strlen(prefix);
    if (!strncmp(text, prefix, n) && !strcmp(text + n, name))
      return true;
  }
  return false;
}

// The i-th symbol and its name.
static bool symbol(const struct elf *f, uint64_t i, Elf64_Sym *out,
                   const char **name) {
  Elf64_Shdr table, strings;
  if (!find_section(f, ".symtab", "", &table) ||
      !section(f, table.sh_link, &strings) ||
      i >= table.sh_size / sizeof *out ||
      !read_at(f, table.sh_offset + i * sizeof *out, out, sizeof *out))
    return false;
  *name = text_in(f, &strings, out->st_name);
  return true;
}

// ---- Attributes ----

// A symbol and what it needs.
static void take_need(const struct elf *f, uint8_t tag, const char *value,
                      size_t bytes, const char *mangled,
                      struct cubin_kernel *out) {
  enum { MOST_REGISTERS = 255 };
  uint32_t v[2];
  Elf64_Sym s;
  const char *name;
  if ((tag != TAG_FRAME_SIZE && tag != TAG_REGISTERS) || bytes != sizeof v)
    return;
  memcpy(v, value, sizeof v);
  if (!symbol(f, v[0], &s, &name) || strcmp(name, mangled))
    return;
  if (tag == TAG_FRAME_SIZE)
    out->local_bytes = v[1];
  else if (v[1] <= MOST_REGISTERS)
    out->registers = (int)v[1];
}

static void each_attribute(const struct elf *f, const Elf64_Shdr *s,
                           const char *mangled, struct cubin_kernel *out) {
  uint64_t at = s->sh_offset, end = at + s->sh_size;
  if (end < at || end > f->bytes)
    return;
  while (end - at >= 4) {
    const unsigned char *p = (const unsigned char *)f->data + at;
    size_t n = p[0] == WITH_LENGTH ? p[2] | (size_t)p[3] << 8 : 0;
    at += 4;
    if (n > end - at)
      return;
    take_need(f, p[1], (const char *)p + 4, n, mangled, out);
    at += n;
  }
}

bool cubin_find(const void *cubin, size_t bytes, const char *mangled,
                struct cubin_kernel *out) {
  struct elf f;
  Elf64_Shdr s;
  memset(out, 0, sizeof *out);
  out->registers = -1;
  if (!open_elf(&f, cubin, bytes) || !find_section(&f, ".text.", mangled, &s))
    return false;
  enum { FIRST_WITH_FLAGS = 8 };
  if (f.head.e_ident[EI_ABIVERSION] < FIRST_WITH_FLAGS)
    out->registers = (int)(s.sh_info >> 24);
  if (find_section(&f, ".nv.shared.", mangled, &s))
    out->shared_bytes = (int64_t)s.sh_size;
  if (find_section(&f, ".nv.info", "", &s))
    each_attribute(&f, &s, mangled, out);
  return true;
}

void cubin_each_kernel(const void *cubin, size_t bytes,
                       void (*take)(void *context, const char *mangled),
                       void *context) {
  enum { IS_ENTRY = 0x10 }; // of st_other
  struct elf f;
  Elf64_Sym s;
  const char *name;
  if (!open_elf(&f, cubin, bytes))
    return;
  for (uint64_t i = 0; symbol(&f, i, &s, &name); i++)
    if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && (s.st_other & IS_ENTRY) &&
        s.st_shndx != SHN_UNDEF && *name)
      take(context, name);
}

// SPDX-License-Identifier: Apache-2.0
// ELF objects: sections that are loaded lie one behind the other, and relocations of a
// closed list (tier_relocate.c) refer to them. There are no symbols from outside.
#include "gpu/vgpu/tier/tier_object.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "gpu/vgpu/tier/tier_emit.h"
#include "gpu/vgpu/tier/tier_relocate.h"

// The least page of all systems; relocations count in such.
enum { MOST_SECTIONS = 64, MOST_IMAGE = 16 << 20, PAGE = 4096 };

struct loader {
  const uint8_t *bytes;
  size_t count;
  const Elf64_Shdr *sections;
  unsigned section_count;
  int64_t at[MOST_SECTIONS]; // in the image; -1: not loaded
  size_t image_bytes;
  uint8_t *image;
  const Elf64_Sym *symbols;
  size_t symbol_count;
  const char *names;
  size_t names_bytes;
  struct err_info *e;
};

static enum err wrong(struct loader *l, const char *what) {
  return err_set(l->e, ERR_PROTOCOL, "an object that cannot be used: %s", what);
}

static bool lies_within(const struct loader *l, uint64_t at, uint64_t bytes) {
  return at <= l->count && bytes <= l->count - at;
}

static enum err read_head(struct loader *l) {
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)l->bytes;
  if (l->count < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
      h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_type != ET_REL)
    return wrong(l, "it is no ELF object");
  if (h->e_machine != TIER_MACHINE)
    return wrong(l, "it is of another processor");
  if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum > MOST_SECTIONS ||
      h->e_shoff % 8 ||
      !lies_within(l, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr)))
    return wrong(l, "its sections");
  l->sections = (const Elf64_Shdr *)(l->bytes + h->e_shoff);
  l->section_count = h->e_shnum;
  return ERR_OK;
}

// What unwinding would need is left out.
static bool is_loaded(const Elf64_Shdr *s) {
  return s->sh_type == SHT_PROGBITS && s->sh_flags & SHF_ALLOC;
}

static enum err place_sections(struct loader *l) {
  size_t at = 0;
  for (unsigned n = 0; n < l->section_count; n++) {
    const Elf64_Shdr *s = &l->sections[n];
    uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
    l->at[n] = -1;
    if (s->sh_type != SHT_NOBITS && !lies_within(l, s->sh_offset, s->sh_size))
      return wrong(l, "a section's place");
    if (s->sh_flags & SHF_ALLOC && s->sh_type == SHT_NOBITS && s->sh_size)
      return wrong(l, "it has variables");
    if (!is_loaded(s))
      continue;
    if (align > PAGE || align & (align - 1) || s->sh_flags & SHF_WRITE)
      return wrong(l, "a section's kind");
    at = (at + align - 1) / align * align;
    l->at[n] = (int64_t)at;
    at += s->sh_size;
    if (at > MOST_IMAGE)
      return wrong(l, "it is too large");
  }
  l->image_bytes = (at + PAGE - 1) / PAGE * PAGE;
  return l->image_bytes ? ERR_OK : wrong(l, "it is empty");
}

static enum err find_symbols(struct loader *l) {
  for (unsigned n = 0; n < l->section_count; n++) {
    const Elf64_Shdr *s = &l->sections[n];
    if (s->sh_type != SHT_SYMTAB)
      continue;
    if (s->sh_link >= l->section_count || s->sh_offset % 8 ||
        s->sh_entsize != sizeof(Elf64_Sym))
      return wrong(l, "its symbols");
    const Elf64_Shdr *t = &l->sections[s->sh_link];
    if (t->sh_type != SHT_STRTAB) // of SHT_NOBITS the file has no bytes
      return wrong(l, "its names");
    l->symbols = (const Elf64_Sym *)(l->bytes + s->sh_offset);
    l->symbol_count = s->sh_size / sizeof(Elf64_Sym);
    l->names = (const char *)l->bytes + t->sh_offset;
    l->names_bytes = t->sh_size;
    if (!t->sh_size || l->names[t->sh_size - 1])
      return wrong(l, "its names");
    return ERR_OK;
  }
  return wrong(l, "it has no symbols");
}

// Where a symbol lies in the image; false: not in it.
static bool place_of(const struct loader *l, size_t n, uint64_t *at) {
  if (n >= l->symbol_count)
    return false;
  const Elf64_Sym *s = &l->symbols[n];
  if (s->st_shndx >= l->section_count || l->at[s->st_shndx] < 0 ||
      s->st_value > l->sections[s->st_shndx].sh_size)
    return false;
  *at = (uint64_t)l->at[s->st_shndx] + s->st_value;
  return true;
}

static enum err relocate_one(struct loader *l, unsigned to,
                             const Elf64_Rela *r) {
  uint64_t size = l->sections[to].sh_size, target;
  if (size < TIER_PATCH || r->r_offset > size - TIER_PATCH)
    return wrong(l, "a relocation's place");
  if (!place_of(l, ELF64_R_SYM(r->r_info), &target))
    return wrong(l, "it needs something from outside");
  uint64_t at = (uint64_t)l->at[to] + r->r_offset;
  const char *why =
      tier_relocate(TIER_MACHINE, (uint32_t)ELF64_R_TYPE(r->r_info),
                    l->image + at, at, target + (uint64_t)r->r_addend);
  return why ? wrong(l, why) : ERR_OK;
}

static enum err relocate(struct loader *l) {
  for (unsigned n = 0; n < l->section_count; n++) {
    const Elf64_Shdr *s = &l->sections[n];
    if (s->sh_type != SHT_RELA && s->sh_type != SHT_REL)
      continue;
    if (s->sh_info >= l->section_count || l->at[s->sh_info] < 0)
      continue;
    if (s->sh_type == SHT_REL || s->sh_entsize != sizeof(Elf64_Rela) ||
        s->sh_offset % 8)
      return wrong(l, "its relocations");
    const Elf64_Rela *r = (const Elf64_Rela *)(l->bytes + s->sh_offset);
    for (size_t k = 0; k < s->sh_size / sizeof *r; k++) {
      enum err err = relocate_one(l, s->sh_info, &r[k]);
      if (err)
        return err;
    }
  }
  return ERR_OK;
}

static enum err find_function(struct loader *l, struct tier_object *out) {
  for (size_t n = 0; n < l->symbol_count; n++) {
    uint64_t at;
    const Elf64_Sym *s = &l->symbols[n];
    if (s->st_name >= l->names_bytes ||
        strcmp(l->names + s->st_name, TIER_FUNCTION) != 0 ||
        !place_of(l, n, &at) || at >= l->image_bytes ||
        !(l->sections[s->st_shndx].sh_flags & SHF_EXECINSTR))
      continue;
    uint8_t *code = l->image + at;
    memcpy(&out->run, &code, sizeof code);
    return ERR_OK;
  }
  return wrong(l, "it lacks the function");
}

static enum err fill(struct loader *l, struct tier_object *out) {
  l->image = mmap(NULL, l->image_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (l->image == MAP_FAILED)
    return err_set(l->e, ERR_NOMEM, "no memory for code");
  for (unsigned n = 0; n < l->section_count; n++)
    if (l->at[n] >= 0)
      memcpy(l->image + l->at[n], l->bytes + l->sections[n].sh_offset,
             l->sections[n].sh_size);
  enum err err = relocate(l);
  if (!err)
    err = find_function(l, out);
  char *image = (char *)l->image;
  __builtin___clear_cache(image, image + l->image_bytes);
  if (!err && mprotect(l->image, l->image_bytes, PROT_READ | PROT_EXEC))
    err = err_set(l->e, ERR_UNSUPPORTED, "this system lets no code be made");
  if (err)
    munmap(l->image, l->image_bytes);
  return err;
}

enum err tier_object_load(const void *bytes, size_t count,
                          struct tier_object *out, struct err_info *e) {
  // Sections are read in place: at an address that is a multiple of 8.
  void *copy = try_malloc(count + 1);
  struct loader l = {.bytes = copy, .count = count, .e = e};
  *out = (struct tier_object){0};
  if (!copy)
    return err_set(e, ERR_NOMEM, "no memory for an object");
  memcpy(copy, bytes, count);
  enum err err = read_head(&l);
  if (!err)
    err = place_sections(&l);
  if (!err)
    err = find_symbols(&l);
  if (!err)
    err = fill(&l, out);
  free(copy);
  if (err)
    return err;
  out->pages = l.image;
  out->bytes = l.image_bytes;
  return ERR_OK;
}

void tier_object_free(struct tier_object *o) {
  if (o->pages)
    munmap(o->pages, o->bytes);
  *o = (struct tier_object){0};
}

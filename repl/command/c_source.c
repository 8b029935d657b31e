// SPDX-License-Identifier: Apache-2.0
// Which function of C lies at an address, and its lines. The program's own ELF
// file says it: the symbols of each source file stand behind a symbol of that
// file (System V ABI, "Symbol Table": STT_FILE). A stripped program says
// nothing.
#include "repl/command/c_source.h"

#include <dirent.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

// ---- The symbol ----

// Where the program's file was put in memory: the first object's base.
static int take_base(struct dl_phdr_info *info, size_t bytes, void *base) {
  (void)bytes;
  *(uintptr_t *)base = info->dlpi_addr;
  return 1;
}

struct table {
  const ElfW(Sym) * symbols;
  size_t count;
  const char *names;
  size_t name_bytes;
};

static bool fits(size_t bytes, ElfW(Off) offset, size_t length) {
  return offset <= bytes && length <= bytes - offset;
}

// The symbol table in the text of an ELF file; false where there is none.
static bool find_table(const char *data, size_t bytes, struct table *out) {
  const ElfW(Ehdr) *head = (const void *)data;
  if (bytes < sizeof *head || memcmp(data, ELFMAG, SELFMAG) != 0 ||
      !fits(bytes, head->e_shoff, (size_t)head->e_shnum * sizeof(ElfW(Shdr))))
    return false;
  const ElfW(Shdr) *sections = (const void *)(data + head->e_shoff);
  for (int i = 0; i < head->e_shnum; i++) {
    const ElfW(Shdr) *s = &sections[i];
    if (s->sh_type != SHT_SYMTAB || s->sh_link >= head->e_shnum)
      continue;
    const ElfW(Shdr) *names = &sections[s->sh_link];
    if (!fits(bytes, s->sh_offset, s->sh_size) ||
        !fits(bytes, names->sh_offset, names->sh_size) || !names->sh_size)
      return false;
    *out = (struct table){(const void *)(data + s->sh_offset),
                          s->sh_size / sizeof(ElfW(Sym)),
                          data + names->sh_offset, names->sh_size};
    return out->names[names->sh_size - 1] == 0;
  }
  return false;
}

static bool find_symbol(const struct table *t, uintptr_t address,
                        struct c_source *out) {
  const char *file = "";
  for (size_t i = 0; i < t->count; i++) {
    const ElfW(Sym) *s = &t->symbols[i];
    const char *name = s->st_name < t->name_bytes ? t->names + s->st_name : "";
    int type = s->st_info & 15;
    bool is_local = s->st_info >> 4 == STB_LOCAL;
    if (type == STT_FILE)
      file = name;
    if (type != STT_FUNC || s->st_value != address || !is_local)
      continue;
    snprintf(out->function, sizeof out->function, "%s", name);
    snprintf(out->file, sizeof out->file, "%s", file);
    return *file != 0;
  }
  return false;
}

// ---- Its lines ----

// Does the line define `function`? It begins at the margin and is no call.
static bool defines(const char *line, size_t n, const char *function) {
  size_t length = strlen(function);
  if (!n || strchr(" \t#/}*", *line))
    return false;
  for (const char *p = line; p + length < line + n; p++)
    if (!strncmp(p, function, length) && p[length] == '(' && p > line &&
        (p[-1] == ' ' || p[-1] == '*'))
      return line[n - 1] != ';';
  return false;
}

static const char *next_line(const char *p) {
  p += strcspn(p, "\n");
  return *p ? p + 1 : p;
}

// The definition in a file's text, with the comment above it.
static void cut_lines(const char *text, struct c_source *out) {
  const char *comment = NULL;
  int line = 1, comment_line = 0;
  for (const char *p = text; *p; p = next_line(p), line++) {
    bool is_comment = str_starts(p, "//");
    if (is_comment && !comment) {
      comment = p;
      comment_line = line;
    }
    if (defines(p, strcspn(p, "\n"), out->function)) {
      const char *end = strstr(p, "\n}\n");
      out->line = comment ? comment_line : line;
      if (end)
        str_add_bytes(&out->text, comment ? comment : p,
                      (size_t)(end + 2 - (comment ? comment : p)));
      return;
    }
    if (!is_comment)
      comment = NULL;
  }
}

// The folders, with those in them, whose functions Lua can reach.
static const char *const roots[] = {"lua/bind", "grade", "repl"};
enum { DEEPEST = 3 };

// The path of `file` in `folder` or below it, from the sources' top.
static bool find_file(const char *folder, const char *file, int depth,
                      char *path, size_t bytes) {
  char *full = file_own(folder);
  DIR *d = full ? opendir(full) : NULL;
  bool found = false;
  free(full);
  for (struct dirent *de; d && !found && (de = readdir(d));) {
    char *inner = xasprintf("%s/%s", folder, de->d_name);
    if ((found = !strcmp(de->d_name, file)))
      snprintf(path, bytes, "%s", inner);
    else if (!strchr(de->d_name, '.') && depth < DEEPEST)
      found = find_file(inner, file, depth + 1, path, bytes);
    free(inner);
  }
  if (d)
    closedir(d);
  return found;
}

static void read_lines(struct c_source *out) {
  struct err_info e = {0};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
    if (!find_file(roots[i], out->file, 0, out->path, sizeof out->path))
      continue;
    char *path = file_own(out->path), *text = NULL;
    size_t bytes;
    if (path && file_read(path, 1 << 20, &text, &bytes, &e) == ERR_OK)
      cut_lines(text, out);
    free(text);
    free(path);
    return;
  }
}

bool c_source_find(uintptr_t address, struct c_source *out) {
  struct err_info e = {0};
  struct table table;
  char *data = NULL;
  size_t bytes;
  uintptr_t base = 0;
  *out = (struct c_source){.text = STR_INIT};
  dl_iterate_phdr(take_base, &base);
  bool found =
      file_read("/proc/self/exe", 1 << 28, &data, &bytes, &e) == ERR_OK &&
      find_table(data, bytes, &table) &&
      find_symbol(&table, address - base, out);
  free(data);
  if (found)
    read_lines(out);
  return found;
}

// SPDX-License-Identifier: Apache-2.0
#include "display/curses.h"

#include <dlfcn.h>
#include <stddef.h>

static const struct {
  const char *name;
  size_t offset;
} calls[] = {
#define CALL(result, name, arguments) {#name, offsetof(struct curses, name)},
#include "display/curses.def"
#undef CALL
    {"stdscr", offsetof(struct curses, stdscr)},
};

enum err curses_load(struct curses *out, struct err_info *e) {
  static const char library[] = "libncursesw.so.6";
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return err_set(
        e, ERR_NOT_FOUND,
        "%s, which draws screens, is not here (Debian: libncursesw6)", library);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    void **at = (void **)((char *)out + calls[i].offset);
    *at = dlsym(handle, calls[i].name);
    if (!*at)
      return err_set(e, ERR_NOT_FOUND, "%s has no %s: it is too old", library,
                     calls[i].name);
  }
  return ERR_OK;
}

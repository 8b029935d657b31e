// SPDX-License-Identifier: Apache-2.0
// The driver that Python's libraries have loaded. RTLD_NOLOAD: where none of them has,
// there is no array of theirs, and nobody to take one of ours.
#include "python/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static bool fill(struct driver *d) {
  static const char *const names[] = {
#define CALL(name, symbol, arguments) symbol,
      DRIVER_CALLS
#undef CALL
  };
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void *found[sizeof names / sizeof *names];
  _Static_assert(sizeof found == sizeof *d, "a name for each");
  for (size_t i = 0; library && i < sizeof names / sizeof *names; i++) {
    found[i] = dlsym(library, names[i]);
    if (!found[i])
      library = NULL;
  }
  if (library)
    memcpy(d, found, sizeof found);
  return library && !d->init(0);
}

const struct driver *driver_open(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct driver driver;
  static bool is_open;
  pthread_mutex_lock(&lock);
  if (!is_open)
    is_open = fill(&driver);
  pthread_mutex_unlock(&lock);
  return is_open ? &driver : NULL;
}

bool driver_uuid(const struct driver *d, int ordinal, char out[48]) {
  unsigned char bytes[16];
  int device, at = 4;
  if (d->device_get(&device, ordinal) || d->device_uuid(bytes, device))
    return false;
  memcpy(out, "GPU-", 5);
  for (int i = 0; i < 16; i++)
    at += snprintf(out + at, 48 - (size_t)at, "%s%02x",
                   i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  return true;
}

// A slice's name begins with another word.
static bool is_same(const char *a, const char *b) {
  const char *x = strchr(a, '-'), *y = strchr(b, '-');
  return x && y && !strcmp(x, y);
}

int driver_find(const struct driver *d, const char *uuid) {
  int count = 0;
  char name[48];
  if (d->device_count(&count))
    return -1;
  for (int i = 0; i < count; i++)
    if (driver_uuid(d, i, name) && is_same(name, uuid))
      return i;
  return -1;
}

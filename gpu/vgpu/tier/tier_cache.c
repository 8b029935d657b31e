// SPDX-License-Identifier: Apache-2.0
// One file an object, named by its key. It appears whole, by rename, and what is read
// is checked, so that nothing is locked.
#include "gpu/vgpu/tier/tier_cache.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "gpu/vgpu/tier/tier_wire.h"

#if __has_include(<linux/landlock.h>)
#  include <linux/landlock.h>
#endif

struct head {
  char magic[8];
  unsigned char digest[TIER_DIGEST_BYTES]; // of the object
};
static const char magic[8] = "WSHOPT2";

// ---- The folder ----

#ifdef LANDLOCK_CREATE_RULESET_VERSION
// All that the first version of Landlock knows, of which these are allowed here.
static bool give_up_others(int folder) {
  enum {
    ALL = (1 << 13) - 1,
    OURS = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
           LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE
  };
  struct landlock_ruleset_attr all = {.handled_access_fs = ALL};
  struct landlock_path_beneath_attr ours = {.allowed_access = OURS,
                                            .parent_fd = folder};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &all,
                           sizeof all.handled_access_fs, 0);
  if (rules < 0)
    return false;
  bool is_done = !syscall(SYS_landlock_add_rule, rules,
                          LANDLOCK_RULE_PATH_BENEATH, &ours, 0) &&
                 !syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
  return is_done;
}
#else
static bool give_up_others(int folder) {
  return folder < 0;
}
#endif

void tier_cache_open(struct tier_cache *c) {
  char *home = file_xdg(XDG_CACHE);
  c->folder = -1;
  if (!home)
    return;
  char *path = xasprintf("%s/kernels", home);
  file_make_folder(path, NULL);
  c->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (c->folder >= 0 && !give_up_others(c->folder)) {
    close(c->folder);
    c->folder = -1;
  }
  free(path);
  free(home);
}

// ---- Keys ----

void tier_cache_digest(const char *text, size_t bytes,
                       unsigned char digest[TIER_DIGEST_BYTES]) {
  crypto_generichash(digest, TIER_DIGEST_BYTES, (const unsigned char *)text,
                     bytes, NULL, 0);
}

// The compiler last: it alone has no length of its own.
void tier_cache_key(const char *compiler,
                    const unsigned char digest[TIER_DIGEST_BYTES],
                    char key[TIER_KEY_BYTES]) {
  crypto_generichash_state h;
  unsigned char all[TIER_DIGEST_BYTES];
  crypto_generichash_init(&h, NULL, 0, sizeof all);
  crypto_generichash_update(&h, (const unsigned char *)magic, sizeof magic);
  crypto_generichash_update(&h, digest, TIER_DIGEST_BYTES);
  crypto_generichash_update(&h, (const unsigned char *)compiler,
                            strlen(compiler));
  crypto_generichash_final(&h, all, sizeof all);
  sodium_bin2hex(key, TIER_KEY_BYTES, all, sizeof all);
}

// ---- Objects ----

static bool is_right(const char *data, size_t bytes) {
  const struct head *h = (const struct head *)data;
  unsigned char digest[TIER_DIGEST_BYTES];
  if (bytes < sizeof *h || memcmp(h->magic, magic, sizeof magic))
    return false;
  tier_cache_digest(data + sizeof *h, bytes - sizeof *h, digest);
  return !memcmp(digest, h->digest, sizeof digest);
}

char *tier_cache_find(const struct tier_cache *c, const char *key,
                      size_t *bytes) {
  int fd = c->folder < 0 ? -1 : openat(c->folder, key, O_RDONLY | O_CLOEXEC);
  char *data = NULL;
  size_t all = 0;
  if (fd < 0)
    return NULL;
  enum err err = file_read_open(fd, key, TIER_MOST_BYTES, &data, &all, NULL);
  close(fd);
  if (err)
    return NULL;
  if (!is_right(data, all)) {
    free(data);
    return NULL;
  }
  *bytes = all - sizeof(struct head);
  utimensat(c->folder, key, NULL, 0); // used now
  memmove(data, data + sizeof(struct head), *bytes);
  return data;
}

void tier_cache_keep(const struct tier_cache *c, const char *key,
                     const char *object, size_t bytes) {
  struct head h;
  char temporary[TIER_KEY_BYTES + 24];
  if (c->folder < 0)
    return;
  memcpy(h.magic, magic, sizeof magic);
  tier_cache_digest(object, bytes, h.digest);
  snprintf(temporary, sizeof temporary, "%s.%d", key, (int)getpid());
  int fd = openat(c->folder, temporary,
                  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0)
    return;
  bool is_whole =
      file_write_all(fd, &h, sizeof h) && file_write_all(fd, object, bytes);
  if (close(fd) || !is_whole || renameat(c->folder, temporary, c->folder, key))
    unlinkat(c->folder, temporary, 0);
}

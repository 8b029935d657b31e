// SPDX-License-Identifier: Apache-2.0
// Keys of the disk cache: a hash of everything that decides what a compile
// gives. Nothing large is read for that: paths, sizes and times stand for
// NVRTC's version and for the headers.
#include "gpu/nvrtc/cache/cache.h"

#include <dirent.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "gpu/nvrtc/toolkit/nvrtc_places.h"

// Raise it when the options that the worker adds, or what is kept of a
// program, change.
static const char version[] = "warpshop kernels 7";

static void add_file(struct str *s, const char *path) {
  struct stat st;
  if (!stat(path, &st))
    str_addf(s, "%s %lld %lld.%09ld\n", path, (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

// Our own headers are few and in one folder; sorted, so that one folder always
// gives one text.
static void add_folder(struct str *s, const char *folder) {
  struct dirent **names;
  int n = scandir(folder, &names, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char *path = xasprintf("%s/%s", folder, names[i]->d_name);
    if (names[i]->d_name[0] != '.')
      add_file(s, path);
    free(path);
    free(names[i]);
  }
  if (n >= 0)
    free(names);
}

char *nvrtc_identity(const struct nvrtc_place *place, const char *headers) {
  struct str s = STR_INIT;
  add_file(&s, place->library);
  for (int i = 0; i < place->include_count; i++) {
    char *runtime = xasprintf("%s/cuda_runtime.h", place->includes[i]);
    str_addf(&s, "%s\n", place->includes[i]);
    add_file(&s, runtime);
    free(runtime);
  }
  if (headers)
    add_folder(&s, headers);
  return str_take(&s);
}

// Each text with its length, so that no two requests run into each other.
static void add(crypto_hash_sha256_state *h, const char *text) {
  uint64_t n = strlen(text);
  crypto_hash_sha256_update(h, (const unsigned char *)&n, sizeof n);
  crypto_hash_sha256_update(h, (const unsigned char *)text, n);
}

void nvrtc_make_key(const char *identity, const struct nvrtc_request *r,
                    char key[NVRTC_KEY_BYTES]) {
  crypto_hash_sha256_state h;
  unsigned char digest[crypto_hash_sha256_BYTES];
  char counts[64];
  crypto_hash_sha256_init(&h);
  snprintf(counts, sizeof counts, "%d %d %d %d", r->want_ptx,
           r->want_ptx && r->no_ptxas, r->option_count, r->instantiate_count);
  add(&h, version);
  add(&h, identity);
  add(&h, r->arch);
  add(&h, r->file); // it is in the code's line table
  add(&h, r->source);
  add(&h, counts);
  for (int i = 0; i < r->option_count; i++)
    add(&h, r->options[i]);
  for (int i = 0; i < r->instantiate_count; i++)
    add(&h, r->instantiate[i]);
  crypto_hash_sha256_final(&h, digest);
  for (size_t i = 0; i < sizeof digest; i++)
    snprintf(key + 2 * i, 3, "%02x", digest[i]);
}

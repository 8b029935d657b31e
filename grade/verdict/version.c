// SPDX-License-Identifier: Apache-2.0
// What a verdict depends on, as hashes.
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/toolkit/nvrtc_places.h"
#include "grade/exercise/exercise.h"
#include "grade/verdict/verdict.h"

enum { MAX_FILE_BYTES = 256 << 20 };

static void add_hash(struct str *s, const char *data, size_t bytes) {
  char hex[SEED_HEX];
  sha256_hex(data, bytes, hex);
  str_addf(s, "%s\n", hex);
}

static void add_file_hash(struct str *s, const char *path) {
  char *data;
  size_t bytes;
  if (path && !file_read(path, MAX_FILE_BYTES, &data, &bytes, NULL)) {
    add_hash(s, data, bytes);
    free(data);
  } else {
    str_add(s, "none\n");
  }
}

// Of a program: tens of megabytes, which BLAKE2b (RFC 7693) takes a third of the time
// for that SHA-256 takes.
static void add_program_hash(struct str *s, const char *path) {
  enum { PIECE = 1 << 18 };
  crypto_generichash_state h;
  unsigned char digest[crypto_generichash_BYTES];
  char hex[2 * sizeof digest + 1] = "none";
  FILE *f = path ? fopen(path, "re") : NULL;
  unsigned char *piece = xmalloc(PIECE);
  size_t n;
  crypto_generichash_init(&h, NULL, 0, sizeof digest);
  while (f && (n = fread(piece, 1, PIECE, f)))
    crypto_generichash_update(&h, piece, n);
  crypto_generichash_final(&h, digest, sizeof digest);
  if (f && !ferror(f))
    sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
  if (f)
    fclose(f);
  free(piece);
  str_addf(s, "%s\n", hex);
}

static void finish(struct str *s, char out[VERSION_HEX]) {
  char hex[SEED_HEX];
  sha256_hex(s->data, s->len, hex);
  memcpy(out, hex, VERSION_HEX - 1);
  out[VERSION_HEX - 1] = 0;
  str_free(s);
}

void version_of_program(char out[VERSION_HEX]) {
  struct str s = STR_INIT;
  char *own = file_program(), *device = file_device_program();
  char *learner = file_learner_program();
  struct nvrtc_places places;
  nvrtc_places_find(&places);
  add_program_hash(&s, own);
  add_program_hash(&s, device);
  add_program_hash(&s, learner);
  str_add(&s, places.count ? places.places[0].library : "");
  nvrtc_places_free(&places);
  free(own);
  free(device);
  free(learner);
  finish(&s, out);
}

void version_of_exercise(const struct exercise *ex, char out[VERSION_HEX]) {
  struct str s = STR_INIT;
  char *path = xasprintf("%s/exercise.lua", ex->folder);
  add_file_hash(&s, path);
  add_hash(&s, ex->written, strlen(ex->written));
  if (ex->is_copy)
    add_hash(&s, ex->solution, strlen(ex->solution));
  if (ex->private_folder) {
    char *private = xasprintf("%s/exercise.lua", ex->private_folder);
    add_file_hash(&s, private);
    free(private);
  }
  if (ex->host_source)
    add_hash(&s, ex->host_source, strlen(ex->host_source));
  free(path);
  finish(&s, out);
}

// SPDX-License-Identifier: Apache-2.0
// Seeds from a secret (HMAC-SHA-256: RFC 2104, FIPS 180-4; ChaCha20: D. J.
// Bernstein's, with a 64-bit nonce), all of libsodium.
#include "grade/input/input.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

_Static_assert(SEED_BYTES == crypto_auth_hmacsha256_BYTES, "HMAC size");
_Static_assert(SEED_BYTES == crypto_stream_chacha20_KEYBYTES, "key size");

static const char practice_secret[] = "warpshop practice: no secret is set";

static void hash(const void *data, size_t bytes, uint8_t out[SEED_BYTES]) {
  crypto_hash_sha256(out, data, bytes);
}

// A text file ends with a newline that nobody means to be part of the secret.
static size_t trimmed(const char *text, size_t bytes) {
  while (bytes && (text[bytes - 1] == '\n' || text[bytes - 1] == '\r'))
    bytes--;
  return bytes;
}

static enum err from_file(const char *path, struct seed *out,
                          struct err_info *e) {
  enum { SECRET_BYTES = 65536 };
  char *text;
  size_t bytes;
  enum err err = file_read(path, SECRET_BYTES, &text, &bytes, e);
  if (err)
    return err;
  bytes = trimmed(text, bytes);
  if (bytes)
    hash(text, bytes, out->bytes);
  else
    err = err_set(e, ERR_ARGUMENT, "%s: the course secret is empty", path);
  sodium_memzero(text, bytes);
  free(text);
  return err;
}

enum err seed_from_secret(const char *path, struct seed *out,
                          struct err_info *e) {
  const char *text = getenv("WARPSHOP_COURSE_SECRET");
  if (sodium_init() < 0) // finds the fastest way to draw on this processor
    return err_set(e, ERR_INTERNAL, "libsodium does not start");
  if (!path)
    path = getenv("WARPSHOP_COURSE_SECRET_FILE");
  if (path && *path)
    return from_file(path, out, e);
  if (text && !*text)
    return err_set(e, ERR_ARGUMENT, "WARPSHOP_COURSE_SECRET is empty");
  if (!text)
    text = practice_secret;
  hash(text, strlen(text), out->bytes);
  return ERR_OK;
}

void seed_derive(const struct seed *key, const struct seed_for *who,
                 struct seed *out) {
  const char *const parts[] = {who->course, who->learner, who->exercise,
                               who->name, who->submission};
  int count = who->submission ? 5 : 4;
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, key->bytes, SEED_BYTES);
  for (int i = 0; i < count; i++) {
    const char *part = parts[i] ? parts[i] : "";
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)part,
                                  strlen(part) + 1);
  }
  crypto_auth_hmacsha256_final(&state, out->bytes);
}

void seed_fill(const struct seed *s, uint64_t stream, void *out, size_t bytes) {
  uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];
  for (size_t i = 0; i < sizeof nonce; i++)
    nonce[i] = (uint8_t)(stream >> (8 * i));
  crypto_stream_chacha20(out, bytes, nonce, s->bytes);
}

void seed_hex(const struct seed *s, char out[SEED_HEX]) {
  sodium_bin2hex(out, SEED_HEX, s->bytes, SEED_BYTES);
}

void sha256_hex(const void *data, size_t bytes, char out[SEED_HEX]) {
  struct seed digest;
  hash(data, bytes, digest.bytes);
  seed_hex(&digest, out);
}

// SPDX-License-Identifier: Apache-2.0
#include "class/key.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/str.h"

_Static_assert(ROOM_KEY_BYTES == crypto_sign_PUBLICKEYBYTES, "room.h");
_Static_assert(ROOM_KEY_BYTES == crypto_box_PUBLICKEYBYTES, "room.h");
_Static_assert(ROOM_KEY_BYTES == crypto_kdf_KEYBYTES, "room.h");

static const char secret_name[] = "secret.key";

// "<64 hex digits>" of a file that may end with a newline.
static bool read_hex(const char *text, unsigned char key[ROOM_KEY_BYTES]) {
  size_t n;
  return !sodium_hex2bin(key, ROOM_KEY_BYTES, text, strcspn(text, "\n"), NULL,
                         &n, NULL) &&
         n == ROOM_KEY_BYTES;
}

// ---- A room's ----

// Two keys of one secret, so that neither is used for two things.
static void derive(const unsigned char master[ROOM_KEY_BYTES],
                   struct room_secret *out,
                   unsigned char public[ROOM_KEY_BYTES]) {
  unsigned char seed[crypto_sign_SEEDBYTES];
  crypto_kdf_derive_from_key(seed, sizeof seed, 1, "warproom", master);
  crypto_kdf_derive_from_key(out->ids, sizeof out->ids, 2, "warproom", master);
  crypto_sign_seed_keypair(public, out->sign, seed);
  sodium_memzero(seed, sizeof seed);
}

static enum err write_secret(int at, const char *hex, struct err_info *e) {
  int fd =
      openat(at, secret_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool failed = fd < 0 || write(fd, hex, strlen(hex)) != (ssize_t)strlen(hex) ||
                fchmod(fd, 0640) || fsync(fd);
  enum err err =
      failed ? err_set(e, ERR_IO, "%s: %s", secret_name, strerror(errno))
             : ERR_OK;
  if (fd >= 0)
    close(fd);
  return err;
}

enum err key_make(int instructors, char public[KEY_HEX], struct err_info *e) {
  unsigned char master[ROOM_KEY_BYTES], key[ROOM_KEY_BYTES];
  struct room_secret s;
  char hex[KEY_HEX];
  if (sodium_init() < 0)
    return err_set(e, ERR_IO, "libsodium finds no random numbers");
  crypto_kdf_keygen(master);
  derive(master, &s, key);
  sodium_bin2hex(public, KEY_HEX, key, sizeof key);
  sodium_bin2hex(hex, sizeof hex, master, sizeof master);
  enum err err = write_secret(instructors, hex, e);
  sodium_memzero(master, sizeof master);
  sodium_memzero(hex, sizeof hex);
  sodium_memzero(&s, sizeof s);
  return err;
}

static enum err read_secret(const struct room *r,
                            unsigned char master[ROOM_KEY_BYTES],
                            struct err_info *e) {
  char *text = NULL;
  size_t bytes;
  int fd;
  enum err err = open_beneath(r->fd, "instructors/secret.key", &fd, e);
  if (!err) {
    err = file_read_open(fd, secret_name, 1000, &text, &bytes, e);
    close(fd);
  }
  if (err)
    return err_set(e, ERR_IO,
                   "%s/instructors/secret.key cannot be read, which the room's "
                   "instructors (its group) may: %s",
                   r->folder, strerror(errno));
  if (!read_hex(text, master))
    err = err_set(e, ERR_ARGUMENT, "%s/instructors/secret.key holds no key",
                  r->folder);
  sodium_memzero(text, bytes);
  free(text);
  return err;
}

enum err key_load(const struct room *r, struct room_secret *out,
                  struct err_info *e) {
  unsigned char master[ROOM_KEY_BYTES], key[ROOM_KEY_BYTES];
  if (!r->has_key)
    return err_set(e, ERR_ARGUMENT,
                   "%s was made without a key, by an earlier warpshop: class "
                   "new makes a room that can take hand-ins",
                   r->folder);
  enum err err = sodium_init() < 0
                     ? err_set(e, ERR_IO, "libsodium finds no random numbers")
                     : read_secret(r, master, e);
  if (err)
    return err;
  derive(master, out, key);
  sodium_memzero(master, sizeof master);
  return memcmp(key, r->key, sizeof key)
             ? err_set(e, ERR_ARGUMENT,
                       "%s: the secret key is not the one of room.json's "
                       "public key: one of the two files is another room's",
                       r->folder)
             : ERR_OK;
}

void key_sign(const struct room_secret *s, const char *text,
              char out[KEY_SIGNATURE_HEX]) {
  unsigned char sig[crypto_sign_BYTES];
  crypto_sign_detached(sig, NULL, (const unsigned char *)text, strlen(text),
                       s->sign);
  sodium_bin2hex(out, KEY_SIGNATURE_HEX, sig, sizeof sig);
}

bool key_verify(const struct room *r, const char *text, const char *signature) {
  unsigned char sig[crypto_sign_BYTES];
  size_t n;
  return r->has_key && signature &&
         !sodium_hex2bin(sig, sizeof sig, signature, strlen(signature), NULL,
                         &n, NULL) &&
         n == sizeof sig &&
         !crypto_sign_verify_detached(sig, (const unsigned char *)text,
                                      strlen(text), r->key);
}

void key_id(const struct room_secret *s, const char *text,
            char out[KEY_ID_HEX]) {
  unsigned char id[KEY_ID_HEX / 2];
  crypto_generichash(id, sizeof id, (const unsigned char *)text, strlen(text),
                     s->ids, sizeof s->ids);
  sodium_bin2hex(out, KEY_ID_HEX, id, sizeof id);
}

// ---- A learner's ----

static char *own_path(struct err_info *e) {
  char *state = file_xdg(XDG_STATE);
  char *path = state ? xasprintf("%s/room.key", state) : NULL;
  if (!state)
    err_set(e, ERR_IO, "there is no home folder to keep a key in");
  else if (file_make_folder(state, e)) {
    free(path);
    path = NULL;
  }
  free(state);
  return path;
}

static bool read_own(const char *path, unsigned char secret[ROOM_KEY_BYTES]) {
  char *text = NULL;
  size_t bytes;
  bool fine =
      !file_read(path, 1000, &text, &bytes, NULL) && read_hex(text, secret);
  free(text);
  return fine;
}

// One for all rooms of this home.
static enum err load_own(unsigned char secret[ROOM_KEY_BYTES], bool makes,
                         struct err_info *e) {
  char hex[KEY_HEX], *path = own_path(e);
  enum err err = path && sodium_init() >= 0 ? ERR_OK : ERR_IO;
  if (!err && !read_own(path, secret)) {
    if (makes) {
      randombytes_buf(secret, ROOM_KEY_BYTES);
      sodium_bin2hex(hex, sizeof hex, secret, ROOM_KEY_BYTES);
      err = file_replace(path, hex, strlen(hex), e);
    } else {
      err = err_set(e, ERR_NOT_FOUND, "%s: no key", path);
    }
  }
  free(path);
  return err;
}

enum err key_share(const char *folder, struct err_info *e) {
  unsigned char secret[ROOM_KEY_BYTES], key[ROOM_KEY_BYTES];
  char hex[KEY_HEX];
  enum err err = load_own(secret, true, e);
  if (err)
    return err;
  crypto_scalarmult_base(key, secret);
  sodium_memzero(secret, sizeof secret);
  sodium_bin2hex(hex, sizeof hex, key, sizeof key);
  char *path = xasprintf("%s/key", folder);
  int fd =
      open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
  bool failed = fd < 0 || fchmod(fd, 0640) ||
                write(fd, hex, strlen(hex)) != (ssize_t)strlen(hex);
  if (failed)
    err = err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
  if (fd >= 0)
    close(fd);
  free(path);
  return err;
}

char *key_seal(const char *public, const char *text) {
  unsigned char key[ROOM_KEY_BYTES];
  size_t n = strlen(text), bytes = n + crypto_box_SEALBYTES;
  if (!read_hex(public, key))
    return NULL;
  unsigned char *box = xcalloc(bytes, 1);
  char *hex = NULL;
  if (!crypto_box_seal(box, (const unsigned char *)text, n, key)) {
    hex = xcalloc(2 * bytes + 1, 1);
    sodium_bin2hex(hex, 2 * bytes + 1, box, bytes);
  }
  free(box);
  return hex;
}

char *key_open(const char *sealed) {
  unsigned char secret[ROOM_KEY_BYTES], key[ROOM_KEY_BYTES];
  size_t n = strlen(sealed) / 2, bytes;
  unsigned char *box = xcalloc(n + 1, 1);
  char *text = xcalloc(n + 1, 1);
  struct err_info e;
  bool fine = !load_own(secret, false, &e) && n >= crypto_box_SEALBYTES &&
              !sodium_hex2bin(box, n, sealed, 2 * n, NULL, &bytes, NULL) &&
              bytes == n;
  if (fine) {
    crypto_scalarmult_base(key, secret);
    fine = !crypto_box_seal_open((unsigned char *)text, box, n, key, secret);
  }
  sodium_memzero(secret, sizeof secret);
  free(box);
  if (fine)
    return text;
  free(text);
  return NULL;
}

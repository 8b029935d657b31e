// SPDX-License-Identifier: Apache-2.0
// Keys. A room's: made by `class new`, with which its instructors' program
// countersigns (Ed25519). The public one is in room.json; the secret is in
// DIR/instructors/secret.key, mode 0640 in a folder that nobody but the room's group
// enters: whoever may read all that is handed in may sign for it, and nobody else.
// A learner's: for what comes back where the file system has no access lists
// (X25519, sealed boxes); the secret stays in the learner's own home.
#ifndef CLASS_KEY_H
#define CLASS_KEY_H

#include "class/room.h"

enum {
  KEY_HEX = 2 * ROOM_KEY_BYTES + 1,
  KEY_SIGNATURE_HEX = 2 * 64 + 1,
  KEY_ID_HEX = 2 * 16 + 1,
};

// ---- A room's ----

// Makes the secret file in the open folder `instructors`; `public` is for room.json.
enum err key_make(int instructors, char public[KEY_HEX], struct err_info *e);

struct room_secret {
  unsigned char sign[64], ids[32];
};
// ERR_IO: this user may not read it, which the room's instructors may.
// ERR_ARGUMENT: it is not the one of this room's public key.
enum err key_load(const struct room *r, struct room_secret *out,
                  struct err_info *e);

void key_sign(const struct room_secret *s, const char *text,
              char out[KEY_SIGNATURE_HEX]);
// Was the text signed by the room's instructors?
bool key_verify(const struct room *r, const char *text, const char *signature);
// A name for a text that says nothing about it to who has not the secret.
void key_id(const struct room_secret *s, const char *text,
            char out[KEY_ID_HEX]);

// ---- A learner's ----

// Writes the caller's public key into their folder of a room, made before if need be.
enum err key_share(const char *folder, struct err_info *e);
// The text, closed for who has the secret of `public`; to be freed. NULL: that is no
// key.
char *key_seal(const char *public, const char *text);
// What was sealed for the caller; to be freed. NULL: it was not, or is torn.
char *key_open(const char *sealed);

#endif

// SPDX-License-Identifier: Apache-2.0
// Records of a file that is only added to: one line each,
//   <length of payload> <CRC-32 of payload, 8 hex digits> <payload>\n
// so that a kill at any byte, or what another wrote behind a torn one, costs no
// whole record.
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

// The line of a payload without line breaks.
void record_make(struct str *line, const char *payload, size_t bytes);

// Opens a file to append to, made with `mode` where there is none; behind a torn
// record a line is ended first, so that the next one is whole. ERR_IO names it.
enum err record_open(const char *path, unsigned mode, int *fd,
                     struct err_info *e);

// The name of a file that this session alone writes, among all machines that share
// a file system and after a reboot: "host-boot-pid-ms.log". To be freed.
char *record_session_name(void);

// Appends one to the open file with a single write; `name` is for errors. ERR_IO:
// the disk is full, or whatever the system says; what was written of it is no
// record.
enum err record_append(int fd, const char *name, const char *payload,
                       size_t bytes, struct err_info *e);

// Calls `each` with the payload of every whole record in `data`, in order, each
// ended by a zero that is put into `data`. What is none is skipped; the number of
// lines that are.
size_t record_read(char *data, size_t bytes,
                   void (*each)(void *context, char *payload), void *context);

#endif

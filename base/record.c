// SPDX-License-Identifier: Apache-2.0
#include "base/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

// CRC-32 as in IEEE 802.3, a bit at a time: records are short.
static uint32_t crc32_of(const char *data, size_t bytes) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < bytes; i++) {
    crc ^= (unsigned char)data[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
  }
  return ~crc;
}

void record_make(struct str *line, const char *payload, size_t bytes) {
  str_addf(line, "%zu %08x ", bytes, crc32_of(payload, bytes));
  str_add_bytes(line, payload, bytes);
  str_add_char(line, '\n');
}

static bool is_torn(int fd) {
  char last;
  off_t end = lseek(fd, 0, SEEK_END);
  return end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n';
}

enum err record_open(const char *path, unsigned mode, int *fd,
                     struct err_info *e) {
  *fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
  if (*fd >= 0 && (!is_torn(*fd) || write(*fd, "\n", 1) == 1))
    return ERR_OK;
  err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
  return ERR_IO;
}

char *record_session_name(void) {
  char host[65] = "host", boot[9] = "";
  gethostname(host, sizeof host - 1);
  for (char *p = host; *p; p++)
    if (*p == '/' || *p == '\n')
      *p = '_';
  FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (f) {
    if (!fgets(boot, sizeof boot, f))
      boot[0] = 0;
    fclose(f);
  }
  return xasprintf("%s-%s-%d-%lld.log", host, boot, (int)getpid(),
                   (long long)clock_day_ms());
}

enum err record_append(int fd, const char *name, const char *payload,
                       size_t bytes, struct err_info *e) {
  struct str line = STR_INIT;
  record_make(&line, payload, bytes);
  ssize_t n = write(fd, line.data, line.len);
  bool is_whole = n == (ssize_t)line.len;
  str_free(&line);
  return is_whole ? ERR_OK
                  : err_set(e, ERR_IO, "%s: %s", name,
                            n < 0 ? strerror(errno) : "the disk is full");
}

// The payload of the line [p, end); NULL for torn or foreign bytes.
static char *find_payload(char *p, const char *end) {
  char *rest;
  unsigned long bytes = strtoul(p, &rest, 10);
  if (rest == p || *rest != ' ' || end - rest < 10)
    return NULL;
  unsigned long crc = strtoul(rest + 1, &rest, 16);
  if (*rest != ' ' || (size_t)(end - rest - 1) != bytes)
    return NULL;
  return crc32_of(rest + 1, bytes) == crc ? rest + 1 : NULL;
}

size_t record_read(char *data, size_t bytes,
                   void (*each)(void *context, char *payload), void *context) {
  size_t skipped = 0;
  char *p = data, *end;
  for (; (end = memchr(p, '\n', (size_t)(data + bytes - p))); p = end + 1) {
    char *payload = find_payload(p, end);
    *end = 0;
    if (payload)
      each(context, payload);
    else
      skipped++;
  }
  return skipped + (p < data + bytes);
}

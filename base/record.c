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

// CRC-32 as in IEEE 802.3, a byte at a time: a room's hour is megabytes of records.
// The table is linear in the bits of its index.
#define BIT(i, k, value) ((i) >> k & 1 ? value : 0u)
#define ENTRY(i)                                                               \
  (BIT(i, 0, 0x77073096u) ^ BIT(i, 1, 0xEE0E612Cu) ^ BIT(i, 2, 0x076DC419u) ^  \
   BIT(i, 3, 0x0EDB8832u) ^ BIT(i, 4, 0x1DB71064u) ^ BIT(i, 5, 0x3B6E20C8u) ^  \
   BIT(i, 6, 0x76DC4190u) ^ BIT(i, 7, 0xEDB88320u))
#define ENTRIES_4(i) ENTRY(i), ENTRY((i) + 1), ENTRY((i) + 2), ENTRY((i) + 3)
#define ENTRIES_16(i)                                                          \
  ENTRIES_4(i), ENTRIES_4((i) + 4), ENTRIES_4((i) + 8), ENTRIES_4((i) + 12)
#define ENTRIES_64(i)                                                          \
  ENTRIES_16(i), ENTRIES_16((i) + 16), ENTRIES_16((i) + 32),                   \
      ENTRIES_16((i) + 48)
static const uint32_t crc_table[256] = {ENTRIES_64(0), ENTRIES_64(64),
                                        ENTRIES_64(128), ENTRIES_64(192)};

static uint32_t crc32_of(const char *data, size_t bytes) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < bytes; i++)
    crc = crc >> 8 ^ crc_table[(crc ^ (unsigned char)data[i]) & 255];
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

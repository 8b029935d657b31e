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

// CRC-32 as in IEEE 802.3, four bytes at a time: a room's hour is megabytes of records.
// Table k has what a byte comes to with k more behind it, and is linear in the bits of
// its index: a row of values, one for each bit, makes it.
#define BIT(i, k, value) ((i) >> k & 1 ? value##u : 0u)
#define ENTRY(i, a, b, c, d, e, f, g, h)                                       \
  (BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ BIT(i, 4, e) ^  \
   BIT(i, 5, f) ^ BIT(i, 6, g) ^ BIT(i, 7, h))
#define ENTRIES_4(i, ...)                                                      \
  ENTRY(i, __VA_ARGS__), ENTRY((i) + 1, __VA_ARGS__),                          \
      ENTRY((i) + 2, __VA_ARGS__), ENTRY((i) + 3, __VA_ARGS__)
#define ENTRIES_16(i, ...)                                                     \
  ENTRIES_4(i, __VA_ARGS__), ENTRIES_4((i) + 4, __VA_ARGS__),                  \
      ENTRIES_4((i) + 8, __VA_ARGS__), ENTRIES_4((i) + 12, __VA_ARGS__)
#define ENTRIES_64(i, ...)                                                     \
  ENTRIES_16(i, __VA_ARGS__), ENTRIES_16((i) + 16, __VA_ARGS__),               \
      ENTRIES_16((i) + 32, __VA_ARGS__), ENTRIES_16((i) + 48, __VA_ARGS__)
#define TABLE(...)                                                             \
  {                                                                            \
    ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__),                   \
        ENTRIES_64(128, __VA_ARGS__), ENTRIES_64(192, __VA_ARGS__)             \
  }
static const uint32_t crc_tables[4][256] = {
    TABLE(0x77073096, 0xEE0E612C, 0x076DC419, 0x0EDB8832, 0x1DB71064,
          0x3B6E20C8, 0x76DC4190, 0xEDB88320),
    TABLE(0x191B3141, 0x32366282, 0x646CC504, 0xC8D98A08, 0x4AC21251,
          0x958424A2, 0xF0794F05, 0x3B83984B),
    TABLE(0x01C26A37, 0x0384D46E, 0x0709A8DC, 0x0E1351B8, 0x1C26A370,
          0x384D46E0, 0x709A8DC0, 0xE1351B80),
    TABLE(0xB8BC6765, 0xAA09C88B, 0x8F629757, 0xC5B428EF, 0x5019579F,
          0xA032AF3E, 0x9B14583D, 0xED59B63B),
};

static uint32_t crc32_of(const char *data, size_t bytes) {
  const unsigned char *p = (const unsigned char *)data;
  uint32_t crc = ~0u;
  for (; bytes >= 4; bytes -= 4, p += 4)
    crc = crc_tables[3][(crc ^ p[0]) & 255] ^
          crc_tables[2][(crc >> 8 ^ p[1]) & 255] ^
          crc_tables[1][(crc >> 16 ^ p[2]) & 255] ^
          crc_tables[0][crc >> 24 ^ p[3]];
  for (; bytes; bytes--, p++)
    crc = crc >> 8 ^ crc_tables[0][(crc ^ *p) & 255];
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

// Digits of that base as record_make writes them, at most `most`, as a number; -1:
// there are none or more. strtoul takes signs and spaces, too, and is most of the work
// of reading a short record.
static int64_t take_digits(char **p, int base, int most) {
  int64_t value = 0;
  char *from = *p;
  for (;; ++*p) {
    int digit = **p >= '0' && **p <= '9'                 ? **p - '0'
                : base == 16 && **p >= 'a' && **p <= 'f' ? **p - 'a' + 10
                                                         : -1;
    if (digit < 0)
      return *p == from ? -1 : value;
    if (*p - from == most)
      return -1;
    value = value * base + digit;
  }
}

// The payload of the line [p, end); NULL for torn or foreign bytes. No digit stands at
// `end`, where the line does.
static char *find_payload(char *p, const char *end) {
  int64_t bytes = take_digits(&p, 10, 15);
  if (bytes < 0 || *p++ != ' ' || end - p < 9)
    return NULL;
  int64_t crc = take_digits(&p, 16, 8);
  if (crc < 0 || *p++ != ' ' || end - p != bytes)
    return NULL;
  return crc32_of(p, (size_t)bytes) == crc ? p : NULL;
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

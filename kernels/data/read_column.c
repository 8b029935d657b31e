// SPDX-License-Identifier: Apache-2.0
// The reference of exercises/read-column: the whole number in one field of each
// line, 0 where it holds anything else, and the first line where it does.
#include "kernels/reference/call.h"

// The field's first character, or NULL where the line has too few.
static const uint8_t *find_field(const uint8_t *at, const uint8_t *end,
                                 int64_t column) {
  for (; column > 0; column--) {
    while (at < end && *at != ',')
      at++;
    if (at == end)
      return NULL;
    at++;
  }
  return at;
}

static bool read_number(const uint8_t *at, const uint8_t *end, int32_t *out) {
  bool is_negative = at < end && *at == '-';
  const uint8_t *first = at + is_negative;
  int64_t number = 0;
  for (at = first; at < end && *at != ','; at++) {
    if (*at < '0' || *at > '9')
      return false;
    number = (10 * number + *at - '0') % 10000000000;
  }
  *out = (int32_t)(is_negative ? -number : number);
  return at > first;
}

void reference_read_column(const struct reference_call *call) {
  int64_t n = reference_int(call, 4), column = reference_int(call, 5);
  const int32_t *line = reference_i32(call, 1, n + 1);
  int32_t *value = reference_i32(call, 2, n);
  int32_t *broken = reference_i32(call, 3, 1);
  if (!line || !value || !broken)
    return;
  if (n < 0) {
    reference_fail(call, "there is no number of lines below 0");
    return;
  }
  const uint8_t *text = reference_u8(call, 0, line[n]);
  if (!text)
    return;
  for (int64_t i = n - 1; i >= 0; i--) {
    if (line[i] < 0 || line[i] >= line[i + 1] || line[i + 1] > line[n]) {
      reference_fail(call, "a line ends before it begins");
      return;
    }
    const uint8_t *end = text + line[i + 1] - 1;
    const uint8_t *field = find_field(text + line[i], end, column);
    value[i] = 0;
    if (!field || !read_number(field, end, &value[i])) {
      value[i] = 0;
      broken[0] = (int32_t)i;
    }
  }
}

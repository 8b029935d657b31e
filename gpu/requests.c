// SPDX-License-Identifier: Apache-2.0
// Requests packed: most have addresses at even distances, for which the first
// and the distance stand.
#include "gpu/requests.h"

#include <string.h>

enum { HEAD = offsetof(struct gpu_request, at), WORD = sizeof(uint64_t) };

static int first_lane(uint32_t lanes) {
  return lanes ? __builtin_ctz(lanes) : 0;
}

// From one lane to the next; false where lanes differ in that.
static bool find_stride(const struct gpu_request *r, uint64_t *stride) {
  int first = first_lane(r->lanes), second;
  uint32_t left = r->lanes & (r->lanes - 1);
  *stride = 0;
  if (!left)
    return true;
  second = __builtin_ctz(left);
  *stride = (r->at[second] - r->at[first]) / (uint64_t)(second - first);
  for (; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    if (r->at[l] != r->at[first] + (uint64_t)(l - first) * *stride)
      return false;
  }
  return true;
}

size_t gpu_request_pack(const struct gpu_request *r, uint8_t *to) {
  uint64_t words[GPU_REQUEST_LANES], count = 0;
  bool is_even = find_stride(r, &words[1]);
  if (is_even) {
    words[0] = r->at[first_lane(r->lanes)];
    count = 2;
  } else {
    for (uint32_t left = r->lanes; left; left &= left - 1)
      words[count++] = r->at[__builtin_ctz(left)];
  }
  memcpy(to, r, HEAD);
  to[HEAD] = is_even;
  memcpy(to + HEAD + 1, words, count * WORD);
  return HEAD + 1 + count * WORD;
}

bool gpu_request_next(const uint8_t *packed, size_t bytes, size_t *at,
                      struct gpu_request *out) {
  if (*at + HEAD + 1 > bytes)
    return false;
  const uint8_t *from = packed + *at + HEAD + 1;
  bool is_even = packed[*at + HEAD];
  memset(out, 0, sizeof *out);
  memcpy(out, packed + *at, HEAD);
  size_t count = is_even ? 2 : (size_t)__builtin_popcount(out->lanes), n = 0;
  if (*at + HEAD + 1 + count * WORD > bytes)
    return false;
  uint64_t first[2];
  memcpy(first, from, is_even ? sizeof first : 0);
  for (uint32_t left = out->lanes; left; left &= left - 1, n++) {
    int l = __builtin_ctz(left);
    if (is_even)
      out->at[l] = first[0] + (uint64_t)(l - first_lane(out->lanes)) * first[1];
    else
      memcpy(&out->at[l], from + n * WORD, WORD);
  }
  *at += HEAD + 1 + count * WORD;
  return true;
}

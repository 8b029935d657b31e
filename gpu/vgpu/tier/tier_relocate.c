// SPDX-License-Identifier: Apache-2.0
// Those relocations that LLVM makes of a function that refers to its own constants and
// tables of jumps, position-independent. System V ABI, AMD64 supplement, "Relocation";
// ELF for the Arm 64-bit Architecture, "Relocation", and the Arm Architecture Reference
// Manual for the instructions' bits.
#include "gpu/vgpu/tier/tier_relocate.h"

#include <stddef.h>
#include <string.h>

bool tier_has_avx512(void) {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

static const char not_listed[] = "a relocation that is not on the list";
static const char too_far[] = "a distance";
static const char other[] = "a relocation of another instruction";

// The bits that the instruction is known by, and those that it must have.
struct shape {
  uint32_t mask, is;
};
static const struct shape adrp = {0x9F000000, 0x90000000};
static const struct shape add = {0xFFC00000, 0x91000000};
static const struct shape load_or_store = {0x3B000000, 0x39000000};

static uint32_t get(const uint8_t *bytes) {
  uint32_t v;
  memcpy(&v, bytes, sizeof v);
  return v;
}

static const char *put_distance(uint8_t *bytes, uint64_t at, uint64_t target) {
  int64_t value = (int64_t)(target - at);
  int32_t narrow = (int32_t)value;
  if (narrow != value)
    return too_far;
  memcpy(bytes, &narrow, sizeof narrow);
  return NULL;
}

// `value` into `bits` bits of the instruction from the bit `from` on.
static void put_bits(uint8_t *bytes, int from, int bits, uint64_t value) {
  uint32_t field = ((UINT32_C(1) << bits) - 1) << from;
  uint32_t v = (get(bytes) & ~field) | ((uint32_t)(value << from) & field);
  memcpy(bytes, &v, sizeof v);
}

static bool is_shape(const uint8_t *bytes, struct shape s) {
  return (get(bytes) & s.mask) == s.is;
}

// So many pages of 4096 bytes.
static const char *put_page(uint8_t *bytes, uint64_t at, uint64_t target) {
  int64_t pages = (int64_t)(target >> 12) - (int64_t)(at >> 12);
  if (!is_shape(bytes, adrp))
    return other;
  if (pages < -(1 << 20) || pages >= 1 << 20)
    return too_far;
  put_bits(bytes, 29, 2, (uint64_t)pages);
  put_bits(bytes, 5, 19, (uint64_t)pages >> 2);
  return NULL;
}

// The place within its page, which an access of 1 << shift bytes counts by its size.
static const char *put_low(uint8_t *bytes, uint64_t target, struct shape s,
                           int shift) {
  uint64_t low = target & 0xFFF;
  if (!is_shape(bytes, s))
    return other;
  if (low & ((UINT64_C(1) << shift) - 1))
    return too_far;
  put_bits(bytes, 10, 12, low >> shift);
  return NULL;
}

static const char *relocate_aarch64(uint32_t type, uint8_t *bytes, uint64_t at,
                                    uint64_t target) {
  switch (type) {
  case R_AARCH64_PREL32: return put_distance(bytes, at, target);
  case R_AARCH64_ADR_PREL_PG_HI21: return put_page(bytes, at, target);
  case R_AARCH64_ADD_ABS_LO12_NC: return put_low(bytes, target, add, 0);
  case R_AARCH64_LDST8_ABS_LO12_NC:
    return put_low(bytes, target, load_or_store, 0);
  case R_AARCH64_LDST16_ABS_LO12_NC:
    return put_low(bytes, target, load_or_store, 1);
  case R_AARCH64_LDST32_ABS_LO12_NC:
    return put_low(bytes, target, load_or_store, 2);
  case R_AARCH64_LDST64_ABS_LO12_NC:
    return put_low(bytes, target, load_or_store, 3);
  case R_AARCH64_LDST128_ABS_LO12_NC:
    return put_low(bytes, target, load_or_store, 4);
  default: return not_listed;
  }
}

const char *tier_relocate(unsigned machine, uint32_t type, uint8_t *bytes,
                          uint64_t at, uint64_t target) {
  if (machine == EM_AARCH64)
    return relocate_aarch64(type, bytes, at, target);
  if (machine == EM_X86_64 && (type == R_X86_64_PC32 || type == R_X86_64_PLT32))
    return put_distance(bytes, at, target);
  return not_listed;
}

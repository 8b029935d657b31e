// SPDX-License-Identifier: Apache-2.0
// The reader of Arrow's files takes any bytes.
#ifndef TESTS_FUZZ_FRAME_FUZZ_ARROW_H
#define TESTS_FUZZ_FRAME_FUZZ_ARROW_H

#include <stddef.h>
#include <stdint.h>

// Aborts where a column in place is another than its copy.
void fuzz_arrow(const uint8_t *data, size_t size);

#endif

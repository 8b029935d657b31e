// SPDX-License-Identifier: Apache-2.0
// The reader of CSV takes any bytes.
#ifndef TESTS_FUZZ_FRAME_FUZZ_CSV_H
#define TESTS_FUZZ_FRAME_FUZZ_CSV_H

#include <stddef.h>
#include <stdint.h>

// Aborts where what is read depends on the number of threads.
void fuzz_csv(const uint8_t *data, size_t size);

#endif

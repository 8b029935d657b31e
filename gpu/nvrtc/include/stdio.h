// SPDX-License-Identifier: Apache-2.0
// Device printf is built in; there are no files on a device.
#ifndef WARPSHOP_STDIO_H
#define WARPSHOP_STDIO_H

#include <stddef.h>

#endif

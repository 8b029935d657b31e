// SPDX-License-Identifier: Apache-2.0
// NULL and offsetof; size_t and ptrdiff_t are built in.
#ifndef WARPSHOP_STDDEF_H
#define WARPSHOP_STDDEF_H

#ifndef NULL
#  define NULL 0
#endif
#ifndef offsetof
#  define offsetof(type, member) __builtin_offsetof(type, member)
#endif
typedef decltype(nullptr) nullptr_t;

#endif

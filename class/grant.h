// SPDX-License-Identifier: Apache-2.0
// An access list of one more user: POSIX.1e draft 17, as Linux keeps it in the
// extended attribute system.posix_acl_access (linux/posix_acl_xattr.h, acl(5)).
#ifndef CLASS_GRANT_H
#define CLASS_GRANT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

// Lets the user enter the open folder, beside its owner and its group, who may do
// everything; others may do nothing. ERR_UNSUPPORTED: this file system keeps no such
// lists, and nothing was changed. `name` is for errors.
enum err grant_entry(int folder, uid_t user, const char *name,
                     struct err_info *e);
// Is that, and nothing more, its list?
bool grant_is_entry(int folder, uid_t user);
// Has what lies there under that name ("." is the folder itself) an access list, or a
// default one for what is made in it?
bool grant_has_list(int folder, const char *name);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "class/grant.h"

#include <endian.h>
#include <errno.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "base/mem.h"

static const char attribute[] = "system.posix_acl_access";
enum { ENTRIES = 5, ALL = ACL_READ | ACL_WRITE | ACL_EXECUTE };

struct list {
  struct posix_acl_xattr_header header;
  struct posix_acl_xattr_entry entries[ENTRIES];
};

static struct list list_of(uid_t user) {
  const struct {
    unsigned tag, may, id;
  } rows[ENTRIES] = {
      {ACL_USER_OBJ, ALL, ACL_UNDEFINED_ID},  {ACL_USER, ACL_EXECUTE, user},
      {ACL_GROUP_OBJ, ALL, ACL_UNDEFINED_ID}, {ACL_MASK, ALL, ACL_UNDEFINED_ID},
      {ACL_OTHER, 0, ACL_UNDEFINED_ID},
  };
  struct list l = {.header.a_version = htole32(POSIX_ACL_XATTR_VERSION)};
  for (int i = 0; i < ENTRIES; i++)
    l.entries[i] = (struct posix_acl_xattr_entry){
        htole16((uint16_t)rows[i].tag),
        htole16((uint16_t)rows[i].may),
        htole32(rows[i].id),
    };
  return l;
}

enum err grant_entry(int folder, uid_t user, const char *name,
                     struct err_info *e) {
  struct list l = list_of(user);
  if (!fsetxattr(folder, attribute, &l, sizeof l, 0))
    return ERR_OK;
  return err_set(e, errno == EOPNOTSUPP ? ERR_UNSUPPORTED : ERR_IO,
                 "%s: its access list: %s", name, strerror(errno));
}

bool grant_is_entry(int folder, uid_t user) {
  struct list want = list_of(user), is;
  return fgetxattr(folder, attribute, &is, sizeof is) == sizeof is &&
         !memcmp(&is, &want, sizeof is);
}

bool grant_has_list(int folder, const char *name) {
  char *at = xasprintf("/proc/self/fd/%d/%s", folder, name);
  bool has = lgetxattr(at, attribute, NULL, 0) > 0 ||
             lgetxattr(at, "system.posix_acl_default", NULL, 0) > 0;
  free(at);
  return has;
}

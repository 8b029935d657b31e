// SPDX-License-Identifier: Apache-2.0
// Commands about memory and events that other processes share.
#ifndef GPU_REMOTE_SERVE_SHARE_H
#define GPU_REMOTE_SERVE_SHARE_H

#include "gpu/remote/serve.h"

enum err serve_export(struct server *s, struct call *c);
enum err serve_import(struct server *s, struct call *c);
enum err serve_import_handle(struct server *s, struct call *c);
enum err serve_event_export(struct server *s, struct call *c);

#endif

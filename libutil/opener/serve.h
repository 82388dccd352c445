/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve.h - the opener's process */
#ifndef LIBUTIL_OPENER_SERVE_H
#define LIBUTIL_OPENER_SERVE_H

#include "libutil/opener/start.h"

/* Take connections from @socket, and answer their requests, until its peer is gone. */
void opener_serve(int socket, const struct opener_config *config);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_status.h - the answer to "status": lines of "key value", doc/control.md [CC-20] */
#ifndef DAEMON_CONTROL_STATUS_H
#define DAEMON_CONTROL_STATUS_H

#include "daemon/control.h"
#include "libutil/strbuf.h"

void status_format(const struct control_config *config, struct strbuf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device_ibs.h - tell the module about instruction-based sampling */
#ifndef DAEMON_COLLECT_MODULE_DEVICE_IBS_H
#define DAEMON_COLLECT_MODULE_DEVICE_IBS_H

#include "daemon/collect/ibs/config.h"
#include "libutil/error.h"

/*
 * Write the files ibs_fetch/ and ibs_op/ below @mount, before the buffer is opened. @ibs NULL, or
 * a side that is off: it is switched off. -ENODEV: the module, or this CPU, does not have it;
 * -EINVAL: not with that count.
 */
int device_set_ibs(const char *mount, const struct ibs_config *ibs, struct op_error *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device_ibs.h - write the module's settings of instruction-based sampling */
#ifndef DAEMON_COLLECT_MODULE_DEVICE_IBS_H
#define DAEMON_COLLECT_MODULE_DEVICE_IBS_H

#include "daemon/collect/ibs/config.h"
#include "libutil/error.h"

/*
 * Write the files of ibs_fetch/ and ibs_op/ below @mount, before the buffer is opened. A side that
 * is off, or both if @ibs is NULL, is disabled. -ENODEV: not supported by the module or this CPU;
 * -EINVAL: the count is rejected.
 */
int device_set_ibs(const char *mount, const struct ibs_config *ibs, struct op_error *e);

#endif

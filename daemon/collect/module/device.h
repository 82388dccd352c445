/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device.h - parts of collector_device(), and the same on another folder than /dev/oprofile */
#ifndef DAEMON_COLLECT_MODULE_DEVICE_H
#define DAEMON_COLLECT_MODULE_DEVICE_H

#include "daemon/collect/collector.h"

/* As collector.counts(), from the file system mounted at @mount_point. */
int device_read_counts(const char *mount_point, struct session_counts *counts);

/*
 * Write all that is to be sampled, by time or by counters, to the files of @mount_point, as long
 * as "buffer" is closed [FS-4]. Told in @e: which file does not take what.
 */
int device_write_events(const char *mount_point, const struct collector_config *config,
			struct op_error *e);
/*
 * Why it cannot be done, from "models" [FS-30]: what stands at IBS if it was asked for (@ibs) and
 * is impossible, else at the model that was chosen.
 */
void device_models_reason(const char *mount_point, bool ibs, char *ret, size_t size);

struct collector *collector_device_at(const char *mount_point);	/* not copied; one at a time */

#endif

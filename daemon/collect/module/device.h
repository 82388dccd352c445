/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device.h - parts of collector_device(), which also works on other folders than /dev/oprofile */
#ifndef DAEMON_COLLECT_MODULE_DEVICE_H
#define DAEMON_COLLECT_MODULE_DEVICE_H

#include "daemon/collect/collector.h"

/* As collector.counts(), from the file system mounted at @mount_point. */
int device_read_counts(const char *mount_point, struct session_counts *counts);

/*
 * Write what to sample, by time or by counters, to the files of @mount_point, while "buffer" is
 * closed [FS-4]. @e says which file rejected what.
 */
int device_write_events(const char *mount_point, const struct collector_config *config,
			struct op_error *e);
/*
 * The reason for a failure, from "models" [FS-30]: that of IBS if it is requested (@ibs) and
 * impossible, else that of the chosen model.
 */
void device_models_reason(const char *mount_point, bool ibs, char *ret, size_t size);

struct collector *collector_device_at(const char *mount_point);	/* must stay; one at a time */

#endif

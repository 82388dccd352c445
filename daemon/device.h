/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device.h - parts of collector_device(), and the same on another folder than /dev/oprofile */
#ifndef DEVICE_H
#define DEVICE_H

#include "collector.h"

/* As collector.counts(), from the file system mounted at @mount_point. */
int device_read_counts(const char *mount_point, struct session_counts *counts);

struct collector *collector_device_at(const char *mount_point);	/* not copied; one at a time */

#endif

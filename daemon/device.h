/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device.h - the collector of collector_device() on another folder than /dev/oprofile, for tests */
#ifndef DEVICE_H
#define DEVICE_H

#include "collector.h"

struct collector *collector_device_at(const char *mount_point);	/* not copied; one at a time */

#endif

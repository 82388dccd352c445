/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h - the kernel module: loaded or not, mounted or not, ours or not
 *
 * All that touches module loading and the mount of oprofilefs.
 */
#ifndef CONTROL_MACHINE_DRIVER_H
#define CONTROL_MACHINE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

/* Where to look. driver_init() fills in the system's; tests use folders of their own. */
struct driver {
	const char *filesystems;	/* /proc/filesystems */
	const char *modules;		/* /proc/modules */
	const char *parameter;		/* /sys/module/oprofile/parameters/model */
	const char *lockdown;		/* /sys/kernel/security/lockdown */
	const char *mount_point;	/* OPROFILEFS_MOUNT */
	char *module_file;		/* oprofile.ko near this program; may not exist */
};

void driver_init(struct driver *d);
void driver_free(struct driver *d);

bool driver_registered(const struct driver *d);	/* the kernel knows oprofilefs */
bool driver_mounted(const struct driver *d);

/*
 * Load the module and mount oprofilefs, as far as that is not done yet, and make sure that it
 * speaks our version. @model: its parameter; one that was loaded with another is loaded anew.
 * "": as it is, "auto" if it is not loaded. -errno: @e says what is in the way, and how to go on
 * where there is a way.
 */
int driver_ready(const struct driver *d, const char *model, struct op_error *e);

/* Unload it and load it again with the same model, for it looks at the machine when it loads. */
int driver_reload(const struct driver *d, struct op_error *e);

/* The model that it was loaded with, "" if that cannot be told. */
void driver_parameter(const struct driver *d, char *buf, size_t size);

/* Unmount and unload, as far as needed. *ret_unloaded: a module was there and is gone. */
int driver_remove(const struct driver *d, bool *ret_unloaded, struct op_error *e);

/* The nominal clock in kHz that a mounted module works with; 0: none, or it does not tell. */
uint64_t driver_clock_khz(const struct driver *d);

/*
 * Write a number to a file of oprofilefs, unless that is what it has. One the kernel did not take
 * (CTL-108) is -ERANGE, one that it cannot take at all -EINVAL; -EBUSY while somebody profiles.
 */
int driver_write(const struct driver *d, const char *file, uint64_t value, struct op_error *e);

#endif

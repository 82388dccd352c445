/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h - load and unload the kernel module, and mount oprofilefs
 */
#ifndef CONTROL_MACHINE_DRIVER_H
#define CONTROL_MACHINE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

/* Where to look. driver_init() fills in the system's paths; tests use other folders. */
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

bool driver_registered(const struct driver *d);	/* the kernel has oprofilefs */
bool driver_mounted(const struct driver *d);

/*
 * Load the module and mount oprofilefs, unless that is done already, and check the version of its
 * interface. @model: the module parameter; a module with another one is reloaded. "": leave it as
 * it is, or "auto" if it is not loaded.
 */
int driver_ready(const struct driver *d, const char *model, struct op_error *e);

/* Reload it with the same model, because it probes the machine when it is loaded. */
int driver_reload(const struct driver *d, struct op_error *e);

/* The model that it was loaded with; "" if unknown. */
void driver_parameter(const struct driver *d, char *buf, size_t size);

/* Unmount and unload, if necessary. *ret_unloaded: a module was loaded. */
int driver_remove(const struct driver *d, bool *ret_unloaded, struct op_error *e);

/* The nominal clock in kHz that a mounted module uses; 0: unknown. */
uint64_t driver_clock_khz(const struct driver *d);

/*
 * Write a number to a file of oprofilefs, unless the file has that value. -ERANGE: the kernel
 * stored another value (CTL-108). -EINVAL: it rejected the value. -EBUSY: the profiler is in use.
 */
int driver_write(const struct driver *d, const char *file, uint64_t value, struct op_error *e);

#endif

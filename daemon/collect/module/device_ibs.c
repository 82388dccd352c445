// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * device_ibs.c - write the module's settings of instruction-based sampling
 *
 * The module has only the files that the CPU supports, so a missing file is an answer. [IB-8]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/collect/module/device_ibs.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

/* The value of one file. If the file is missing, 0 is fine and all else an error. */
struct wanted {
	const char *file, *what;	/* @what: for the error */
	uint32_t value;
};

static int refuse(int err, const char *path, const struct wanted *w, struct op_error *e)
{
	if (err == -ENOENT)
		return op_error_set(e, -ENODEV, "'%s' is missing: this CPU or the module's model "
				    "does not support %s", path, w->what);
	if (err == -EINVAL || err == -ERANGE)
		return op_error_set(e, -EINVAL, "'%s': the module rejects %" PRIu32 " on this CPU",
				    path, w->value);
	return op_error_set(e, err, "cannot write %" PRIu32 " to '%s': %s", w->value, path,
			    strerror(-err));
}

static int write_one(const char *mount, const char *side, const struct wanted *w,
		     struct op_error *e)
{
	char *path = xasprintf("%s/%s/%s", mount, side, w->file), text[16];
	int err;

	snprintf(text, sizeof(text), "%" PRIu32, w->value);
	err = file_exists(path) ? file_write_existing(path, text) : -ENOENT;
	if (err == -ENOENT && !w->value)
		err = 0;
	if (err)
		refuse(err, path, w, e);
	free(path);
	return err == -ENOENT ? -ENODEV : err;
}

static int write_all(const char *mount, const char *side, const struct wanted *w, size_t nr,
		     struct op_error *e)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		err = write_one(mount, side, &w[i], e);
	return err;
}

static int set_fetch(const char *mount, const struct ibs_side *fetch, struct op_error *e)
{
	const struct wanted files[] = {
		{ "max_count", "sampling of instruction fetches",
		  fetch->max_count & ~15u },	/* the CPU counts in units of 16 */
		{ "rand_enable", "random counts of fetches", 1 },
		{ "enable", "sampling of instruction fetches", 1 },
	};

	return write_all(mount, "ibs_fetch", files, sizeof(files) / sizeof(files[0]), e);
}

static int set_op(const char *mount, const struct ibs_side *op, struct op_error *e)
{
	const struct wanted files[] = {
		{ "max_count", "sampling of ops", op->max_count & ~15u },
		{ "dispatched_ops", "counting of dispatched ops (unit mask 0x1)",
		  !!(op->unit_mask & IBS_OP_DISPATCHED) },
		{ "branch_target", "recording of branch targets (unit mask 0x4)",
		  !!(op->unit_mask & IBS_OP_BRANCH_TARGET) },
		{ "enable", "sampling of ops", 1 },
	};

	return write_all(mount, "ibs_op", files, sizeof(files) / sizeof(files[0]), e);
}

int device_set_ibs(const char *mount, const struct ibs_config *ibs, struct op_error *e)
{
	static const struct wanted off = { "enable", "disabling", 0 };
	int err = ibs && ibs->fetch.on ? set_fetch(mount, &ibs->fetch, e) :
					 write_one(mount, "ibs_fetch", &off, e);

	if (!err)
		err = ibs && ibs->op.on ? set_op(mount, &ibs->op, e) :
					  write_one(mount, "ibs_op", &off, e);
	return err;
}

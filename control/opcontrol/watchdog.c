// SPDX-License-Identifier: GPL-2.0-or-later
/* watchdog.c - turn the NMI watchdog off, and reliably on again */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "control/opcontrol/daemon_link.h"
#include "control/opcontrol/watchdog.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define KEPT_MAX	4200	/* a digit, a blank and a path */
#define KEPT		"1 "	/* before the session directory */

static bool is_on(const struct host *h)
{
	uint64_t value;

	return !file_read_u64(h->watchdog, &value) && value;
}

static int set(const struct host *h, const char *value, struct op_error *e)
{
	int err = file_write_existing(h->watchdog, value);

	if (err)
		return op_error_set(e, err, "cannot write %s to '%s': %s", value, h->watchdog,
				    strerror(-err));
	return 0;
}

/* Called before the watchdog is turned off: if killed in between, we turn on what is on. */
static int record_was_on(const struct host *h, const char *session_dir, struct op_error *e)
{
	char *text = xasprintf(KEPT "%s\n", session_dir);
	int err = file_make_parent_dirs(h->watchdog_kept, 0755);

	if (!err)
		err = file_write_atomic(h->watchdog_kept, text, strlen(text), 0600);
	free(text);
	if (err)
		op_error_set(e, err, "cannot record in '%s' that the NMI watchdog was on: %s",
			     h->watchdog_kept, strerror(-err));
	return err;
}

/* 1: recorded for a daemon that runs. 0: for one that does not. -ENOENT: not recorded. */
static int read_record(const struct host *h)
{
	char kept[KEPT_MAX];
	int err = file_read_line(h->watchdog_kept, kept, sizeof(kept));

	if (err == -ENOENT || err == -ENOTDIR)
		return -ENOENT;
	return !err && !strncmp(kept, KEPT "/", 3) && daemon_runs(kept + strlen(KEPT));
}

int watchdog_off(const struct host *h, const char *session_dir, bool *ret_ours,
		 struct op_error *e)
{
	bool was_on = is_on(h);
	int recorded = read_record(h), err = 0;

	*ret_ours = was_on || recorded >= 0;
	if (*ret_ours && recorded != 1)
		err = record_was_on(h, session_dir, e);
	if (!err && was_on)
		err = set(h, "0", e);
	if (!err && is_on(h))
		err = op_error_set(e, -EBUSY, "cannot turn off the NMI watchdog: '%s' stays 1",
				   h->watchdog);
	return err;
}

int watchdog_restore(const struct host *h, bool *ret_done, struct op_error *e)
{
	int err;

	*ret_done = false;
	if (read_record(h))
		return 0;
	err = is_on(h) ? 0 : set(h, "1", e);
	if (err)
		return err;
	if (unlink(h->watchdog_kept))
		return op_error_set(e, -errno, "cannot remove '%s': %s", h->watchdog_kept,
				    strerror(errno));
	*ret_done = true;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c - configure what the kernel module samples: time, or events on its counters
 *
 * Every setting is written each time, so that nothing is left of an earlier daemon: unused counters
 * are disabled, and all of them when sampling by time. Except time_slice, which root sets.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/collect/module/device.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define MODELS_MAX 65536	/* bytes of "models" */

static int write_file(const char *path, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return file_write_existing(path, text);
}

/* Time */

static int write_period(const char *mount, uint64_t count, struct op_error *e)
{
	char *least_path = path_join(mount, "timer/min_count");
	char *path = path_join(mount, "timer/count");
	uint64_t least;
	int err = 0;

	if (!file_read_u64(least_path, &least) && count < least)
		err = op_error_set(e, -EINVAL, "count %" PRIu64 " is too small for this machine: "
				   "expected at least %" PRIu64, count, least);
	if (!err) {
		err = write_file(path, count);
		if (err)
			op_error_set(e, err, "cannot write %" PRIu64 " to '%s': %s", count, path,
				     strerror(-err));
	}
	free(least_path);
	free(path);
	return err;
}

/* Counters */

/* Whether both are of one vendor or architecture, the part before '/': i386/, x86-64/, arm/. */
static bool same_family(const char *type, const char *other)
{
	size_t len = strcspn(type, "/");

	return len == strcspn(other, "/") && !strncmp(type, other, len);
}

/* The module's type is generic for a vendor; @asked may be the exact CPU. [CC-44] */
static int check_cpu_type(const char *mount, const char *asked, struct op_error *e)
{
	char *path = path_join(mount, "cpu_type"), have[64];
	int err = file_read_line(path, have, sizeof(have));

	free(path);
	if (err)
		return op_error_set(e, err, "cannot read '%s/cpu_type': %s", mount, strerror(-err));
	if (!strcmp(have, "timer"))
		return op_error_set(e, -ENODEV, "the oprofile module cannot count events on this "
				    "machine; '%s/models' has the reason", mount);
	if (!same_family(have, asked))
		return op_error_set(e, -EINVAL, "--cpu-type='%s' does not match '%s', the CPU type "
				    "of the oprofile module", asked, have);
	return 0;
}

static char *counter_path(const char *mount, unsigned int counter, const char *file)
{
	return xasprintf("%s/%u/%s", mount, counter, file);
}

static bool has_counter(const char *mount, unsigned int counter)
{
	char *path = counter_path(mount, counter, "enabled");
	bool there = file_exists(path);

	free(path);
	return there;
}

static int disable_all(const char *mount, struct op_error *e)
{
	int err = 0;

	for (unsigned int i = 0; i < COLLECTOR_COUNTERS_MAX && !err; i++) {
		char *path = counter_path(mount, i, "enabled");

		if (file_exists(path))
			err = write_file(path, 0);
		if (err)
			op_error_set(e, err, "cannot write 0 to '%s': %s", path, strerror(-err));
		free(path);
	}
	return err;
}

static int write_event(const char *mount, const struct collector_event *event, struct op_error *e)
{
	const struct {
		const char *file;
		uint64_t value;
	} files[] = {
		{ "event", event->code }, { "unit_mask", event->unit_mask },
		{ "extra", event->extra }, { "count", event->count },
		{ "kernel", event->kernel }, { "user", event->user },
		{ "enabled", 1 },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !err; i++) {
		char *path = counter_path(mount, event->counter, files[i].file);

		err = write_file(path, files[i].value);
		if (err)
			op_error_set(e, err, "event '%s': cannot write %" PRIu64 " to '%s': %s",
				     event->name ? event->name : "", files[i].value, path,
				     strerror(-err));
		free(path);
	}
	return err;
}

static int check_event(const char *mount, const struct collector_event *event, struct op_error *e)
{
	const char *name = event->name ? event->name : "";

	if (event->pmu && *event->pmu)
		return op_error_set(e, -EINVAL, "event '%s': the oprofile module cannot count on "
				    "'%s' only; use --collector=perf", name, event->pmu);
	if (!has_counter(mount, event->counter))
		return op_error_set(e, -EINVAL, "event '%s': the oprofile module has no counter %u",
				    name, event->counter);
	return 0;
}

int device_write_events(const char *mount_point, const struct collector_config *config,
			struct op_error *e)
{
	bool by_time = collects_by_time(config);
	int err = by_time ? 0 : check_cpu_type(mount_point, config->cpu_type, e);

	if (!err)
		err = disable_all(mount_point, e);
	if (!err && by_time)
		return write_period(mount_point, config->events[0].count, e);
	for (unsigned int i = 0; i < config->nr_events && !err; i++) {
		err = check_event(mount_point, &config->events[i], e);
		if (!err)
			err = write_event(mount_point, &config->events[i], e);
	}
	return err;
}

/* "NAME: [chosen, ]impossible: WHY" */
static const char *why_not(const char *line)
{
	static const char mark[] = "impossible: ";
	const char *at = strstr(line, mark);

	return at ? at + strlen(mark) : NULL;
}

/* IBS is never the chosen model: it runs beside that. */
static const char *reason(char *text, bool ibs, size_t *ret_name_len)
{
	const char *found = NULL;
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		bool of_ibs = !strncmp(line, "ibs: ", strlen("ibs: "));

		if (why_not(line) && ((ibs && of_ibs) || (!found && strstr(line, ": chosen, "))))
			found = line;
	}
	*ret_name_len = found ? strcspn(found, ":") : 0;
	return found;
}

void device_models_reason(const char *mount_point, bool ibs, char *ret, size_t size)
{
	char *path = path_join(mount_point, "models"), *text;
	const char *line;
	size_t len;

	snprintf(ret, size, "reason missing in '%s'", path);
	if (!file_read_all(path, MODELS_MAX, &text, NULL)) {
		line = reason(text, ibs, &len);
		if (line)
			snprintf(ret, size, "%.*s: %s", (int)len, line, why_not(line));
		free(text);
	}
	free(path);
}

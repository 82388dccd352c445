// SPDX-License-Identifier: GPL-2.0-or-later
/* module_state.c - read models, cpu_type, nr_counters and directories N of oprofilefs */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "control/machine/module_state.h"
#include "events/table/table.h"
#include "libutil/file.h"

#define MODELS_MAX	(16 * 1024)
#define IMPOSSIBLE	"impossible: "
#define PERF_HAS_THEM	"perf has the counters"	/* prefix of that reason [FS-35] */

static bool writes_registers(const char *model)
{
	return !strcmp(model, "intel") || !strcmp(model, "amd");
}

bool module_owns_counters(const struct module_state *m)
{
	return writes_registers(m->chosen);
}

bool module_chose(const struct module_state *m)
{
	return !*m->loaded || !strcmp(m->loaded, "auto");
}

/* [FS-30]: best first; "NAME: " and possible | chosen | [chosen, ]impossible: WHY */
static void read_line(char *line, struct module_state *m)
{
	char *state = strstr(line, ": "), *why;
	bool chosen;

	if (!state)
		return;
	*state = '\0';
	state += 2;
	chosen = !strncmp(state, "chosen", strlen("chosen"));
	why = strstr(state, IMPOSSIBLE);
	why = why ? why + strlen(IMPOSSIBLE) : NULL;
	if (writes_registers(line) && (chosen || (!*m->chosen && module_chose(m))) && why &&
	    !strncmp(why, PERF_HAS_THEM, strlen(PERF_HAS_THEM)))
		m->perf_is_in_the_way = true;
	if (!chosen)
		return;
	snprintf(m->chosen, sizeof(m->chosen), "%s", line);
	m->possible = !why;
	snprintf(m->why_not, sizeof(m->why_not), "%s", why ? why : "");
}

static int read_models(const struct driver *d, struct module_state *m, struct op_error *e)
{
	char *path = path_join(d->mount_point, "models"), *text, *rest, *line;
	int err = file_read_all(path, MODELS_MAX, &text, NULL);

	if (err) {
		op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
		free(path);
		return err;
	}
	for (rest = text; (line = strsep(&rest, "\n"));)
		read_line(line, m);
	if (!*m->chosen)
		err = op_error_set(e, -EPROTO, "'%s': no model is marked as chosen", path);
	free(text);
	free(path);
	return err;
}

static uint64_t read_numbers(const struct driver *d)
{
	uint64_t numbers = 0;

	for (int n = 0; n < EVENT_COUNTERS_MAX; n++) {
		char name[12], *path;

		snprintf(name, sizeof(name), "%d", n);
		path = path_join(d->mount_point, name);
		if (file_is_dir(path))
			numbers |= (uint64_t)1 << n;
		free(path);
	}
	return numbers;
}

static int read_counters(const struct driver *d, struct module_state *m, struct op_error *e)
{
	char *type = path_join(d->mount_point, "cpu_type");
	char *number = path_join(d->mount_point, "nr_counters");
	uint64_t nr = 0;
	int err = file_read_line(type, m->cpu_type, sizeof(m->cpu_type));

	if (!err)
		err = file_read_u64(number, &nr);
	if (err)
		op_error_set(e, err, "cannot read cpu_type and nr_counters in '%s': %s",
			     d->mount_point, strerror(-err));
	else if (nr >= EVENT_COUNTERS_MAX)
		err = op_error_set(e, -EPROTO, "'%s': invalid number %llu: expected less than %d",
				   number, (unsigned long long)nr, EVENT_COUNTERS_MAX);
	m->nr_counters = (unsigned int)nr;
	m->numbers = read_numbers(d);
	free(type);
	free(number);
	return err;
}

int module_state_read(const struct driver *d, struct module_state *ret, struct op_error *e)
{
	struct module_state m = { .chosen = "" };
	int err;

	driver_parameter(d, m.loaded, sizeof(m.loaded));
	err = read_models(d, &m, e);
	if (!err)
		err = read_counters(d, &m, e);
	if (!err)
		*ret = m;
	return err;
}

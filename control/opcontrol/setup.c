// SPDX-License-Identifier: GPL-2.0-or-later
/* setup.c - apply set-up options to the saved set-up, and check the result */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "control/machine/vmlinux.h"
#include "control/opcontrol/setup.h"
#include "libdb/history/config.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

void setup_init(struct setup *s)
{
	*s = (struct setup){
		.session_dir = xstrdup(SESSION_DIR_DEFAULT),
		.vmlinux = xstrdup(VMLINUX_DEFAULT),
		.image_filter = xstrdup(""),
		.history = xstrdup(""),
		.history_quota = xstrdup(""),
		.history_slice = xstrdup(""),
		.model = MODEL_ANY,
		.max_cost = MAX_COST_DEFAULT,
	};
}

void setup_free(struct setup *s)
{
	free(s->session_dir);
	free(s->vmlinux);
	free(s->image_filter);
	free(s->history);
	free(s->history_quota);
	free(s->history_slice);
	*s = (struct setup){ 0 };
}

static void replace(char **text, char *owned)
{
	free(*text);
	*text = owned;
}

bool setup_value_ok(const char *value)
{
	for (; *value; value++)
		if (!isalnum((unsigned char)*value) && !strchr("_:,./-", *value))
			return false;
	return true;
}

static const char *const collector_names[] = { "auto", "module", "perf", "bpf" };

const char *collector_request_name(enum collector_request request)
{
	return collector_names[request];
}

int collector_request_parse(const char *text, enum collector_request *ret)
{
	for (size_t i = 0; i < sizeof(collector_names) / sizeof(collector_names[0]); i++) {
		if (!strcmp(text, collector_names[i])) {
			*ret = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int hex_parse(const char *text, size_t len, uint64_t *ret)
{
	char copy[24] = "0x";

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		text += 2;
		len -= 2;
	}
	if (!len || len > 16)
		return -EINVAL;
	memcpy(copy + 2, text, len);
	return number_parse_u64(copy, ret) ? -EINVAL : 0;
}

/* The constant string for struct setup; NULL: unknown model. */
static const char *model_by_name(const char *name)
{
	static const char *const names[] = { "auto", "intel", "amd", "perf", "nmi-ipi", "timer" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return names[i];
	return NULL;
}

static int set_event(struct setup *s, const char *value, struct op_error *e)
{
	int err;

	if (!strcmp(value, "default"))
		return 0;	/* setup_set() refuses combinations */
	if (s->nr_events == SETUP_MAX_EVENTS)
		return op_error_set(e, -EINVAL, "too many events: at most %d", SETUP_MAX_EVENTS);
	err = event_request_parse(value, false, &s->events[s->nr_events], e);
	if (!err)
		s->nr_events++;
	return err;
}

int max_cost_parse(const char *text, double *ret)
{
	double percent;

	if (number_parse_percent(text, &percent) || percent < MAX_COST_MIN)
		return -EINVAL;
	*ret = percent;
	return 0;
}

static int set_max_cost(struct setup *s, const char *value, struct op_error *e)
{
	if (max_cost_parse(value, &s->max_cost))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --max-cost: expected a "
				    "percentage from 0.01 to 100", value);
	return 0;
}

static int separate_word(struct setup *s, const char *word)
{
	bool all = !strcmp(word, "all");
	bool kernel = all || !strcmp(word, "kernel");
	bool lib = kernel || !strcmp(word, "lib") || !strcmp(word, "library");
	bool thread = all || !strcmp(word, "thread");
	bool cpu = all || !strcmp(word, "cpu");
	bool cgroup = !strcmp(word, "cgroup");	/* "all" is as in OProfile */

	s->separate_lib |= lib;
	s->separate_kernel |= kernel;
	s->separate_thread |= thread;
	s->separate_cpu |= cpu;
	s->separate_cgroup |= cgroup;
	return lib || thread || cpu || cgroup || !strcmp(word, "none") ? 0 : -EINVAL;
}

static int set_separate(struct setup *s, const char *value, struct op_error *e)
{
	char *copy = xstrdup(value), *rest = copy, *word;
	int err = 0;

	s->separate_lib = s->separate_kernel = s->separate_thread = s->separate_cpu = false;
	s->separate_cgroup = false;
	while (!err && (word = strsep(&rest, ","))) {
		err = separate_word(s, word);
		if (err)
			op_error_set(e, err, "invalid value '%s' for --separate: expected none, "
				     "lib, kernel, thread, cpu, cgroup or all", word);
	}
	free(copy);
	return err;
}

static int set_path(char **text, const char *option, const char *value, struct op_error *e)
{
	char *path = path_absolute(value);

	if (!path || !setup_value_ok(path)) {
		free(path);
		return op_error_set(e, -EINVAL, "invalid path '%s' for --%s: expected letters, "
				    "digits and _ : , . / - in the absolute path", value, option);
	}
	replace(text, path);
	return 0;
}

static int set_vmlinux(struct setup *s, const char *value, struct op_error *e)
{
	if (strcmp(value, "kallsyms"))
		return set_path(&s->vmlinux, "vmlinux", value, e);
	replace(&s->vmlinux, xstrdup(VMLINUX_DEFAULT));
	return 0;
}

static int set_kernel_range(struct setup *s, const char *value, struct op_error *e)
{
	const char *comma = strchr(value, ',');

	if (!comma || hex_parse(value, comma - value, &s->kernel_start) ||
	    hex_parse(comma + 1, strlen(comma + 1), &s->kernel_end) ||
	    s->kernel_start >= s->kernel_end)
		return op_error_set(e, -EINVAL,
				    "invalid range '%s' for --kernel-range: expected START,END in "
				    "hex, START below END", value);
	return 0;
}

static int set_image(struct setup *s, const char *value, struct op_error *e)
{
	const char *path = value;

	if (!strcmp(value, "all")) {
		replace(&s->image_filter, xstrdup(""));
		return 0;
	}
	for (; path; path = strchr(path, ',') ? strchr(path, ',') + 1 : NULL)
		if (*path != '/')
			return op_error_set(e, -EINVAL, "invalid value '%s' for --image: expected "
					    "all, or absolute paths separated by commas",
					    value);
	replace(&s->image_filter, xstrdup(value));
	return 0;
}

static int set_buffer(struct setup *s, enum buffer_id id, const char *value, struct op_error *e)
{
	struct op_error why = { "" };

	if (buffer_size_parse(id, value, &s->buffer_sizes[id], &why))
		return op_error_set(e, -EINVAL, "--%s: %s", buffer_kinds[id].option, why.text);
	return 0;
}

static int set_callgraph(struct setup *s, const char *value, struct op_error *e)
{
	if (number_parse_range(value, 0, SETUP_MAX_CALLGRAPH, &s->callgraph_depth))
		return op_error_set(e, -EINVAL, "invalid depth '%s' for --callgraph: expected 0 to "
				    "%d",
				    value, SETUP_MAX_CALLGRAPH);
	return 0;
}

static int set_word(bool *flag, const char *value, const char *yes, const char *no,
		    const char *option, struct op_error *e)
{
	bool is_yes = !strcmp(value, yes);

	if (!is_yes && strcmp(value, no))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --%s: expected %s or %s",
				    value, option, yes, no);
	*flag = is_yes;
	return 0;
}

static int set_unwind_memory(struct setup *s, const char *value, struct op_error *e)
{
	if (number_parse_range(value, 0, OP_UNWIND_MEMORY_MAX / 1024, &s->unwind_memory))
		return op_error_set(e, -EINVAL, "invalid size '%s' for --unwind-memory: expected 1 "
				    "to %d (MB), or 0 for the default", value,
				    OP_UNWIND_MEMORY_MAX / 1024);
	return 0;
}

/* One of the three values, which only their parser knows; the others stay as they are. */
static int set_history(struct setup *s, char **text, const char *value, struct op_error *e)
{
	struct history_config c;

	replace(text, xstrdup(value));
	return history_config_parse(s->history, s->history_quota, s->history_slice, &c, e);
}

static int set_collector(struct setup *s, const char *value, struct op_error *e)
{
	if (collector_request_parse(value, &s->collector))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --collector: expected "
				    "module, perf, bpf or auto", value);
	return 0;
}

static int set_model(struct setup *s, const char *value, struct op_error *e)
{
	const char *model = model_by_name(value);

	if (!strcmp(value, "ibs"))
		return op_error_set(e, -EINVAL, "invalid value 'ibs' for --model: any model "
				    "samples IBS beside its own events; request those of IBS, "
				    "such as --event=IBS_OP_ALL:250000");
	if (!model)
		return op_error_set(e, -EINVAL, "invalid value '%s' for --model: expected auto, "
				    "intel, amd, perf, nmi-ipi or timer", value);
	s->model = model;
	return 0;
}

static int set_one(struct setup *s, enum setting_id id, const char *value, struct op_error *e)
{
	switch (id) {
	case SET_EVENT:
		return set_event(s, value, e);
	case SET_MAX_COST:
		return set_max_cost(s, value, e);
	case SET_EXACT_COUNT:
		s->max_cost = MAX_COST_NONE;
		return 0;
	case SET_SEPARATE:
		return set_separate(s, value, e);
	case SET_VMLINUX:
		return set_vmlinux(s, value, e);
	case SET_NO_VMLINUX:
		replace(&s->vmlinux, xstrdup(VMLINUX_NONE));
		return 0;
	case SET_KERNEL_RANGE:
		return set_kernel_range(s, value, e);
	case SET_IMAGE:
		return set_image(s, value, e);
	case SET_BUFFER_SIZE:
		return set_buffer(s, BUFFER_EVENTS, value, e);
	case SET_BUFFER_WATERSHED:
		return set_buffer(s, BUFFER_WATERSHED, value, e);
	case SET_CPU_BUFFER_SIZE:
		return set_buffer(s, BUFFER_CPU, value, e);
	case SET_CALLGRAPH:
		return set_callgraph(s, value, e);
	case SET_CALL_ARCS:
		return set_word(&s->call_arcs, value ? value : "yes", "yes", "no", "call-arcs",
				e);
	case SET_UNWIND:
		return set_word(&s->frame_pointers_only, value, "fp", "tables", "unwind", e);
	case SET_UNWIND_MEMORY:
		return set_unwind_memory(s, value, e);
	case SET_HISTORY:
		value = value ? value : HISTORY_AGE;
		return set_history(s, &s->history, strcmp(value, "no") ? value : "", e);
	case SET_QUOTA:
		return set_history(s, &s->history_quota, value, e);
	case SET_SLICE:
		return set_history(s, &s->history_slice, value, e);
	case SET_IDLE:
	case SET_NO_IDLE:
		s->idle = id == SET_IDLE;
		return 0;
	case SET_WORLD_READABLE:
	case SET_NO_WORLD_READABLE:
		s->world_readable = id == SET_WORLD_READABLE;
		return 0;
	case SET_SESSION_DIR:
		return set_path(&s->session_dir, "session-dir", value, e);
	case SET_COLLECTOR:
		return set_collector(s, value, e);
	case SET_MODEL:
		return set_model(s, value, e);
	}
	return -EINVAL;
}

static bool has_path(const struct setup *s)
{
	return *s->vmlinux && strcmp(s->vmlinux, VMLINUX_NONE);
}

/*
 * A new image invalidates the saved range. This comes first, because the range may precede the
 * image on the command line.
 */
static bool reset_range(struct setup *s, const struct setting *settings, size_t nr)
{
	bool new_image = false;

	for (size_t i = 0; i < nr; i++)
		new_image |= settings[i].id == SET_VMLINUX || settings[i].id == SET_NO_VMLINUX;
	if (new_image)
		s->kernel_start = s->kernel_end = 0;
	return new_image;
}

int setup_set(struct setup *s, const struct setting *settings, size_t nr, struct op_error *e)
{
	bool default_event = false, new_image = reset_range(s, settings, nr);
	size_t nr_events = 0;

	for (size_t i = 0; i < nr; i++) {
		int err;

		if (settings[i].id == SET_EVENT) {
			default_event |= !strcmp(settings[i].value, "default");
			if (!nr_events++)
				s->nr_events = 0;
		}
		err = set_one(s, settings[i].id, settings[i].value, e);
		if (err)
			return err;
	}
	if (default_event && nr_events > 1)
		return op_error_set(e, -EINVAL,
				    "--event=default and other events cannot be combined");
	return new_image && has_path(s) ? vmlinux_check(s->vmlinux, s->kernel_end, e) : 0;
}

int setup_check(const struct setup *s, struct op_error *e)
{
	int err = buffer_sizes_check(s->buffer_sizes, s->callgraph_depth, e);

	if (err)
		return err;
	if ((s->kernel_start || s->kernel_end) && !has_path(s))
		return op_error_set(e, -EINVAL,
				    "--kernel-range needs --vmlinux=FILE");
	return 0;
}

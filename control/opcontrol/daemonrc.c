// SPDX-License-Identifier: GPL-2.0-or-later
/* daemonrc.c - read and write the saved set-up */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "control/opcontrol/daemonrc.h"
#include "events/data.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

#define MAX_FILE	(64 * 1024)
#define RATE_MAX	100000
#define SERVICE_FILE	"daemonrc"	/* beside the tables of events */
#define EVENT_KEY	"CHOSEN_EVENTS_"
#define LETTERS		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

const char *daemonrc_path(void)
{
	const char *path = getenv(DAEMONRC_ENV);

	return path && *path ? path : DAEMONRC_PATH;
}

static int parse_buffer(const char *value, enum buffer_id id, struct setup *s, struct op_error *e)
{
	return buffer_size_parse(id, value, &s->buffer_sizes[id], e);
}

static int parse_flag(const char *value, bool *ret, struct op_error *e)
{
	if (strcmp(value, "0") && strcmp(value, "1"))
		return op_error_set(e, -EINVAL, "invalid value '%s': expected 0 or 1", value);
	*ret = *value == '1';
	return 0;
}

static int parse_text(const char *value, char **text)
{
	free(*text);
	*text = xstrdup(value);
	return 0;
}

static int parse_path(const char *value, char **path, struct op_error *e)
{
	if (*value != '/')
		return op_error_set(e, -EINVAL, "invalid path '%s': expected an absolute path",
				    value);
	return parse_text(value, path);
}

static int parse_vmlinux(const char *value, char **vmlinux, struct op_error *e)
{
	if (!strcmp(value, VMLINUX_DEFAULT) || !strcmp(value, VMLINUX_NONE))
		return parse_text(value, vmlinux);
	return parse_path(value, vmlinux, e);
}

/* CHOSEN_EVENTS_0, _1, ... in order. */
static int parse_event(const char *index, const char *value, struct setup *s, struct op_error *e)
{
	uint64_t i;
	int err;

	if (number_parse_range(index, 0, SETUP_MAX_EVENTS - 1, &i) || i != s->nr_events)
		return op_error_set(e, -EINVAL, "expected " EVENT_KEY "%zu, got " EVENT_KEY "%s",
				    s->nr_events, index);
	err = event_request_parse(value, false, &s->events[i], e);
	if (!err)
		s->nr_events++;
	return err;
}

static int parse_nr_chosen(const char *value, const struct setup *s, struct op_error *e)
{
	uint64_t nr;

	if (number_parse_u64(value, &nr) || nr != s->nr_events)
		return op_error_set(e, -EINVAL, "invalid NR_CHOSEN '%s': expected %zu, the number "
				    "of events above", value, s->nr_events);
	return 0;
}

static int parse_collector(const char *value, struct setup *s, struct op_error *e)
{
	if (collector_request_parse(value, &s->collector))
		return op_error_set(e, -EINVAL, "invalid value '%s': expected auto, module, perf "
				    "or bpf", value);
	return 0;
}

static int parse_rate(const char *value, struct setup *s, struct op_error *e)
{
	if (number_parse_range(value, 0, RATE_MAX, &s->rate))
		return op_error_set(e, -EINVAL, "invalid value '%s': expected 0 to %d",
				    value, RATE_MAX);
	return 0;
}

/* The value is what the option takes. */
static int parse_setting(enum setting_id id, const char *value, struct setup *s,
			 struct op_error *e)
{
	const struct setting setting = { id, (char *)value };

	return setup_set(s, &setting, 1, e);
}

static int parse_max_cost(const char *value, struct setup *s, struct op_error *e)
{
	return parse_setting(strcmp(value, "none") ? SET_MAX_COST : SET_EXACT_COUNT, value, s, e);
}

/* CTR_EVENT[0] and the like: the only keys with brackets. */
static bool is_counter_key(const char *key)
{
	size_t len = strspn(key, LETTERS), digits;

	if (strncmp(key, "CTR_", 4))
		return false;
	if (!key[len])
		return true;
	digits = key[len] == '[' ? strspn(key + len + 1, "0123456789") : 0;
	return digits && !strcmp(key + len + 1 + digits, "]");
}

/* Keys that some version of OProfile wrote, and that have no effect here (CTL-82, 83). */
static bool is_ignored(const char *key)
{
	static const char *const keys[] = {
		"XENIMAGE", "XEN_RANGE", "S390_HW_SAMPLER_BUFSIZE", "NOTE_SIZE", "RTC_VALUE",
		"ONE_ENABLED",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return is_counter_key(key);
}

static const struct {
	const char *key;
	enum setting_id id;
} options[] = {
	{ "CALLGRAPH", SET_CALLGRAPH }, { "CALL_ARCS", SET_CALL_ARCS }, { "UNWIND", SET_UNWIND },
	{ "UNWIND_MEMORY", SET_UNWIND_MEMORY }, { "HISTORY", SET_HISTORY }, { "QUOTA", SET_QUOTA },
	{ "SLICE", SET_SLICE }, { "KERNEL_RANGE", SET_KERNEL_RANGE }, { "MODEL", SET_MODEL },
};

static const struct {
	const char *key;
	size_t offset;			/* of a bool in struct setup */
} flags[] = {
	{ "SEPARATE_LIB", offsetof(struct setup, separate_lib) },
	{ "SEPARATE_KERNEL", offsetof(struct setup, separate_kernel) },
	{ "SEPARATE_THREAD", offsetof(struct setup, separate_thread) },
	{ "SEPARATE_CPU", offsetof(struct setup, separate_cpu) },
	{ "SEPARATE_CGROUP", offsetof(struct setup, separate_cgroup) },
	{ "IDLE", offsetof(struct setup, idle) },
	{ "WORLD_READABLE", offsetof(struct setup, world_readable) },
};

static int parse_pair(const char *key, const char *value, struct setup *s, struct op_error *e)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(key, options[i].key))
			return parse_setting(options[i].id, value, s, e);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (!strcmp(key, flags[i].key))
			return parse_flag(value, (bool *)((char *)s + flags[i].offset), e);
	if (!strncmp(key, EVENT_KEY, strlen(EVENT_KEY)))
		return parse_event(key + strlen(EVENT_KEY), value, s, e);
	if (!strcmp(key, "SESSION_DIR"))
		return parse_path(value, &s->session_dir, e);
	if (!strcmp(key, "NR_CHOSEN"))
		return parse_nr_chosen(value, s, e);
	if (!strcmp(key, "RATE"))
		return parse_rate(value, s, e);
	if (!strcmp(key, "MAX_COST"))
		return parse_max_cost(value, s, e);
	if (!strcmp(key, "VMLINUX"))
		return parse_vmlinux(value, &s->vmlinux, e);
	if (!strcmp(key, "IMAGE_FILTER"))
		return parse_text(value, &s->image_filter);
	if (!strcmp(key, "BUF_SIZE"))
		return parse_buffer(value, BUFFER_EVENTS, s, e);
	if (!strcmp(key, "BUF_WATERSHED"))
		return parse_buffer(value, BUFFER_WATERSHED, s, e);
	if (!strcmp(key, "CPU_BUF_SIZE"))
		return parse_buffer(value, BUFFER_CPU, s, e);
	if (!strcmp(key, "COLLECTOR"))
		return parse_collector(value, s, e);
	if (is_ignored(key))
		return 0;
	return op_error_set(e, -EINVAL, "unknown key '%s'", key);
}

static bool key_ok(const char *key)
{
	size_t len = strspn(key, LETTERS);

	return len && (!key[len] || is_counter_key(key));
}

static int parse_line(char *line, struct setup *s, struct op_error *e)
{
	char *equals = strchr(line, '=');

	if (!equals)
		return op_error_set(e, -EINVAL, "expected KEY=VALUE");
	*equals = '\0';
	if (!key_ok(line))
		return op_error_set(e, -EINVAL,
				    "invalid key: expected letters, digits and _");
	if (!setup_value_ok(equals + 1))
		return op_error_set(e, -EINVAL,
				    "invalid value: expected letters, digits and _ : , . / -");
	return parse_pair(line, equals + 1, s, e);
}

int daemonrc_parse(const char *text, const char *path, struct setup *s, struct op_error *e)
{
	char *copy = xstrdup(text), *rest = copy, *line;
	int number = 0, err = 0;

	s->nr_events = 0;
	while (!err && rest && *rest) {
		struct op_error why = { "" };

		line = strsep(&rest, "\n");
		number++;
		err = parse_line(line, s, &why);
		if (err)
			op_error_set(e, err, "%s:%d: %s; fix the line or remove the file", path,
				     number, why.text);
	}
	free(copy);
	return err;
}

void daemonrc_format(const struct setup *s, struct strbuf *out)
{
	strbuf_addf(out, "SESSION_DIR=%s\n", s->session_dir);
	for (size_t i = 0; i < s->nr_events; i++) {
		strbuf_addf(out, EVENT_KEY "%zu=", i);
		event_request_format(&s->events[i], out);
		strbuf_add_char(out, '\n');
	}
	strbuf_addf(out, "NR_CHOSEN=%zu\n", s->nr_events);
	if (s->rate)
		strbuf_addf(out, "RATE=%" PRIu64 "\n", s->rate);
	if (s->max_cost == MAX_COST_NONE)
		strbuf_add(out, "MAX_COST=none\n");
	else if (s->max_cost != MAX_COST_DEFAULT)
		strbuf_addf(out, "MAX_COST=%g\n", s->max_cost);
	strbuf_addf(out, "SEPARATE_LIB=%d\n", s->separate_lib);
	strbuf_addf(out, "SEPARATE_KERNEL=%d\n", s->separate_kernel);
	strbuf_addf(out, "SEPARATE_THREAD=%d\n", s->separate_thread);
	strbuf_addf(out, "SEPARATE_CPU=%d\n", s->separate_cpu);
	if (s->separate_cgroup)		/* OProfile does not have this key */
		strbuf_add(out, "SEPARATE_CGROUP=1\n");
	strbuf_addf(out, "VMLINUX=%s\n", s->vmlinux);
	strbuf_addf(out, "IMAGE_FILTER=%s\n", s->image_filter);
	if (s->buffer_sizes[BUFFER_EVENTS])
		strbuf_addf(out, "BUF_SIZE=%" PRIu64 "\n", s->buffer_sizes[BUFFER_EVENTS]);
	if (s->buffer_sizes[BUFFER_WATERSHED])
		strbuf_addf(out, "BUF_WATERSHED=%" PRIu64 "\n", s->buffer_sizes[BUFFER_WATERSHED]);
	strbuf_addf(out, "CPU_BUF_SIZE=%" PRIu64 "\n", s->buffer_sizes[BUFFER_CPU]);
	strbuf_addf(out, "CALLGRAPH=%" PRIu64 "\n", s->callgraph_depth);
	if (s->call_arcs)
		strbuf_add(out, "CALL_ARCS=yes\n");
	if (s->frame_pointers_only)
		strbuf_add(out, "UNWIND=fp\n");
	if (s->unwind_memory)
		strbuf_addf(out, "UNWIND_MEMORY=%" PRIu64 "\n", s->unwind_memory);
	if (*s->history)
		strbuf_addf(out, "HISTORY=%s\n", s->history);
	if (*s->history_quota)
		strbuf_addf(out, "QUOTA=%s\n", s->history_quota);
	if (*s->history_slice)
		strbuf_addf(out, "SLICE=%s\n", s->history_slice);
	if (s->idle)
		strbuf_add(out, "IDLE=1\n");
	if (s->world_readable)
		strbuf_add(out, "WORLD_READABLE=1\n");
	if (s->kernel_start || s->kernel_end)
		strbuf_addf(out, "KERNEL_RANGE=%" PRIx64 ",%" PRIx64 "\n", s->kernel_start,
			    s->kernel_end);
	strbuf_add(out, "XENIMAGE=none\n");
	if (s->collector != COLLECTOR_AUTO)
		strbuf_addf(out, "COLLECTOR=%s\n", collector_request_name(s->collector));
	if (*s->model)
		strbuf_addf(out, "MODEL=%s\n", s->model);
}

int daemonrc_load(const char *path, struct setup *s, struct op_error *e)
{
	char *text;
	size_t len;
	int err = file_read_all(path, MAX_FILE, &text, &len);

	if (err == -ENOENT)
		return strcmp(path, DAEMONRC_PATH) ? 0 : daemonrc_load(DAEMONRC_OLD, s, e);
	if (err)
		return op_error_set(e, err, "cannot read saved set-up '%s': %s%s", path,
				    strerror(-err),
				    err == -EFBIG ? "; not written by opcontrol, remove it" : "");
	if (strlen(text) != len)
		err = op_error_set(e, -EINVAL, "%s: not a text file; remove it", path);
	else
		err = daemonrc_parse(text, path, s, e);
	free(text);
	return err;
}

int daemonrc_load_service(const char *path, struct setup *s, struct op_error *e)
{
	char *dir, *service;
	int err;

	if (file_exists(path) || (!strcmp(path, DAEMONRC_PATH) && file_exists(DAEMONRC_OLD)))
		return 0;
	dir = event_data_dir();
	service = path_join(dir, SERVICE_FILE);
	err = daemonrc_load(service, s, e);
	free(service);
	free(dir);
	return err;
}

int daemonrc_save(const char *path, const struct setup *s, struct op_error *e)
{
	struct strbuf text = STRBUF_INIT;
	int err;

	daemonrc_format(s, &text);
	err = file_make_parent_dirs(path, 0755);
	if (!err)
		err = file_write_atomic(path, text.text, text.len, 0644);
	strbuf_free(&text);
	if (err)
		op_error_set(e, err, "cannot save the set-up in '%s': %s", path, strerror(-err));
	return err;
}

static char *pending_path(const char *path)
{
	return xasprintf("%s_new", path);
}

int daemonrc_save_pending(const char *path, const struct setup *s, struct op_error *e)
{
	char *pending = pending_path(path);
	int err = daemonrc_save(pending, s, e);

	free(pending);
	return err;
}

bool daemonrc_has_pending(const char *path)
{
	char *pending = pending_path(path);
	bool has = file_exists(pending);

	free(pending);
	return has;
}

int daemonrc_adopt_pending(const char *path, struct op_error *e)
{
	char *pending = pending_path(path);
	int err = rename(pending, path) ? -errno : 0;

	free(pending);
	if (err && err != -ENOENT)
		return op_error_set(e, err, "cannot rename '%s_new' to '%s': %s", path, path,
				    strerror(-err));
	return 0;
}

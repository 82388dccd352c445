/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec.c - parse profile specifications and match sample files against them
 *
 * One table has every tag and the kind of its values, for the parser and for the error message
 * that lists the tags.
 */
#include "pp/select/spec.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/session.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

enum value_kind {
	VALUE_GLOB,
	VALUE_IMAGE,	/* a glob or the name of a file */
	VALUE_NUMBER,
};

static const struct {
	const char *name;
	enum value_kind kind;
	bool takes_all;
} tags[SPEC_NAME] = {
	[SPEC_SESSION] = { "session", VALUE_GLOB, false },
	[SPEC_SESSION_EXCLUDE] = { "session-exclude", VALUE_GLOB, false },
	[SPEC_IMAGE] = { "image", VALUE_IMAGE, true },
	[SPEC_IMAGE_EXCLUDE] = { "image-exclude", VALUE_IMAGE, false },
	[SPEC_LIB_IMAGE] = { "lib-image", VALUE_IMAGE, true },
	[SPEC_LIB_IMAGE_EXCLUDE] = { "lib-image-exclude", VALUE_IMAGE, false },
	[SPEC_EVENT] = { "event", VALUE_GLOB, true },
	[SPEC_COUNT] = { "count", VALUE_NUMBER, true },
	[SPEC_UNIT_MASK] = { "unit-mask", VALUE_NUMBER, true },
	[SPEC_TGID] = { "tgid", VALUE_NUMBER, true },
	[SPEC_TID] = { "tid", VALUE_NUMBER, true },
	[SPEC_CPU] = { "cpu", VALUE_NUMBER, true },
	[SPEC_CGROUP] = { "cgroup", VALUE_GLOB, true },
	[SPEC_COMM] = { "comm", VALUE_GLOB, true },
	[SPEC_PROCESS] = { "process", VALUE_GLOB, true },
};

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/*
 * A name with a slash, or of a file in the current folder, is a path: it is also matched as the
 * kernel names that file, absolute and without symbolic links (/bin/sh is /usr/bin/dash). Globs
 * and plain words are not resolved: NULL [PS-4].
 */
static char *resolve_image(const char *text, bool is_bare_argument)
{
	bool is_path = strchr(text, '/') || (is_bare_argument && file_exists(text));

	return is_path && !is_glob(text) ? path_absolute(text) : NULL;
}

static int add_value(struct spec_list *list, enum spec_tag tag, const char *text,
		     struct op_error *e)
{
	struct spec_item item = { NULL, NULL, 0 };

	if (tag != SPEC_NAME && tags[tag].takes_all && !strcmp(text, "all")) {
		list->all = true;
		if (tags[tag].kind != VALUE_IMAGE)
			return 0;
	}
	if (tag != SPEC_NAME && tags[tag].kind == VALUE_NUMBER) {
		int err = number_parse_u64(text, &item.number);

		if (err)
			return op_error_set(e, -EINVAL, "'%s:%s': expected a number or 'all'",
					    tags[tag].name, text);
	}
	item.text = xstrdup(text);
	if (tag == SPEC_NAME || tags[tag].kind == VALUE_IMAGE)
		item.resolved = resolve_image(text, tag == SPEC_NAME);
	xgrow(list->items, list->nr, list->room);
	list->items[list->nr++] = item;
	return 0;
}

/* Values are separated by commas; "\," is a comma [PS-3]. */
static int add_values(struct spec_list *list, enum spec_tag tag, const char *text,
		      struct op_error *e)
{
	struct strbuf value = STRBUF_INIT;
	int err = 0;

	for (;; text++) {
		if (text[0] == '\\' && text[1] == ',') {
			strbuf_add_char(&value, *++text);
		} else if (*text == ',' || !*text) {
			if (!value.len)
				err = op_error_set(e, -EINVAL, "'%s:' has an empty value",
						   tags[tag].name);
			else
				err = add_value(list, tag, value.text, e);
			if (err || !*text)
				break;
			strbuf_reset(&value);
		} else {
			strbuf_add_char(&value, *text);
		}
	}
	strbuf_free(&value);
	return err;
}

/* Length of a leading "word" that is followed by ':', or 0: then it is the name of a file. */
static size_t tag_length(const char *arg)
{
	size_t n = 0;

	while (islower((unsigned char)arg[n]) || arg[n] == '-')
		n++;
	return arg[n] == ':' ? n : 0;
}

static int unknown_tag(const char *arg, size_t len, struct op_error *e)
{
	struct strbuf known = STRBUF_INIT;

	for (size_t i = 0; i < SPEC_NAME; i++)
		strbuf_addf(&known, "%s, ", tags[i].name);
	strbuf_add(&known, "time, archive");
	op_error_set(e, -EINVAL,
		     "unknown tag '%.*s:': expected one of %s; to name a file, write './%.*s'",
		     (int)len, arg, known.text, 80, arg);
	strbuf_free(&known);
	return -EINVAL;
}

static bool is_brace(const char *arg)
{
	return !strcmp(arg, "{") || !strcmp(arg, "}") || !strcmp(arg, "{}");
}

static int set_archive(struct profile_spec *spec, const char *path, struct op_error *e)
{
	char *absolute = path_absolute(path);

	if (!absolute || !file_is_dir(absolute)) {
		free(absolute);
		return op_error_set(e, -ENOENT, "'archive:%.200s': no such folder", path);
	}
	if (spec->archive && strcmp(spec->archive, absolute)) {
		free(absolute);
		return op_error_set(e, -EINVAL, "'archive:%.200s': a profile has one archive; "
				    "compare two with '{ archive:A } { archive:B }'", path);
	}
	free(spec->archive);
	spec->archive = absolute;
	return 0;
}

static int set_time(struct profile_spec *spec, const char *text, struct op_error *e)
{
	if (spec->has_time)
		return op_error_set(e, -EINVAL, "'time:%.60s': a profile has one range of time; "
				    "compare two with '{ time:A..B } { time:C..D }'", text);
	spec->has_time = true;
	return time_range_parse(text, (int64_t)clock_ns(CLOCK_REALTIME), &spec->time, e);
}

static int add_argument(struct profile_spec *spec, const char *arg, struct op_error *e)
{
	size_t len = tag_length(arg);

	if (is_brace(arg))
		return op_error_set(e, -EINVAL, "unexpected '%s'; compare two profiles with opdiff "
				    "or opreport --symbols: '{ A } { B }'", arg);
	if (!*arg)
		return op_error_set(e, -EINVAL, "empty argument: expected TAG:LIST or the name of "
				    "an image");
	if (!len)
		return add_value(&spec->list[SPEC_NAME], SPEC_NAME, arg, e);
	if (len == strlen("archive") && !strncmp(arg, "archive", len))
		return set_archive(spec, arg + len + 1, e);
	if (len == strlen("time") && !strncmp(arg, "time", len))
		return set_time(spec, arg + len + 1, e);
	for (int tag = 0; tag < SPEC_NAME; tag++)
		if (strlen(tags[tag].name) == len && !strncmp(arg, tags[tag].name, len))
			return add_values(&spec->list[tag], tag, arg + len + 1, e);
	return unknown_tag(arg, len, e);
}

int profile_spec_parse(const char *const *args, size_t nr, struct profile_spec *ret,
		       struct op_error *e)
{
	struct profile_spec spec = { 0 };
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		err = add_argument(&spec, args[i], e);
	if (err)
		profile_spec_free(&spec);
	else
		*ret = spec;
	return err;
}

void profile_spec_free(struct profile_spec *spec)
{
	for (int tag = 0; tag < NR_SPEC_TAGS; tag++) {
		struct spec_list *list = &spec->list[tag];

		for (size_t i = 0; i < list->nr; i++) {
			free(list->items[i].text);
			free(list->items[i].resolved);
		}
		free(list->items);
		*list = (struct spec_list){ 0 };
	}
	free(spec->archive);
	spec->archive = NULL;
}

static int malformed(const char *const *args, size_t nr, struct op_error *e)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < nr && text.len < 300; i++)
		strbuf_addf(&text, " %.100s", args[i]);
	op_error_set(e, -EINVAL, "expected '{ A } { B }' with the braces as separate arguments, "
		     "got%s", text.text);
	strbuf_free(&text);
	return -EINVAL;
}

/* For each argument 0: outside braces, 1 or 2: in the first or second pair, 3: a brace. */
static int sort_by_braces(const char *const *args, size_t nr, unsigned char *where)
{
	unsigned char pair = 0;
	bool is_inside = false;

	for (size_t i = 0; i < nr; i++) {
		bool opens = *args[i] == '{' && is_brace(args[i]);
		bool closes = is_brace(args[i]) && strcmp(args[i], "{");

		where[i] = is_brace(args[i]) ? 3 : is_inside ? pair : 0;
		if ((opens && (is_inside || ++pair > 2)) || (closes && !opens && !is_inside))
			return -EINVAL;
		if (opens || closes)
			is_inside = !closes;
	}
	return is_inside ? -EINVAL : pair;
}

int profile_specs_parse(const char *const *args, size_t nr, struct profile_spec ret[2],
			size_t *ret_nr, struct op_error *e)
{
	unsigned char *where = xcalloc(nr + 1, 1);
	struct profile_spec specs[2] = { 0 };
	int pairs = sort_by_braces(args, nr, where), err = 0;

	if (pairs < 0)
		err = malformed(args, nr, e);
	for (size_t i = 0; i < nr && !err; i++) {
		if (where[i] == 0 || where[i] == 1)
			err = add_argument(&specs[0], args[i], e);
		if (!err && pairs && (where[i] == 0 || where[i] == 2))
			err = add_argument(&specs[1], args[i], e);
	}
	free(where);
	if (err) {
		profile_spec_free(&specs[0]);
		profile_spec_free(&specs[1]);
		return err;
	}
	memcpy(ret, specs, sizeof(specs));
	*ret_nr = pairs == 2 ? 2 : 1;
	return 0;
}

static bool text_matches(const char *pattern, const char *text)
{
	/* the plain comparison first: "[heap]" is a name, and a glob for one letter */
	return text && (!strcmp(pattern, text) || !fnmatch(pattern, text, 0));
}

/* In the original events and sessions are not globs: @exact. */
static bool is_text(const struct spec_item *item, const char *text, bool exact)
{
	return exact ? !strcmp(item->text, text) : text_matches(item->text, text);
}

static bool list_has_text(const struct spec_list *list, const char *text, bool exact)
{
	for (size_t i = 0; i < list->nr; i++)
		if (is_text(&list->items[i], text, exact))
			return true;
	return false;
}

static bool list_has_image(const struct spec_list *list, const struct spec_image *image)
{
	for (size_t i = 0; i < list->nr; i++) {
		const char *want = list->items[i].text, *resolved = list->items[i].resolved;

		if (resolved && !strcmp(resolved, image->name))
			return true;
		if (text_matches(want, image->name) || text_matches(want, image->found))
			return true;
		/* globs do not match base names: "b*" must not match /usr/bin/bash */
		if (image->short_name && !strcmp(want, image->short_name))
			return true;
	}
	return false;
}

static bool is_restricted(const struct spec_list *list)
{
	return list->nr && !list->all;
}

/* A file that is not separated by this field matches no list of numbers [PS-8]. */
static bool is_number_wanted(const struct spec_list *list, int64_t number)
{
	if (!is_restricted(list))
		return true;
	for (size_t i = 0; i < list->nr; i++)
		if (number != SAMPLE_ALL && list->items[i].number == (uint64_t)number)
			return true;
	return false;
}

/* The samples of a task, or if tasks are not separate, of all that execute the application. */
struct task {
	const struct sample_name *name;
	const struct spec_image *app;
	const struct session_processes *processes;
};

/* Is @p one of them? A process may have executed several programs [PS-13]. */
static bool is_of_task(const struct task *t, const struct session_process *p, bool any_app)
{
	return any_app || !strcmp(p->app, t->app->name);
}

/* Samples of the kernel, or of a library, that are not filed under the application. */
static bool has_no_app(const struct task *t, const struct session_process *p, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (is_of_task(t, &p[i], false))
			return false;
	return t->name->tgid != SAMPLE_ALL;
}

bool profile_spec_has_name(const struct spec_list *list, const char *name)
{
	return *name && (list_has_text(list, name, false) ||
			 list_has_text(list, path_base(name), false));
}

enum task_name {
	STARTED_AS,
	PROCESS_COMM,		/* of the process's first task */
	THREAD_COMM,
};

static bool is_called(const struct task *t, const struct session_process *p,
		      const struct spec_list *list, enum task_name kind)
{
	if (kind == STARTED_AS)
		return profile_spec_has_name(list, p->started_as);
	return p->tid == (kind == PROCESS_COMM ? t->name->tgid : t->name->tid) && *p->comm &&
	       list_has_text(list, p->comm, false);
}

static bool has_task_name(const struct task *t, const struct spec_list *list, enum task_name kind)
{
	const struct session_process *p;
	bool any_app;
	size_t nr;

	if (!t->processes)
		return false;
	p = session_processes_find(t->processes, t->name->tgid, &nr);
	any_app = has_no_app(t, p, nr);
	for (size_t i = 0; i < nr; i++)
		if (is_of_task(t, &p[i], any_app) && is_called(t, &p[i], list, kind))
			return true;
	return false;
}

static bool is_process_wanted(const struct task *t, const struct spec_list *list)
{
	if (!is_restricted(list))
		return true;
	for (size_t i = 0; i < list->nr; i++) {
		uint64_t tgid;

		if (t->name->tgid != SAMPLE_ALL && !number_parse_u64(list->items[i].text, &tgid) &&
		    tgid == (uint64_t)t->name->tgid)
			return true;
	}
	/* without links it is started by the name of its file */
	return has_task_name(t, list, STARTED_AS) || has_task_name(t, list, PROCESS_COMM) ||
	       (t->name->app.kind == IMAGE_FILE && profile_spec_has_name(list, t->app->name));
}

static bool is_image_wanted(const struct profile_spec *spec, const struct spec_image *app,
			    const struct spec_image *image, const struct task *task)
{
	const struct spec_list *names = &spec->list[SPEC_NAME];
	const struct spec_list *apps = &spec->list[SPEC_IMAGE];
	const struct spec_list *images = &spec->list[SPEC_LIB_IMAGE];

	if (list_has_image(names, app) || list_has_image(names, image) ||
	    (names->nr && !spec->compat && has_task_name(task, names, STARTED_AS)))
		return true;
	if (!apps->nr && !images->nr)
		return !names->nr;
	/* in the original "all" is the name of an image */
	return ((!is_restricted(apps) && !(apps->nr && spec->compat)) ||
		list_has_image(apps, app) ||
		(!spec->compat && has_task_name(task, apps, STARTED_AS))) &&
	       ((!is_restricted(images) && !(images->nr && spec->compat)) ||
		list_has_image(images, image));
}

/* "cgroup:/system.slice" selects the groups below it too. */
static bool is_cgroup_wanted(const struct spec_list *list, const char *cgroup)
{
	if (!is_restricted(list))
		return true;
	for (size_t i = 0; i < list->nr; i++) {
		const char *want = list->items[i].text;
		size_t len = strlen(want);

		if (!*cgroup)
			continue;
		if (text_matches(want, cgroup) || !strcmp(want, "/") ||
		    (!strncmp(cgroup, want, len) && cgroup[len] == '/'))
			return true;
	}
	return false;
}

bool profile_spec_matches(const struct profile_spec *spec, const struct sample_name *name,
			  const char *cgroup, const struct spec_image *app,
			  const struct spec_image *image,
			  const struct session_processes *processes)
{
	const struct task task = { name, app, processes };

	if (!is_image_wanted(spec, app, image, &task))
		return false;
	if (list_has_image(&spec->list[SPEC_IMAGE_EXCLUDE], app) ||
	    list_has_image(&spec->list[SPEC_IMAGE_EXCLUDE], image) ||
	    list_has_image(&spec->list[SPEC_LIB_IMAGE_EXCLUDE], image))
		return false;
	if (is_restricted(&spec->list[SPEC_EVENT]) &&
	    !list_has_text(&spec->list[SPEC_EVENT], name->event, spec->compat))
		return false;
	if (!is_cgroup_wanted(&spec->list[SPEC_CGROUP], cgroup))
		return false;
	if (!is_process_wanted(&task, &spec->list[SPEC_PROCESS]) ||
	    (is_restricted(&spec->list[SPEC_COMM]) &&
	     !has_task_name(&task, &spec->list[SPEC_COMM], THREAD_COMM)))
		return false;
	return is_number_wanted(&spec->list[SPEC_COUNT], (int64_t)name->count) &&
	       is_number_wanted(&spec->list[SPEC_UNIT_MASK], (int64_t)name->unit_mask) &&
	       is_number_wanted(&spec->list[SPEC_TGID], name->tgid) &&
	       is_number_wanted(&spec->list[SPEC_TID], name->tid) &&
	       is_number_wanted(&spec->list[SPEC_CPU], name->cpu);
}

bool profile_spec_is_session(const struct profile_spec *spec, const struct spec_item *item,
			     const char *name)
{
	return is_text(item, name, spec->compat);
}

bool profile_spec_wants_session(const struct profile_spec *spec, const char *name)
{
	const struct spec_list *wanted = &spec->list[SPEC_SESSION];

	if (wanted->nr ? !list_has_text(wanted, name, spec->compat)
		       : strcmp(name, SESSION_CURRENT))
		return false;
	return !list_has_text(&spec->list[SPEC_SESSION_EXCLUDE], name, spec->compat);
}

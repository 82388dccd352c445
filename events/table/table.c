// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - load the table of a CPU type, and find events in it
 */
#include "events/table/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/counter_alloc.h"
#include "events/table/build.h"
#include "events/table/unit_mask.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

struct loader {
	struct table_build build;
	const char *dir;
	const char *types[TABLE_INCLUDES_MAX]; /* already read: none may include itself */
	size_t nr_types;
};

static int load_type(struct loader *l, const char *type, const struct table_where *where,
		     struct op_error *e);

static int include_type(void *context, const char *type, const struct table_where *where,
			struct op_error *e)
{
	return load_type(context, type, where, e);
}

/* The events file's include has read the other type's unit_masks: only check the name. */
static int include_masks(void *context, const char *type, const struct table_where *where,
			 struct op_error *e)
{
	struct loader *l = context;

	for (size_t i = 0; i < l->nr_types; i++)
		if (!strcmp(l->types[i], type))
			return 0;
	return table_error(where, e, "'%.80s' is not included in the events file; include it there",
			   type);
}

static const char *keep_file_name(struct table_build *b, char *name)
{
	xgrow(b->files, b->nr_files, b->files_room);
	return b->files[b->nr_files++] = name;
}

/* Every part of @type must be a plain name, so that the path stays below the data folder. */
static bool is_type_name(const char *type)
{
	char copy[2 * EVENT_NAME_MAX_LEN + 2], *slash;

	if (strlen(type) >= sizeof(copy))
		return false;
	strcpy(copy, type);
	slash = strchr(copy, '/');
	if (slash)
		*slash++ = '\0';
	return table_name_ok(copy) && (!slash || table_name_ok(slash));
}

typedef int parse_lines(struct table_build *b, struct table_text *t, table_include *include,
			void *context, struct op_error *e);

static int parse_text(struct loader *l, char *name, char *text, size_t len, parse_lines *parse,
		      table_include *include, struct op_error *e)
{
	struct table_text t;
	int err = table_text_open(&t, keep_file_name(&l->build, name), text, len, e);

	return err ? err : parse(&l->build, &t, include, l, e);
}

/* @where: the include line, or NULL. -ENOENT only for the type itself. */
static int load_file(struct loader *l, const char *type, const char *file, parse_lines *parse,
		     table_include *include, const struct table_where *where, struct op_error *e)
{
	char *path = xasprintf("%s/%s/%s", l->dir, type, file), *text;
	size_t len;
	int err = file_read_all(path, TABLE_FILE_MAX, &text, &len);

	if (err && where)
		err = table_error(where, e, "cannot read %s: %s", path, strerror(-err));
	else if (err == -EFBIG)
		op_error_set(e, err, "%s: larger than %u bytes", path, TABLE_FILE_MAX);
	else if (err == -ENOENT)
		op_error_set(e, err,
			     "no event table for CPU type '%s' (%s); 'ophelp --list-cpu-types' "
			     "lists types that have one",
			     type, path);
	else if (err)
		op_error_set(e, err, "cannot read event table %s: %s", path, strerror(-err));
	if (err) {
		free(path);
		return err;
	}
	err = parse_text(l, path, text, len, parse, include, e);
	free(text);
	return err;
}

static int load_type(struct loader *l, const char *type, const struct table_where *where,
		     struct op_error *e)
{
	char *name;
	int err;

	if (where && !is_type_name(type))
		return table_error(where, e,
				   "invalid CPU type '%.80s': expected a name such as "
				   "i386/arch_perfmon",
				   type);
	for (size_t i = 0; i < l->nr_types && where; i++)
		if (!strcmp(l->types[i], type))
			return table_error(where, e, "%s is already included; remove this line",
					   type);
	if (l->nr_types == TABLE_INCLUDES_MAX)
		return table_error(where, e, "more than %d included tables", TABLE_INCLUDES_MAX);
	name = xstrdup(type);
	l->types[l->nr_types++] = keep_file_name(&l->build, name);
	err = load_file(l, name, "events", events_parse, include_type, where, e);
	return err ? err : load_file(l, name, "unit_masks", masks_parse, include_masks, where, e);
}

/* Takes over what @b holds. */
static struct event_table *make_table(struct table_build *b)
{
	struct event_table *t = xcalloc(1, sizeof(*t));

	t->store = xcalloc(1, sizeof(*t->store));
	*t->store = (struct event_store){
		.raw = b->events,
		.sets = b->sets,
		.files = b->files,
		.nr_raw = b->nr_events,
		.nr_sets = b->nr_sets,
		.nr_files = b->nr_files,
	};
	t->type = b->type;
	t->nr_counters = b->nr_counters;
	t->events = xcalloc(b->nr_events + 1, sizeof(*t->events));
	t->nr = b->nr_events;
	for (size_t i = 0; i < t->nr; i++)
		t->events[i] = b->events[i].event;
	hash_table_free(&b->sets_by_name);
	*b = (struct table_build){ 0 };
	return t;
}

static void free_parts(struct raw_event *events, size_t nr_events, struct raw_set **sets,
		       size_t nr_sets, char **files, size_t nr_files)
{
	for (size_t i = 0; i < nr_events; i++)
		raw_event_free(&events[i]);
	for (size_t i = 0; i < nr_sets; i++)
		raw_set_free(sets[i]);
	for (size_t i = 0; i < nr_files; i++)
		free(files[i]);
	free(events);
	free(sets);
	free(files);
}

static void table_build_free(struct table_build *b)
{
	free_parts(b->events, b->nr_events, b->sets, b->nr_sets, b->files, b->nr_files);
	hash_table_free(&b->sets_by_name);
}

struct event_table *event_table_free(struct event_table *t)
{
	if (!t)
		return NULL;
	free_parts(t->store->raw, t->store->nr_raw, t->store->sets, t->store->nr_sets,
		   t->store->files, t->store->nr_files);
	coded_events_free(t->store);
	free(t->store);
	free(t->events);
	free(t);
	return NULL;
}

static struct loader new_loader(const char *dir, const struct cpu_type *type, unsigned int nr)
{
	struct loader l = { .dir = dir, .build = { .type = type } };

	l.build.nr_counters = nr ? nr : type->nr_counters;
	return l;
}

/* Resolve what was loaded, or after an @err of loading only free it. */
static int finish(struct loader *l, int err, struct event_table **ret, struct op_error *e)
{
	if (!err)
		err = table_resolve(&l->build, e);
	if (!err)
		*ret = make_table(&l->build);
	table_build_free(&l->build);
	return err;
}

static int no_includes(void *context, const char *type, const struct table_where *where,
		       struct op_error *e)
{
	(void)context;
	table_error(where, e, "cannot include '%.80s' here", type);
	return -ENOENT;
}

/* Parse copies of both texts. */
static int parse_texts(struct loader *l, const char *name, const char *events, const char *masks,
		       struct op_error *e)
{
	char *e_text = xstrdup(events), *m_text = xstrdup(masks);
	char *e_name = xasprintf("%sevents", name), *m_name = xasprintf("%sunit_masks", name);
	int err = parse_text(l, e_name, e_text, strlen(e_text), events_parse, no_includes, e);

	if (err)
		free(m_name);
	else
		err = parse_text(l, m_name, m_text, strlen(m_text), masks_parse, no_includes, e);
	free(e_text);
	free(m_text);
	return err;
}

int event_table_load_with(const char *dir, const struct cpu_type *type, unsigned int nr_counters,
			  const char *events, const char *masks, struct event_table **ret,
			  struct op_error *e)
{
	struct loader l = new_loader(dir, type, nr_counters);
	int err = load_type(&l, type->name, NULL, e);

	if (!err)
		err = parse_texts(&l, "kernel's ", events, masks, e);
	return finish(&l, err, ret, e);
}

int event_table_load(const char *dir, const struct cpu_type *type, unsigned int nr_counters,
		     struct event_table **ret, struct op_error *e)
{
	return event_table_load_with(dir, type, nr_counters, "", "", ret, e);
}

int event_table_parse(const char *events, const char *unit_masks, const struct cpu_type *type,
		      unsigned int nr_counters, struct event_table **ret, struct op_error *e)
{
	struct loader l = new_loader(NULL, type, nr_counters);

	return finish(&l, parse_texts(&l, "", events, unit_masks, e), ret, e);
}

static const struct event *find_name(const struct event_table *t, const char *name)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->events[i].name, name))
			return &t->events[i];
	return NULL;
}

const struct event *event_table_find(const struct event_table *t, const char *name)
{
	const struct event *found = find_name(t, name);

	if (!found && !strcmp(name, CPU_CLOCK_EVENT) && t->type->clock_event)
		found = find_name(t, t->type->clock_event);
	return found;
}

static bool has_mask(const struct mask_set *set, uint32_t value)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->masks[i].value == value)
			return true;
	return false;
}

const struct event *event_table_find_code(const struct event_table *t, uint64_t code,
					  uint32_t unit_mask)
{
	/* an event that lists the mask is a better match than one that can combine it */
	for (size_t i = 0; i < t->nr; i++)
		if (t->events[i].code == code && has_mask(t->events[i].masks, unit_mask))
			return &t->events[i];
	for (size_t i = 0; i < t->nr; i++)
		if (t->events[i].code == code && event_mask_admits(t->events[i].masks, unit_mask))
			return &t->events[i];
	return NULL;
}

bool event_fits_all(const struct event_table *t, const struct event *event)
{
	uint64_t all = counters_below(t->nr_counters);

	return !event->ext && (event->counters & all) == all;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arrange.c - one class per template, and the checks that make the classes columns */
#include "arrange.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "format_text.h"
#include "strbuf.h"
#include "xalloc.h"

#define MAX_CLASSES 1000	/* more columns than anyone can read; keeps rows small */

static struct profile_template template_of(const struct sample_file *file,
					    const struct merge *merge)
{
	const struct sample_name *name = &file->name;

	return (struct profile_template){
		.event = name->event,
		.count = name->count,
		.unit_mask = merge->unit_mask ? SAMPLE_ALL : (int64_t)name->unit_mask,
		.tgid = merge->tgid ? SAMPLE_ALL : name->tgid,
		.tid = merge->tid || merge->tgid ? SAMPLE_ALL : name->tid,
		.cpu = merge->cpu ? SAMPLE_ALL : name->cpu,
		.cgroup = merge->cgroup ? "" : file->cgroup,
	};
}

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_templates(const struct profile_template *a, const struct profile_template *b)
{
	int order = strcmp(a->event, b->event);

	if (!order)
		order = a->count < b->count ? -1 : a->count > b->count;
	if (!order)
		order = compare_numbers(a->unit_mask, b->unit_mask);
	if (!order)
		order = compare_numbers(a->tgid, b->tgid);
	if (!order)
		order = compare_numbers(a->tid, b->tid);
	if (!order)
		order = compare_numbers(a->cpu, b->cpu);
	return order ? order : strcmp(a->cgroup, b->cgroup);
}

struct keyed_file {
	struct profile_template template;
	const struct sample_file *file;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed_file *x = a, *y = b;
	int order = compare_templates(&x->template, &y->template);

	return order ? order : x->file < y->file ? -1 : x->file > y->file;
}

/* Which axes two classes differ along, as bits. */
static unsigned int differing_axes(const struct profile_template *a,
				   const struct profile_template *b)
{
	unsigned int axes = 0;

	if (strcmp(a->event, b->event) || a->count != b->count || a->unit_mask != b->unit_mask)
		axes |= 1u << AXIS_EVENT;
	if (a->tgid != b->tgid)
		axes |= 1u << AXIS_TGID;
	/* processes of one thread: the thread says nothing new */
	if (a->tid != b->tid && !(a->tgid == a->tid && b->tgid == b->tid))
		axes |= 1u << AXIS_TID;
	if (a->cpu != b->cpu)
		axes |= 1u << AXIS_CPU;
	if (strcmp(a->cgroup, b->cgroup))
		axes |= 1u << AXIS_CGROUP;
	return axes;
}

static void add_number(struct strbuf *s, int64_t n)
{
	if (n == SAMPLE_ALL)
		strbuf_add(s, "all");
	else
		strbuf_addf(s, "%" PRId64, n);
}

static void add_value(struct strbuf *s, enum axis axis, const struct profile_template *t)
{
	if (axis == AXIS_EVENT)
		strbuf_addf(s, "%s:%" PRIu64 ":0x%02" PRIx64, t->event, t->count,
			    t->unit_mask == SAMPLE_ALL ? 0 : t->unit_mask);
	else if (axis == AXIS_CGROUP)
		strbuf_add(s, *t->cgroup ? t->cgroup : "all");
	else
		add_number(s, axis == AXIS_TGID ? t->tgid : axis == AXIS_TID ? t->tid : t->cpu);
}

static const struct {
	const char *name, *remedy;
} axis_words[NR_AXES] = {
	[AXIS_EVENT] = { "event", "event:NAME (or --merge=unitmask)" },
	[AXIS_TGID] = { "process", "tgid:N or --merge=tgid" },
	[AXIS_TID] = { "thread", "tid:N or --merge=tid" },
	[AXIS_CPU] = { "CPU", "cpu:N or --merge=cpu" },
	[AXIS_CGROUP] = { "control group", "cgroup:PATH or --merge=cgroup" },
};

/* Events are never added up: the first axis stays, the others go [AR-2]. */
static void merge_other_axes(struct merge *merge, unsigned int axes, struct notices *notices)
{
	unsigned int first = axes & -axes;
	struct strbuf gone = STRBUF_INIT;
	enum axis kept = AXIS_EVENT;

	while (!(first & (1u << kept)))
		kept++;
	for (int axis = kept + 1; axis < NR_AXES; axis++)
		if (axes & (1u << axis))
			strbuf_addf(&gone, "%s%s", gone.len ? " and " : "", axis_words[axis].name);
	notice_add(notices, "columns can differ in one way only: they are by %s, those that differ "
		   "in %s are added up (--strict: an error instead)", axis_words[kept].name,
		   gone.text);
	merge->tgid |= !!(axes & ~first & (1u << AXIS_TGID));
	merge->tid |= !!(axes & ~first & (1u << AXIS_TID));
	merge->cpu |= !!(axes & ~first & (1u << AXIS_CPU));
	merge->cgroup |= !!(axes & ~first & (1u << AXIS_CGROUP));
	strbuf_free(&gone);
}

/* "these differ in event (A, B) and CPU (0, 1): ..." with up to five values each. */
static int too_many_axes(const struct arrangement *a, unsigned int axes, struct op_error *e)
{
	struct strbuf text = STRBUF_INIT, remedies = STRBUF_INIT;

	for (int axis = AXIS_EVENT; axis < NR_AXES; axis++) {
		struct strbuf last = STRBUF_INIT;
		size_t nr = 0;

		if (!(axes & (1u << axis)))
			continue;
		strbuf_addf(&text, "%s%s (", text.len ? " and " : "", axis_words[axis].name);
		strbuf_addf(&remedies, "%s%s", remedies.len ? ", or " : "",
			    axis_words[axis].remedy);
		for (size_t i = 0; i < a->nr_classes && nr <= 5; i++) {
			struct strbuf value = STRBUF_INIT;

			add_value(&value, axis, &a->classes[i].template);
			if (!nr || strcmp(value.text, last.text)) {
				strbuf_addf(&text, "%s%s", nr ? ", " : "",
					    nr == 5 ? "..." : value.text);
				nr++;
			}
			strbuf_free(&last);
			last = value;
		}
		strbuf_free(&last);
		strbuf_add(&text, ")");
	}
	op_error_set(e, -EINVAL,
		     "columns can differ in one way only, these differ in %s: choose %s", text.text,
		     remedies.text);
	strbuf_free(&text);
	strbuf_free(&remedies);
	return -EINVAL;
}

static enum axis only_axis(unsigned int axes)
{
	for (int axis = AXIS_EVENT; axis < NR_AXES; axis++)
		if (axes & (1u << axis))
			return axis;
	return AXIS_NONE;
}

/* "tgid:12"; files that are not kept apart are a column, too. */
static char *number_title(const char *tag, int64_t n)
{
	return n == SAMPLE_ALL ? xasprintf("%s:all", tag) : xasprintf("%s:%" PRId64, tag, n);
}

static char *class_title(enum axis axis, const struct profile_template *t)
{
	switch (axis) {
	case AXIS_TGID:
		return number_title("tgid", t->tgid);
	case AXIS_TID:
		return number_title("tid", t->tid);
	case AXIS_CPU:
		return number_title("cpu", t->cpu);
	case AXIS_CGROUP:
		/* its end tells more in a narrow column; the header has the whole */
		return xasprintf("cgroup:%s", *t->cgroup ? path_base(t->cgroup) : "all");
	default:
		return xasprintf("%s:%" PRIu64, t->event, t->count);
	}
}

/* One readable header per class is enough: for the report's first lines [AR-4]. */
static int read_header(struct profile_class *class, const struct sample_file *file,
		       struct op_error *e)
{
	struct op_error why = { "" };
	size_t size;
	int err = sample_header_read(file->path, &class->header, &size, &why);

	class->has_header = !err;
	if (err)
		return op_error_set(e, err, "cannot read a sample file: %s",
				    *why.text ? why.text : strerror(-err));
	return 0;
}

static int compare_pointers(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)*(void *const *)a, y = (uintptr_t)*(void *const *)b;

	return x < y ? -1 : x > y;
}

static size_t count_apps(const struct arrangement *a)
{
	const struct image **apps = xcalloc(a->nr_files + 1, sizeof(*apps));
	size_t nr = 0;

	for (size_t i = 0; i < a->nr_files; i++)
		apps[i] = a->files[i].app;
	qsort(apps, a->nr_files, sizeof(*apps), compare_pointers);
	for (size_t i = 0; i < a->nr_files; i++)
		nr += !i || apps[i] != apps[i - 1];
	free(apps);
	return nr;
}

/* Its files were made a moment ago and hold nothing yet. */
static void drop_last_class(struct arrangement *a)
{
	a->nr_classes--;
	while (a->nr_files && a->files[a->nr_files - 1].class == a->nr_classes)
		a->nr_files--;
}

static int add_classes(struct arrangement *a, const struct keyed_file *keyed, size_t nr,
		       bool merge_lib, struct op_error *e)
{
	struct profile_class *class = NULL;
	size_t room = 0;
	int err = 0;

	a->files = xcalloc(nr, sizeof(*a->files));
	for (size_t i = 0; i < nr; i++) {
		if (!i || compare_templates(&keyed[i].template, &keyed[i - 1].template)) {
			if (a->nr_classes == MAX_CLASSES)
				return op_error_set(e, -EINVAL, "more than %d columns: choose some "
						    "(event:, cpu:, tgid:, tid:, cgroup:) or use --merge",
						    MAX_CLASSES);
			if (err && err != -ENODATA)
				return err;	/* no file of the last class could be read */
			if (err)
				drop_last_class(a);
			xgrow(a->classes, a->nr_classes, room);
			class = &a->classes[a->nr_classes++];
			*class = (struct profile_class){ .template = keyed[i].template };
		}
		if (!class->has_header)
			err = read_header(class, keyed[i].file, e);
		a->files[a->nr_files++] = (struct arranged_file){
			.file = keyed[i].file,
			.app = merge_lib ? keyed[i].file->image : keyed[i].file->app,
			.image = keyed[i].file->image,
			.class = a->nr_classes - 1,
		};
	}
	if (err == -ENODATA) {
		drop_last_class(a);
		err = 0;
	}
	return err;
}

/* Arcs belong to the class of their template; without flat samples there is none. */
static void add_arcs(struct arrangement *a, const struct file_list *list,
		     const struct arrange_options *options)
{
	a->arcs = xcalloc(list->nr_arcs + 1, sizeof(*a->arcs));
	for (size_t i = 0; i < list->nr_arcs; i++) {
		const struct sample_file *file = &list->arcs[i];
		struct profile_template template = template_of(file, &options->merge);

		if (options->exclude_dependent && !options->merge.lib && file->app != file->image)
			continue;
		for (size_t c = 0; c < a->nr_classes; c++) {
			if (compare_templates(&template, &a->classes[c].template))
				continue;
			a->arcs[a->nr_arcs++] = (struct arranged_file){
				.file = file,
				.app = options->merge.lib ? file->image : file->app,
				.image = file->image,
				.class = c,
			};
			break;
		}
	}
}

/* The flat files with their templates, sorted; returns how many. */
static size_t key_files(const struct file_list *list, const struct arrange_options *options,
			struct keyed_file *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++) {
		const struct sample_file *file = &list->files[i];

		if (options->exclude_dependent && !options->merge.lib && file->app != file->image)
			continue;
		ret[nr].template = template_of(file, &options->merge);
		ret[nr++].file = file;
	}
	qsort(ret, nr, sizeof(*ret), compare_keyed);
	return nr;
}

static unsigned int axes_of(const struct keyed_file *keyed, size_t nr)
{
	unsigned int axes = 0;

	for (size_t i = 1; i < nr; i++)
		axes |= differing_axes(&keyed[0].template, &keyed[i].template);
	return axes;
}

int arrange_files(const struct file_list *list, const struct arrange_options *options,
		  struct arrangement *ret, struct notices *notices, struct op_error *e)
{
	struct keyed_file *keyed = xcalloc(list->nr + 1, sizeof(*keyed));
	struct arrange_options how = *options;
	struct arrangement a = { 0 };
	size_t nr = key_files(list, &how, keyed);
	unsigned int axes = axes_of(keyed, nr);
	int err;

	while (axes & (axes - 1) && !how.strict) {
		merge_other_axes(&how.merge, axes, notices);
		nr = key_files(list, &how, keyed);
		axes = axes_of(keyed, nr);
	}
	err = add_classes(&a, keyed, nr, how.merge.lib, e);
	free(keyed);
	if (!err && axes & (axes - 1))
		err = too_many_axes(&a, axes, e);
	if (err) {
		arrangement_free(&a);
		return err;
	}
	a.axis = only_axis(axes);
	for (size_t i = 0; i < a.nr_classes; i++)
		a.classes[i].title = class_title(a.axis, &a.classes[i].template);
	a.nr_apps = count_apps(&a);
	add_arcs(&a, list, &how);
	a.merge_lib = how.merge.lib;
	*ret = a;
	return 0;
}

void arrangement_free(struct arrangement *a)
{
	for (size_t i = 0; i < a->nr_classes; i++)
		free(a->classes[i].title);
	free(a->classes);
	free(a->files);
	free(a->arcs);
	*a = (struct arrangement){ 0 };
}

void arrangement_print(const struct arrangement *a, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < a->nr_classes; i++) {
		strbuf_addf(&line, "class %zu: %s", i, a->classes[i].title);
		format_line(&line, out);
	}
	for (size_t i = 0; i < a->nr_files; i++) {
		strbuf_addf(&line, "profile: class %zu, %s in %s, %s", a->files[i].class,
			    a->files[i].image->name, a->files[i].app->name,
			    a->files[i].file->path);
		format_line(&line, out);
	}
	for (size_t i = 0; i < a->nr_arcs; i++) {
		strbuf_addf(&line, "calls: class %zu, %s", a->arcs[i].class,
			    a->arcs[i].file->path);
		format_line(&line, out);
	}
	strbuf_free(&line);
}

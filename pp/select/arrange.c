/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arrange.c - make a class for each template, limit the ways in which classes differ */
#include "pp/select/arrange.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/print_line.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/select/axes.h"

#define MAX_CLASSES 1000	/* more columns are not readable; keeps rows small */

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

static int compare_all_last(int64_t a, int64_t b)
{
	return a == b ? 0 : a == SAMPLE_ALL ? 1 : b == SAMPLE_ALL ? -1 : compare_numbers(a, b);
}

/* The original compares counts as text. */
static int compare_as_text(uint64_t a, uint64_t b)
{
	char x[24], y[24];

	snprintf(x, sizeof(x), "%" PRIu64, a);
	snprintf(y, sizeof(y), "%" PRIu64, b);
	return strcmp(x, y);
}

/* The original's order of columns; in XML CPUs come last, so that each thread's are together. */
static int compare_as_original(const struct profile_template *a, const struct profile_template *b,
			       bool xml)
{
	int cpu = compare_all_last(a->cpu, b->cpu), order = xml ? 0 : cpu;

	if (!order)
		order = compare_all_last(a->tgid, b->tgid);
	if (!order)
		order = compare_all_last(a->tid, b->tid);
	if (!order)
		order = compare_all_last(a->unit_mask, b->unit_mask);
	if (!order)
		order = strcmp(a->event, b->event);
	if (!order)
		order = compare_as_text(a->count, b->count);
	if (!order)
		order = cpu;
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

static int compare_keyed_text(const void *a, const void *b)
{
	const struct keyed_file *x = a, *y = b;
	int order = compare_as_original(&x->template, &y->template, false);

	return order ? order : x->file < y->file ? -1 : x->file > y->file;
}

static int compare_keyed_xml(const void *a, const void *b)
{
	const struct keyed_file *x = a, *y = b;
	int order = compare_as_original(&x->template, &y->template, true);

	return order ? order : x->file < y->file ? -1 : x->file > y->file;
}

/* One readable header per class is enough, for the first lines of the report [AR-4]. */
static int read_header(struct profile_class *class, const struct sample_file *file, bool compat,
		       struct op_error *e)
{
	struct op_error why = { "" };
	int err = compat && !file->derived
			 ? sample_header_read_any(file->path, &class->header, &why)
			 : sample_file_read_header(file, &class->header, &why);

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
	const struct report_image **apps = xcalloc(a->nr_files + 1, sizeof(*apps));
	size_t nr = 0;

	for (size_t i = 0; i < a->nr_files; i++)
		apps[i] = a->files[i].app;
	qsort(apps, a->nr_files, sizeof(*apps), compare_pointers);
	for (size_t i = 0; i < a->nr_files; i++)
		nr += !i || apps[i] != apps[i - 1];
	free(apps);
	return nr;
}

/* Its files were just created and are still empty. */
static void drop_last_class(struct arrangement *a)
{
	a->nr_classes--;
	while (a->nr_files && a->files[a->nr_files - 1].class == a->nr_classes)
		a->nr_files--;
}

static int add_classes(struct arrangement *a, const struct keyed_file *keyed, size_t nr,
		       const struct arrange_options *how, struct op_error *e)
{
	struct profile_class *class = NULL;
	size_t room = 0;
	int err = 0;

	a->files = xcalloc(nr, sizeof(*a->files));
	for (size_t i = 0; i < nr; i++) {
		if (!i || compare_templates(&keyed[i].template, &keyed[i - 1].template)) {
			if (a->nr_classes == MAX_CLASSES)
				return op_error_set(e, -EINVAL, "more than %d columns; select some "
						    "with event:, cpu:, tgid:, tid: or cgroup:, or "
						    "use --merge", MAX_CLASSES);
			if (err && err != -ENODATA)
				return err;	/* no file of the last class could be read */
			if (err)
				drop_last_class(a);
			xgrow(a->classes, a->nr_classes, room);
			class = &a->classes[a->nr_classes++];
			*class = (struct profile_class){ .template = keyed[i].template };
		}
		if (!class->has_header)
			err = read_header(class, keyed[i].file, how->compat, e);
		if (class->has_header && keyed[i].template.unit_mask == SAMPLE_ALL)	/* merged */
			class->header.unit_mask |= (uint32_t)keyed[i].file->name.unit_mask;
		a->files[a->nr_files++] = (struct arranged_file){
			.file = keyed[i].file,
			.app = how->merge.lib ? keyed[i].file->image : keyed[i].file->app,
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

size_t arrangement_class(const struct arrangement *a, const struct sample_file *file)
{
	struct profile_template template = template_of(file, &a->merge);
	size_t c = 0;

	while (c < a->nr_classes && compare_templates(&template, &a->classes[c].template))
		c++;
	return c;
}

/* Arcs belong to the class with their template, which exists if it has flat samples. */
static void add_arcs(struct arrangement *a, const struct file_list *list, bool exclude_dependent)
{
	a->arcs = xcalloc(list->nr_arcs + 1, sizeof(*a->arcs));
	for (size_t i = 0; i < list->nr_arcs; i++) {
		const struct sample_file *file = &list->arcs[i];
		size_t class = arrangement_class(a, file);

		if (class == a->nr_classes ||
		    (exclude_dependent && !a->merge.lib && file->app != file->image))
			continue;
		a->arcs[a->nr_arcs++] = (struct arranged_file){
			.file = file,
			.app = a->merge.lib ? file->image : file->app,
			.image = file->image,
			.class = class,
		};
	}
}

/* Fill in @ret with the flat files and their templates, sorted. Returns how many. */
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
	qsort(ret, nr, sizeof(*ret), options->any_axes ? compare_keyed_xml
				   : options->compat   ? compare_keyed_text : compare_keyed);
	return nr;
}

static unsigned int axes_of(const struct keyed_file *keyed, size_t nr)
{
	unsigned int axes = 0;

	for (size_t i = 1; i < nr; i++)
		axes |= axes_differing(&keyed[0].template, &keyed[i].template);
	return axes;
}

/* Processes of one thread each: the original's columns are called after the threads. */
static bool are_threads(const struct arrangement *a)
{
	for (size_t i = 1; i < a->nr_classes; i++)
		if (a->classes[i].template.tid != a->classes[0].template.tid)
			return true;
	return false;
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

	while (axes & (axes - 1) && !how.strict && !how.any_axes) {
		axes_merge_others(&how.merge, axes, notices);
		nr = key_files(list, &how, keyed);
		axes = axes_of(keyed, nr);
	}
	err = add_classes(&a, keyed, nr, &how, e);
	free(keyed);
	if (!err && axes & (axes - 1) && !how.any_axes)
		err = axes_too_many(&a, axes, e);
	if (err) {
		arrangement_free(&a);
		return err;
	}
	a.axis = axes_only(axes);
	if (how.compat && a.axis == AXIS_TGID && are_threads(&a))
		a.axis = AXIS_TID;
	for (size_t i = 0; i < a.nr_classes; i++)
		a.classes[i].title = axis_title(a.axis, &a.classes[i].template);
	a.nr_apps = count_apps(&a);
	a.merge = how.merge;
	add_arcs(&a, list, how.exclude_dependent);
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
		print_line(&line, out);
	}
	for (size_t i = 0; i < a->nr_files; i++) {
		strbuf_addf(&line, "profile: class %zu, %s in %s, %s", a->files[i].class,
			    a->files[i].image->name, a->files[i].app->name,
			    a->files[i].file->path);
		print_line(&line, out);
	}
	for (size_t i = 0; i < a->nr_arcs; i++) {
		strbuf_addf(&line, "calls: class %zu, %s", a->arcs[i].class,
			    a->arcs[i].file->path);
		print_line(&line, out);
	}
	strbuf_free(&line);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* axes.c - the ways in which classes differ: find, limit and name them */
#include "pp/select/axes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

unsigned int axes_differing(const struct profile_template *a, const struct profile_template *b)
{
	unsigned int axes = 0;

	if (strcmp(a->event, b->event) || a->count != b->count || a->unit_mask != b->unit_mask)
		axes |= 1u << AXIS_EVENT;
	if (a->tgid != b->tgid)
		axes |= 1u << AXIS_TGID;
	/* processes of one thread: the thread adds nothing */
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

void axes_merge_others(struct merge *merge, unsigned int axes, struct notices *notices)
{
	unsigned int first = axes & -axes;
	struct strbuf gone = STRBUF_INIT;
	enum axis kept = AXIS_EVENT;

	while (!(first & (1u << kept)))
		kept++;
	for (int axis = kept + 1; axis < NR_AXES; axis++)
		if (axes & (1u << axis))
			strbuf_addf(&gone, "%s%s", gone.len ? " and " : "", axis_words[axis].name);
	notice_add(notices, "columns can differ in one way only: separated by %s, added up over "
		   "%s; to change that, choose %s", axis_words[kept].name, gone.text,
		   axis_words[kept].remedy);
	merge->tgid |= !!(axes & ~first & (1u << AXIS_TGID));
	merge->tid |= !!(axes & ~first & (1u << AXIS_TID));
	merge->cpu |= !!(axes & ~first & (1u << AXIS_CPU));
	merge->cgroup |= !!(axes & ~first & (1u << AXIS_CGROUP));
	strbuf_free(&gone);
}

int axes_too_many(const struct arrangement *a, unsigned int axes, struct op_error *e)
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
		     "columns can differ in one way only, these differ in %s; choose %s", text.text,
		     remedies.text);
	strbuf_free(&text);
	strbuf_free(&remedies);
	return -EINVAL;
}

enum axis axes_only(unsigned int axes)
{
	for (int axis = AXIS_EVENT; axis < NR_AXES; axis++)
		if (axes & (1u << axis))
			return axis;
	return AXIS_NONE;
}

/* "tgid:12"; files that are not separated by it are a column too. */
static char *number_title(const char *tag, int64_t n)
{
	return n == SAMPLE_ALL ? xasprintf("%s:all", tag) : xasprintf("%s:%" PRId64, tag, n);
}

char *axis_title(enum axis axis, const struct profile_template *t)
{
	switch (axis) {
	case AXIS_TGID:
		return number_title("tgid", t->tgid);
	case AXIS_TID:
		return number_title("tid", t->tid);
	case AXIS_CPU:
		return number_title("cpu", t->cpu);
	case AXIS_CGROUP:
		/* in a narrow column the end is more useful; the header has the whole path */
		return xasprintf("cgroup:%s", *t->cgroup ? path_base(t->cgroup) : "all");
	default:
		return xasprintf("%s:%" PRIu64, t->event, t->count);
	}
}

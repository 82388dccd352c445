// SPDX-License-Identifier: GPL-2.0-or-later
/* series.c - sort samples by what they were taken for, and bound how many series there are */
#include "fleet/push/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/push/place.h"
#include "formats/profile/saturate.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/strbuf.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

/* What differs between samples of a slice. */
struct found {
	char *key;			/* of all labels, to compare */
	struct push_labels labels;
	int64_t samples;
	uint32_t kept;			/* index in the result */
};

struct cgroup {
	const char *path;		/* of the profile */
	struct push_place place;
};

struct finder {
	const struct push_rules *rules;
	struct push_node node;
	struct cgroup *cgroups;
	size_t nr_cgroups, cgroups_room;
	struct hash_table by_path;
	const struct profile *p;
	struct found *all;
	size_t nr, room;
	struct hash_table by_key;
};

/* --- labels --- */

/* One that was found: by the rules it may get another name, or none. The first of a name stays. */
static void add(const struct push_rules *rules, struct push_labels *l, const char *name,
		const char *value)
{
	const char *renamed = push_labels_find(&rules->renamed, name);

	if (!*value || push_labels_find(&rules->dropped, name))
		return;
	name = renamed ? renamed : name;
	if (!push_labels_find(l, name) && !push_labels_find(&rules->own, name))
		push_labels_add(l, name, value);
}

static int compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct push_label *)a)->name, ((const struct push_label *)b)->name);
}

static const char *label_text(const struct profile *p, uint32_t set, const char *key)
{
	const struct profile_labels *s = &p->label_sets[set];

	for (uint32_t i = 0; i < s->nr; i++) {
		const struct profile_label *label = &p->labels[s->first + i];

		if (label->text && !strcmp(profile_text(p, label->key), key))
			return profile_text(p, label->text);
	}
	return "";
}

/* A container or pod has only an ID here, so its task's name says more. */
static void add_service(const struct finder *f, uint32_t set, const struct push_place *place,
			struct push_labels *l)
{
	const struct profile *p = f->p;
	const char *comm = label_text(p, set, "comm");
	const char *app = label_text(p, set, "app"), *dot = strrchr(place->unit, '.');
	char *unit;

	if (!*app && p->main_image != PROFILE_NONE)
		app = profile_text(p, p->images[p->main_image].path);
	if (dot && !*place->container && !*place->pod) {
		unit = xasprintf("%.*s", (int)(dot - place->unit), place->unit);
		add(f->rules, l, LABEL_SERVICE, unit);
		free(unit);
	} else {
		add(f->rules, l, LABEL_SERVICE, *comm ? comm : path_base(app));
	}
}

static bool is_path(const void *finder, uint32_t id, const void *path)
{
	return !strcmp(((const struct finder *)finder)->cgroups[id].path, path);
}

/* Each is looked up once: many tasks have the same. Valid until the next one is. */
static const struct push_place *find_place(struct finder *f, const char *path)
{
	uint32_t id = hash_table_intern(&f->by_path, hash_foreign(path, strlen(path)), is_path, f,
					path);
	struct cgroup *found;

	if (id == f->nr_cgroups) {
		xgrow(f->cgroups, f->nr_cgroups, f->cgroups_room);
		found = &f->cgroups[f->nr_cgroups++];
		found->path = path;
		push_place_find(path, &found->place);
		push_place_look_up(&f->node, &found->place);
	}
	return &f->cgroups[id].place;
}

/* --- series --- */

static bool has_key(const void *finder, uint32_t id, const void *key)
{
	return !strcmp(((const struct finder *)finder)->all[id].key, key);
}

static uint32_t find(struct finder *f, uint32_t set)
{
	struct push_labels l = { NULL, 0, 0 };
	struct strbuf key = STRBUF_INIT;
	const struct push_place *place = find_place(f, label_text(f->p, set, "cgroup"));
	uint32_t id;

	add_service(f, set, place, &l);
	add(f->rules, &l, LABEL_UNIT, place->unit);
	add(f->rules, &l, LABEL_CONTAINER, place->container);
	add(f->rules, &l, LABEL_POD, place->pod);
	add(f->rules, &l, LABEL_POD_NAME, place->pod_name);
	add(f->rules, &l, LABEL_NAMESPACE, place->pod_namespace);
	add(f->rules, &l, LABEL_VERSION, place->version);
	add(f->rules, &l, LABEL_IMAGE, place->image);
	for (size_t i = 0; i < l.nr; i++)	/* values have no control characters */
		strbuf_addf(&key, "%s=%s\n", l.list[i].name, l.list[i].value);
	id = hash_table_intern(&f->by_key, hash_foreign(key.text, key.len), has_key, f, key.text);
	if (id < f->nr) {
		push_labels_free(&l);
		strbuf_free(&key);
		return id;
	}
	xgrow(f->all, f->nr, f->room);
	f->all[f->nr++] = (struct found){ .key = strbuf_steal(&key), .labels = l };
	return id;
}

static int compare_found(const void *a, const void *b)
{
	const struct found *x = *(struct found *const *)a, *y = *(struct found *const *)b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return strcmp(x->key, y->key);
}

/* Move what was found for @f to the result, with the labels that all have. */
static void keep(const struct finder *finder, struct found *f, const struct push_labels *host,
		 struct push_series *ret)
{
	struct push_labels *l = &ret->list[ret->nr];

	f->kept = ret->nr++;
	*l = f->labels;
	f->labels = (struct push_labels){ NULL, 0, 0 };
	for (size_t i = 0; i < host->nr; i++)
		if (!push_labels_find(l, host->list[i].name))
			push_labels_add(l, host->list[i].name, host->list[i].value);
	for (size_t i = 0; i < finder->rules->own.nr; i++)
		push_labels_add(l, finder->rules->own.list[i].name,
				finder->rules->own.list[i].value);
	qsort(l->list, l->nr, sizeof(*l->list), compare_labels);
}

/* Those with most samples; the others become one. */
static void keep_most(struct finder *f, const struct push_labels *host, struct push_series *ret)
{
	struct found **sorted = xcalloc(f->nr + 1, sizeof(*sorted));
	struct found other = { .samples = 0 };
	size_t max = f->rules->max_series;
	bool has_other = false;

	for (size_t i = 0; i < f->nr; i++)
		sorted[i] = &f->all[i];
	qsort(sorted, f->nr, sizeof(*sorted), compare_found);
	ret->list = xcalloc(f->nr + 1, sizeof(*ret->list));
	for (size_t i = 0; i < f->nr; i++) {
		if (f->nr <= max || i + 1 < max) {
			keep(f, sorted[i], host, ret);
			continue;
		}
		if (!has_other) {
			add(f->rules, &other.labels, LABEL_SERVICE, SERVICE_OTHER);
			keep(f, &other, host, ret);
			has_other = true;
		}
		sorted[i]->kept = other.kept;
	}
	free(sorted);
}

static void add_host(const struct push_rules *rules, const struct session_info *info,
		     uint64_t begin_ns, struct push_labels *l)
{
	uint64_t up_ns = clock_ns(CLOCK_BOOTTIME), now = clock_ns(CLOCK_REALTIME);
	char line[256], id[PUSH_DIGEST];

	add(rules, l, LABEL_HOST, info->host);
	add(rules, l, LABEL_KERNEL, info->kernel);
	if (!file_read_line("/etc/machine-id", line, sizeof(line)) && *line) {
		push_digest("oppush", line, id);
		add(rules, l, LABEL_INSTANCE, id);
	}
	/* of this boot only, and only if the samples are, too */
	if (begin_ns > now - up_ns &&
	    !file_read_line("/proc/sys/kernel/random/boot_id", line, sizeof(line)))
		add(rules, l, LABEL_BOOT, line);
}

void push_series_make(const struct push_rules *rules, const struct profile *p,
		      const struct session_info *info, uint64_t begin_ns,
		      struct push_series *ret)
{
	struct finder f = { .rules = rules, .node = { .root = rules->root }, .p = p };
	uint32_t *of_set = xmalloc((p->nr_label_sets + 1) * sizeof(*of_set));
	struct push_labels host = { NULL, 0, 0 };

	*ret = (struct push_series){ .nr = 0 };
	ret->of = xcalloc(p->nr_samples + 1, sizeof(*ret->of));
	memset(of_set, 0xff, (p->nr_label_sets + 1) * sizeof(*of_set));
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t set = p->samples[i].labels;
		struct found *found;

		if (of_set[set] == UINT32_MAX)
			of_set[set] = find(&f, set);
		found = &f.all[of_set[set]];
		for (uint32_t k = 0; k < p->nr_events; k++)
			found->samples = add_saturated(found->samples, profile_values(p, i)[k]);
	}
	add_host(rules, info, begin_ns, &host);
	keep_most(&f, &host, ret);
	for (uint32_t i = 0; i < p->nr_samples; i++)
		ret->of[i] = f.all[of_set[p->samples[i].labels]].kept;
	for (size_t i = 0; i < f.nr; i++) {
		push_labels_free(&f.all[i].labels);
		free(f.all[i].key);
	}
	push_labels_free(&host);
	hash_table_free(&f.by_key);
	hash_table_free(&f.by_path);
	push_node_free(&f.node);
	free(f.cgroups);
	free(f.all);
	free(of_set);
}

void push_series_free(struct push_series *s)
{
	for (uint32_t i = 0; i < s->nr; i++)
		push_labels_free(&s->list[i]);
	free(s->list);
	free(s->of);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* threads.c - sort samples by their labels pid, tid and comm */
#include "formats/firefox/threads.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

static struct firefox_thread thread_of(const struct profile *p, uint32_t set)
{
	struct firefox_thread thread = { 0 };

	for (uint32_t i = 0; i < p->label_sets[set].nr; i++) {
		const struct profile_label *l = &p->labels[p->label_sets[set].first + i];
		const char *key = profile_text(p, l->key);

		if (!strcmp(key, "comm")) {
			thread.comm = l->text;
		} else if (!strcmp(key, "pid") && !l->text) {
			thread.has_pid = true;
			thread.pid = l->number;
		} else if (!strcmp(key, "tid") && !l->text) {
			thread.has_tid = true;
			thread.tid = l->number;
		}
	}
	return thread;
}

#define COMPARE(a, b) do { if ((a) != (b)) return (a) < (b) ? -1 : 1; } while (0)

static int compare_threads(const struct firefox_thread *a, const struct firefox_thread *b)
{
	COMPARE(a->has_pid, b->has_pid);
	COMPARE(a->pid, b->pid);
	COMPARE(a->has_tid, b->has_tid);
	COMPARE(a->tid, b->tid);
	COMPARE(a->comm, b->comm);
	return 0;
}

struct sort_context {
	const struct profile *profile;
	const struct firefox_thread *of_set;
};

static int compare_samples(const void *x, const void *y, void *context)
{
	const struct sort_context *s = context;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int order = compare_threads(&s->of_set[s->profile->samples[a].labels],
				    &s->of_set[s->profile->samples[b].labels]);

	return order ? order : (a > b) - (a < b);
}

void firefox_threads_make(const struct profile *p, struct firefox_threads *ret)
{
	struct firefox_thread *of_set = xcalloc(p->nr_label_sets, sizeof(*of_set));
	struct sort_context s = { p, of_set };
	size_t room = 0;

	*ret = (struct firefox_threads){
		.order = xcalloc((size_t)p->nr_samples + 1, sizeof(*ret->order)) };
	for (uint32_t i = 0; i < p->nr_label_sets; i++)
		of_set[i] = thread_of(p, i);
	for (uint32_t i = 0; i < p->nr_samples; i++)
		ret->order[i] = i;
	qsort_r(ret->order, p->nr_samples, sizeof(*ret->order), compare_samples, &s);
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		const struct firefox_thread *of = &of_set[p->samples[ret->order[i]].labels];

		if (!ret->nr || compare_threads(of, &ret->threads[ret->nr - 1])) {
			xgrow(ret->threads, ret->nr, room);
			ret->threads[ret->nr] = *of;
			ret->threads[ret->nr++].first = i;
		}
		ret->threads[ret->nr - 1].nr++;
	}
	free(of_set);
}

void firefox_threads_free(struct firefox_threads *t)
{
	free(t->threads);
	free(t->order);
	*t = (struct firefox_threads){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkweek.c - a history whose samples are drawn from the stacks of a real session
 *
 *	mkweek STORE SESSION_DIR FIRST_HOUR HOURS SLICES PER_HOUR
 *
 * HOURS segments from FIRST_HOUR (since the epoch) on, each of SLICES slices, with PER_HOUR samples
 * each, about: of each stack as many as happen in that time (Poisson) at the rate at which it was
 * sampled. Prints the samples and bytes of the segments.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/history/folder.h"
#include "libdb/history/segment.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define HOUR	(INT64_C(3600) * 1000000000)

static struct op_error e;
static struct stack_snapshot real;
static double total;			/* its samples */
static uint64_t made, state = 1;

static void check(int err, const char *what)
{
	if (err) {
		fprintf(stderr, "mkweek: %s: %d %s\n", what, err, e.text);
		exit(1);
	}
}

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double next_uniform(void)	/* above 0, at most 1 */
{
	return (double)((next_random() >> 11) + 1) / (double)(UINT64_C(1) << 53);
}

/* Events in a time in which @mean happen on average; of many the normal distribution. */
static uint64_t draw_poisson(double mean)
{
	const double limit = exp(-mean);
	uint64_t n = 0;
	double normal;

	if (mean > 100) {
		normal = sqrt(-2 * log(next_uniform())) * cos(2 * M_PI * next_uniform());
		return (uint64_t)fmax(0, round(mean + sqrt(mean) * normal));
	}
	for (double product = next_uniform(); product > limit; product *= next_uniform())
		n++;
	return n;
}

static void add_samples(struct stack_store *s, const struct stack_count *count, uint64_t samples)
{
	struct stack_context context = real.contexts[count->context];
	struct stack_frame frames[STACK_FRAMES_MAX];
	const struct stack_node *n = &real.nodes[count->node];
	uint32_t context_id, event_id;
	size_t nr = 0;

	for (; n->parent != STACK_NONE; n = &real.nodes[n->parent]) {
		frames[nr] = real.frames[n->frame];
		check(stack_store_image(s, &real.images[frames[nr].image], &frames[nr].image),
		      "image");
		nr++;
	}
	if (context.app != STACK_NONE)
		check(stack_store_image(s, &real.images[context.app], &context.app), "image");
	check(stack_store_context(s, &context, &context_id), "context");
	check(stack_store_event(s, &real.events[count->event], &event_id), "event");
	check(stack_store_add(s, context_id, event_id, frames, nr, real.ends[count->node],
			      samples), "stack");
}

static void add_slice(struct stack_store *s, double per_slice)
{
	for (uint32_t i = 0; i < real.nr_counts; i++) {
		uint64_t n = draw_poisson(per_slice * (double)real.counts[i].count / total);

		made += n;
		if (n)
			add_samples(s, &real.counts[i], n);
	}
}

static off_t make_hour(const char *session_dir, unsigned int number, int64_t begin_ns, int slices,
		       int per_hour)
{
	char *name = history_folder_name(number, begin_ns);
	char *folder = xasprintf("%s/" HISTORY_DIR "/%s", session_dir, name);
	char *segment = path_join(folder, HISTORY_SEGMENT);
	char *store = path_join(folder, HISTORY_STORE);
	struct history_writer *w = NULL;
	struct stack_store *s = NULL;
	struct stat st;

	check(file_make_dirs(folder, 0755), folder);
	check(stack_store_open(store, HISTORY_STORE_MAX, &s, &e), store);
	check(history_writer_open(segment, &w, &e), segment);
	for (int i = 0; i < slices; i++) {
		const struct history_slice slice = {
			.begin_ns = begin_ns + HOUR / slices * i,
			.end_ns = begin_ns + HOUR / slices * (i + 1),
		};

		add_slice(s, (double)per_hour / slices);
		check(history_writer_add(w, &slice, store, &e), "slice");
	}
	history_writer_close(w);
	stack_store_close(s);
	unlink(store);
	check(history_segment_merge(segment, 1, NULL, &e), "order");	/* as the daemon does */
	check(stat(segment, &st), segment);
	free(store);
	free(segment);
	free(folder);
	free(name);
	return st.st_size;
}

int main(int argc, char **argv)
{
	long first, hours, slices, per_hour;
	off_t bytes = 0;

	if (argc != 7) {
		fprintf(stderr,
			"usage: mkweek STORE SESSION_DIR FIRST_HOUR HOURS SLICES PER_HOUR\n");
		return 2;
	}
	first = atol(argv[3]);
	hours = atol(argv[4]);
	slices = atol(argv[5]);
	per_hour = atol(argv[6]);
	check(stack_store_read(argv[1], &real, &e), argv[1]);
	check(!real.nr_counts, "no samples");
	for (uint32_t i = 0; i < real.nr_counts; i++)
		total += (double)real.counts[i].count;
	for (long i = 0; i < hours; i++)
		bytes += make_hour(argv[2], (unsigned int)(i + 1), (first + i) * HOUR, (int)slices,
				   (int)per_hour);
	printf("%llu %lld\n", (unsigned long long)made, (long long)bytes);
	stack_snapshot_free(&real);
	return 0;
}

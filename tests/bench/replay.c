// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay.c - how many samples a second the daemon takes from words to sample files
 *
 * The stream is made beforehand, in the shape that a collector gives it: two CPUs drained in turn,
 * tasks switching, each task moving between its program, libraries and the kernel. Timed is all
 * that the daemon does with it: decoder, attribution, sample files on the disk's file system.
 * Not timed is the first part of the stream, in which the files and their folders are made: that
 * happens once, and costs what the file system has just been through.
 *
 *   zipf      which address fires follows Zipf(1) over 100,000 addresses in 64 images
 *   distinct  1,000,000 addresses in 64 images, in random order, each once: every sample is a
 *             new key, and the files grow all the time
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"
#include "tests/bench/figures.h"
#include "tests/bench/replay_runs.h"

#define NR_TASKS	24
#define ZIPF_ADDRESSES	100000
#define ZIPF_SAMPLES	8000000
#define DISTINCT	1000000

/*
 * An address is an image (number 0: the kernel) and a place in it. Images are told apart by
 * their share of the addresses, as real ones are: a few hold most.
 */
struct address {
	uint32_t image;
	uint64_t pc;
};

static void make_addresses(struct address *a, size_t nr)
{
	uint64_t next[NR_IMAGES];

	for (size_t i = 0; i < NR_IMAGES; i++)
		next[i] = 0x1000;
	for (size_t i = 0; i < nr; i++) {
		uint32_t image = roll(1 + roll(NR_IMAGES));	/* the lower, the more */

		next[image] += 1 + roll(16);
		a[i].image = image;
		a[i].pc = (image ? 0 : KERNEL_START) + next[image];
	}
	for (size_t i = nr - 1; i > 0; i--) {		/* so that rank says nothing of the place */
		size_t other = roll(i + 1);
		struct address keep = a[i];

		a[i] = a[other];
		a[other] = keep;
	}
}

/* The samples in the order they fire, grouped as programs behave: some in an image, then on. */
struct writer {
	struct fake_collector *f;
	uint32_t image;
	size_t nr;
};

static void write_sample(struct writer *w, const struct address *a)
{
	if (w->nr % 1000 == 0) {
		fake_cpu(w->f, w->nr / 1000 % 2);
		w->image = UINT32_MAX;
	}
	if (w->nr % 50 == 0) {
		uint32_t task = roll(NR_TASKS);

		fake_task(w->f, 1000 + task, 1 + task, 1000 + task);
	}
	if (a->image != w->image) {
		bool was_kernel = w->image == 0, first = w->image == UINT32_MAX;

		if (a->image == 0) {
			fake_kernel(w->f);
		} else {
			if (was_kernel || first)
				fake_user(w->f);
			fake_cookie(w->f, a->image);
		}
		w->image = a->image;
	}
	fake_sample(w->f, a->pc, 0);
	w->nr++;
}

/* Of 16 samples that follow each other, the most frequent images' come together. */
static int by_image(const void *a, const void *b)
{
	uint32_t x = ((const struct address *)a)->image, y = ((const struct address *)b)->image;

	return x < y ? -1 : x > y;
}

static void write_stream(struct fake_collector *f, struct address *fired, size_t nr)
{
	struct writer w = { .f = f, .image = UINT32_MAX };

	for (size_t i = 0; i < nr; i += 16)
		qsort(fired + i, nr - i < 16 ? nr - i : 16, sizeof(*fired), by_image);
	for (size_t i = 0; i < nr; i++)
		write_sample(&w, &fired[i]);
}

static struct address *zipf_samples(size_t nr)
{
	struct address *all = xcalloc(ZIPF_ADDRESSES, sizeof(*all)),
		       *fired = xcalloc(nr, sizeof(*fired));
	double *sums = xcalloc(ZIPF_ADDRESSES, sizeof(*sums)), sum = 0;

	make_addresses(all, ZIPF_ADDRESSES);
	for (size_t i = 0; i < ZIPF_ADDRESSES; i++)
		sums[i] = sum += 1.0 / (i + 1);
	for (size_t i = 0; i < nr; i++) {
		double at = sum * (roll(1u << 30) / (double)(1u << 30));
		size_t low = 0, high = ZIPF_ADDRESSES - 1;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (sums[middle] < at)
				low = middle + 1;
			else
				high = middle;
		}
		fired[i] = all[low];
	}
	free(all);
	free(sums);
	return fired;
}

static uint64_t sample_bytes(const char *samples_dir)
{
	char *command = xasprintf("find '%s' -name 'TIMER.*' -printf '%%s\\n'", samples_dir);
	FILE *list = popen(command, "r");
	unsigned long long bytes;
	uint64_t sum = 0;

	while (list && fscanf(list, "%llu", &bytes) == 1)
		sum += bytes;
	if (list)
		pclose(list);
	free(command);
	return sum;
}

static double replay_once(struct fake_collector *f, const char *dir, uint64_t *ret_bytes)
{
	char *samples = path_join(dir, "samples/current");
	struct recorder *r = replay_open(f, dir);
	struct op_error e = { "" };
	struct cpu_counts all;
	double began, took;
	uint64_t nr_first;

	recorder_drain(r, false, NULL, &e);
	nr_first = replay_sums(r).recorded;
	began = cpu_seconds();
	while (f->taken < f->nr)
		recorder_drain(r, false, NULL, &e);
	took = cpu_seconds() - began;
	all = replay_sums(r);
	if (all.recorded != all.received) {
		fprintf(stderr, "replay: %llu of %llu samples recorded\n",
			(unsigned long long)all.recorded, (unsigned long long)all.received);
		exit(1);
	}
	recorder_close(r);
	*ret_bytes = sample_bytes(samples);
	free(samples);
	return took / (all.recorded - nr_first);	/* per sample */
}

static void bench(const char *name, struct address *fired, size_t nr, size_t distinct,
		  const char *dir)
{
	struct fake_collector f;
	double took[RUNS];
	uint64_t bytes;

	replay_init(&f);
	write_stream(&f, fired, nr);
	for (int i = 0; i < RUNS; i++) {
		/* removed at the end only: right after removing some, ext4 makes files slowly */
		char *session_dir = xasprintf("%s/%s%d", dir, name, i);

		took[i] = replay_once(&f, session_dir, &bytes);
		free(session_dir);
	}
	printf("bench replay_%s %.1f Msamples/s\n", name, 1 / median(took, RUNS) / 1e6);
	if (distinct)
		printf("bench replay_%s_size %.1f bytes/pc\n", name, (double)bytes / distinct);
	fprintf(stderr, "# %s: %.2f words per sample\n", name, (double)f.nr / nr);
	fake_collector_free(&f);
}

int main(void)
{
	char dir[] = "/var/tmp/replay.XXXXXX";
	struct address *fired;

	if (!mkdtemp(dir)) {
		perror("replay: /var/tmp");
		return 1;
	}
	log_open("/dev/null", NULL);
	fired = zipf_samples(ZIPF_SAMPLES);
	bench("zipf", fired, ZIPF_SAMPLES, 0, dir);
	free(fired);

	fired = xcalloc(DISTINCT, sizeof(*fired));
	make_addresses(fired, DISTINCT);
	bench("distinct", fired, DISTINCT, DISTINCT, dir);
	free(fired);
	file_remove_tree(dir);
	return 0;
}

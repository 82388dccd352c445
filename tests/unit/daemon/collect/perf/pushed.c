// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pushed.c - what the BPF program is given, in arrays that are soon full
 *
 * After each change every process that the program can find has the mappings that its serial
 * stands for: nothing of it was overwritten by another's.
 */
#include "tests/tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "daemon/collect/perf/pushed.h"

#define NR_PROCESSES	40
#define NR_MAPPINGS	100
#define NR_IMAGES	30
#define MOST		12	/* mappings of a process */

static struct bpf_walker walker;
static struct perf_cookies *cookies;
static struct perf_process processes[NR_PROCESSES];
static struct perf_pushed pushed;

static void set_up(uint32_t nr_images)
{
	walker = (struct bpf_walker){
		.sets = calloc(1 << BPF_SETS_SHIFT, sizeof(*walker.sets)),
		.mappings = calloc(NR_MAPPINGS, sizeof(*walker.mappings)),
		.images = calloc(nr_images, sizeof(*walker.images)),
		.nr_mappings = NR_MAPPINGS,
		.nr_images = nr_images,
	};
	cookies = perf_cookies_new();
	perf_pushed_init(&pushed, &walker, cookies);
	for (uint32_t i = 0; i < NR_PROCESSES; i++)
		processes[i] = (struct perf_process){.tgid = i + 1};
}

static void tear_down(void)
{
	perf_pushed_free(&pushed);
	for (size_t i = 0; i < NR_PROCESSES; i++)
		perf_maps_put(cookies, processes[i].maps);
	CHECK(!perf_cookies_count(cookies), "images left");
	perf_cookies_free(cookies);
	free(walker.sets);
	free(walker.mappings);
	free(walker.images);
}

/* New mappings of @nr of the images. */
static void exec_process(struct perf_process *q, unsigned int nr, unsigned int first_image)
{
	char path[20];

	perf_maps_put(cookies, q->maps);
	q->maps = NULL;
	for (unsigned int i = 0; i < nr; i++) {
		struct perf_image_key key = {.path = path, .inode = 1};
		struct perf_mapping m = {.start = 0x2000 * i + 0x1000, .end = 0x2000 * i + 0x2000};

		snprintf(path, sizeof(path), "/bin/%u", first_image + i);
		m.image = perf_image_get(cookies, &key);
		perf_maps_add(cookies, &q->maps, &m);
		perf_image_put(cookies, m.image);
	}
}

static const struct bpf_process *find(uint32_t tgid)
{
	const struct bpf_process_set *set = &walker.sets[bpf_set_of(tgid)];

	for (size_t i = 0; i < BPF_WAYS; i++)
		if (set->way[i].serial && set->way[i].tgid == tgid)
			return &set->way[i];
	return NULL;
}

static bool is_intact(const struct bpf_process *way)
{
	const struct perf_maps *maps = perf_pushed_maps(&pushed, way->serial, way->tgid);
	const struct bpf_mapping *m = walker.mappings + way->first;

	if (!maps || maps->nr != way->nr || way->first + way->nr > NR_MAPPINGS)
		return false;
	for (size_t i = 0; i < maps->nr; i++)
		if (m[i].start != maps->mappings[i].start ||
		    m[i].image != maps->mappings[i].image->pushed.place)
			return false;
	return true;
}

static void check_all(void)
{
	for (uint32_t tgid = 1; tgid <= NR_PROCESSES; tgid++) {
		const struct bpf_process *way = find(tgid);

		CHECK(!way || is_intact(way), "process %u", tgid);
	}
}

TEST(no_process_has_anothers_mappings)
{
	uint64_t epoch;

	srand(1);
	set_up(NR_IMAGES);
	epoch = pushed.epoch;
	for (int i = 0; i < 20000 && !tap_failures; i++) {
		struct perf_process *q = &processes[rand() % NR_PROCESSES];

		if (!q->maps || !(rand() % 3))
			exec_process(q, 1 + (unsigned int)rand() % MOST,
				     (unsigned int)rand() % 40);
		perf_pushed_process(&pushed, q);
		CHECK(find(q->tgid) && find(q->tgid)->serial == q->pushed &&
		      perf_pushed_maps(&pushed, q->pushed, q->tgid) == q->maps, "not pushed");
		check_all();
	}
	CHECK(pushed.epoch > epoch + 10, "images were never too many");
	CHECK(pushed.next > 5000 && pushed.next < 20000, "%u pushed", (unsigned int)pushed.next);
	tear_down();
}

TEST(what_is_known_is_not_pushed_again)
{
	uint64_t serial;

	set_up(NR_IMAGES);
	exec_process(&processes[0], 3, 0);
	perf_pushed_process(&pushed, &processes[0]);
	serial = processes[0].pushed;
	perf_pushed_process(&pushed, &processes[0]);
	CHECK(processes[0].pushed == serial && pushed.next == serial + 1, "pushed again");
	CHECK(!perf_pushed_maps(&pushed, serial, 77), "another process's");
	exec_process(&processes[1], NR_MAPPINGS + 1, 0);
	perf_pushed_process(&pushed, &processes[1]);
	CHECK(!find(2) && find(1), "more than there is room for");
	tear_down();
}

/* Samples that were walked before the program forgot the process are attributed after that. */
TEST(samples_under_way_keep_their_mappings)
{
	struct perf_maps *maps;
	uint64_t serial;

	set_up(1000);
	exec_process(&processes[0], MOST, 0);
	maps = processes[0].maps;
	perf_pushed_process(&pushed, &processes[0]);
	serial = processes[0].pushed;
	for (unsigned int i = 1; i <= NR_MAPPINGS / MOST; i++) {
		exec_process(&processes[i], MOST, 0);
		perf_pushed_process(&pushed, &processes[i]);
	}
	CHECK(!find(1), "it is still known");
	CHECK(perf_pushed_maps(&pushed, serial, 1) == maps, "not kept");
	perf_pushed_process(&pushed, &processes[0]);
	CHECK(find(1) && processes[0].pushed > serial, "it does not come back");
	for (unsigned int i = 1; i <= 2 * NR_MAPPINGS / MOST; i++) {
		exec_process(&processes[i], MOST, 0);
		perf_pushed_process(&pushed, &processes[i]);
	}
	CHECK(!perf_pushed_maps(&pushed, serial, 1), "kept for ever");
	tear_down();
}

/* A table of one row. */
static struct made_table {
	struct op_unwind_table head;
	struct op_unwind_rule rules[1];
	uint32_t pages[2];
	uint16_t start[1], rule[1];
} tables[2];

static void map_made(struct perf_process *q, uint64_t start)
{
	struct perf_image_key key = { .path = "//anon" };
	struct perf_mapping m = { .start = start, .end = start + 0x1000 };

	m.image = perf_image_get(cookies, &key);
	CHECK(perf_image_is_made(m.image), "a file");
	perf_maps_add(cookies, &q->maps, &m);
	perf_image_put(cookies, m.image);
}

/* The image by which the program walks code that process 1 made, after it was pushed again. */
static const struct bpf_image *made_image(uint64_t start, uint64_t *ret_offset)
{
	const struct bpf_process *way;

	perf_pushed_process(&pushed, &processes[0]);
	way = find(1);
	for (uint32_t i = 0; way && i < way->nr; i++) {
		const struct bpf_mapping *m = &walker.mappings[way->first + i];

		if (m->start == start) {
			*ret_offset = m->offset;
			return &walker.images[m->image];
		}
	}
	return NULL;
}

TEST(code_that_was_made_is_walked_by_the_last_table)
{
	const uint64_t at = UINT64_C(0x7f1200010000);
	const struct bpf_image *image;
	uint64_t offset = 0;
	unsigned char rules[4 * BPF_RULE_BYTES];
	uint32_t words[4 * 4];

	set_up(NR_IMAGES);
	walker.rules = rules;
	walker.words = words;
	walker.nr_rules = 4;
	walker.nr_words = 16;
	for (size_t i = 0; i < 2; i++)
		tables[i].head = (struct op_unwind_table){
			OP_UNWIND_MAGIC, OP_UNWIND_VERSION, OP_UNWIND_X86_64, 1, 1, 1, 1
		};
	map_made(&processes[0], at);
	processes[0].memory_since = 5;
	CHECK(made_image(at, &offset)->state == BPF_IMAGE_PENDING, "without a table it is copied");
	perf_pushed_made(&pushed, 1, 5, at + 3, &tables[0].head);
	CHECK(!find(1), "what the program knows is not changed");
	image = made_image(at, &offset);
	CHECK(image->state == BPF_IMAGE_MADE && offset == (uint32_t)at, "the table");
	perf_pushed_made(&pushed, 1, 5, at + 3, &tables[0].head);
	CHECK(find(1), "the same again");
	perf_pushed_made(&pushed, 1, 5, at + 3, &tables[1].head);
	CHECK(made_image(at, &offset) != image && made_image(at, &offset)->state == BPF_IMAGE_MADE,
	      "a newer one has another place");
	processes[0].memory_since = 6;
	perf_pushed_made(&pushed, 2, 5, at + 3, &tables[0].head);
	exec_process(&processes[0], 1, 1);
	map_made(&processes[0], at);
	CHECK(made_image(at, &offset)->state == BPF_IMAGE_PENDING, "another program");
	for (size_t i = 0; i < 20; i++)
		perf_pushed_made(&pushed, 1, 6, at + 3, &tables[i % 2].head);
	CHECK(pushed.nr_rules <= 4 && pushed.nr_words <= 16, "it fits");
	tear_down();
}

TEST_MAIN()

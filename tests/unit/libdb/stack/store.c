// SPDX-License-Identifier: GPL-2.0-or-later
/* store.c - stacks and their counts, written and read */
#include <errno.h>
#include <sys/stat.h>
#include "tests/unit/libdb/stack/fresh.h"

static uint64_t bytes_of(const struct stack_store *s)
{
	struct stack_store_size size;

	stack_store_size(s, &size);
	return size.bytes;
}

TEST(one_stack)
{
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	const struct stack_frame frames[] = {
		{ ids.kernel, 0xffffffff81000010 }, { ids.lib, 0x20 }, { ids.app, 0x1000 },
	};
	struct stack_snapshot r;

	CHECK(!stack_store_add(s, ids.context, ids.event, frames, 3, STACK_COMPLETE, 5), "add");
	stack_store_close(s);
	r = snapshot();
	CHECK(r.nr_images == 3 && r.nr_events == 1 && r.nr_contexts == 1, "labels");
	CHECK(r.nr_nodes == 4 && r.nr_frames == 3 && r.nr_counts == 1, "%u nodes %u frames",
	      r.nr_nodes, r.nr_frames);
	CHECK(r.nodes[0].parent == STACK_NONE && r.nodes[0].frame == STACK_COMPLETE, "root");
	CHECK(r.nodes[1].parent == 0 && r.frames[r.nodes[1].frame].offset == 0x1000 &&
	      !strcmp(r.images[r.frames[r.nodes[1].frame].image].name.path, "/bin/app"), "outer");
	CHECK(r.frames[r.nodes[3].frame].offset == 0xffffffff81000010, "kernel address");
	CHECK(r.counts[0].node == 3 && r.counts[0].count == 5, "count");
	CHECK(!strcmp(r.images[0].build_id, "0123ab") &&
	      !strcmp(r.events[0].name, "CPU_CLK_UNHALTED") && r.events[0].count == 100000 &&
	      r.contexts[0].app == 0 && r.contexts[0].tgid == SAMPLE_ALL, "what labels say");
	stack_snapshot_free(&r);
}

/* Nodes that are not looked up lie in the file as others do, and later stacks may be added. */
TEST(tree)
{
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	const struct stack_frame frames[] = { { ids.lib, 0x20 }, { ids.app, 0x1000000000 } };
	uint32_t lib, app, again, root, outer, inner;
	struct op_error e = { "" };
	struct stack_snapshot r;

	CHECK(!stack_store_frame(s, &frames[0], &lib) && !stack_store_frame(s, &frames[1], &app) &&
	      !stack_store_frame(s, &frames[1], &again) && app == again && app != lib, "frames");
	CHECK(stack_store_frame(s, &(struct stack_frame){ ids.event, 1 }, &again) == -EINVAL,
	      "a frame without image");
	CHECK(!stack_store_new_node(s, 0, STACK_COMPLETE, &root) &&
	      !stack_store_new_node(s, root, app, &outer) &&
	      !stack_store_count(s, ids.context, ids.event, outer, 2) &&
	      !stack_store_new_node(s, outer, lib, &inner) &&
	      !stack_store_count(s, ids.context, ids.event, inner, 3) &&
	      !stack_store_count(s, ids.context, ids.event, outer, 5), "nodes and counts");
	stack_store_close(s);
	r = snapshot();
	CHECK(r.nr_nodes == 3 && r.nr_frames == 2 && r.nodes[2].parent == 1, "%u nodes, %u frames",
	      r.nr_nodes, r.nr_frames);
	CHECK(r.ends[2] == STACK_COMPLETE && r.frames[r.nodes[2].frame].offset == 0x20, "inner");
	CHECK(only_count() == 10, "%llu samples", (unsigned long long)only_count());
	stack_snapshot_free(&r);
	CHECK(!stack_store_open(path, 0, &s, &e), "%s", e.text);
	CHECK(!stack_store_add(s, ids.context, ids.event, frames, 2, STACK_COMPLETE, 1), "add");
	stack_store_close(s);
	r = snapshot();
	CHECK(r.nr_nodes == 3 && only_count() == 11, "%u nodes", r.nr_nodes);
	stack_snapshot_free(&r);
}

/* The index does not grow with nodes that are not looked up, but what lies before them is found. */
TEST(large_tree)
{
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	struct stack_store_size before, after;
	uint32_t frame, root, node, again;
	struct stack_snapshot r;

	CHECK(!stack_store_frame(s, &(struct stack_frame){ ids.app, 7 }, &frame) &&
	      !stack_store_new_node(s, 0, STACK_COMPLETE, &root), "frame and root");
	stack_store_size(s, &before);
	for (int i = 0; i < 300000; i++)
		CHECK(!stack_store_new_node(s, root, frame, &node), "node %d", i);
	CHECK(!stack_store_count(s, ids.context, ids.event, node, 1), "count");
	stack_store_size(s, &after);
	CHECK(after.memory == before.memory && after.nodes == before.nodes + 300000,
	      "%llu bytes, then %llu", (unsigned long long)before.memory,
	      (unsigned long long)after.memory);
	CHECK(!stack_store_frame(s, &(struct stack_frame){ ids.app, 7 }, &again) && again == frame,
	      "the frame");
	stack_store_close(s);
	r = snapshot();
	CHECK(r.nr_nodes == 300001 && r.nr_counts == 1 && r.counts[0].node == 300000, "%u nodes",
	      r.nr_nodes);
	stack_snapshot_free(&r);
}

/* A known stack takes no byte, whatever was added in between. */
TEST(known_stacks_are_free)
{
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	struct stack_frame frames[40];
	struct stack_snapshot r;
	uint64_t bytes = 0;

	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 500; i++) {
			for (uint64_t k = 0; k < 40; k++)
				frames[k] = (struct stack_frame){ ids.app, (i * 7 + k) % 997 };
			CHECK(!stack_store_add(s, ids.context, ids.event, frames, i % 40 + 1,
					       STACK_COMPLETE, 1), "add");
		}
		CHECK(!round || bytes_of(s) == bytes, "%llu bytes, then %llu",
		      (unsigned long long)bytes, (unsigned long long)bytes_of(s));
		bytes = bytes_of(s);
	}
	stack_store_close(s);
	r = snapshot();
	for (uint32_t i = 0; i < r.nr_counts; i++)
		CHECK(r.counts[i].count == 3, "count %u: %llu", i,
		      (unsigned long long)r.counts[i].count);
	stack_snapshot_free(&r);
}

TEST(bytes_of_new_records)
{
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	struct stack_frame frames[3] = { { ids.app, 3 }, { ids.app, 2 }, { ids.app, 1 } };
	uint64_t bytes;

	CHECK(!stack_store_add(s, ids.context, ids.event, frames, 3, STACK_COMPLETE, 1), "add");
	bytes = bytes_of(s);
	frames[0].offset = 2;	/* a known frame in a new node */
	CHECK(!stack_store_add(s, ids.context, ids.event, frames, 3, STACK_COMPLETE, 1), "add");
	CHECK(bytes_of(s) == bytes + 16, "node and count: %llu",
	      (unsigned long long)(bytes_of(s) - bytes));
	bytes = bytes_of(s);
	frames[0].offset = 4;
	CHECK(!stack_store_add(s, ids.context, ids.event, frames, 3, STACK_COMPLETE, 1), "add");
	CHECK(bytes_of(s) == bytes + 24, "frame, node and count: %llu",
	      (unsigned long long)(bytes_of(s) - bytes));
	stack_store_close(s);
}

/* Stacks are separated by end, event and context; recursion keeps its depth. */
TEST(separated)
{
	static const struct stack_event misses = { "CACHE_MISSES", 500, 0x41 };
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	const struct stack_context other = { STACK_NONE, 7, 8, 1, "/docker/x", "cc1",
					     "phase 3" };
	const struct stack_frame self[] = {
		{ ids.app, 1 }, { ids.app, 1 }, { ids.app, 1 }, { ids.app, 1 },
	};
	struct stack_snapshot r;
	struct stack_totals t;
	uint32_t event, context;

	CHECK(!stack_store_event(s, &misses, &event) &&
	      !stack_store_context(s, &other, &context), "labels");
	CHECK(event != ids.event && context != ids.context, "new ids");
	for (size_t n = 1; n <= 4; n++)
		CHECK(!stack_store_add(s, ids.context, ids.event, self, n, STACK_COMPLETE, n),
		      "depth %zu", n);
	CHECK(!stack_store_add(s, context, ids.event, self, 2, STACK_COMPLETE, 10), "context");
	CHECK(!stack_store_add(s, ids.context, event, self, 2, STACK_COMPLETE, 20), "event");
	CHECK(!stack_store_add(s, context, event, self, 2,
			       STACK_TRUNCATED | STACK_END_GUESSED, 40), "end");
	CHECK(!stack_store_add(s, context, event, self, 2, 0x77, 80), "a later version's end");
	stack_store_close(s);
	r = snapshot();
	CHECK(r.nr_nodes == 5 + 3 + 3 && r.nr_frames == 1 && r.nr_counts == 8, "%u %u %u",
	      r.nr_nodes, r.nr_frames, r.nr_counts);
	CHECK(r.nr_contexts == 2 && r.contexts[1].app == STACK_NONE && r.contexts[1].tid == 8 &&
	      r.contexts[1].cpu == 1 && !strcmp(r.contexts[1].cgroup, "/docker/x") &&
	      !strcmp(r.contexts[1].comm, "cc1") && !strcmp(r.contexts[1].labels, "phase 3") &&
	      !*r.contexts[0].labels, "context");
	CHECK(r.events[1].unit_mask == 0x41, "event");
	stack_snapshot_totals(&r, &t);
	CHECK(t.samples == 160 && t.ends[STACK_COMPLETE] == 40 && t.ends[STACK_TRUNCATED] == 40 &&
	      t.guessed == 40, "%llu", (unsigned long long)t.samples);
	stack_snapshot_free(&r);
}

TEST(odd_offsets)
{
	static const uint64_t offsets[] = {
		0, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, 0xffff888000000000, 0xffffffff7fffffff, 0xffffffff80000000,
		UINT64_MAX,
	};
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	struct stack_snapshot r;

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
			struct stack_frame f = { ids.kernel, offsets[i] };

			CHECK(!stack_store_add(s, ids.context, ids.event, &f, 1, 0, 1), "add");
		}
	stack_store_close(s);
	r = snapshot();
	CHECK(r.nr_frames == ARRAY_SIZE(offsets), "%u frames", r.nr_frames);
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++)
		CHECK(r.frames[i].offset == offsets[i] && r.counts[i].count == 2, "%zu: %llx", i,
		      (unsigned long long)r.frames[i].offset);
	stack_snapshot_free(&r);
}

TEST(counts_have_64_bits_and_saturate)
{
	static const uint64_t steps[] = {
		UINT32_MAX - 1, 1, 1, UINT32_MAX, 0, UINT64_C(1) << 40, UINT64_MAX / 2,
	};
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	const struct stack_frame f = { ids.app, 1 }, g = { ids.app, 2 };
	uint64_t sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		CHECK(!stack_store_add(s, ids.context, ids.event, &f, 1, 0, steps[i]), "add");
		sum += steps[i];
		CHECK(only_count() == sum, "step %zu: %llu", i, (unsigned long long)only_count());
	}
	CHECK(!stack_store_add(s, ids.context, ids.event, &f, 1, 0, UINT64_MAX), "add");
	CHECK(only_count() == UINT64_MAX, "full: %llx", (unsigned long long)only_count());
	CHECK(!stack_store_add(s, ids.context, ids.event, &g, 1, 0, UINT64_MAX), "at once");
	CHECK(only_count() == UINT64_MAX, "full twice");
	stack_store_close(s);
}

TEST(refused)
{
	static struct stack_frame many[STACK_FRAMES_MAX + 1];
	static char text[4097];
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids), *again;
	struct stack_image image = { { .kind = IMAGE_FILE, .path = text }, "" };
	struct op_error e = { "" };
	const struct stack_frame f = { ids.app, 1 };
	uint64_t bytes;
	uint32_t id = 99;

	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct stack_frame){ ids.lib, i };
	CHECK(!stack_store_add(s, ids.context, ids.event, many, STACK_FRAMES_MAX, 0, 1), "most");
	bytes = bytes_of(s);
	CHECK(stack_store_add(s, ids.context, ids.event, many, STACK_FRAMES_MAX + 1, 0, 1) ==
	      -EINVAL, "more");
	CHECK(stack_store_add(s, ids.context, ids.event, many, 0, 0, 1) == -EINVAL, "none");
	CHECK(stack_store_add(s, ids.context, ids.event, &f, 1, 0x10000, 1) == -EINVAL, "end");
	CHECK(stack_store_add(s, ids.app, ids.event, &f, 1, 0, 1) == -EINVAL, "no context");
	CHECK(stack_store_add(s, ids.context, ids.context, &f, 1, 0, 1) == -EINVAL, "no event");
	CHECK(stack_store_add(s, UINT32_MAX, ids.event, &f, 1, 0, 1) == -EINVAL, "far");
	for (uint32_t i = 0; i < ids.context + 40; i++) {
		const struct stack_frame g = { i, 4711 };

		if (i != ids.app && i != ids.lib && i != ids.kernel)
			CHECK(stack_store_add(s, ids.context, ids.event, &g, 1, 0, 1) == -EINVAL,
			      "position %u is no image", i);
	}
	memset(text, '/', 4096);
	CHECK(stack_store_image(s, &image, &id) == -EINVAL && id == 99, "long path");
	text[0] = '\0';
	CHECK(stack_store_image(s, &image, &id) == -EINVAL, "empty path");
	CHECK(bytes_of(s) == bytes, "file unchanged");
	text[0] = 'x';
	CHECK(stack_store_image(s, &image, &id) == -EINVAL, "relative path");
	text[0] = '/';
	text[4095] = '\0';
	CHECK(!stack_store_image(s, &image, &id), "longest path");
	CHECK(stack_store_open(path, 0, &again, &e) == -EBUSY && strstr(e.text, path), "%s",
	      e.text);
	stack_store_close(s);
	s = open_stacks(path, 0);
	stack_store_close(s);
}

/* Unused room is freed when the store is closed. */
TEST(closing_truncates)
{
	struct stack_ids ids;
	struct stack_store *s = fresh(&ids);
	uint64_t bytes = bytes_of(s);
	struct stat st;

	CHECK(!stat(path, &st) && (uint64_t)st.st_size > bytes, "room while open");
	stack_store_close(s);
	CHECK(!stat(path, &st) && (uint64_t)st.st_size == bytes, "%lld bytes",
	      (long long)st.st_size);
}

/* [ST-14]: given of any name. */
TEST(labels_as_text)
{
	static const struct {
		const char *name;
		int64_t number;
	} given[] = {
		{ "phase", 3 }, { "a b\\c\n", INT64_MIN }, { "r/-7", INT64_MAX }, { "z", 0 },
	};
	struct strbuf text = STRBUF_INIT;
	char *rest, bad[] = "a 1 b x", *name;
	int64_t number = 0;

	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		CHECK(stack_label_add(&text, given[i].name, given[i].number), "%zu", i);
	CHECK(!stack_label_add(&text, "", 1), "no name");
	rest = text.text;
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		name = stack_label_next(&rest, &number);
		CHECK(name && !strcmp(name, given[i].name) && number == given[i].number, "%zu", i);
	}
	CHECK(!stack_label_next(&rest, &number), "no more");
	strbuf_reset(&text);
	for (number = 0; number < 5000 && stack_label_add(&text, "name", number);)
		number++;
	CHECK(number > 300 && number < 5000 && text.len < 4096, "as many as there is room for");
	strbuf_free(&text);
	rest = bad;
	CHECK(stack_label_next(&rest, &number) && number == 1 &&
	      !stack_label_next(&rest, &number), "ends where it is broken");
}

TEST_MAIN()

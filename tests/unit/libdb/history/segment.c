// SPDX-License-Identifier: GPL-2.0-or-later
/* segment.c - slices of a history: written, continued, read by time, merged, cut off, damaged */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/history/segment.h"
#include "libutil/file.h"
#include "tests/unit/libdb/stack/stack_test.h"

#define MINUTE	(INT64_C(60) * 1000000000)
#define BEGIN	(INT64_C(1790000) * MINUTE)
#define SLICES	30

static char *store_path, *segment_path;
static struct stack_store *store;
static struct stack_ids ids;
static struct history_writer *writer;

/* The model: of each slice the samples by stack. */
static struct stack_sums model[SLICES];
static uint64_t lost[SLICES];

static uint64_t sum_hash(const struct stack_frame *frames, size_t nr, unsigned int end)
{
	uint64_t hash = stack_hash_root(end);

	while (nr-- > 0)
		hash = stack_hash_frame(hash, frames[nr].image == ids.app ? "/bin/app" : "kallsyms",
					frames[nr].offset);
	return hash_mix(hash_mix(hash, hash_string("CPU_CLK_UNHALTED")), (uint64_t)SAMPLE_ALL);
}

static void add(struct stack_sums *to, uint64_t hash, uint64_t count)
{
	to->sums = realloc(to->sums, (to->nr + 1) * sizeof(*to->sums));
	to->sums[to->nr++] = (struct stack_sum){ hash, count };
}

/* Mostly stacks that were there before; some are new, and some counts are large. */
static void sample(struct stack_sums *to, unsigned int nr)
{
	struct stack_frame frames[20];

	for (unsigned int i = 0; i < nr; i++) {
		size_t n = test_random() % 19 + 1;
		uint64_t count = test_random() % 100 ? 1 : UINT64_C(3) << 30;

		for (size_t k = 0; k < n; k++) {
			uint64_t x = k > n / 2 ? k : test_random();

			frames[k] = (struct stack_frame){ x % 2 ? ids.app : ids.kernel, x % 61 };
		}
		CHECK(!stack_store_add(store, ids.context, ids.event, frames, n, i % 3, count),
		      "add");
		add(to, sum_hash(frames, n, i % 3), count);
	}
}

static void open_writer(void)
{
	struct op_error e = { "" };

	CHECK(!history_writer_open(segment_path, &writer, &e), "%s", e.text);
	if (!writer)
		exit(1);
}

static void end_slice(int i)
{
	const struct history_number numbers[] = { { "cpu.busy_ns", (uint64_t)i },
						  { "lost.ring", lost[i] } };
	const struct history_slice slice = {
		.begin_ns = BEGIN + i * MINUTE, .end_ns = BEGIN + (i + 1) * MINUTE,
		.numbers = numbers, .nr_numbers = i % 2 ? 2 : 1,
	};
	struct op_error e = { "" };

	CHECK(!history_writer_add(writer, &slice, store_path, &e), "%s", e.text);
}

static void make_empty(void)
{
	tmpdir_make();
	store_path = strdup(tmpdir_path("stacks"));
	segment_path = strdup(tmpdir_path("segment"));
	store = open_stacks(store_path, 0);
	CHECK(!stack_labels(store, &ids), "labels");
	open_writer();
}

static void make_history(void)
{
	make_empty();
	for (int i = 0; i < SLICES; i++) {
		lost[i] = test_random() % 1000;
		sample(&model[i], i == 7 ? 0 : 200);
		end_slice(i);
	}
}

static void give_up(void)
{
	stack_store_close(store);
	history_writer_close(writer);
	for (int i = 0; i < SLICES; i++)
		free(model[i].sums);
	free(store_path);
	free(segment_path);
}

static struct history_segment read_range(int64_t from, int64_t to)
{
	struct history_segment s = { .nr_slices = 0 };
	struct op_error e = { "" };

	CHECK(!history_segment_read(segment_path, from, to, &s, &e), "%s", e.text);
	return s;
}

/* The slices from number @from to below @to hold what the model says. */
static void check_range(int from, int to)
{
	struct history_segment s = read_range(BEGIN + from * MINUTE, BEGIN + to * MINUTE);
	struct stack_sums want = { NULL, 0 }, have = snapshot_sums(&s.stacks);
	bool same;

	for (int i = from; i < to; i++)
		for (size_t k = 0; k < model[i].nr; k++)
			add(&want, model[i].sums[k].hash, model[i].sums[k].count);
	sums_merge(&want);
	same = want.nr == have.nr;
	for (size_t k = 0; same && k < want.nr; k++)
		same = want.sums[k].hash == have.sums[k].hash &&
		       want.sums[k].count == have.sums[k].count;
	CHECK(same, "slices %d to %d: %zu stacks, expected %zu", from, to, have.nr, want.nr);
	free(want.sums);
	free(have.sums);
	history_segment_free(&s);
}

static void check_all(void)
{
	check_range(0, SLICES);
	check_range(10, 20);
	check_range(SLICES - 1, SLICES);
	check_range(7, 8);
	check_range(4, 4);
}

TEST(each_range_of_time)
{
	struct history_segment s;

	make_history();
	check_all();
	s = read_range(BEGIN, BEGIN + 3 * MINUTE);
	CHECK(s.nr_slices == 3 && s.slices[1].begin_ns == BEGIN + MINUTE &&
	      s.slices[1].end_ns == BEGIN + 2 * MINUTE, "times");
	CHECK(s.slices[0].nr_numbers == 1 && s.slices[1].nr_numbers == 2 &&
	      !strcmp(s.slices[1].numbers[0].name, "cpu.busy_ns") &&
	      s.slices[2].numbers[0].value == 2 && s.slices[1].numbers[1].value == lost[1],
	      "numbers");
	history_segment_free(&s);
	give_up();
}

struct seen {
	int nr;
	int64_t end_ns;
};

static void see(void *context, int64_t begin_ns, int64_t end_ns)
{
	struct seen *s = context;

	CHECK(begin_ns == BEGIN + s->nr * MINUTE, "slice %d", s->nr);
	s->nr++;
	s->end_ns = end_ns;
}

TEST(times_are_found_without_reading)
{
	struct seen s = { 0 };
	struct op_error e = { "" };

	make_history();
	CHECK(!history_segment_scan(segment_path, see, &s, &e), "%s", e.text);
	CHECK(s.nr == SLICES && s.end_ns == BEGIN + SLICES * MINUTE, "%d slices", s.nr);
	CHECK(history_writer_end_ns(writer) == s.end_ns, "the writer's end");
	CHECK(history_segment_scan("/dev/null", see, &s, &e) == -EPROTO, "%s", e.text);
	give_up();
}

TEST(continued)
{
	make_empty();
	for (int i = 0; i < SLICES; i++) {
		sample(&model[i], 100);
		end_slice(i);
		if (i % 10 == 5) {
			history_writer_close(writer);
			stack_store_close(store);
			writer = NULL;
			store = open_stacks(store_path, 0);
			CHECK(!stack_labels(store, &ids), "labels");
			open_writer();
		}
	}
	check_all();
	give_up();
}

/* Another store's samples would be credited to this one's stacks. */
TEST(another_store_is_refused)
{
	const struct history_slice slice = { .begin_ns = BEGIN, .end_ns = BEGIN };
	struct op_error e = { "" };

	make_history();
	stack_store_close(store);
	unlink(store_path);
	store = open_stacks(store_path, 0);
	CHECK(!stack_labels(store, &ids), "labels");
	CHECK(history_writer_add(writer, &slice, store_path, &e) == -ESTALE &&
	      strstr(e.text, "does not continue"), "shorter: %s", e.text);
	for (int i = 0; i < 50; i++)
		sample(&model[0], 200);
	CHECK(history_writer_add(writer, &slice, store_path, &e) == -ESTALE &&
	      strstr(e.text, "does not continue"), "longer: %s", e.text);
	model[0].nr = 200;
	check_all();
	give_up();
}

static void check_merged(int slices)
{
	struct history_segment s = read_range(BEGIN, BEGIN + SLICES * MINUTE);
	uint64_t sum = 0, want = 0;

	for (int i = 1; i < SLICES; i += 2)
		want += lost[i];
	for (size_t i = 0; i < s.nr_slices; i++)
		for (size_t k = 0; k < s.slices[i].nr_numbers; k++)
			if (!strcmp(s.slices[i].numbers[k].name, "lost.ring"))
				sum += s.slices[i].numbers[k].value;
	CHECK(s.nr_slices == (size_t)slices, "%zu slices, expected %d", s.nr_slices, slices);
	CHECK(sum == want, "%llu lost, expected %llu", (unsigned long long)sum,
	      (unsigned long long)want);
	history_segment_free(&s);
}

TEST(merged)
{
	const struct history_slice slice = { .begin_ns = BEGIN, .end_ns = BEGIN + MINUTE };
	struct stat before, after;
	struct op_error e = { "" };

	make_history();
	stat(segment_path, &before);
	CHECK(!history_segment_merge(segment_path, 10 * MINUTE, NULL, &e), "%s", e.text);
	stat(segment_path, &after);
	CHECK(after.st_size < before.st_size, "%lld bytes of %lld", (long long)after.st_size,
	      (long long)before.st_size);
	check_merged(SLICES / 10);
	check_range(0, SLICES);
	check_range(10, 20);
	CHECK(!history_segment_merge(segment_path, 60 * MINUTE, NULL, &e), "%s", e.text);
	check_merged(1);
	/* its records are in another order than the store's */
	history_writer_close(writer);
	open_writer();
	sample(&model[0], 10);
	CHECK(history_writer_add(writer, &slice, store_path, &e) == -ESTALE, "continued");
	check_merged(1);
	give_up();
}

/* After a crash the file ends anywhere. */
static off_t segment_size(void)
{
	struct stat st;

	CHECK(!stat(segment_path, &st), "stat");
	return st.st_size;
}

/* Slices stay what they are, and take fewer bytes: their stacks are in another order [HI-11]. */
TEST(ordered)
{
	struct op_error e = { "" };
	off_t before, after;

	make_history();
	before = segment_size();
	CHECK(!history_segment_merge(segment_path, 1, NULL, &e), "%s", e.text);
	after = segment_size();
	CHECK(after < before - before / 20, "%lld of %lld bytes", (long long)after,
	      (long long)before);
	for (int i = 0; i < SLICES; i++)
		check_range(i, i + 1);
	check_range(0, SLICES);
	CHECK(!history_segment_merge(segment_path, 1, NULL, &e), "%s", e.text);
	CHECK(segment_size() == after, "%lld bytes the second time, %lld the first",
	      (long long)segment_size(), (long long)after);
	give_up();
}

/* The store may be read when a node is in it, but not yet the count behind it. */
TEST(ordered_between_a_node_and_its_count)
{
	const struct history_slice slices[] = {
		{ .begin_ns = BEGIN, .end_ns = BEGIN + MINUTE },
		{ .begin_ns = BEGIN + MINUTE, .end_ns = BEGIN + 2 * MINUTE },
	};
	struct stack_frame frames[2];
	struct op_error e = { "" };
	uint32_t used, less;
	int fd;

	make_empty();
	for (uint64_t i = 0; i < 9; i++) {
		frames[0] = (struct stack_frame){ ids.app, 90 - i };
		frames[1] = (struct stack_frame){ ids.app, 200 - i % 3 };
		CHECK(!stack_store_add(store, ids.context, ids.event, frames, 2, 0, i + 1), "add");
		add(&model[i < 8 ? 0 : 1], sum_hash(frames, 2, 0), i + 1);
	}
	fd = open(store_path, O_RDWR);
	CHECK(pread(fd, &used, sizeof(used), 16) == sizeof(used), "read");
	less = used - 1;
	CHECK(pwrite(fd, &less, sizeof(less), 16) == sizeof(less), "write");
	CHECK(!history_writer_add(writer, &slices[0], store_path, &e), "%s", e.text);
	CHECK(pwrite(fd, &used, sizeof(used), 16) == sizeof(used), "write");
	close(fd);
	CHECK(!history_writer_add(writer, &slices[1], store_path, &e), "%s", e.text);
	CHECK(!history_segment_merge(segment_path, 1, NULL, &e), "%s", e.text);
	check_range(0, 1);
	check_range(1, 2);
	give_up();
}

TEST(a_torn_slice_is_cut_off)
{
	struct stat whole, st;
	struct history_segment s;

	make_history();
	stat(segment_path, &whole);
	for (off_t bytes = whole.st_size - 1; bytes > whole.st_size - 40; bytes--) {
		CHECK(!truncate(segment_path, bytes), "truncate");
		s = read_range(BEGIN, BEGIN + SLICES * MINUTE);
		CHECK(s.nr_slices == SLICES - 1 && s.cut, "%zu slices, %llu bytes cut", s.nr_slices,
		      (unsigned long long)s.cut);
		history_segment_free(&s);
	}
	history_writer_close(writer);
	writer = NULL;
	open_writer();
	CHECK(history_writer_cut(writer), "nothing cut");
	stat(segment_path, &st);
	s = read_range(BEGIN, BEGIN + SLICES * MINUTE);
	CHECK(!s.cut, "not cut off: %lld bytes", (long long)st.st_size);
	history_segment_free(&s);
	end_slice(SLICES - 1);
	check_all();
	give_up();
}

static uint64_t samples_of(const struct history_segment *s)
{
	struct stack_totals totals;

	stack_snapshot_totals(&s->stacks, &totals);
	return totals.samples;
}

static size_t ends[SLICES];	/* of the blocks */

/* The samples of the slice that has this byte of the file. */
static uint64_t of_damaged(size_t byte)
{
	uint64_t sum = 0;
	int i = 0;

	while (i < SLICES - 1 && byte >= ends[i])
		i++;
	for (size_t k = 0; k < model[i].nr; k++)
		sum += model[i].sums[k].count;
	return sum;
}

static uint64_t find_ends(const char *bytes, size_t n)
{
	uint64_t sum = 0;
	size_t at = 16;

	for (int i = 0; i < SLICES && at + 24 <= n; i++) {
		uint32_t length;

		memcpy(&length, bytes + at, sizeof(length));
		at += 24 + length;
		ends[i] = at;
		sum += of_damaged(at - 1);
	}
	return sum;
}

/* A changed byte is noticed, and the slices before it are read; or it is one that says nothing. */
TEST(damaged)
{
	struct history_segment s;
	struct op_error e = { "" };
	uint64_t in_all;
	int nr_damaged = 0;
	char *bytes;
	size_t n;

	make_history();
	CHECK(!file_read_all(segment_path, 1 << 26, &bytes, &n), "read");
	in_all = find_ends(bytes, n);
	for (size_t i = 0; i < n; i += 1 + test_random() % 97) {
		char *copy = malloc(n);
		int err;

		memcpy(copy, bytes, n);
		copy[i] ^= (char)(1 + test_random() % 255);
		CHECK(!file_write_atomic(segment_path, copy, n, 0600), "write");
		free(copy);
		err = history_segment_read(segment_path, 0, INT64_MAX, &s, &e);
		if (!err) {
			if (s.nr_slices == SLICES)
				check_range(0, SLICES);
			else
				CHECK(s.cut || s.damaged, "byte %zu: %zu slices", i, s.nr_slices);
			if (s.damaged == 1)	/* and no name of a number with it */
				CHECK(samples_of(&s) + s.lost + of_damaged(i) == in_all,
				      "byte %zu: %llu samples and %llu lost", i,
				      (unsigned long long)samples_of(&s),
				      (unsigned long long)s.lost);
			nr_damaged += s.damaged == 1;
			history_segment_free(&s);
		} else {
			CHECK(err == -EPROTO && strstr(e.text, "segment"), "byte %zu: %d %s", i,
			      err, e.text);
		}
	}
	CHECK(nr_damaged > 100, "%d segments with one damaged slice", nr_damaged);
	free(bytes);
	give_up();
}

/* What follows a damaged slice is read, and neither merged away nor cut off. */
TEST(slices_after_a_damaged_one)
{
	struct history_writer *again = NULL;
	struct history_segment s;
	struct op_error e = { "" };
	struct stat before, after;
	char *bytes;
	size_t n;

	make_history();
	CHECK(!file_read_all(segment_path, 1 << 26, &bytes, &n), "read");
	(void)find_ends(bytes, n);
	bytes[ends[10] + 40] ^= 1;
	CHECK(!file_write_atomic(segment_path, bytes, n, 0600), "write");
	stat(segment_path, &before);
	s = read_range(BEGIN + 12 * MINUTE, BEGIN + 20 * MINUTE);
	CHECK(s.nr_slices == 8 && s.damaged == 1 && samples_of(&s) && s.lost, "%zu slices",
	      s.nr_slices);
	history_segment_free(&s);
	check_range(0, 11);
	CHECK(history_segment_merge(segment_path, 10 * MINUTE, NULL, &e) == -EPROTO &&
	      strstr(e.text, "not merged"), "%s", e.text);
	CHECK(history_writer_open(segment_path, &again, &e) == -EPROTO &&
	      strstr(e.text, "cannot be continued"), "%s", e.text);
	stat(segment_path, &after);
	CHECK(before.st_size == after.st_size, "cut off");
	/* of the last one nothing is known */
	CHECK(!truncate(segment_path, (off_t)n - 1), "truncate");
	s = read_range(BEGIN, BEGIN + SLICES * MINUTE);
	CHECK(s.nr_slices == SLICES - 2 && s.damaged == 1 && s.cut, "%zu slices", s.nr_slices);
	history_segment_free(&s);
	free(bytes);
	give_up();
}

/* The times in front of a block have no checksum; those after it need nothing but its stacks. */
TEST(a_block_with_other_times)
{
	struct history_segment s;
	uint64_t in_all;
	char *bytes;
	size_t n;

	make_history();
	CHECK(!file_read_all(segment_path, 1 << 26, &bytes, &n), "read");
	in_all = find_ends(bytes, n);
	bytes[ends[10] + 8] ^= 1;		/* the begin */
	CHECK(!file_write_atomic(segment_path, bytes, n, 0600), "write");
	s = read_range(BEGIN, BEGIN + SLICES * MINUTE);
	CHECK(s.nr_slices == SLICES - 1 && s.damaged == 1 && !s.lost &&
	      samples_of(&s) + of_damaged(ends[10]) == in_all, "%zu slices, %d damaged",
	      s.nr_slices, (int)s.damaged);
	history_segment_free(&s);
	check_range(0, 11);
	check_range(12, SLICES);
	free(bytes);
	give_up();
}

/* Slices before the first sample, and between some. */
TEST(empty_slices)
{
	struct history_segment s;

	make_empty();
	for (int i = 0; i < 3; i++)
		end_slice(i);
	sample(&model[3], 5);
	for (int i = 3; i < 6; i++)
		end_slice(i);
	s = read_range(BEGIN, BEGIN + SLICES * MINUTE);
	CHECK(s.nr_slices == 6 && s.nr_places == s.stacks.nr_counts, "%zu slices", s.nr_slices);
	history_segment_free(&s);
	give_up();
}

/* Nothing as long as a damaged file says is allocated, or read. */
TEST(an_endless_block)
{
	static const uint32_t header[6] = { UINT32_MAX, 100 };
	const off_t size = (off_t)5 << 30;
	struct history_segment s;
	struct stat st;
	FILE *f;

	make_empty();
	sample(&model[0], 5);
	end_slice(0);
	stat(segment_path, &st);
	f = fopen(segment_path, "a");
	CHECK(f && fwrite(header, sizeof(header), 1, f) == 1 && !fclose(f), "a header");
	CHECK(!truncate(segment_path, size), "truncate");
	s = read_range(BEGIN, BEGIN + SLICES * MINUTE);
	CHECK(s.nr_slices == 1 && s.cut == (uint64_t)(size - st.st_size), "cut %llu",
	      (unsigned long long)s.cut);
	history_segment_free(&s);
	give_up();
}

/* A power cut may leave zeros of a slice. */
TEST(zeros_are_cut_off)
{
	struct history_segment s;
	struct stat st;

	make_history();
	stat(segment_path, &st);
	CHECK(!truncate(segment_path, st.st_size + 5000), "truncate");
	s = read_range(BEGIN, BEGIN + SLICES * MINUTE);
	CHECK(s.nr_slices == SLICES && s.cut == 5000 && !s.damaged, "%zu slices, %d bytes cut",
	      s.nr_slices, (int)s.cut);
	history_segment_free(&s);
	give_up();
}

static void refused(const char *text, size_t n, const char *want)
{
	struct history_segment s;
	struct op_error e = { "" };

	CHECK(!file_write_atomic(tmpdir_path("odd"), text, n, 0600), "write");
	CHECK(history_segment_read(tmpdir_path("odd"), 0, INT64_MAX, &s, &e) == -EPROTO &&
	      strstr(e.text, want), "%s", e.text);
}

TEST(other_files_are_refused)
{
	tmpdir_make();
	refused("", 0, "not a history segment");
	refused("OPHISTRX\4\3\2\1\1\0\0\0", 16, "not a history segment");
	refused("OPHISTRY\1\2\3\4\1\0\0\0", 16, "byte order");
	refused("OPHISTRY\4\3\2\1\1\0\0\0", 16, "version 1");
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - libsampler's builder of sessions: sample files, stacks, statistics */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/stat.h>
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libdb/session/image_ids.h"
#include "libdb/session/name.h"
#include "libdb/session/parts.h"
#include "libdb/session/session.h"
#include "libdb/session/thread_sample.h"
#include "libdb/stack/store.h"
#include "tests/unit/libsampler/build.h"

static volatile unsigned int sink;

__attribute__((noinline)) static void work_inner(void) { for (int i = 0; i < 3; i++) sink += 7; }
__attribute__((noinline)) static void work_outer(void) { for (int i = 0; i < 3; i++) sink += 9; }

static struct sampler_builder session_builder(void)
{
	struct sampler_builder b = { NULL, NULL };
	struct sampler_error e = { "" };

	if (!program_module.path)
		find_program();
	CHECK(!sampler_session_builder(tmpdir, &b, &e), "%s", e.text);
	return b;
}

static void give_stack(const struct sampler_builder *b, unsigned int times, pid_t tid)
{
	const struct sampler_frame frames[] = { frame_in(work_inner, 4), frame_in(work_outer, 5) };

	while (times--)
		give(b, frames, 2, SAMPLER_WHOLE, 1, tid, NULL, 0);
}

static void complete(struct sampler_builder *b, enum sampler_clock clock)
{
	const struct sampler_summary summary = summary_of(clock);
	struct sampler_error e = { "" };

	CHECK(!b->ops->completed(b->context, &summary, &e), "%s", e.text);
}

/* An address' offset in this program's file, from its mapping. */
static uint64_t file_offset(uintptr_t address)
{
	unsigned long start, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1000];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			found = address - start + offset;
	fclose(maps);
	return found;
}

/* The count of @key in the sample file of that image and callee; -errno if there is no file. */
static int64_t count_of(const struct image_name *image, const struct image_name *callee, pid_t tid,
			uint64_t unit_mask, uint64_t key)
{
	struct sample_name name = {
		.app = { .path = program_module.path }, .image = *image,
		.has_callee = callee, .event = THREAD_SAMPLE, .count = 10000,
		.unit_mask = unit_mask, .tgid = getpid(), .tid = tid, .cpu = SAMPLE_ALL,
	};
	struct strbuf path = STRBUF_INIT;
	struct odb_snapshot s;
	int64_t count = 0;
	int err;

	if (callee)
		name.callee = *callee;
	strbuf_addf(&path, "%s/samples/current/", tmpdir);
	CHECK(!sample_name_format(&name, &path), "a name");
	err = odb_read(path.text, SAMPLE_HEADER_SIZE, &s, NULL);
	strbuf_free(&path);
	if (err)
		return err;
	for (uint32_t i = 0; i < s.nr_nodes; i++)
		if (s.nodes[i].key == key)
			count += s.nodes[i].count;
	odb_snapshot_free(&s);
	return count;
}

static char *stats_dir(void)
{
	return tmpdir_path("samples/current/stats");
}

static struct cpu_counts counts(void)
{
	struct session_counts c = { 0 };
	struct cpu_counts total = { 0 };
	uint64_t lost = 0;

	CHECK(!session_counts_read(stats_dir(), &c), "counts");
	session_counts_total(&c, &total);
	for (int i = 0; i < NR_LOSS_REASONS; i++)
		lost += total.lost[i];
	CHECK(total.received == total.recorded + lost, "nothing vanishes");
	free(c.cpu);
	return total;
}

TEST(samples_and_calls_by_thread)
{
	struct sampler_builder b;
	struct image_name program;
	uint64_t inner = file_offset((uintptr_t)work_inner + 4);
	uint64_t outer = file_offset((uintptr_t)work_outer + 5);

	tmpdir_make();
	b = session_builder();
	program = (struct image_name){ .path = program_module.path };
	give_stack(&b, 3, 100);
	give_stack(&b, 4, 200);
	complete(&b, SAMPLER_CPU);
	CHECK(count_of(&program, NULL, 100, THREAD_SAMPLE_CPU, inner) == 3, "thread 100");
	CHECK(count_of(&program, NULL, 200, THREAD_SAMPLE_CPU, inner) == 4, "thread 200");
	CHECK(count_of(&program, &program, 200, THREAD_SAMPLE_CPU, outer << 32 | inner) == 4,
	      "its calls");
	CHECK(counts().recorded == 7 && counts().stacks[STACK_COMPLETE] == 7, "counts");
	/* later samples are added */
	give_stack(&b, 2, 100);
	complete(&b, SAMPLER_CPU);
	drop(&b);
	b = session_builder();
	give_stack(&b, 1, 100);
	complete(&b, SAMPLER_WALL);
	drop(&b);
	CHECK(count_of(&program, NULL, 100, THREAD_SAMPLE_CPU, inner) == 5, "added");
	CHECK(count_of(&program, NULL, 100, THREAD_SAMPLE_WALL, inner) == 1, "other time apart");
	CHECK(counts().recorded == 10, "%llu", (unsigned long long)counts().recorded);
}

TEST(stacks_with_labels)
{
	const struct sampler_metadata item = { .name = "my phase", .value = -3 };
	const struct sampler_frame frames[] = { frame_in(work_inner, 4), frame_in(work_outer, 5),
						{ 16, NULL, false } };
	struct sampler_builder b;
	struct stack_snapshot s;
	struct op_error e = { "" };
	uint64_t labeled = 0, all = 0;

	tmpdir_make();
	b = session_builder();
	/* the frames' module is known now */
	give(&b, frames, 2, SAMPLER_BROKEN, 1, 5, &item, 1);
	give_stack(&b, 2, 5);
	give(&b, frames, 3, SAMPLER_DEPTH, 1, 5, NULL, 0);
	complete(&b, SAMPLER_CPU);
	drop(&b);
	CHECK(!stack_store_read(tmpdir_path("samples/current/stats/stacks"), &s, &e), "%s", e.text);
	for (uint32_t i = 0; i < s.nr_counts; i++) {
		const struct stack_context *c = &s.contexts[s.counts[i].context];
		char *labels = strdup(c->labels), *rest = labels, *name;
		int64_t number = 0;

		all += s.counts[i].count;
		name = stack_label_next(&rest, &number);
		if (name && !strcmp(name, "my phase") && number == -3)
			labeled += s.counts[i].count;
		CHECK(c->tid == 5 && c->tgid == getpid(), "context");
		free(labels);
	}
	CHECK(all == 4 && labeled == 1, "%llu of %llu", (unsigned long long)labeled,
	      (unsigned long long)all);
	stack_snapshot_free(&s);
	CHECK(counts().stacks[STACK_COMPLETE] == 2 && counts().stacks[STACK_NO_TABLE] == 1 &&
	      counts().stacks[STACK_TRUNCATED] == 1, "ends");
}

TEST(code_without_a_file)
{
	const struct sampler_frame made[] = { { 0x10000010, &made_module, false } };
	const struct sampler_frame nowhere[] = { { 16, NULL, false } };
	const struct image_name image = { .kind = IMAGE_ANON, .path = "made_code",
					  .anon_tgid = (uint32_t)getpid(),
					  .anon_start = 0x10000000, .anon_end = 0x10001000 };
	char *memory = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct sampler_frame anonymous[] = { { (uintptr_t)memory + 100, NULL, false } };
	struct sampler_builder b;

	tmpdir_make();
	b = session_builder();
	give(&b, made, 1, SAMPLER_WHOLE, 1, 5, NULL, 0);
	give(&b, anonymous, 1, SAMPLER_WHOLE, 1, 5, NULL, 0);
	give(&b, nowhere, 1, SAMPLER_WHOLE, 1, 5, NULL, 0);
	complete(&b, SAMPLER_CPU);
	drop(&b);
	CHECK(count_of(&image, NULL, 5, THREAD_SAMPLE_CPU, 0x10) == 1, "added by hand");
	CHECK(counts().recorded == 2 && counts().lost[LOST_NO_MAPPING] == 1, "by its mapping");
}

TEST(losses_have_names)
{
	struct sampler_summary summary = summary_of(SAMPLER_CPU);
	struct sampler_error e = { "" };
	struct sampler_builder b;

	tmpdir_make();
	b = session_builder();
	give(&b, NULL, 0, SAMPLER_BLOCKED, 1, 5, NULL, 0);
	give(&b, NULL, 0, SAMPLER_GONE, 1, 5, NULL, 0);
	give(&b, NULL, 0, SAMPLER_FAILED, 1, 5, NULL, 0);
	summary.missed = 7;
	CHECK(!b.ops->completed(b.context, &summary, &e), "%s", e.text);
	summary.missed = 9;
	CHECK(!b.ops->completed(b.context, &summary, &e), "%s", e.text);
	drop(&b);
	CHECK(counts().lost[LOST_THREAD_BLOCKED] == 1 && counts().lost[LOST_THREAD_GONE] == 1 &&
	      counts().lost[LOST_THREAD_REFUSED] == 1 && counts().lost[LOST_SAMPLER_LATE] == 9,
	      "each");
}

TEST(empty_profiles_are_not_written)
{
	struct sampler_builder b;

	tmpdir_make();
	b = session_builder();
	complete(&b, SAMPLER_CPU);
	drop(&b);
	CHECK(!file_exists(tmpdir_path("samples")), "no samples, no session");
}

TEST(session_info)
{
	struct session_info info;
	struct sampler_builder b;

	tmpdir_make();
	b = session_builder();
	give_stack(&b, 1, 5);
	complete(&b, SAMPLER_CPU);
	drop(&b);
	CHECK(!session_info_read(stats_dir(), &info), "info");
	CHECK(!strcmp(info.collector, THREAD_SAMPLE_COLLECTOR) && info.period_ns == 10000000 &&
	      !strcmp(info.events, "THREAD_SAMPLE:10000:1") && *info.profiled && *info.host &&
	      info.start_time, "%s, %s", info.events, info.profiled);
	CHECK(info.end_time - info.start_time == 1, "%" PRIu64 " to %" PRIu64, info.start_time,
	      info.end_time);
	CHECK(file_exists(tmpdir_path("abi")), "abi");
	CHECK(file_exists(tmpdir_path("samples/current/stats/vdso.so")), "vdso");
	CHECK(file_exists(tmpdir_path("samples/current/stats/images")), "builds");
}

TEST(another_build_gets_a_part)
{
	struct session_parts parts = { 0 };
	struct op_error e = { "" };
	struct sampler_builder b;
	struct image_name program;

	tmpdir_make();
	b = session_builder();
	if (!*program_module.build_id)
		SKIP("this program has no build-id");
	file_make_dirs(stats_dir(), 0755);
	image_ids_append(stats_dir(), program_module.path, "0123456789abcdef");
	give_stack(&b, 1, 5);
	complete(&b, SAMPLER_CPU);
	drop(&b);
	program = (struct image_name){ .path = program_module.path };
	CHECK(count_of(&program, NULL, 5, THREAD_SAMPLE_CPU, 0) < 0, "not with the first");
	CHECK(!session_parts_read(stats_dir(), &parts, &e) && parts.nr == 1 &&
	      !strcmp(parts.parts[0].build_id, program_module.build_id), "%s", e.text);
	session_parts_free(&parts);
	CHECK(counts().recorded == 1, "recorded");
}

TEST(session_in_use)
{
	const struct sampler_summary summary = summary_of(SAMPLER_CPU);
	struct sampler_error e = { "" };
	struct sampler_builder b;
	int fd;

	tmpdir_make();
	b = session_builder();
	put_text(tmpdir_path("lock"), "1");
	fd = open(tmpdir_path("lock"), O_RDWR);
	CHECK(!flock(fd, LOCK_EX), "lock");
	give_stack(&b, 1, 5);
	CHECK(b.ops->completed(b.context, &summary, &e) == -EBUSY &&
	      strstr(e.text, "in use by another profiling program"), "%s", e.text);
	drop(&b);
}

TEST(links_are_not_followed)
{
	const struct sampler_summary summary = summary_of(SAMPLER_CPU);
	struct sampler_error e = { "" };
	struct sampler_builder b;

	tmpdir_make();
	b = session_builder();
	file_make_dirs(tmpdir_path("elsewhere"), 0755);
	CHECK(!symlink("elsewhere", tmpdir_path("samples")), "link");
	give_stack(&b, 1, 5);
	CHECK(b.ops->completed(b.context, &summary, &e) == -ENOTDIR, "%s", e.text);
	CHECK(!rmdir(tmpdir_path("elsewhere")), "nothing was made there");
	CHECK(!unlink(tmpdir_path("samples")), "no link");
	file_make_dirs(tmpdir_path("samples/current"), 0755);
	file_make_dirs(tmpdir_path("elsewhere"), 0755);
	CHECK(!symlink("../../elsewhere", tmpdir_path("samples/current/stats")), "link");
	give_stack(&b, 1, 5);
	CHECK(b.ops->completed(b.context, &summary, &e) == -ENOTDIR, "%s", e.text);
	CHECK(!rmdir(tmpdir_path("elsewhere")), "nor here");
	drop(&b);
	CHECK(sampler_session_builder("/proc/no", &b, &e) < 0 && *e.text, "%s", e.text);
}

TEST_MAIN()

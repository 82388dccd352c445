// SPDX-License-Identifier: GPL-2.0-or-later
/* files.c - libsampler's builder of files, and collecting samples */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "formats/format.h"
#include "libsampler/build/profile.h"
#include "tests/unit/libsampler/build.h"

static volatile unsigned int sink;

/* Large enough for addresses inside. */
__attribute__((noinline)) static void work_inner(void) { for (int i = 0; i < 3; i++) sink += 7; }
__attribute__((noinline)) static void work_outer(void) { for (int i = 0; i < 3; i++) sink += 9; }

static struct sampler_builder file_builder(enum sampler_format format, const char *name)
{
	struct sampler_builder b;
	struct sampler_error e = { "" };

	find_program();
	CHECK(!sampler_file_builder(format, tmpdir_path(name), &b, &e), "%s", e.text);
	return b;
}

/* @times samples of inner called by outer at that time */
static void give_stack(const struct sampler_builder *b, unsigned int times, uint64_t time_ns,
		       const struct sampler_metadata *metadata, size_t nr)
{
	const struct sampler_frame frames[] = { frame_in(work_inner, 4), frame_in(work_outer, 5) };

	while (times--)
		give(b, frames, 2, SAMPLER_WHOLE, time_ns, gettid(), metadata, nr);
}

static struct profile *complete(struct sampler_builder *b, const char *name,
				enum sampler_clock clock)
{
	const struct sampler_summary summary = summary_of(clock);
	const struct format_read_options options = { .strict = true };
	struct sampler_error e = { "" };
	struct op_error why = { "" };
	struct profile *p = NULL;

	CHECK(!b->ops->completed(b->context, &summary, &e), "%s", e.text);
	CHECK(!profile_read_file(tmpdir_path(name), NULL, &options, &p, &why), "%s", why.text);
	return p;
}

/* The total count of samples with that label, which is @text or else @number. */
static int64_t labeled(const struct profile *p, const char *key, const char *text, int64_t number)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		const struct profile_labels *set = &p->label_sets[p->samples[i].labels];

		for (uint32_t k = 0; k < set->nr; k++) {
			const struct profile_label *l = &p->labels[set->first + k];

			if (!strcmp(profile_text(p, l->key), key) &&
			    (text ? !strcmp(profile_text(p, l->text), text)
				  : !l->text && l->number == number))
				sum += profile_values(p, i)[0];
		}
	}
	return sum;
}

TEST(a_file_of_profile_proto)
{
	struct sampler_builder b;
	struct profile *p;
	const struct profile_place *leaf;

	tmpdir_make();
	b = file_builder(SAMPLER_PPROF, "a.pb.gz");
	give_stack(&b, 3, 1, NULL, 0);
	p = complete(&b, "a.pb.gz", SAMPLER_CPU);
	/* read back as periods of 10 ms; equal samples are one */
	CHECK(p->nr_samples == 1 && p->tree.nr == 2, "%u samples", p->nr_samples);
	CHECK(!strcmp(profile_text(p, p->events[0].name), "cpu"), "%s",
	      profile_text(p, p->events[0].name));
	CHECK(profile_total(p, 0) * (int64_t)(p->events[0].period ? p->events[0].period : 1) ==
	      30000000, "%lld", (long long)profile_total(p, 0));
	CHECK(labeled(p, "pid", NULL, getpid()) == profile_total(p, 0), "pid");
	CHECK(labeled(p, "tid", NULL, gettid()) == profile_total(p, 0), "tid");
	CHECK(labeled(p, "comm", program_invocation_short_name, 0) == profile_total(p, 0) ||
	      strlen(program_invocation_short_name) > 15, "comm");
	leaf = &p->places[p->tree.nodes[p->samples[0].node].key];
	CHECK(leaf->address == (uintptr_t)work_inner + 4, "the sample's own address");
	CHECK(p->places[p->tree.nodes[p->tree.nodes[p->samples[0].node].parent].key].address ==
	      (uintptr_t)work_outer + 4, "of a caller that of the call");
	CHECK(!strcmp(profile_text(p, p->images[leaf->image].path), program_module.path) &&
	      !strcmp(profile_text(p, p->images[leaf->image].build_id), program_module.build_id),
	      "%s", profile_text(p, p->images[leaf->image].path));
	profile_free(p);
	drop(&b);
}

TEST(folded_stacks_have_names)
{
	struct sampler_builder b;
	struct profile *p;
	const struct sampler_frame made[] = { { 0x10000010, &made_module, false } };
	char *text, wanted[200];

	tmpdir_make();
	b = file_builder(SAMPLER_FOLDED, "a.folded");
	give_stack(&b, 3, 1, NULL, 0);
	give(&b, made, 1, SAMPLER_WHOLE, 1, gettid(), NULL, 0);
	p = complete(&b, "a.folded", SAMPLER_WALL);
	profile_free(p);
	CHECK(!file_read_all(tmpdir_path("a.folded"), 1 << 20, &text, NULL), "there");
	snprintf(wanted, sizeof(wanted), "%.15s;work_outer;work_inner 3\n",
		 program_invocation_short_name);
	CHECK(strstr(text, wanted), "no '%s' in '%s'", wanted, text);
	CHECK(strstr(text, ";made_code_[j] 1\n"), "%s", text);
	free(text);
	drop(&b);
}

TEST(a_google_cpu_profile)
{
	struct sampler_builder b;
	struct profile *p;

	tmpdir_make();
	b = file_builder(SAMPLER_CPUPROFILE, "a.prof");
	give_stack(&b, 5, 1, NULL, 0);
	p = complete(&b, "a.prof", SAMPLER_CPU);
	CHECK(profile_total(p, 0) == 5 && p->tree.nr >= 2, "%lld",
	      (long long)profile_total(p, 0));
	profile_free(p);
	drop(&b);
}

TEST(metadata_becomes_labels)
{
	const struct sampler_metadata items[] = {
		{ .name = "phase", .value = 3 },
		{ .name = "phase", .has_tid = true, .tid = gettid(), .value = -4 },
		{ .name = "request", .has_key = true, .key = 7, .value = 12 },
		{ .name = "pid", .value = 1 },		/* ours */
	};
	struct sampler_builder b;
	struct profile *p;

	tmpdir_make();
	b = file_builder(SAMPLER_PPROF, "a.pb.gz");
	give_stack(&b, 1, 1, NULL, 0);
	give_stack(&b, 2, 2, items, 1);
	give_stack(&b, 4, 3, items, 4);
	p = complete(&b, "a.pb.gz", SAMPLER_CPU);
	CHECK(4 * labeled(p, "phase", NULL, 3) == 2 * labeled(p, "phase", NULL, -4) &&
	      labeled(p, "phase", NULL, 3), "a thread's own wins");
	CHECK(labeled(p, "request/7", NULL, 12) == labeled(p, "phase", NULL, -4), "with a key");
	CHECK(labeled(p, "pid", NULL, getpid()) == profile_total(p, 0), "pid");
	profile_free(p);
	drop(&b);
}

TEST(metadata_for_past_samples)
{
	const struct sampler_metadata item = { .name = "slow", .value = 1 };
	const struct sampler_metadata other = { .name = "other", .has_tid = true, .tid = 1 };
	struct sampler_builder b;
	struct profile *p;
	int64_t total;

	tmpdir_make();
	b = file_builder(SAMPLER_PPROF, "a.pb.gz");
	for (uint64_t t = 0; t < 10; t++)
		give_stack(&b, 1, 100 + t, NULL, 0);
	b.ops->metadata_past(b.context, &item, 103, 106);
	b.ops->metadata_past(b.context, &other, 103, 106);
	p = complete(&b, "a.pb.gz", SAMPLER_CPU);
	total = profile_total(p, 0);
	CHECK(10 * labeled(p, "slow", NULL, 1) == 3 * total, "%lld of %lld",
	      (long long)labeled(p, "slow", NULL, 1), (long long)total);
	CHECK(!labeled(p, "other", NULL, 0), "of another thread");
	profile_free(p);
	/* all others, too: the sample without it is gone, and the file is written again */
	b.ops->metadata_past(b.context, &item, 100, 200);
	p = complete(&b, "a.pb.gz", SAMPLER_CPU);
	CHECK(p->nr_samples == 1 && profile_total(p, 0) == total, "%u", p->nr_samples);
	profile_free(p);
	drop(&b);
}

TEST(samples_without_frames_are_in_comments)
{
	struct sampler_builder b;
	struct profile *p;
	unsigned int found = 0;

	tmpdir_make();
	b = file_builder(SAMPLER_PPROF, "a.pb.gz");
	give_stack(&b, 1, 1, NULL, 0);
	give(&b, NULL, 0, SAMPLER_BLOCKED, 1, gettid(), NULL, 0);
	give(&b, NULL, 0, SAMPLER_BLOCKED, 1, gettid(), NULL, 0);
	give(&b, NULL, 0, SAMPLER_GONE, 1, gettid(), NULL, 0);
	p = complete(&b, "a.pb.gz", SAMPLER_CPU);
	for (uint32_t i = 0; i < p->nr_comments; i++) {
		const char *text = profile_text(p, p->comments[i]);

		found += !strcmp(text, "2 samples are missing: the thread blocked the signal");
		found += !strcmp(text, "1 samples are missing: the thread had exited");
	}
	CHECK(found == 2, "%u of %u comments", found, p->nr_comments);
	profile_free(p);
	drop(&b);
}

/* In each file of a profile that goes on, all intervals are of a function or [lost]. */
TEST(lost_samples_are_a_frame)
{
	static const struct { enum sampler_format format; const char *name; } files[] = {
		{ SAMPLER_PPROF, "a.pb.gz" }, { SAMPLER_CPUPROFILE, "a.prof" },
		{ SAMPLER_FOLDED, "a.folded" },
	};

	tmpdir_make();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct sampler_builder b = file_builder(files[i].format, files[i].name);

		for (int64_t turn = 1; turn < 4; turn++) {
			struct profile *p;
			int64_t unit, lost = 0;

			give_stack(&b, 2, 1, NULL, 0);
			give(&b, NULL, 0, SAMPLER_BLOCKED, 1, gettid(), NULL, 0);
			give(&b, NULL, 0, SAMPLER_WHOLE, 1, gettid(), NULL, 0);
			give(&b, NULL, 0, SAMPLER_GONE, 1, gettid(), NULL, 0);
			p = complete(&b, files[i].name, SAMPLER_CPU);
			unit = profile_total(p, 0) / (4 * turn);
			for (uint32_t k = 0; k < p->nr_samples; k++)
				if (p->tree.nodes[p->samples[k].node].parent == PROFILE_NONE)
					lost += profile_values(p, k)[0];
			CHECK(unit && profile_total(p, 0) == 4 * turn * unit &&
			      (files[i].format == SAMPLER_FOLDED || lost == 2 * turn * unit),
			      "%s: %lld of %lld", files[i].name, (long long)lost,
			      (long long)profile_total(p, 0));
			profile_free(p);
		}
		drop(&b);
	}
}

TEST(memory_is_bounded)
{
	struct build_profile *b = build_profile_new(1000);
	const struct sampler_summary summary = summary_of(SAMPLER_CPU);
	struct sampler_frame frames[10];
	uint64_t kept;

	find_program();
	for (unsigned int i = 0; i < 1000; i++) {
		const struct sampler_sample s = { .frames = frames, .nr_frames = 10, .tid = 1,
						  .time_ns = i, .weight = 1 };

		for (unsigned int k = 0; k < 10; k++)
			frames[k] = frame_in(work_inner, test_random() % 100000);
		build_profile_sample(b, &s);
	}
	kept = (uint64_t)profile_total(build_profile_get(b, &summary), 0);
	CHECK(build_profile_get(b, &summary)->tree.nr <= 1000, "nodes");
	CHECK(kept >= 90 && kept + build_profile_losses(b)->no_room == 1000, "%llu and %llu",
	      (unsigned long long)kept, (unsigned long long)build_profile_losses(b)->no_room);
	build_profile_free(b);
}

/* A label that comes later goes with the whole weight. */
TEST(samples_count_by_weight)
{
	struct build_profile *b = build_profile_new(1000);
	const struct sampler_summary summary = summary_of(SAMPLER_CPU);
	const struct sampler_metadata item = { .name = "late", .value = 1 };
	const struct sampler_frame frame = frame_in(work_inner, 4);
	const struct sampler_sample samples[] = {
		{ .frames = &frame, .nr_frames = 1, .tid = 1, .time_ns = 1, .weight = 5 },
		{ .frames = &frame, .nr_frames = 1, .tid = 1, .time_ns = 2, .weight = 2 },
		{ .status = SAMPLER_NOT_RUN, .tid = 1, .time_ns = 3, .weight = 7 },
	};
	const struct profile *p;

	find_program();
	for (size_t i = 0; i < 3; i++)
		build_profile_sample(b, &samples[i]);
	build_profile_past(b, &item, 2, 3);
	p = build_profile_get(b, &summary);
	CHECK(profile_total(p, 0) == 7 && labeled(p, "late", NULL, 1) == 2, "%lld, %lld labeled",
	      (long long)profile_total(p, 0), (long long)labeled(p, "late", NULL, 1));
	CHECK(build_profile_losses(b)->status[SAMPLER_NOT_RUN] == 7, "seven without a stack");
	build_profile_free(b);
}

TEST(past_samples_are_bounded)
{
	struct build_profile *b = build_profile_new(1000);
	const struct sampler_summary summary = summary_of(SAMPLER_CPU);
	const struct sampler_metadata item = { .name = "late", .value = 1 };
	const struct profile *p;

	find_program();
	for (uint64_t t = 0; t < BUILD_PAST_MAX + 10; t++) {
		const struct sampler_frame frame = frame_in(work_inner, 4);
		const struct sampler_sample s = { .frames = &frame, .nr_frames = 1, .tid = 1,
						  .time_ns = t, .weight = 1 };

		build_profile_sample(b, &s);
	}
	build_profile_past(b, &item, 10, BUILD_PAST_MAX + 10);
	CHECK(!build_profile_losses(b)->past_cut, "all at hand");
	build_profile_past(b, &item, 0, 20);
	CHECK(build_profile_losses(b)->past_cut == 1, "too late for some");
	p = build_profile_get(b, &summary);
	CHECK(labeled(p, "late", NULL, 1) == BUILD_PAST_MAX && profile_total(p, 0) ==
	      BUILD_PAST_MAX + 10, "%lld", (long long)labeled(p, "late", NULL, 1));
	build_profile_free(b);
}

TEST(a_failure_leaves_the_old_file)
{
	struct sampler_builder b;
	struct sampler_error e = { "" };
	struct sampler_summary summary = summary_of(SAMPLER_CPU);
	struct rlimit limit;
	char *text = NULL;
	int err;

	tmpdir_make();
	CHECK(sampler_file_builder(SAMPLER_PPROF, tmpdir_path("no/such"), &b, &e) == -ENOENT &&
	      strstr(e.text, "cannot write"), "%s", e.text);
	CHECK(sampler_file_builder(SAMPLER_PPROF, tmpdir, &b, &e) == -EINVAL, "a folder");
	CHECK(sampler_file_builder(99, tmpdir_path("x"), &b, &e) == -EINVAL, "format");
	put_text(tmpdir_path("a.prof"), "old");
	b = file_builder(SAMPLER_CPUPROFILE, "a.prof");
	give_stack(&b, 1, 1, NULL, 0);
	/* no room */
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 1, limit.rlim_max });
	err = b.ops->completed(b.context, &summary, &e);
	setrlimit(RLIMIT_FSIZE, &limit);
	CHECK(err == -EFBIG && strstr(e.text, "a.prof"), "%s", e.text);
	CHECK(!file_read_all(tmpdir_path("a.prof"), 100, &text, NULL) && !strcmp(text, "old"),
	      "whole or not at all");
	free(text);
	drop(&b);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/* words.c - words of samples: as few notes as possible, and no sample unaccounted for */
#include "tests/tap.h"

#include <stdint.h>

#include "daemon/collect/perf/attribute.h"
#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/names.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/unit/daemon/collect/perf/build.h"
#include "tests/unit/taken_words.h"
#include "tests/unit/tmpdir.h"

static struct perf_emit emit;

#define E OP_ESCAPE

TEST(notes_only_when_something_changes)
{
	perf_emit_begin(&emit, take_words, NULL);
	perf_emit_cpu(&emit, 3);
	perf_emit_task(&emit, 10, 11, 1);
	perf_emit_file(&emit, 2, 0x100);
	perf_emit_cpu(&emit, 3);
	perf_emit_task(&emit, 10, 11, 1);
	perf_emit_file(&emit, 2, 0x200);
	perf_emit_kernel(&emit, 0xffffffff81000000);
	perf_emit_file(&emit, 2, 0x300);
	perf_emit_end(&emit);
	CHECK_WORDS("one task", E, OP_CPU_SWITCH, 3, E, OP_CTX_SWITCH, 11, 1, E, OP_CTX_TGID, 10, E,
		    OP_USER_ENTER, E, OP_COOKIE_SWITCH, 2, 0x100, 0, 0x200, 0, E, OP_KERNEL_ENTER,
		    0xffffffff81000000, 0, E, OP_USER_ENTER, 0x300, 0);

	perf_emit_task(&emit, 10, 12, 1); /* another thread of it */
	perf_emit_file(&emit, 2, 0x400);
	perf_emit_cpu(&emit, 4); /* another CPU: everything is repeated */
	perf_emit_task(&emit, 10, 12, 1);
	perf_emit_file(&emit, 2, 0x400);
	perf_emit_end(&emit);
	CHECK_WORDS("another CPU", E, OP_CTX_SWITCH, 12, 1, E, OP_CTX_TGID, 10, 0x400, 0, E,
		    OP_CPU_SWITCH, 4, E, OP_CTX_SWITCH, 12, 1, E, OP_CTX_TGID, 10, E, OP_USER_ENTER,
		    E, OP_COOKIE_SWITCH, 2, 0x400, 0);
}

static op_word name_word(const char *name, size_t i)
{
	char padded[OP_ANON_NAME_WORDS * 8] = "";
	op_word w;

	memcpy(padded, name, strlen(name));
	memcpy(&w, padded + 8 * i, 8);
	return w;
}

TEST(anonymous_memory)
{
	perf_emit_begin(&emit, take_words, NULL);
	perf_emit_cpu(&emit, 0);
	perf_emit_task(&emit, 10, 10, 1);
	perf_emit_file(&emit, 2, 0x100);
	perf_emit_end(&emit);
	nr_words = 0;
	perf_emit_anonymous(&emit, 0x1000, 0x2000, "[heap]", 0x1010);
	perf_emit_anonymous(&emit, 0x1000, 0x2000, "[heap]", 0x1020);
	perf_emit_file(&emit, 2, 0x100);
	perf_emit_anonymous(&emit, 0x1000, 0x2000, "[heap]", 0x1030);
	perf_emit_end(&emit);
	CHECK_WORDS("heap", E, OP_COOKIE_SWITCH, 0, E, OP_ANON_MAP, 0x1000, 0x2000,
		    name_word("[heap]", 0), 0, 0, 0, 0x1010, 0, 0x1020, 0, E, OP_COOKIE_SWITCH, 2,
		    0x100, 0, E, OP_COOKIE_SWITCH, 0, E, OP_ANON_MAP, 0x1000, 0x2000,
		    name_word("[heap]", 0), 0, 0, 0, 0x1030, 0);
}

TEST(module)
{
	perf_emit_begin(&emit, take_words, NULL);
	perf_emit_module(&emit, true, 0xffffffffc0000000, 0x3000, "ext4");
	perf_emit_end(&emit);
	CHECK_WORDS("module", E, OP_MODULE_RANGE, 1, 0xffffffffc0000000, 0x3000,
		    name_word("ext4", 0), 0, 0, 0, 0, 0, 0, 0, E, OP_MODULE_LOADED);
}

TEST(many_words_are_delivered_in_pieces)
{
	perf_emit_begin(&emit, take_words, NULL);
	perf_emit_cpu(&emit, 0);
	for (uint64_t i = 0; i < 40000; i++)
		perf_emit_kernel(&emit, i);
	perf_emit_end(&emit);
	CHECK(nr_words == 3 + 2 + 2 * 40000, "%zu words", nr_words);
	for (uint64_t i = 0; i < 40000; i++)
		CHECK(words[5 + 2 * i] == i, "pc %llu", (unsigned long long)i);
}

/* --- attribution --- */

static struct perf_cpu_state cpus[2];

static void change(struct perf_attribute *a, struct bytes *b)
{
	struct perf_record r;

	CHECK(!perf_record_parse(b->at, b->size, &r), "parse");
	perf_attribute_change(a, &r);
}

#define NOBODY 0x7f000000
#define GONE ((uint32_t)-1)

TEST(every_sample_ends_somewhere)
{
	static const struct {
		struct perf_sample sample;
		int lost; /* reason, or -1: a pair */
	} cases[] = {
		{{1, 0x1010, NOBODY, NOBODY, PERF_MODE_USER, false, 0, 0, NULL, 0, 0}, -1},
		{{1, 0x5000, NOBODY, NOBODY,
			PERF_MODE_USER, false, 0, 0, NULL, 0, 0}, LOST_NO_MAPPING},
		{{1, 0x1010, NOBODY + 1, NOBODY + 1,
			PERF_MODE_USER, false, 0, 0, NULL, 0, 0}, LOST_NO_MM},
		{{1, 0x1010, NOBODY, NOBODY,
			PERF_MODE_UNKNOWN, false, 0, 0, NULL, 0, 0}, LOST_NO_MODE},
		{{1, OP_ESCAPE, NOBODY, NOBODY, PERF_MODE_KERNEL, false, 0, 0, NULL, 0, 0},
		 LOST_INVALID_PC},
		{{1, 0x2fff, NOBODY, NOBODY,
			PERF_MODE_USER, false, 0, 0, NULL, 0, 0}, LOST_INVALID_PC},
		{{1, 0xffffffff81000000, 0, 0, PERF_MODE_KERNEL, false, 0, 0, NULL, 0, 0}, -1},
		{{1, 0xffffffff81000000, NOBODY + 2, NOBODY + 2,
			PERF_MODE_KERNEL, false, 0, 0, NULL, 0,
		  0}, -1},
		{{1, 0x1010, 0, 0, PERF_MODE_USER, false, 0, 0, NULL, 0, 0}, LOST_NO_MM},
		{{1, 0xffffffff81000000, GONE, GONE,
			PERF_MODE_KERNEL, false, 0, 0, NULL, 0, 0}, -1},
	};
	struct perf_cookies *cookies = perf_cookies_new();
	struct perf_processes processes;
	struct perf_attribute a = {.processes = &processes,
				   .cookies = cookies,
				   .emit = &emit,
				   .cpus = cpus,
				   .nr_cpus = 2};
	struct bytes b;

	perf_processes_init(&processes, cookies, "/nonexistent");
	make_comm(&b, PERF_RECORD_MISC_COMM_EXEC, NOBODY, "x", 1);
	change(&a, &b);
	make_mmap2(&b, NOBODY, 0x1000, 0x1000, 0, 9, "/bin/x", 1);
	change(&a, &b);
	make_mmap2(&b, NOBODY, 0x2000, 0x1000, OP_ESCAPE - 0xfff, 9, "/bin/y", 1);
	change(&a, &b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t before = cases[i].lost < 0 ? 0 : cpus[1].counts.lost[cases[i].lost];
		size_t nr;

		nr_words = 0;
		perf_emit_begin(&emit, take_words, NULL);
		perf_emit_cpu(&emit, 1);
		perf_emit_task(&emit, 1, 1, 1);
		perf_emit_end(&emit);
		nr = nr_words;
		perf_attribute_samples(&a, 1, &cases[i].sample, 1);
		perf_emit_end(&emit);
		if (cases[i].lost < 0)
			CHECK(nr_words > nr && words[nr_words - 2] != E && words[nr_words - 1] == 0,
			      "case %zu: no pair", i);
		else
			CHECK(cpus[1].counts.lost[cases[i].lost] == before + 1,
			      "case %zu: not counted", i);
		CHECK(cpus[1].counts.received == i + 1, "case %zu: received", i);
	}
	perf_processes_free(&processes);
	perf_cookies_free(cookies);
}

TEST(samples_of_the_idle_task_are_counted)
{
	static const struct perf_sample samples[] = {
		{1, 0xffffffff81000000, 0, 0, PERF_MODE_KERNEL, false, 0, 0, NULL, 0, 0},
		{2, 0xffffffff81000000, NOBODY, NOBODY, PERF_MODE_KERNEL, false, 0, 0, NULL, 0, 0},
		{3, 0x1010, 0, 0,
			PERF_MODE_USER, false, 0, 0, NULL, 0, 0},	/* of another namespace */
	};
	struct perf_cookies *cookies = perf_cookies_new();
	struct perf_processes processes;
	struct perf_attribute a = {.processes = &processes, .cookies = cookies, .emit = &emit,
				   .cpus = cpus, .nr_cpus = 2, .skip_idle = true};
	struct cpu_counts before = cpus[1].counts;

	perf_processes_init(&processes, cookies, "/nonexistent");
	nr_words = 0;
	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_samples(&a, 1, samples, 1);
	perf_emit_end(&emit);
	CHECK(cpus[1].counts.idle == before.idle + 1, "not counted");
	perf_attribute_samples(&a, 1, samples + 1, 2);
	perf_emit_end(&emit);
	CHECK(cpus[1].counts.idle == before.idle + 1 &&
	      cpus[1].counts.received == before.received + 3 &&
	      cpus[1].counts.lost[LOST_NO_MM] == before.lost[LOST_NO_MM] + 1, "the others");
	CHECK(nr_words > 2 && words[nr_words - 2] == 0xffffffff81000000, "the task's sample");
	perf_processes_free(&processes);
	perf_cookies_free(cookies);
}

/* After its exit a task's samples have no ids; they still belong to its program. */
TEST(samples_after_exit_keep_their_program)
{
	struct perf_cookies *cookies = perf_cookies_new();
	struct perf_processes processes;
	struct perf_attribute a = {.processes = &processes,
				   .cookies = cookies,
				   .emit = &emit,
				   .cpus = cpus,
				   .nr_cpus = 2};
	struct perf_sample s = {9, 0xffffffff81000000, GONE, GONE,
		PERF_MODE_KERNEL, false, 0, 0, NULL,
				0, 0};
	struct bytes b;

	perf_processes_init(&processes, cookies, "/nonexistent");
	make_comm(&b, PERF_RECORD_MISC_COMM_EXEC, NOBODY, "x", 1);
	change(&a, &b);
	make_mmap2(&b, NOBODY, 0x1000, 0x1000, 0, 9, "/bin/x", 1);
	change(&a, &b);
	make_task(&b, PERF_RECORD_EXIT, NOBODY, 1, NOBODY, 8); /* on CPU 0 */
	change(&a, &b);
	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_samples(&a, 0, &s, 1);
	perf_emit_end(&emit);
	CHECK_WORDS("after exit", E, OP_CPU_SWITCH, 0, E, OP_CTX_SWITCH, NOBODY, 1, E, OP_CTX_TGID,
		    NOBODY, E, OP_KERNEL_ENTER, 0xffffffff81000000, 0);
	perf_processes_free(&processes);
	perf_cookies_free(cookies);
}

/* Names from exec, from the task itself, and from its parent; each is written once. */
TEST(names_of_tasks)
{
	struct perf_cookies *cookies = perf_cookies_new();
	struct perf_comms *comms = perf_comms_new();
	struct perf_processes processes;
	struct perf_attribute a = {.processes = &processes,
				   .cookies = cookies,
				   .emit = &emit,
				   .cpus = cpus,
				   .nr_cpus = 2,
				   .comms = comms};
	struct perf_sample s = {9, 0xffffffff81000000, NOBODY, NOBODY,
		PERF_MODE_KERNEL, false, 0, 0, NULL,
				0, 0};
	struct bytes b;

	perf_processes_init(&processes, cookies, "/nonexistent");
	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_samples(&a, 0, &s, 1);
	make_comm(&b, PERF_RECORD_MISC_COMM_EXEC, NOBODY, "first", 1);
	change(&a, &b);
	perf_attribute_samples(&a, 0, &s, 1);
	perf_attribute_samples(&a, 0, &s, 1);
	make_task(&b, PERF_RECORD_FORK, NOBODY + 1, NOBODY, NOBODY + 1, 2);
	change(&a, &b);
	make_comm(&b, 0, NOBODY, "a second name", 3);
	change(&a, &b);
	perf_attribute_samples(&a, 0, &s, 1);
	perf_emit_end(&emit);
	CHECK_WORDS("names", E, OP_CPU_SWITCH, 0, E, OP_CTX_SWITCH, NOBODY, 0, E, OP_CTX_TGID,
		    NOBODY, E, OP_KERNEL_ENTER, s.pc, 0, E, OP_COMM, name_word("first", 0), 0, s.pc,
		    0, s.pc, 0, E, OP_COMM, name_word("a second name", 0),
		    name_word("a second name", 1), s.pc, 0);
	CHECK(!strcmp(perf_comms_find(comms, NOBODY + 1), "first"), "its maker's");
	make_task(&b, PERF_RECORD_FORK, NOBODY + 1, 77, NOBODY + 1, 4);
	change(&a, &b);
	CHECK(!*perf_comms_find(comms, NOBODY + 1), "a new owner, of an unknown maker");
	perf_processes_free(&processes);
	perf_comms_free(comms);
	perf_cookies_free(cookies);
}

/* --- lost changes --- */

static struct perf_cookies *cookies;
static struct perf_processes processes;
static struct perf_attribute attribute;

static void begin_gaps(void)
{
	tmpdir_make();
	cookies = perf_cookies_new();
	perf_processes_init(&processes, cookies, tmpdir);
	attribute = (struct perf_attribute){.processes = &processes, .cookies = cookies,
					    .emit = &emit, .cpus = cpus, .nr_cpus = 2};
	memset(cpus, 0, sizeof(cpus));
}

static void end_gaps(void)
{
	perf_processes_free(&processes);
	perf_cookies_free(cookies);
	tmpdir_remove();
}

static void put_maps(uint32_t pid, const char *maps)
{
	char name[32], *path;

	snprintf(name, sizeof(name), "%u/maps", pid);
	path = xstrdup(tmpdir_path(name));
	CHECK(!file_make_parent_dirs(path, 0755) &&
	      !file_write_atomic(path, maps, strlen(maps), 0644), "cannot write %s", path);
	free(path);
}

static void lose_changes(uint64_t time)
{
	struct perf_record r = {.kind = PERF_KIND_LOST, .time = time};

	perf_attribute_change(&attribute, &r);
}

/* The inode of the file that a sample is recorded for; 0: lost because it is not certain. */
static uint64_t owner(uint32_t pid, uint64_t pc, uint64_t time)
{
	struct perf_sample s = {time, pc, pid, pid, PERF_MODE_USER, false, 0, 0, NULL, 0, 0};
	uint64_t lost = cpus[1].counts.lost[LOST_STALE_MAPPINGS];
	const struct perf_image *image = NULL;

	nr_words = 0;
	perf_emit_begin(&emit, take_words, NULL);
	perf_emit_cpu(&emit, 0);
	perf_attribute_samples(&attribute, 1, &s, 1);
	perf_emit_end(&emit);
	for (size_t i = 0; i + 2 < nr_words; i++)
		if (words[i] == E && words[i + 1] == OP_COOKIE_SWITCH)
			image = perf_cookies_find(cookies, words[i + 2]);
	if (image)
		return image->inode;
	CHECK(cpus[1].counts.lost[LOST_STALE_MAPPINGS] == lost + 1, "lost for another reason");
	return 0;
}

#define OLD_X	"1000-2000 r-xp 00000000 08:01 10 /bin/x\n"
#define NEW_X	"1000-2000 r-xp 00000000 08:01 11 /bin/x\n"
#define MOVED_X	"1000-2000 r-xp 00001000 08:01 10 /bin/x\n"
#define LIB	"8000-9000 r-xp 00000000 08:01 12 /lib/l\n"

/* The exec of another build of the path was lost: neither gets samples of the time between. */
TEST(after_lost_changes_what_differs_is_uncertain)
{
	uint64_t before, late;

	begin_gaps();
	put_maps(10, OLD_X LIB);
	CHECK(!perf_process_read_again(&processes, 10), "read");
	before = perf_now();
	CHECK(owner(10, 0x1010, before) == 10, "known");
	put_maps(10, NEW_X LIB);
	lose_changes(before);
	CHECK(owner(10, 0x1010, before + 1) == 0, "the old one or the new one?");
	CHECK(owner(10, 0x8010, before + 1) == 12, "what is mapped as before is certain");
	late = perf_now();
	CHECK(owner(10, 0x1010, late) == 11, "the new one");
	CHECK(owner(10, 0x1010, before + 2) == 0, "still uncertain");
	put_maps(10, OLD_X LIB);
	lose_changes(late);
	CHECK(owner(10, 0x1010, late + 1) == 0 && owner(10, 0x1010, perf_now()) == 10,
	      "lost again, at once");
	put_maps(10, MOVED_X LIB);
	late = perf_now();
	lose_changes(late);
	CHECK(owner(10, 0x1010, late) == 0, "another part of the file");
	end_gaps();
}

TEST(after_lost_changes_processes_are_uncertain)
{
	struct perf_sample in_kernel = {.pc = 0xffffffff81000000, .tgid = NOBODY, .tid = NOBODY,
					.mode = PERF_MODE_KERNEL};
	struct bytes b;

	begin_gaps();
	make_comm(&b, PERF_RECORD_MISC_COMM_EXEC, NOBODY, "x", 1);
	change(&attribute, &b);
	make_mmap2(&b, NOBODY, 0x1000, 0x1000, 0, 10, "/bin/x", 1);
	change(&attribute, &b);
	CHECK(owner(NOBODY, 0x1010, 2) == 10, "known");
	lose_changes(2);
	CHECK(owner(NOBODY, 0x1010, 3) == 0, "it cannot be read any more");
	make_task(&b, PERF_RECORD_FORK, NOBODY + 1, NOBODY, NOBODY + 1, 4);
	change(&attribute, &b);
	CHECK(owner(NOBODY + 1, 0x1010, 5) == 0, "nor can its child");
	/* its program is unknown, but the kernel is certain */
	nr_words = 0;
	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_samples(&attribute, 0, &in_kernel, 1);
	perf_emit_end(&emit);
	CHECK_WORDS("in the kernel", E, OP_CPU_SWITCH, 0, E, OP_CTX_SWITCH, NOBODY, OP_NO_COOKIE, E,
		    OP_CTX_TGID, NOBODY, E, OP_KERNEL_ENTER, in_kernel.pc, 0);
	/* what it executes afterwards is known again */
	make_comm(&b, PERF_RECORD_MISC_COMM_EXEC, NOBODY + 1, "x", perf_now());
	change(&attribute, &b);
	make_mmap2(&b, NOBODY + 1, 0x1000, 0x1000, 0, 11, "/bin/x", perf_now());
	change(&attribute, &b);
	CHECK(owner(NOBODY + 1, 0x1010, perf_now()) == 11, "a new program");
	/* an unknown process is one whose start was lost */
	put_maps(20, OLD_X);
	CHECK(owner(20, 0x1010, 6) == 0, "it had perhaps another program then");
	CHECK(owner(20, 0x1010, perf_now()) == 10, "known from now on");
	end_gaps();
}

TEST_MAIN()

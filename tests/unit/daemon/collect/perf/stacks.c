// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - call stacks word by word, and every way that one can end
 *
 * Process and stack are fake. The stack has frame pointers, because the process runs in memory
 * without a file, for which there are no tables. call_trees.c tests the walk by tables.
 */
#include "tests/tap.h"

#include "daemon/collect/perf/attribute.h"
#include "daemon/collect/perf/held.h"
#include "daemon/collect/perf/records.h"
#include "daemon/collect/perf/stacks.h"
#include "daemon/record/trans.h"
#include "tests/unit/daemon/collect/perf/build.h"
#include "tests/unit/taken_words.h"
#include "unwind/cache.h"

#define E	OP_ESCAPE
#define TASK	0x7f000000
#define CODE	0x400000	/* of a file, at offset 0x1000 */
#define MADE	0x700000	/* of none */
#define STACK	0x7ffd0000
#define KERNEL	0xffffffff81000000
#define ASKED	256

static struct perf_emit emit;
static struct perf_cpu_state cpus[1];
static struct perf_processes processes;
static struct perf_stacks stacks;
static struct perf_attribute attribute;

static void add_mapping(uint64_t start, uint64_t offset, const char *name)
{
	struct perf_record r;
	struct bytes b;

	make_mmap2(&b, TASK, start, 0x10000, offset, 9, name, 1);
	CHECK(!perf_record_parse(b.at, b.size, &r), "parse");
	perf_attribute_change(&attribute, &r);
}

static void prepare(bool copies, unsigned int depth)
{
	struct perf_cookies *cookies = perf_cookies_new();
	struct unwind_cache *cache = NULL;
	struct perf_record r;
	struct bytes b;

	perf_processes_init(&processes, cookies, "/nonexistent");
	stacks = (struct perf_stacks){ .depth = depth, .max_addresses = 10, .copies = copies };
	if (copies) {
		CHECK(!unwind_cache_create((size_t)1 << 20, &cache), "cache");
		perf_tables_init(&stacks.tables, cache, NULL, &processes);
		perf_copy_size_init(&stacks.copy_size, PERF_COPY_BYTES, (size_t)8 << 20, 1000000,
				    0);
	}
	attribute = (struct perf_attribute){ .processes = &processes, .cookies = cookies,
					     .emit = &emit, .cpus = cpus, .nr_cpus = 1,
					     .stacks = &stacks };
	make_comm(&b, PERF_RECORD_MISC_COMM_EXEC, TASK, "x", 1);
	CHECK(!perf_record_parse(b.at, b.size, &r), "parse");
	perf_attribute_change(&attribute, &r);
	add_mapping(CODE, 0x1000, "/bin/x");
	add_mapping(MADE, 0, "//anon");
}

static void clean_up(void)
{
	if (stacks.copies) {
		perf_tables_free(&stacks.tables);
		unwind_cache_destroy(stacks.tables.cache);
	}
	perf_processes_free(&processes);
	perf_cookies_free(attribute.cookies);
}

static size_t nr_callers_seen;
static unsigned int end_seen;

static void take_stack(void *context, const struct trans_state *leaf,
		       const struct trans_frame *frames, size_t nr, uint32_t counter,
		       unsigned int end)
{
	(void)context, (void)leaf, (void)frames;
	CHECK(counter == 5, "counter %u", counter);
	nr_callers_seen = nr - 1;
	end_seen = end;
}

static void decode(void)
{
	static const struct trans_ops ops = { .stack = take_stack };
	struct trans *t = trans_new(&ops, NULL);

	nr_callers_seen = SIZE_MAX;
	trans_feed(t, words, nr_words);
	CHECK(!trans_stats(t)->words_skipped, "words that nobody understands");
	trans_free(t);
}

/* Removes the notes of CPU and task. */
static void emit_sample(enum perf_mode mode, uint64_t pc, const struct bytes *stack)
{
	struct perf_sample s = { .time = 2, .pc = pc, .tgid = TASK, .tid = TASK, .mode = mode,
				 .counter = 5, .stack = stack->at,
				 .stack_size = (uint32_t)stack->size };

	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_samples(&attribute, 0, &s, 1);
	perf_emit_end(&emit);
	decode();
	if (nr_words < 10) {	/* lost: there is no task */
		nr_words = 0;
		return;
	}
	nr_words -= 10;
	memmove(words, words + 10, nr_words * sizeof(*words));
}

static void check_end(unsigned int end, size_t nr_callers, const char *what)
{
	CHECK(end_seen == end, "%s: end %x", what, end_seen);
	CHECK(nr_callers_seen == nr_callers, "%s: %zu callers, not %zu", what, nr_callers_seen,
	      nr_callers);
	nr_words = 0;
}

/* --- from the kernel's list --- */

TEST(listed)
{
	struct bytes b = { .size = 0 };

	prepare(false, 100);
	add64(&b, 7);
	add64(&b, PERF_CONTEXT_KERNEL);
	add64(&b, KERNEL);
	add64(&b, KERNEL + 0x10);
	add64(&b, PERF_CONTEXT_USER);
	add64(&b, CODE + 0x20);
	add64(&b, CODE + 0x30);
	add64(&b, MADE + 0x40);
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	CHECK(words[0] == E && words[1] == OP_TRACE_BEGIN, "begin");
	check_end(OP_STACK_UNKNOWN | OP_STACK_FRAME_POINTERS, 4, "kernel and user");
	clean_up();
}

TEST(listed_words)
{
	struct bytes b = { .size = 0 };

	prepare(false, 100);
	add64(&b, 6);
	add64(&b, PERF_CONTEXT_KERNEL);
	add64(&b, KERNEL);
	add64(&b, KERNEL + 0x10);
	add64(&b, PERF_CONTEXT_USER);
	add64(&b, CODE + 0x20);
	add64(&b, CODE + 0x30);
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	CHECK_WORDS("a system call", E, OP_TRACE_BEGIN, E, OP_KERNEL_ENTER, KERNEL, 5,
		    KERNEL + 0x10, 0, E, OP_USER_ENTER, E, OP_COOKIE_SWITCH, 1, 0x1021, 0, 0x1030,
		    0, E, OP_STACK_END, OP_STACK_UNKNOWN | OP_STACK_FRAME_POINTERS);
	clean_up();
}

TEST(listed_ends)
{
	struct bytes b = { .size = 0 };

	prepare(false, 2);
	add64(&b, 5);
	add64(&b, PERF_CONTEXT_USER);
	for (int i = 0; i < 4; i++)
		add64(&b, CODE + 0x20);
	emit_sample(PERF_MODE_USER, CODE + 0x20, &b);
	check_end(OP_STACK_TRUNCATED | OP_STACK_FRAME_POINTERS, 2, "deeper than asked for");
	b.at[8 + 8 + 8 + 4] = 1;	/* of the first caller */
	emit_sample(PERF_MODE_USER, CODE + 0x20, &b);
	check_end(OP_STACK_BAD_FRAME, 0, "an address where nothing is");
	clean_up();

	prepare(false, 100);
	stacks.max_addresses = 4;
	b.at[8 + 8 + 8 + 4] = 0;
	emit_sample(PERF_MODE_USER, CODE + 0x20, &b);
	check_end(OP_STACK_TRUNCATED | OP_STACK_FRAME_POINTERS, 3, "the kernel had no more room");
	b.size = 0;
	add64(&b, 2);
	add64(&b, PERF_CONTEXT_KERNEL);
	add64(&b, KERNEL);
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	check_end(OP_STACK_NO_USER, 0, "a kernel thread");
	b.size = 0;
	add64(&b, 4);
	add64(&b, PERF_CONTEXT_KERNEL);
	add64(&b, KERNEL);
	add64(&b, PERF_CONTEXT_USER);
	add64(&b, 0x1234);
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	check_end(OP_STACK_NO_USER, 0, "entered from what was there before exec");
	b.size = 8;
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	check_end(OP_STACK_UNREADABLE, 0, "a record that makes no sense");
	b.size = 0;
	emit_sample(PERF_MODE_USER, CODE, &b);
	check_end(OP_STACK_UNREADABLE, 0, "a ring that went");
	clean_up();
}

TEST(a_lost_sample_loses_its_stack)
{
	struct bytes b = { .size = 0 };

	prepare(false, 100);
	add64(&b, 3);
	add64(&b, PERF_CONTEXT_USER);
	add64(&b, 0x1234);
	add64(&b, CODE + 0x30);
	emit_sample(PERF_MODE_USER, 0x1234, &b);
	CHECK(nr_words == 0 && cpus[0].counts.lost[LOST_NO_MAPPING] == 1, "%zu words", nr_words);
	clean_up();
}

/* --- from a copy --- */

#if defined(__x86_64__)
#define SP	PERF_REG_X86_SP
#define FP	PERF_REG_X86_BP
#define PC	PERF_REG_X86_IP
#else
#define SP	PERF_REG_ARM64_SP
#define FP	29
#define PC	PERF_REG_ARM64_PC
#endif

/* @nr frames of 16 bytes, each keeping the next one's address and its own return address. */
static void make_copy(struct bytes *b, uint64_t pc, unsigned int nr, uint64_t real)
{
	b->size = 0;
	add64(b, 0);
	add64(b, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned int i = 0; i < 64; i++)
		if (PERF_USER_REGS >> i & 1)
			add64(b, i == SP || i == FP ? STACK : i == PC ? pc : i);
	add64(b, ASKED);
	for (unsigned int i = 0; i < ASKED / 16; i++) {
		add64(b, i + 1 < nr ? STACK + 16 * (i + 1) : 0);
		add64(b, i < nr ? MADE + 0x100 + i : 0);
	}
	add64(b, real);
}

static uint64_t *stack_of(struct bytes *b)
{
	return (uint64_t *)(b->at + b->size - 8 - ASKED);
}

TEST(copied)
{
	struct bytes b;

	prepare(true, 100);
	make_copy(&b, MADE + 0x20, 3, ASKED);
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	check_end(OP_STACK_COMPLETE | OP_STACK_FRAME_POINTERS, 3, "three callers");
	CHECK(stacks.copy_size.stacks == 1 && !stacks.copy_size.short_ones, "counted");
	clean_up();
}

TEST(copied_below_the_kernel)
{
	struct bytes b;

	prepare(true, 100);
	make_copy(&b, MADE + 0x20, 1, ASKED);
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	/* the instruction that faulted, and its caller */
	CHECK(nr_words > 6 && words[4] == KERNEL && words[5] == 5, "leaf");
	CHECK(words[nr_words - 7] == MADE + 0x21 && words[nr_words - 5] == MADE + 0x100, "callers");
	check_end(OP_STACK_COMPLETE | OP_STACK_FRAME_POINTERS, 2, "the user part");
#if defined(__x86_64__)
	make_copy(&b, MADE + 0x20, 1, ASKED);
	memcpy(b.at + 16 + 8 * PERF_REG_X86_CX, &(uint64_t){ MADE + 0x20 }, 8);
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	CHECK(words[nr_words - 7] == MADE + 0x21, "at what rcx was jumped to");
	memcpy(b.at + 16 + 8 * PERF_REG_X86_FLAGS, &(uint64_t){ PERF_REG_X86_R11 }, 8);
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	CHECK(words[nr_words - 7] == MADE + 0x20, "behind its system call");
	nr_words = 0;
#endif
	clean_up();
}

TEST(copied_ends)
{
	unsigned int fp = OP_STACK_FRAME_POINTERS;
	struct bytes b;

	prepare(true, 100);
	make_copy(&b, MADE + 0x20, 1000, ASKED);
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	check_end(OP_STACK_SHORT_COPY | fp, ASKED / 16, "as long as the copy");
	make_copy(&b, MADE + 0x20, 1000, 64);
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	check_end(OP_STACK_NO_TABLE | fp, 4, "paged out: a frame pointer that leads nowhere");
	make_copy(&b, MADE + 0x20, 5, ASKED);
	stack_of(&b)[4] = STACK;
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	check_end(OP_STACK_NO_TABLE | fp, 3, "a loop");
	make_copy(&b, MADE + 0x20, 5, ASKED);
	stack_of(&b)[5] = 0x1234;
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	check_end(OP_STACK_BAD_FRAME | fp, 2, "a return to nowhere");
	make_copy(&b, 0x1234, 5, ASKED);
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	check_end(OP_STACK_NO_USER, 0, "registers of what was there before exec");
	clean_up();

	prepare(true, 3);
	make_copy(&b, MADE + 0x20, 5, ASKED);
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	check_end(OP_STACK_TRUNCATED | fp, 3, "deeper than asked for");
#if defined(__aarch64__)
	b.at[8] = PERF_SAMPLE_REGS_ABI_32;
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	check_end(OP_STACK_NO_TABLE, 1, "32-bit code");
#endif
	clean_up();
}

#if defined(__x86_64__)
TEST(copied_of_32_bit_code)
{
	unsigned int fp = OP_STACK_FRAME_POINTERS;
	uint32_t *words_32;
	struct bytes b;

	prepare(true, 100);
	make_copy(&b, MADE + 0x20, 1000, ASKED);
	b.at[8] = PERF_SAMPLE_REGS_ABI_32;
	for (size_t i = 0; i < PERF_USER_REGS_NR; i++)	/* upper halves mean nothing */
		memset(b.at + 16 + 8 * i + 4, 0xab, 4);
	words_32 = (uint32_t *)stack_of(&b);
	for (uint32_t i = 0; i < ASKED / 8; i++) {
		words_32[2 * i] = STACK + 8 * (i + 1);
		words_32[2 * i + 1] = MADE + 0x100 + i;
	}
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	check_end(OP_STACK_SHORT_COPY | fp, ASKED / 8, "as long as the copy");
	words_32[6] = 0;
	emit_sample(PERF_MODE_KERNEL, KERNEL, &b);
	CHECK(words[nr_words - 7] == MADE + 0x102 && words[nr_words - 5] == MADE + 0x103,
	      "callers");
	check_end(OP_STACK_COMPLETE | fp, 5, "the first is the one that entered the kernel");
	clean_up();
}
#endif

TEST(deep_stacks_keep_their_outermost_frames)
{
	unsigned int fp = OP_STACK_FRAME_POINTERS;
	struct bytes b;

	prepare(true, 8);
	make_copy(&b, MADE + 0x20, 12, ASKED);
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	CHECK(words[nr_words - 7] == MADE + 0x100 + 6 && words[nr_words - 5] == MADE + 0x100 + 11,
	      "seven callers, and the last of twelve: %llx %llx",
	      (unsigned long long)words[nr_words - 7], (unsigned long long)words[nr_words - 5]);
	check_end(OP_STACK_TRUNCATED | fp | 1 << OP_STACK_OUTER_SHIFT, 8, "deeper than asked for");
	make_copy(&b, MADE + 0x20, 8, ASKED);
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	check_end(OP_STACK_COMPLETE | fp, 8, "as deep as was asked for");
	make_copy(&b, MADE + 0x20, 1000, ASKED);
	emit_sample(PERF_MODE_USER, MADE + 0x20, &b);
	check_end(OP_STACK_TRUNCATED | fp, 7, "the outermost ones are not in the copy");
	clean_up();
}

/* The file cannot be opened in this drain, so its table is not known to be missing. */
TEST(samples_wait_for_tables)
{
	struct perf_held held;
	struct bytes b;

	prepare(true, 100);
	perf_held_init(&held, attribute.cookies);
	attribute.held = &held;
	memset(cpus, 0, sizeof(cpus));
	make_copy(&b, CODE + 0x20, 3, ASKED);
	stacks.tables.opens_left = 0;
	emit_sample(PERF_MODE_USER, CODE + 0x20, &b);
	CHECK(!nr_words && !list_empty(&held.samples) && held.bytes > ASKED, "held");
	CHECK(!cpus[0].counts.received, "neither received nor lost yet");
	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_held(&attribute, false);
	CHECK(!list_empty(&held.samples), "it waits on");
	perf_tables_end_drain(&stacks.tables);
	memset(b.at, 0, b.size);	/* the ring goes on */
	perf_attribute_held(&attribute, false);
	perf_emit_end(&emit);
	decode();
	CHECK(list_empty(&held.samples) && !held.bytes && cpus[0].counts.received == 1, "written");
	check_end(OP_STACK_COMPLETE | OP_STACK_FRAME_POINTERS, 3, "it has no table");

	make_copy(&b, CODE + 0x20, 3, ASKED);
	stacks.tables.opens_left = 0;
	emit_sample(PERF_MODE_USER, CODE + 0x20, &b);
	perf_emit_begin(&emit, take_words, NULL);
	perf_attribute_held(&attribute, true);
	perf_emit_end(&emit);
	decode();
	check_end(OP_STACK_COMPLETE | OP_STACK_FRAME_POINTERS, 3, "waited too long");

	perf_tables_end_drain(&stacks.tables);
	stacks.tables.opens_left = 0;
	held.bytes = PERF_HELD_BYTES_MAX;
	emit_sample(PERF_MODE_USER, CODE + 0x20, &b);
	check_end(OP_STACK_COMPLETE | OP_STACK_FRAME_POINTERS, 3, "no room to hold it");
	perf_held_free(&held);
	attribute.held = NULL;
	clean_up();
}

TEST(a_depth_beyond_the_kernels_limit_is_noted)
{
	struct perf_stacks k = { .depth = 300, .max_addresses = 127 };
	char note[256];

	perf_stacks_note(&k, note, sizeof(note));
	CHECK(strstr(note, "truncated to 126 callers instead of 300"), "%s", note);
	k.copies = true;
	perf_stacks_note(&k, note, sizeof(note));
	CHECK(!note[0], "with tables there is no limit: %s", note);
	k = (struct perf_stacks){ .depth = 126, .max_addresses = 127 };
	perf_stacks_note(&k, note, sizeof(note));
	CHECK(!note[0], "it is just enough: %s", note);
}

TEST_MAIN()

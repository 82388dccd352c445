// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_chains.c - chains of the perf collector against programs whose chains are known
 *
 * The programs (chains/call_tree.c, chains/exceptions.cc) run in loops of which every possible
 * chain is written down in chains/modes.h, as a line. What is seen becomes a line, too, and is
 * right if it is the end of one of the mode's, for a sample may lie in any function of it.
 */
#include "perf_truth.h"

#include <sys/stat.h>

#include "chains/modes.h"
#include "chains/symbols.h"
#include "trans.h"
#include "unwind_cache.h"

#define PERIOD_NS 1000000
#define RING_WORDS (1 << 20) /* for 8 MiB, however many CPUs there are */
#define GOAL 150 /* chains of each mode */
/* What an exception breaks is rare [UT-17]: many chains, or chance decides. */
#define MOVES_PERIOD_NS 200000
#define MOVES_GOAL 2000

/* What was seen of one mode, since all is warm. */
struct seen_mode {
	const struct mode *mode;
	pid_t pid;
	uint64_t nr, complete, wrong, in_kernel, ends[NR_OP_STACK_ENDS], flagged;
	char wrong_line[500];
};

static struct world {
	struct collector *collector;
	struct seen_mode seen[NR_MODES];
	size_t nr;
	char path[PATH_MAX];
	struct symbols symbols;
	bool by_frame_pointers;
} world;

/* --- a chain becomes a line --- */

static const char *name_of(const struct trans_frame *f, uint64_t address)
{
	const char *name = NULL;
	char *path;

	if (f->kernel)
		return "K";
	if (f->cookie == OP_NO_COOKIE)
		return f->anon->name;
	if (world.collector->cookie_path(world.collector, f->cookie, &path))
		return "gone";
	if (!strcmp(path, world.path))
		name = symbol_at(&world.symbols, address);
	free(path);
	return name ? name : "?";
}

static unsigned int make_line(const struct trans_frame *frames, size_t nr, const char *repeats,
			      char *line, size_t room)
{
	const char *before = "";
	unsigned int repeated = 0;
	size_t used = 0;

	line[0] = 0;
	for (size_t i = 0; i < nr; i++) {
		const char *name = name_of(&frames[i], frames[i].address - (i > 0));

		if (frames[i].kernel)
			continue;
		if (!is_ours(name))
			name = "?";
		repeated += repeats && !strcmp(name, repeats);
		if (strcmp(name, before) && used + strlen(name) + 2 < room)
			used += (size_t)sprintf(line + used, "%s%.*s", used ? " " : "",
						(int)strcspn(name, "."), name);
		before = name;
	}
	return repeated;
}

static bool is_end_of(const char *line, const char *whole)
{
	size_t n = strlen(line), all = strlen(whole);

	return n && n <= all && !strcmp(whole + all - n, line) &&
	       (n == all || whole[all - n - 1] == ' ');
}

static bool is_right(const struct mode *m, const char *line)
{
	for (size_t i = 0; i < sizeof(m->lines) / sizeof(m->lines[0]) && m->lines[i]; i++)
		if (is_end_of(line, m->lines[i]))
			return true;
	return false;
}

/* --- and is judged --- */

static void judge(struct seen_mode *s, const struct trans_frame *frames, size_t nr,
		  unsigned int end)
{
	const struct mode *m = s->mode;
	char line[400];
	unsigned int repeated = make_line(frames, nr, m->repeats, line, sizeof(line));
	unsigned int wanted = world.by_frame_pointers ? OP_STACK_UNTOLD | OP_STACK_FRAME_POINTERS :
							m->end;
	bool shallow = m->shallow && end == OP_STACK_COMPLETE;
	bool whole = end == wanted || shallow;

	/* callers in the kernel take from the depth */
	if (m->repeats && !frames[0].kernel && !strncmp(line, m->below, strlen(m->below)) &&
	    end == wanted)
		whole = repeated == m->nr_repeats;
	CHECK(nr <= DEPTH + 1, "%s: %zu frames", m->name, nr);
	s->nr++;
	s->ends[(end & OP_STACK_END_MASK) % NR_OP_STACK_ENDS]++;
	s->flagged += (end & OP_STACK_FRAME_POINTERS) != 0;
	s->in_kernel += frames[0].kernel;
	if (whole && (!line[0] || (shallow ? is_end_of(line, m->shallow) : is_right(m, line)))) {
		s->complete++;
	} else if (whole) {
		s->wrong++;
		snprintf(s->wrong_line, sizeof(s->wrong_line), "%s (%u of it), end %x", line,
			 repeated, end);
	}
}

static void take_stack(void *context, const struct trans_state *leaf,
		       const struct trans_frame *frames, size_t nr, uint32_t counter,
		       unsigned int end)
{
	(void)context, (void)counter;
	for (size_t i = 0; i < world.nr; i++) {
		struct seen_mode *s = &world.seen[i];

		if (s->pid != (pid_t)leaf->tgid)
			continue;
		judge(s, frames, nr, end);
	}
}

/* --- running it --- */

static pid_t start_mode(const char *program, const char *mode)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, program, mode, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static void feed(void *context, const op_word *words, size_t nr)
{
	trans_feed(context, words, nr);
}

static bool all_have(size_t offset, uint64_t goal)
{
	for (size_t i = 0; i < world.nr; i++)
		if (*(uint64_t *)((char *)&world.seen[i] + offset) < goal)
			return false;
	return true;
}

static void drain_until_all(struct trans *t, size_t offset, uint64_t goal)
{
	double deadline = now_s() + DEADLINE_S;

	while (!all_have(offset, goal) && now_s() < deadline) {
		usleep(20000);
		CHECK(!world.collector->drain(world.collector, false, feed, t, NULL), "drain");
	}
	CHECK(all_have(offset, goal), "not enough chains in %d s", DEADLINE_S);
}

static void forget_seen(void)
{
	for (size_t i = 0; i < world.nr; i++) {
		struct seen_mode *s = &world.seen[i];

		*s = (struct seen_mode){.mode = s->mode, .pid = s->pid};
	}
}

static void report(void)
{
	for (size_t i = 0; i < world.nr; i++) {
		const struct seen_mode *s = &world.seen[i];
		/* in a prologue there is no frame pointer yet, and nothing says so */
		bool by_pointers = world.by_frame_pointers || s->mode->has_no_table;
		double nr = (double)s->nr, wanted = by_pointers ? 0.95 : 0.99;
		double some = by_pointers ? 0.05 : 0;
		double most = s->mode->moves_frames ? 0.002 : some;	/* [UT-17] */

		printf("# %-9s %llu chains, %llu whole, %llu wrong; ends", s->mode->name,
		       (unsigned long long)s->nr, (unsigned long long)s->complete,
		       (unsigned long long)s->wrong);
		for (int end = 0; end < NR_OP_STACK_ENDS; end++)
			printf(" %llu", (unsigned long long)s->ends[end]);
		printf(", by frame pointers %llu\n", (unsigned long long)s->flagged);
		CHECK(s->mode->needs_more || s->mode->forges ||
			      (double)s->complete >= wanted * nr,
		      "%s: %llu of %llu whole", s->mode->name,
		      (unsigned long long)s->complete, (unsigned long long)s->nr);
		CHECK((double)s->wrong <= most * nr, "%s: %llu wrong, such as %s", s->mode->name,
		      (unsigned long long)s->wrong, s->wrong_line);
		CHECK(!s->mode->forges || s->ends[OP_STACK_BAD_FRAME] * 4 >= s->nr,
		      "%s: %llu of %llu bad", s->mode->name,
		      (unsigned long long)s->ends[OP_STACK_BAD_FRAME],
		      (unsigned long long)s->nr);
		CHECK(!s->mode->in_kernel || s->in_kernel * 2 > s->nr, "%s: %llu in the kernel",
		      s->mode->name, (unsigned long long)s->in_kernel);
	}
}

/* Run all @modes of @program at once, until every one has shown enough of itself. */
static void check_chains(const char *program, const struct mode *first, size_t nr, bool listed)
{
	static const struct trans_ops ops = {.stack = take_stack};
	const bool moves = first->moves_frames;
	const struct collector_event event = {
		.count = moves ? MOVES_PERIOD_NS : PERIOD_NS, .kernel = true, .user = true};
	struct collector_config config = {.events = &event,
					  .nr_events = 1,
					  .clock_khz = 1000000,
					  .buffer_words = RING_WORDS,
					  .callgraph_depth = DEPTH,
					  .frame_pointers_only = listed};
	struct trans *t = trans_new(&ops, NULL);
	struct op_error e = {""};
	char path[2 * PATH_MAX];

	need_perf();
	world.collector = collector_perf();
	world.by_frame_pointers = listed;
	snprintf(path, sizeof(path), "%.*s/../tools/%s",
		 (int)(strrchr(self_path(), '/') - self_path()), self_path(), program);
	CHECK(realpath(path, world.path), "%s is not there", path);
	symbols_read(&world.symbols, world.path);
	CHECK(!unwind_cache_create((size_t)64 << 20, &config.unwind), "cache");
	CHECK(!world.collector->open(world.collector, &config, &e), "open: %s", e.text);
	world.nr = nr;
	for (size_t i = 0; i < nr; i++)
		world.seen[i] = (struct seen_mode){.mode = &first[i],
						   .pid = start_mode(world.path, first[i].name)};
	CHECK(!world.collector->start(world.collector, &e), "start: %s", e.text);
	drain_until_all(t, offsetof(struct seen_mode, complete), moves ? GOAL : 20);
	forget_seen();
	drain_until_all(t, offsetof(struct seen_mode, nr), moves ? MOVES_GOAL : GOAL);
	for (size_t i = 0; i < nr; i++)
		stop_spinning(world.seen[i].pid);
	CHECK(!world.collector->stop(world.collector, &e), "stop: %s", e.text);
	report();
	world.collector->close(world.collector);
	unwind_cache_destroy(config.unwind);
	trans_free(t);
	free(world.symbols.file);
}

TEST(without_frame_pointers)
{
	check_chains("call_tree", modes, NR_MODES, false);
}

TEST(with_frame_pointers)
{
	check_chains("call_tree-fp", modes, NR_MODES, false);
}

TEST(static_program)
{
	check_chains("call_tree-static", modes, NR_MODES, false);
}

TEST(static_pie_program)
{
	check_chains("call_tree-static-pie", modes, NR_MODES, false);
}

TEST(hostile_programs)
{
	check_chains("call_tree", hostile_modes,
		     sizeof(hostile_modes) / sizeof(hostile_modes[0]), false);
}

TEST(hostile_programs_with_frame_pointers)
{
	check_chains("call_tree-fp", hostile_modes,
		     sizeof(hostile_modes) / sizeof(hostile_modes[0]), false);
}

TEST(exceptions)
{
#ifdef HAVE_CXX
	check_chains("exceptions", exception_modes,
		     sizeof(exception_modes) / sizeof(exception_modes[0]), false);
#else
	SKIP("no C++ compiler was there when this was built");
#endif
}

TEST(by_frame_pointers_only)
{
	check_chains("call_tree-fp", listed_modes,
		     sizeof(listed_modes) / sizeof(listed_modes[0]), true);
}

TEST_MAIN()

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h - runs programs whose stacks are known, and compares what the perf collector finds
 *
 * Every possible stack of a mode is written down in stacks/modes.h, as a line. What is seen becomes
 * a line, too. One that reached its end is right if it is the end of one of the mode's, for a
 * sample may lie in any function of it; any other must be a part of one.
 *
 * What chance decides is asked for in numbers that it does not reach: where samples without a way
 * out belong to the truth (one or two in a thousand, [UT-17], [UT-27]) it is one in a hundred of
 * 2000 stacks; elsewhere none is known, and three of 300 are let pass.
 */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_STACKS_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_STACKS_H

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>

#include "tests/unit/daemon/collect/perf/truth.h"

#include "daemon/collect/bpf/walker.h"
#include "daemon/record/trans.h"
#include "libutil/file.h"
#include "tests/unit/daemon/collect/perf/call_trees/modes.h"
#include "tests/unit/daemon/collect/perf/call_trees/symbols.h"
#include "tests/unit/tmpdir.h"
#include "unwind/cache.h"

#define WARM 20 /* stacks that are whole, and all tables that a mode needs are there */
#define GOAL 300
#define RARE_GOAL 2000 /* where stacks without a way out are to be found */

/* With sanitizers the collector would not keep up: rings would be full, and all begin again. */
#ifdef __SANITIZE_ADDRESS__
#define SLOWER 4
#else
#define SLOWER 1
#endif

/* What was seen of one mode, since all is warm. */
struct seen_mode {
	const struct mode *mode;
	pid_t pid;
	uint64_t nr, complete, wrong, in_kernel, ends[NR_OP_STACK_ENDS], flagged;
	uint64_t elsewhere; /* stacks that need not be whole, */
	uint64_t elsewhere_complete, elsewhere_ends[NR_OP_STACK_ENDS]; /* and how they ended */
	unsigned int restarts;
	char wrong_line[500];
};

/* How a run is sampled. */
struct sampling {
	uint64_t period_ns;
	size_t ring_words;
	unsigned int depth;
	bool by_frame_pointers, by_bpf;
};

static struct world {
	struct collector *collector;
	struct collector_config config;
	struct collector_event event;
	struct trans *trans;
	struct seen_mode seen[NR_MODES];
	size_t nr;
	uint64_t lost;		/* samples, so far */
	char path[PATH_MAX];
	struct symbols symbols;
	double deadline;
} world;

/* --- a stack becomes a line --- */

static inline const char *name_of(const struct trans_frame *f, uint64_t address)
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

static inline unsigned int make_line(const struct trans_frame *frames, size_t nr,
				     const char *repeats, char *line, size_t room)
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

/* Whether words of @whole, one after the other, are @line: its last ones, or any if @is_cut. */
static inline bool is_in(const char *line, const char *whole, bool is_cut)
{
	size_t n = strlen(line);

	for (const char *at = whole; (at = strstr(at, line)); at++)
		if ((at == whole || at[-1] == ' ') && (!at[n] || (is_cut && at[n] == ' ')))
			return true;
	return false;
}

/* Stacks that ended too early are parts of right ones. */
static inline bool is_right(const struct mode *m, const char *line, unsigned int end)
{
	bool is_cut = !world.config.frame_pointers_only &&
		      (end & OP_STACK_END_MASK) != OP_STACK_COMPLETE && end != m->end;

	if (!line[0] || (is_cut && m->forges))
		return true;
	if (m->shallow && end != m->end && is_in(line, m->shallow, is_cut))
		return true;
	if (m->shallow && end == OP_STACK_COMPLETE)
		return false;
	for (size_t i = 0; i < sizeof(m->lines) / sizeof(m->lines[0]) && m->lines[i]; i++)
		if (is_in(line, m->lines[i], is_cut))
			return true;
	return false;
}

/*
 * Of a stack that could not be read to its end, the outermost frame may be known nevertheless
 * [PC-89]: it is the end of a right line, and nothing is said of what is between. That happens when
 * the kernel is about to copy the page of the stack after a fork: it is unreadable then.
 */
static inline bool has_gap(unsigned int end)
{
	return (end & OP_STACK_OUTER_MASK) && (end & OP_STACK_END_MASK) != OP_STACK_TRUNCATED;
}

/* --- and is judged --- */

/* Whether its end is one that stacks of the mode come to. */
static inline bool is_whole(const struct mode *m, unsigned int end)
{
	unsigned int by_pointers = end & ~(unsigned int)OP_STACK_END_MASK;

	/* what calls main() may use the register for something else, as glibc 2.43 does */
	if (world.config.frame_pointers_only)
		return by_pointers == OP_STACK_FRAME_POINTERS &&
		       ((end & OP_STACK_END_MASK) == OP_STACK_UNKNOWN ||
			(end & OP_STACK_END_MASK) == OP_STACK_BAD_FRAME);
	/* who calls code without a table has one itself */
	return end == m->end || ((m->shallow || m->has_no_table) && end == OP_STACK_COMPLETE);
}

static inline bool is_in_libgcc(const struct trans_frame *leaf)
{
	char *path;
	bool is;

	if (leaf->kernel || leaf->cookie == OP_NO_COOKIE ||
	    world.collector->cookie_path(world.collector, leaf->cookie, &path))
		return false;
	is = strstr(path, "/libgcc_s.so");
	free(path);
	return is;
}

/*
 * Of processes that come and go only what they do in between: no memory, no callers. [PC-88]
 * Of programs that throw not libgcc's unwinder: where it overwrites its frame, one slow
 * instruction (rep movsq) gets most of the samples, how many depends on the machine. [UT-17]
 */
static inline bool is_asked(const struct mode *m, const struct trans_frame *leaf)
{
	if (m->moves_frames)
		return !is_in_libgcc(leaf);
	return !m->by_program || (!leaf->kernel && is_ours(name_of(leaf, leaf->address)));
}

/* What a deep stack has at most of other functions than the one that repeats, and of libc's. */
static inline unsigned int outer_max(const struct mode *m)
{
	return m->end == OP_STACK_TRUNCATED ? 13 : 0;
}

static inline void judge(struct seen_mode *s, const struct trans_frame *frames, size_t nr,
			 unsigned int end)
{
	const struct mode *m = s->mode;
	size_t outer = has_gap(end) ? (end & OP_STACK_OUTER_MASK) >> OP_STACK_OUTER_SHIFT : 0;
	char line[400], outermost[400];
	unsigned int repeated = make_line(frames, nr - outer, m->repeats, line, sizeof(line));
	bool asked = is_asked(m, frames), whole;
	bool right;

	(void)make_line(frames + nr - outer, outer, NULL, outermost, sizeof(outermost));
	/* the outermost frames of a deep stack are some of those that were asked for */
	end &= ~OP_STACK_OUTER_MASK;
	whole = is_whole(m, end);
	right = is_right(m, line, end) && is_right(m, outermost, m->end);
	/* callers in the kernel take from the depth */
	if (whole && m->repeats && !frames[0].kernel && !strncmp(line, m->below, strlen(m->below)))
		right &= repeated + outer_max(m) >= m->nr_repeats && repeated <= m->nr_repeats;
	CHECK(nr <= (size_t)world.config.callgraph_depth + 1, "%s: %zu frames", m->name, nr);
	(asked ? s->ends : s->elsewhere_ends)[(end & OP_STACK_END_MASK) % NR_OP_STACK_ENDS]++;
	*(asked ? &s->nr : &s->elsewhere) += 1;
	s->flagged += asked && (end & OP_STACK_FRAME_POINTERS);
	s->in_kernel += frames[0].kernel;
	*(asked ? &s->complete : &s->elsewhere_complete) += whole && right;
	if (!right) {
		s->wrong++;
		snprintf(s->wrong_line, sizeof(s->wrong_line), "%s (%u of it), end %x", line,
			 repeated, end);
	}
}

static inline void forget_seen(struct seen_mode *s)
{
	*s = (struct seen_mode){.mode = s->mode, .pid = s->pid, .restarts = s->restarts};
}

static inline bool is_of(const struct seen_mode *s, const struct trans_state *leaf)
{
	char *path;
	bool is;

	if (!s->mode->by_program || s->pid == (pid_t)leaf->tgid)
		return s->pid == (pid_t)leaf->tgid;
	if (world.collector->cookie_path(world.collector, leaf->app_cookie, &path))
		return false;
	is = !strcmp(path, world.path);
	free(path);
	return is;
}

static inline void take_stack(void *context, const struct trans_state *leaf,
			      const struct trans_frame *frames, size_t nr, uint32_t counter,
			      unsigned int end)
{
	(void)context, (void)counter;
	for (size_t i = 0; i < world.nr; i++) {
		struct seen_mode *s = &world.seen[i];

		if (!is_of(s, leaf))
			continue;
		judge(s, frames, nr, end);
		/* copies were, or became, too small for it: what counts is when they are not */
		if (s->mode->needs_more &&
		    (end == OP_STACK_SHORT_COPY || end == OP_STACK_UNREADABLE)) {
			s->restarts++;
			forget_seen(s);
		}
	}
}

/* --- running it --- */

static inline pid_t start_mode(const char *program, const char *mode, const char *argument)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, program, mode, argument, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static inline void feed(void *context, const op_word *words, size_t nr)
{
	trans_feed(context, words, nr);
}

/*
 * If the ring was full, changes of mappings may be lost, and until /proc was read again nothing is
 * certain [PC-36]. That happens on a busy machine, and is not what these tests ask for.
 */
static inline void begin_again_after_loss(void)
{
	struct cpu_counts all = totals(world.collector);
	uint64_t lost = all.lost[LOST_RING] + all.lost[LOST_STALE_MAPPINGS];

	for (size_t i = 0; lost != world.lost && i < world.nr; i++) {
		struct seen_mode *s = &world.seen[i];
		const struct mode *m = s->mode;

		/* what is wrong stays so */
		if (m->by_program || (s->wrong && !m->moves_frames && !m->has_no_table))
			continue;
		s->restarts++;
		forget_seen(s);
	}
	world.lost = lost;
}

static inline void drain(void)
{
	usleep(20000);
	CHECK(!world.collector->drain(world.collector, false, feed, world.trans, NULL), "drain");
	begin_again_after_loss();
}

/* A copy that nobody else runs, as another test may at this moment. */
static inline void use_copy(void)
{
	char *bytes = NULL;
	size_t size = 0;

	tmpdir_make();
	CHECK(!file_read_all(world.path, (size_t)64 << 20, &bytes, &size), "cannot read %s",
	      world.path);
	snprintf(world.path, sizeof(world.path), "%s/call_tree", tmpdir);
	CHECK(!file_write_atomic(world.path, bytes, size, 0755), "cannot write %s", world.path);
	free(bytes);
}

static inline void open_world(const char *program, const struct sampling *how,
			      const struct trans_ops *ops)
{
	struct op_error e = {""};
	char path[2 * PATH_MAX];

	need_perf();
	/* who looks on goes before the programs, and these share with others: they are nice */
	(void)!nice(-10);
	world = (struct world){.collector = collector_perf(), .deadline = now_s() + DEADLINE_S};
	world.event = (struct collector_event){
		.count = how->period_ns * SLOWER, .kernel = true, .user = true};
	world.config = (struct collector_config){.events = &world.event,
						 .nr_events = 1,
						 .clock_khz = 1000000,
						 .buffer_words = how->ring_words,
						 .callgraph_depth = how->depth,
						 .frame_pointers_only = how->by_frame_pointers};
	snprintf(path, sizeof(path), "%.*s/../tools/%s",
		 (int)(strrchr(self_path(), '/') - self_path()), self_path(), program);
	CHECK(realpath(path, world.path), "%s is not there", path);
	symbols_read(&world.symbols, world.path);
	world.trans = trans_new(ops, NULL);
	CHECK(!unwind_cache_create((size_t)64 << 20, &world.config.unwind), "cache");
	if (how->by_bpf)
		CHECK(!bpf_walker_load((size_t)64 << 20, &world.config.walker, &e), "%s", e.text);
	if (world.collector->open(world.collector, &world.config, &e) ||
	    world.collector->start(world.collector, &e)) {
		CHECK(false, "open: %s", e.text);
		exit(1);
	}
}

static inline void close_world(void)
{
	struct collector_status status;
	struct op_error e = {""};

	world.collector->status(world.collector, &status);
	printf("# %llu stacks found by BPF\n", (unsigned long long)status.nr_walked);
	CHECK(!world.config.walker || status.nr_walked >= GOAL * world.nr / 2, "by BPF: %llu",
	      (unsigned long long)status.nr_walked);

	CHECK(!world.collector->stop(world.collector, &e), "stop: %s", e.text);
	world.collector->close(world.collector);
	bpf_walker_free(world.config.walker);
	unwind_cache_destroy(world.config.unwind);
	trans_free(world.trans);
	symbols_free(&world.symbols);
}

/* Whether there is a mode with fewer than its goal at @offset. */
static inline bool is_wanting(size_t offset, uint64_t goal, uint64_t goal_of_rare)
{
	for (size_t i = 0; i < world.nr; i++)
		if (*(uint64_t *)((char *)&world.seen[i] + offset) <
		    (world.seen[i].mode->has_no_way_out ? goal_of_rare : goal))
			return true;
	return false;
}

static inline void print_ends(const uint64_t *ends)
{
	for (int end = 0; end < NR_OP_STACK_ENDS; end++)
		printf(" %llu", (unsigned long long)ends[end]);
}

static inline void print_seen(const struct seen_mode *s)
{
	printf("# %-9s %llu stacks, %llu whole, %llu wrong; ends", s->mode->name,
	       (unsigned long long)s->nr, (unsigned long long)s->complete,
	       (unsigned long long)s->wrong);
	print_ends(s->ends);
	printf(", by frame pointers %llu", (unsigned long long)s->flagged);
	if (s->elsewhere) {
		printf("; elsewhere %llu, %llu whole; ends", (unsigned long long)s->elsewhere,
		       (unsigned long long)s->elsewhere_complete);
		print_ends(s->elsewhere_ends);
	}
	if (s->restarts)
		printf("; begun again %u times", s->restarts);
	printf("%s%s\n", s->wrong ? "; wrong: " : "", s->wrong_line);
}

static inline void drain_while_wanting(size_t offset, uint64_t goal, uint64_t goal_of_rare)
{
	while (is_wanting(offset, goal, goal_of_rare)) {
		if (now_s() > world.deadline) {
			CHECK(false, "not enough stacks in %d s:", DEADLINE_S);
			for (size_t i = 0; i < world.nr; i++)
				print_seen(&world.seen[i]);
			exit(1);	/* its programs end with it */
		}
		drain();
	}
}

static inline void check_seen(const struct seen_mode *s)
{
	const struct mode *m = s->mode;
	/* in a prologue there is no frame pointer yet, and nothing says so */
	bool by_pointers = world.config.frame_pointers_only || m->has_no_table;
	/*
	 * [UT-17]: one in 2500 or less, of which seven in 2000 come once in 100,000 runs.
	 * With gcc 14's libgcc one stack in 380 is wrong, of which 16 in 2000 come once in
	 * 10,000 runs.
	 */
	double wrong = !m->moves_frames ? 0 : __GNUC__ >= 14 ? 0.008 : 0.003;
	double nr = (double)s->nr, wanted = by_pointers ? 0.95 : 0.99;
	double most = by_pointers ? 0.05 : wrong;

	CHECK(m->forges || (double)s->complete >= wanted * nr, "%s: %llu of %llu whole", m->name,
	      (unsigned long long)s->complete, (unsigned long long)s->nr);
	CHECK(!m->moves_frames || s->elsewhere_complete * 2 >= s->elsewhere,
	      "%s: %llu of %llu whole in libgcc", m->name,
	      (unsigned long long)s->elsewhere_complete, (unsigned long long)s->elsewhere);
	CHECK((double)s->wrong <= most * (nr + (double)s->elsewhere), "%s: %llu wrong, such as %s",
	      m->name, (unsigned long long)s->wrong, s->wrong_line);
	CHECK(!m->forges || s->ends[OP_STACK_BAD_FRAME] * 4 >= s->nr, "%s: %llu of %llu bad",
	      m->name, (unsigned long long)s->ends[OP_STACK_BAD_FRAME], (unsigned long long)s->nr);
	CHECK(!m->in_kernel || s->in_kernel * 2 > s->nr, "%s: %llu in the kernel", m->name,
	      (unsigned long long)s->in_kernel);
}

/*
 * Until no table is being made: on a busy machine that takes a while, and stacks through a library
 * that the first whole ones did not come by end there. [UT-60]
 */
static inline void drain_until_settled(void)
{
	struct unwind_cache_stats stats;

	do {
		for (size_t i = 0; i < world.nr; i++)
			forget_seen(&world.seen[i]);
		drain_while_wanting(offsetof(struct seen_mode, nr), WARM, GOAL);
		unwind_cache_stats(world.config.unwind, &stats);
	} while (stats.pending);
}

/* Run all @modes of @program at once, until every one has shown enough of itself. */
static inline void check_stacks(const char *program, const struct mode *modes_of_it, size_t nr,
				const struct sampling *how)
{
	static const struct trans_ops ops = {.stack = take_stack};

	open_world(program, how, &ops);
	if (modes_of_it->by_program)
		use_copy();
	world.nr = nr;
	for (size_t i = 0; i < nr; i++)
		world.seen[i] = (struct seen_mode){
			.mode = &modes_of_it[i],
			.pid = start_mode(world.path, modes_of_it[i].name, NULL)};
	drain_while_wanting(offsetof(struct seen_mode, complete), WARM, GOAL);
	drain_until_settled();
	for (size_t i = 0; i < nr; i++)
		forget_seen(&world.seen[i]);
	drain_while_wanting(offsetof(struct seen_mode, nr), GOAL, RARE_GOAL);
	for (size_t i = 0; i < nr; i++)
		stop_spinning(world.seen[i].pid);
	for (size_t i = 0; i < nr; i++) {
		print_seen(&world.seen[i]);
		check_seen(&world.seen[i]);
	}
	close_world();
}

#endif

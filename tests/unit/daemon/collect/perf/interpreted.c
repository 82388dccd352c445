// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interpreted.c - interpreted functions in stacks, against a program that has recorded its calls
 *
 * tests/workload/calls.py, calls.php and calls.rb print each stack of functions that they can have.
 * Once the BPF program knows them, each stack must be one of those, and the functions' names are
 * read from their memory as the daemon reads them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "daemon/collect/registered/registered.h"
#include "daemon/jit/code.h"
#include "daemon/record/trans.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "tests/unit/daemon/collect/bpf/need_bpf.h"
#include "tests/unit/daemon/collect/perf/truth.h"
#include "unwind/cache.h"

#define PYTHON		"/usr/bin/python3.11"
#define CALLS		"tests/workload/calls.py"
#define DEPTH		512
#define WARM		50	/* of a main thread in a row, before a process's are judged */
#define GOAL		700	/* stacks of a process */
#define STACKS_MAX	4000
#define TRUTH_MAX	((size_t)64 << 20)

struct stack {
	unsigned int nr, end;
	uint64_t *addresses;	/* of interpreted frames, innermost first */
};

struct process {
	pid_t pid;
	size_t warm, nr;
	struct stack stacks[STACKS_MAX];
	struct jit_code names;
};

static struct process processes[2];	/* the program and its child */

/* ---- the program ---- */

struct program {
	pid_t pid;
	FILE *out;
	char *truth;		/* lines, each after a newline */
};

/* Until it is ready. */
static void read_truth(struct program *p)
{
	struct strbuf all = STRBUF_INIT;
	char *line = NULL;
	size_t size = 0;

	strbuf_add_char(&all, '\n');
	while (getline(&line, &size, p->out) > 0 && all.len < TRUTH_MAX) {
		if (sscanf(line, "ready %d %d", &processes[0].pid, &processes[1].pid) == 2)
			break;
		strbuf_add_bytes(&all, line, strlen(line));
	}
	free(line);
	CHECK(processes[1].pid > 0, "the program has failed");
	p->truth = strbuf_steal(&all);
}

static void start(struct program *p, const char *python, const char *script)
{
	int ends[2];

	CHECK(!pipe(ends), "pipe");
	p->pid = fork();
	if (!p->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], 1);
		execl(python, python, script, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	p->out = fdopen(ends[0], "r");
	read_truth(p);
}

static void end(struct program *p)
{
	kill(processes[1].pid, SIGKILL);
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	fclose(p->out);
	free(p->truth);
}

/* ---- its stacks ---- */

static const char *memory = "python";	/* of the interpreter's functions */

static bool is_interpreted(const struct trans_frame *f)
{
	return !f->kernel && f->cookie == OP_NO_COOKIE && !strcmp(f->anon->name, memory);
}

static void take_stack(void *context, const struct trans_state *leaf,
		       const struct trans_frame *frames, size_t nr, uint32_t counter,
		       unsigned int how)
{
	struct process *p = leaf->tgid == (uint32_t)processes[0].pid ? &processes[0] :
			    leaf->tgid == (uint32_t)processes[1].pid ? &processes[1] : NULL;
	struct stack *s;

	(void)context, (void)counter;
	if (!p || p->nr == STACKS_MAX)
		return;
	s = &p->stacks[p->nr];
	*s = (struct stack){.end = how, .addresses = calloc(nr, sizeof(uint64_t))};
	for (size_t i = 0; i < nr; i++)
		if (is_interpreted(&frames[i]))
			s->addresses[s->nr++] = frames[i].address - (i > 0);
	/* stacks of other threads, and of fibers, do not reach all files that need a table */
	if (leaf->tid == leaf->tgid && p->warm < WARM)
		p->warm = s->nr ? p->warm + 1 : 0;
	if (p->warm == WARM)
		p->nr++;
	else
		free(s->addresses);
}

static void forget_stacks(struct process *p)
{
	while (p->nr)
		free(p->stacks[--p->nr].addresses);
	p->warm = 0;
}

/* If the ring was full, nothing is certain until /proc was read again [PC-36]. */
static void begin_again_after_loss(struct collector *c, uint64_t *lost)
{
	struct cpu_counts all = totals(c);
	uint64_t now = all.lost[LOST_RING] + all.lost[LOST_STALE_MAPPINGS];

	for (size_t i = 0; now != *lost && i < 2; i++)
		forget_stacks(&processes[i]);
	*lost = now;
}

static void feed(void *context, const op_word *words, size_t nr)
{
	trans_feed(context, words, nr);
}

/* ---- and are judged ---- */

static void read_names(struct registered *r, struct process *p)
{
	int fd = registered_objects(r, (uint32_t)p->pid);
	char *bytes = NULL;
	struct stat st;

	jit_code_init(&p->names, NULL);
	if (fd < 0)
		return;
	CHECK(!fstat(fd, &st), "fstat");
	bytes = malloc((size_t)st.st_size);
	CHECK(!file_read_at(fd, bytes, (size_t)st.st_size, 0), "read");
	CHECK(jit_read_interpreted(bytes, (size_t)st.st_size, &p->names), "malformed");
	free(bytes);
	close(fd);
}

static const char *name_of(const struct process *p, uint64_t address)
{
	for (size_t i = 0; i < p->names.nr; i++)
		if (address - p->names.blocks[i].start < p->names.blocks[i].size)
			return jit_name(&p->names, &p->names.blocks[i]);
	return NULL;
}

/* As a line of the truth. False: a name is missing. */
static bool make_line(const struct process *p, const struct stack *s, struct strbuf *line)
{
	strbuf_reset(line);
	strbuf_add_char(line, '\n');
	for (unsigned int i = s->nr; i > 0; i--) {
		const char *name = name_of(p, s->addresses[i - 1]);

		if (!name)
			return false;
		strbuf_addf(line, "%s%s", i < s->nr ? ";" : "", name);
	}
	strbuf_add_char(line, '\n');
	return true;
}

static bool are_named(const struct process *p)
{
	struct strbuf line = STRBUF_INIT;
	bool are = true;

	for (size_t i = 0; i < p->nr && are; i++)
		are = make_line(p, &p->stacks[i], &line);
	strbuf_free(&line);
	return are;
}

/* On a busy machine it takes a while, with pauses. */
static void wait_for_names(struct registered *r, struct process *p, double deadline)
{
	for (read_names(r, p); !are_named(p) && now_s() < deadline; read_names(r, p)) {
		jit_code_free(&p->names);
		usleep(20000);
	}
}

static void judge(const struct process *p, const char *truth)
{
	size_t whole = 0, wrong = 0, unnamed = 0, bare = 0;
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < p->nr; i++) {
		const struct stack *s = &p->stacks[i];
		bool is_complete = (s->end & OP_STACK_END_MASK) == OP_STACK_COMPLETE, is_true;

		if (!s->nr || !make_line(p, s, &line)) {
			*(s->nr ? &unnamed : &bare) += 1;
			continue;
		}
		is_true = strstr(truth, line.text);
		whole += is_complete && is_true;
		if (is_complete && !is_true && !wrong++)
			printf("# wrong: %s\n", line.text + 1);
	}
	printf("# %zu stacks, %zu whole, %zu wrong, %zu with unnamed functions, %zu without any\n",
	       p->nr, whole, wrong, unnamed, bare);
	CHECK(p->nr >= GOAL, "too few");
	CHECK(!wrong, "%zu are wrong", wrong);
	CHECK(whole >= p->nr * 99 / 100, "%zu of %zu are whole", whole, p->nr);
	strbuf_free(&line);
}

/* ---- the collector ---- */

static struct collector_event event = {.count = 500000, .kernel = true, .user = true};
static struct collector_config config;

static void open_collector(struct collector *c, bool by_bpf)
{
	struct op_error e = {""};

	config = (struct collector_config){.events = &event, .nr_events = 1,
					   .clock_khz = 1000000, .buffer_words = 1 << 20,
					   .callgraph_depth = DEPTH};
	CHECK(!unwind_cache_create((size_t)64 << 20, &config.unwind) &&
	      !registered_create(NULL, &config.registered), "create");
	CHECK(!by_bpf || !bpf_walker_load((size_t)64 << 20, &config.walker, &e), "%s", e.text);
	CHECK(!c->open(c, &config, &e) && !c->start(c, &e), "%s", e.text);
}

static void close_collector(struct collector *c)
{
	c->close(c);
	registered_destroy(config.registered);
	bpf_walker_free(config.walker);
	unwind_cache_destroy(config.unwind);
}

static void check_calls(const char *interpreter, const char *script)
{
	static const struct trans_ops ops = {.stack = take_stack};
	struct collector *c = collector_perf();
	struct trans *trans = trans_new(&ops, NULL);
	double deadline = now_s() + DEADLINE_S;
	struct program program;
	uint64_t lost = 0;

	if (access(interpreter, X_OK))
		SKIP("this interpreter is not installed");
	need_bpf();
	memset(processes, 0, sizeof(processes));
	start(&program, interpreter, script);
	open_collector(c, true);
	while ((processes[0].nr < GOAL || processes[1].nr < GOAL) && now_s() < deadline) {
		usleep(20000);
		CHECK(!c->drain(c, false, feed, trans, NULL), "drain");
		begin_again_after_loss(c, &lost);
	}
	CHECK(!c->stop(c, NULL), "stop");
	for (size_t i = 0; i < 2; i++) {
		wait_for_names(config.registered, &processes[i], deadline + 60);
		judge(&processes[i], program.truth);
	}
	end(&program);
	close_collector(c);
	trans_free(trans);
	for (size_t i = 0; i < 2; i++) {
		jit_code_free(&processes[i].names);
		forget_stacks(&processes[i]);
	}
}

TEST(python_3_11)
{
	check_calls(PYTHON, CALLS);
}

TEST(python_3_12)
{
	const char *python = getenv("PYTHON_3_12");

	check_calls(python ? python : "/usr/bin/python3.12", CALLS);
}

TEST(python_3_13)
{
	const char *python = getenv("PYTHON_3_13");

	check_calls(python ? python : "/usr/bin/python3.13", CALLS);
}

TEST(php_8_2)
{
	memory = "php";
	check_calls("/usr/bin/php8.2", "tests/workload/calls.php");
	memory = "python";
}

TEST(ruby_3_1)
{
	memory = "ruby";
	check_calls("/usr/bin/ruby3.1", "tests/workload/calls.rb");
	memory = "python";
}

static struct {
	size_t nr, interpreted;
} seen[2];

static void count_stack(void *context, const struct trans_state *leaf,
			const struct trans_frame *frames, size_t nr, uint32_t counter,
			unsigned int how)
{
	size_t i = leaf->tgid == (uint32_t)processes[1].pid;
	bool is = false;

	(void)context, (void)counter, (void)how;
	if (leaf->tgid != (uint32_t)processes[i].pid)
		return;
	for (size_t k = 0; k < nr; k++)
		is |= is_interpreted(&frames[k]);
	seen[i].nr++;
	seen[i].interpreted += is;
}

/* Of each bad record all frames are gone through: if there are many, the good one is not found. */
TEST(steps_of_a_sample_are_bounded)
{
	static const struct trans_ops ops = {.stack = count_stack};
	struct collector *c = collector_perf();
	struct trans *trans = trans_new(&ops, NULL);
	double deadline = now_s() + DEADLINE_S;
	struct program program;

	if (access(PYTHON, X_OK))
		SKIP("this Python is not installed");
	need_bpf();
	start(&program, PYTHON, "tests/workload/deep.py");
	open_collector(c, true);
	while ((seen[0].interpreted < 100 || seen[1].nr < 200) && now_s() < deadline) {
		usleep(20000);
		CHECK(!c->drain(c, false, feed, trans, NULL), "drain");
	}
	CHECK(!c->stop(c, NULL), "stop");
	CHECK(seen[0].interpreted >= 100, "%zu of %zu after a few frames", seen[0].interpreted,
	      seen[0].nr);
	CHECK(seen[1].nr >= 200 && !seen[1].interpreted, "%zu of %zu after many",
	      seen[1].interpreted, seen[1].nr);
	end(&program);
	close_collector(c);
	trans_free(trans);
}

static void ignore_words(void *context, const op_word *words, size_t nr)
{
	(void)context, (void)words, (void)nr;
}

/* It cannot read the interpreter's memory, and says in how many stacks. */
TEST(perf_counts_what_it_misses)
{
	struct collector *c = collector_perf();
	double deadline = now_s() + DEADLINE_S;
	struct program program;

	if (access(PYTHON, X_OK))
		SKIP("this Python is not installed");
	need_perf();
	start(&program, PYTHON, CALLS);
	open_collector(c, false);
	do {
		usleep(20000);
		CHECK(!c->drain(c, false, ignore_words, NULL, NULL), "drain");
	} while (totals(c).stacks_interpreter < 100 && now_s() < deadline);
	CHECK(totals(c).stacks_interpreter >= 100, "none counted");
	end(&program);
	close_collector(c);
}

TEST_MAIN()

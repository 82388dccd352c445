// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * registered.c - code that a process registers for debuggers has names and whole stacks, and what
 * it registers cannot hurt
 *
 * The processes are forks of this program, whose descriptor is the variable below.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/daemon/collect/bpf/need_bpf.h"

#include "daemon/collect/collector.h"
#include "daemon/collect/registered/descriptor.h"
#include "daemon/collect/registered/registered.h"
#include "daemon/jit/code.h"
#include "daemon/record/trans.h"
#include "libutil/clock.h"
#include "libutil/errand.h"
#include "libutil/file.h"
#include "libutil/opener/objects.h"
#include "libutil/opener/registered.h"
#include "libutil/sandbox/worker.h"
#include "runtime/runtime.h"
#include "tests/registered_elf.h"

#define DEADLINE_NS	(300 * NS_PER_SECOND)	/* for a machine that is very busy */
#define USER		1234
#define TEXT_SIZE	65536
#define WARM		20			/* stacks that are whole: all tables are there */
#define GOAL		200

struct jit_descriptor __jit_debug_descriptor = { 1, 0, NULL, NULL };
void __jit_debug_register_code(void);

/* Debuggers stop here. */
__attribute__((noinline)) void __jit_debug_register_code(void)
{
	__asm__ volatile("");
}

static struct jit_entry entries[2 * REGISTERED_IMAGES_MAX];
static struct made_function functions[MADE_FUNCTIONS];
static unsigned char *text;
static struct unwind_cache *cache;
static struct registered *r;

/* ---- in the other process ---- */

static void register_image(struct jit_entry *e, const void *image, uint64_t size)
{
	*e = (struct jit_entry){ .image = image, .size = size,
				 .next = __jit_debug_descriptor.first };
	if (e->next)
		e->next->previous = e;
	__jit_debug_descriptor.first = __jit_debug_descriptor.relevant = e;
	__jit_debug_descriptor.action = 1;
	__jit_debug_register_code();
}

static struct made_bytes make_image(enum made_frames frames)
{
	if (text == MAP_FAILED)
		_exit(1);
	made_functions(text, functions);
	return made_elf(functions, MADE_FUNCTIONS, (uintptr_t)text, TEXT_SIZE, frames);
}

static void register_good(struct jit_entry *e, enum made_frames frames)
{
	struct made_bytes image = make_image(frames);

	register_image(e, image.bytes, image.size);
}

static void run_made_code(void)
{
	void (*outer)(unsigned int);
	unsigned char *at = text + functions[MADE_FUNCTIONS - 1].at;

	memcpy(&outer, &at, sizeof(outer));
	for (;;)
		outer(100000);
}

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

static void with_debug_frame(void) { register_good(&entries[0], MADE_DEBUG_FRAME); }
static void with_eh_frame(void) { register_good(&entries[0], MADE_EH_FRAME); }

/* A good image and a list that comes back to it. */
static void with_loop(void)
{
	register_good(&entries[0], MADE_DEBUG_FRAME);
	for (size_t i = 1; i < 100; i++)
		register_good(&entries[i], MADE_DEBUG_FRAME);
	entries[0].next = &entries[50];
}

static void with_itself(void)
{
	register_good(&entries[0], MADE_DEBUG_FRAME);
	entries[0].next = &entries[0];
}

static void with_many(void)
{
	struct made_bytes image = make_image(MADE_DEBUG_FRAME);

	for (size_t i = 0; i < 2 * REGISTERED_IMAGES_MAX; i++)
		register_image(&entries[i], image.bytes, image.size);
}

static void with_huge(void)
{
	register_good(&entries[0], MADE_DEBUG_FRAME);
	register_image(&entries[1], entries[0].image, UINT64_MAX);
	register_image(&entries[2], entries[0].image, UINT64_MAX - 4);
	register_image(&entries[3], entries[0].image, REGISTERED_IMAGE_MAX + 1);
}

/* Each is as large as may be; together they are too large. */
static void with_much(void)
{
	struct made_bytes image = make_image(MADE_DEBUG_FRAME);
	unsigned char *large = mmap(NULL, REGISTERED_IMAGE_MAX, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	memcpy(large, image.bytes, image.size);
	for (size_t i = 0; i < 100; i++)
		register_image(&entries[i], large, REGISTERED_IMAGE_MAX);
}

/* Each is read up to its end, which is not there. */
static void with_much_in_vain(void)
{
	with_much();
	munmap((char *)(uintptr_t)entries[0].image + REGISTERED_IMAGE_MAX - 4096, 4096);
}

static void with_unmapped(void)
{
	unsigned char *gone = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct made_bytes image = make_image(MADE_DEBUG_FRAME);

	memcpy(gone, image.bytes, image.size);
	register_image(&entries[0], gone, 8192);
	munmap(gone + 4096, 4096);
	register_good(&entries[1], MADE_DEBUG_FRAME);
	register_image(&entries[2], (void *)8, 1000);
	register_image(&entries[3], (void *)UINTPTR_MAX, 1000);
}

static void with_no_elf(void)
{
	static const char secret[1000] = "this is not for others";

	register_good(&entries[0], MADE_DEBUG_FRAME);
	register_image(&entries[1], secret, sizeof(secret));
	register_image(&entries[2], secret, 4);
}

static void with_wild_list(void)
{
	register_good(&entries[0], MADE_DEBUG_FRAME);
	entries[0].next = (struct jit_entry *)0x10;
}

/* All of an image's bytes but those that make it one, and its place in the list, change always. */
static void keep_changing(void)
{
	struct made_bytes image = { (unsigned char *)(uintptr_t)entries[0].image, entries[0].size };
	uint64_t x = 1;

	for (;;) {
		for (size_t i = 20; i < image.size; i++, x = x * 6364136223846793005u + 1)
			image.bytes[i] = (unsigned char)(x >> 56);
		__jit_debug_descriptor.relevant = (struct jit_entry *)(uintptr_t)x;
	}
}

/* ---- here ---- */

/* A process that ends with this one; returns when it has prepared itself. */
static pid_t start(void (*prepare)(void), void (*run)(void), uid_t uid)
{
	int ends[2];
	char byte;
	pid_t pid;

#ifndef __x86_64__
	SKIP("the code is x86-64's");
#endif
	if (geteuid())
		SKIP("needs root");
	text = mmap(NULL, TEXT_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pipe(ends) || (pid = fork()) < 0)
		exit(1);
	if (pid == 0) {
		if (uid && (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
			    setresuid(uid, uid, uid)))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prepare();
		if (write(ends[1], "", 1) != 1)
			_exit(1);
		run();
	}
	made_functions(text, functions);
	close(ends[1]);
	CHECK(read(ends[0], &byte, 1) == 1, "the process is not ready");
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void open_registered(void)
{
	CHECK(!worker_start(NULL) && !unwind_cache_create((size_t)64 << 20, &cache) &&
	      !registered_create(cache, &r), "created");
}

static void close_registered(void)
{
	r = registered_destroy(r);
	cache = unwind_cache_destroy(cache);
}

/* The process's copy, waited for, and its head. */
static int copy_of(pid_t pid, struct registered_head *head)
{
	uint64_t until = now_ns() + DEADLINE_NS;
	struct stat st;
	int fd = -1;

	while (fd < 0 && now_ns() < until) {
		registered_want(r, (uint32_t)pid, (uintptr_t)text, (uintptr_t)text + TEXT_SIZE);
		registered_wait(r, NS_PER_SECOND);
		fd = registered_copy(r, (uint32_t)pid);
		if (fd < 0)
			usleep(10000);
	}
	CHECK(fd >= 0 && !file_read_at(fd, head, sizeof(*head), 0), "no copy");
	CHECK(!fstat(fd, &st) && st.st_uid == USER && (st.st_mode & 0777) == 0400, "whose");
	return fd;
}

static void expect_copy(void (*prepare)(void), uint32_t nr, uint32_t missing)
{
	struct registered_head head = { 0 };
	pid_t pid;

	pid = start(prepare, wait_for_ever, USER);
	open_registered();
	close(copy_of(pid, &head));
	CHECK(head.nr == nr && head.missing == missing, "%u images, missing %x", head.nr,
	      head.missing);
	close_registered();
	end(pid);
}

#define BIT(reason) (1u << (reason))

TEST(lists_that_loop_are_ignored)
{
	expect_copy(with_loop, 0, BIT(REGISTERED_LOOP));
	expect_copy(with_itself, 0, BIT(REGISTERED_LOOP));
}

TEST(sizes_are_bounded)
{
	expect_copy(with_many, REGISTERED_IMAGES_MAX, BIT(REGISTERED_MANY));
	expect_copy(with_huge, 1, BIT(REGISTERED_LARGE));
	expect_copy(with_much, REGISTERED_BYTES_MAX / REGISTERED_IMAGE_MAX - 1,
		    BIT(REGISTERED_FULL));
	expect_copy(with_much_in_vain, 0, BIT(REGISTERED_UNREADABLE) | BIT(REGISTERED_FULL));
}

TEST(only_mapped_elf_files_are_copied)
{
	expect_copy(with_unmapped, 1, BIT(REGISTERED_UNREADABLE));
	expect_copy(with_no_elf, 1, BIT(REGISTERED_NO_ELF));
	expect_copy(with_wild_list, 1, BIT(REGISTERED_UNREADABLE));
}

/* Whatever it is at the moment, it becomes a table or none, and others have theirs. */
/* ---- code objects of interpreters ---- */

#define OBJECTS		65536
#define PROCESSES	60		/* of a user: more than all may have so many */

static void nothing(void)
{
}

/* Whether what was read of its objects says that some are missing. */
static bool lacks_objects(pid_t pid)
{
	int fd = registered_objects(r, (uint32_t)pid);
	struct object_head head = { .number = 1 };
	struct stat st;
	bool lacks;

	if (fd < 0)
		return false;
	lacks = !fstat(fd, &st) && st.st_size >= (off_t)sizeof(head) &&
		!file_read_at(fd, &head, sizeof(head), st.st_size - (off_t)sizeof(head)) &&
		!head.number;
	close(fd);
	return lacks;
}

/* Of no runtime, so that reading them costs nothing. */
static pid_t want_objects(uid_t uid, uint64_t nr)
{
	pid_t pid = start(nothing, wait_for_ever, uid);

	registered_want_object(r, (uint32_t)pid, 0x1000, OP_RUNTIMES);
	registered_wait(r, NS_PER_SECOND);	/* its user is known */
	for (uint64_t i = 1; i < nr; i++)
		registered_want_object(r, (uint32_t)pid, 0x1000 * i, OP_RUNTIMES);
	return pid;
}

/* The lists of a user's processes, which names are to be read for, do not take all memory. */
TEST(wanted_objects_are_bounded)
{
	pid_t pids[PROCESSES], other;
	size_t nr = 0;

	open_registered();
	do
		pids[nr] = want_objects(USER, OBJECTS);
	while (!lacks_objects(pids[nr++]) && nr < PROCESSES);
	CHECK(nr > 10 && nr < PROCESSES, "%zu processes", nr);
	other = want_objects(USER + 1, OBJECTS);
	CHECK(!lacks_objects(other), "another user's");
	close_registered();
	end(other);
	while (nr > 0)
		end(pids[--nr]);
}

/* Until there is something to read. */
static int wait_for_byte(struct errand *errand)
{
	char byte;

	return read(errand->fd, &byte, 1) == 1 ? 0 : -EIO;
}

static void *hang(void *fd)
{
	static uint64_t places;
	struct errand e = { .run = wait_for_byte, .kind = ERRAND_MEMORY, .fd = *(int *)fd,
			    .place = __atomic_add_fetch(&places, 1, __ATOMIC_RELAXED) };

	CHECK(errand_run(&e, sizeof(e)) == -ETIMEDOUT, "did not hang");
	return NULL;
}

/* While looks at other processes take too long, there is none at it; its names are not lost. */
TEST(objects_are_read_once_there_is_time)
{
	pid_t pid = start(nothing, wait_for_ever, USER);
	const uint64_t deadline = now_ns() + DEADLINE_NS;
	pthread_t threads[ERRANDS_LATE_MAX];
	int ends[2], fd;

	open_registered();
	CHECK(!pipe2(ends, O_CLOEXEC), "pipe");
	for (size_t i = 0; i < ERRANDS_LATE_MAX; i++)
		CHECK(!pthread_create(&threads[i], NULL, hang, &ends[0]), "%zu", i);
	for (size_t i = 0; i < ERRANDS_LATE_MAX; i++)
		pthread_join(threads[i], NULL);
	registered_want_object(r, (uint32_t)pid, 0x1000, OP_RUNTIME_PYTHON_3_11);
	registered_wait(r, NS_PER_SECOND / 20);
	CHECK(registered_objects(r, (uint32_t)pid) < 0, "read meanwhile");
	close(ends[1]);
	while ((fd = registered_objects(r, (uint32_t)pid)) < 0 && now_ns() < deadline)
		registered_wait(r, NS_PER_SECOND / 20);
	CHECK(fd >= 0, "never read");
	close(fd);
	close(ends[0]);
	close_registered();
	end(pid);
}

TEST(an_image_that_changes_harms_nobody)
{
	pid_t changing, good;
	struct registered_head head;
	const struct unwind_table *table = NULL;
	uint64_t until = now_ns() + DEADLINE_NS;
	uint64_t address;

	changing = start(with_debug_frame, keep_changing, USER);
	good = start(with_debug_frame, wait_for_ever, USER + 1);
	address = (uintptr_t)text;
	open_registered();
	for (int i = 0; i < 10; i++) {
		struct jit_code code;
		char *bytes;
		size_t len;
		int fd = copy_of(changing, &head);

		jit_code_init(&code, &(struct jit_window){ 0 });
		CHECK(!file_read_all_fd(fd, REGISTERED_BYTES_MAX, &bytes, &len), "read");
		jit_read_registered(bytes, len, &code);
		jit_code_free(&code);
		free(bytes);
		close(fd);
		table = registered_table(r, (uint32_t)changing, address, 0);
		if (table)
			unwind_cache_put(cache, table);
	}
	while (!(table = registered_table(r, (uint32_t)good, address, 0)) && now_ns() < until)
		usleep(10000);
	CHECK(table, "the other has no table");
	if (table)
		unwind_cache_put(cache, table);
	close_registered();
	end(changing);
	end(good);
}

TEST(a_table_is_of_the_program_that_registered)
{
	const struct unwind_table *table;
	struct registered_head head;
	uint64_t until = now_ns() + DEADLINE_NS;
	pid_t pid;

	pid = start(with_debug_frame, wait_for_ever, USER);
	open_registered();
	close(copy_of(pid, &head));
	while (!(table = registered_table(r, (uint32_t)pid, (uintptr_t)text, 0)) &&
	       now_ns() < until)
		usleep(10000);
	CHECK(table, "no table");
	if (table)
		unwind_cache_put(cache, table);
	CHECK(!registered_table(r, (uint32_t)pid, (uintptr_t)text, UINT64_MAX), "after an exec");
	CHECK(!registered_table(r, (uint32_t)pid, (uintptr_t)text ^ UINT64_C(1) << 44, 0),
	      "elsewhere");
	close_registered();
	end(pid);
}

/* The table of the process is given away. */
static void give_away(pid_t pid)
{
	const struct unwind_table *table = NULL;
	uint64_t until = now_ns() + DEADLINE_NS;
	uint32_t tgid = 0, number = 0;
	struct registered_head head;

	close(copy_of(pid, &head));
	while (!(table = registered_next_new(r, &tgid, &number)) && now_ns() < until)
		usleep(10000);
	CHECK(table && tgid == (uint32_t)pid && number == (uintptr_t)text >> 32, "given away");
	if (table)
		unwind_cache_put(cache, table);
	CHECK(!registered_next_new(r, &tgid, &number), "again");
	CHECK(!registered_next_gone(r, &tgid, &number), "it runs");
}

static void take_back(pid_t pid)
{
	uint64_t until = now_ns() + DEADLINE_NS;
	uint32_t tgid = 0, number = 0;

	while (!registered_next_gone(r, &tgid, &number) && now_ns() < until) {
		registered_want(r, (uint32_t)pid, 0, 0);
		usleep(10000);
	}
	CHECK(tgid == (uint32_t)pid && number == (uintptr_t)text >> 32, "taken back");
	CHECK(!registered_next_gone(r, &tgid, &number), "again");
	registered_want(r, (uint32_t)pid, (uintptr_t)text, (uintptr_t)text + TEXT_SIZE);
	CHECK(!registered_next_new(r, &tgid, &number), "given away once more");
}

TEST(tables_are_given_away_once_and_taken_back)
{
	pid_t pid = start(with_debug_frame, wait_for_ever, USER);

	open_registered();
	give_away(pid);
	end(pid);
	take_back(pid);
	close_registered();
}

static sigset_t usr1;

static void with_signal_blocked(void)
{
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	with_debug_frame();
}

static void wait_and_exec(void)
{
	int signal;

	sigwait(&usr1, &signal);
	execl("/bin/sleep", "sleep", "100000", (char *)NULL);
	_exit(1);
}

TEST(tables_are_taken_back_after_exec)
{
	pid_t pid;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pid = start(with_signal_blocked, wait_and_exec, USER);
	open_registered();
	give_away(pid);
	kill(pid, SIGUSR1);
	take_back(pid);
	end(pid);
	close_registered();
}

TEST(the_variable_is_found_in_symbol_tables)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), none;
	struct jit_descriptor d;
	struct registered_place place, places[2];

	none = open("/dev/null", O_RDONLY | O_CLOEXEC);
	place = descriptor_find(fd);
	CHECK(place.symbol && !place.types && !file_read_at(fd, &d, sizeof(d), place.symbol) &&
	      d.version == 1 && !d.first, "at %llu", (unsigned long long)place.symbol);
	CHECK(!descriptor_find(none).symbol, "in no program");
	CHECK(!worker_start(NULL) &&
	      !descriptor_find_apart((int[]){ none, fd }, 2, places) && !places[0].symbol &&
	      places[1].symbol == place.symbol, "apart");
}

/* ---- names ---- */

static void check_names(enum made_frames frames)
{
	struct registered_head head;
	struct jit_code code;
	size_t len = 0;
	char *bytes = NULL;
	pid_t pid;
	int fd;

	pid = start(frames == MADE_EH_FRAME ? with_eh_frame : with_debug_frame, wait_for_ever,
		    USER);
	open_registered();
	fd = copy_of(pid, &head);
	CHECK(!file_read_all_fd(fd, 1 << 20, &bytes, &len), "read");
	jit_code_init(&code, &(struct jit_window){ 0 });
	CHECK(jit_read_registered(bytes, len, &code) && code.nr == MADE_FUNCTIONS && !code.dropped,
	      "%zu symbols, %zu dropped", code.nr, code.dropped);
	for (size_t i = 0; i < code.nr; i++)
		CHECK(!strcmp(jit_name(&code, &code.blocks[i]), functions[i].name) &&
		      code.blocks[i].start == (uintptr_t)text + functions[i].at &&
		      code.blocks[i].size == functions[i].size, "symbol %zu", i);
	jit_code_free(&code);
	free(bytes);
	close(fd);
	close_registered();
	end(pid);
}

TEST(symbols_are_names)
{
	check_names(MADE_DEBUG_FRAME);
	check_names(MADE_EH_FRAME);
}

/* ---- stacks ---- */

static struct {
	pid_t pid;
	uint64_t warm, nr, whole;
	char wrong[100];
} seen;

static bool is_in(const struct trans_frame *f, unsigned int function)
{
	uint64_t at = f->address - (uintptr_t)text - functions[function].at;

	return f->cookie == OP_NO_COOKIE && !f->kernel && at < functions[function].size;
}

/* Of samples in the innermost function: made_inner, made_middle, made_outer, and to the end. */
static void take_stack(void *context, const struct trans_state *leaf,
		       const struct trans_frame *frames, size_t nr, uint32_t counter,
		       unsigned int end)
{
	bool whole = (end & OP_STACK_END_MASK) == OP_STACK_COMPLETE && nr > MADE_FUNCTIONS;

	(void)context, (void)counter;
	if ((pid_t)leaf->tgid != seen.pid || !is_in(&frames[0], 0))
		return;
	for (unsigned int i = 0; i < MADE_FUNCTIONS && whole; i++)
		whole = is_in(&frames[i], i);
	if (seen.warm < WARM) {
		seen.warm += whole;
		return;
	}
	seen.nr++;
	seen.whole += whole;
	if (!whole)
		snprintf(seen.wrong, sizeof(seen.wrong), "%zu frames, end %x", nr, end);
}

static void feed(void *context, const op_word *words, size_t nr)
{
	trans_feed(context, words, nr);
}

/* The BPF program walks stacks once it has the tables, which takes a while on a busy machine. */
static bool has_enough(struct collector *c, bool by_bpf)
{
	struct collector_status status = { 0 };

	c->status(c, &status);
	return seen.nr >= GOAL && (!by_bpf || status.nr_walked >= seen.nr / 2);
}

/* @walker: walks the stacks, or NULL. */
static void check_stacks(void (*prepare)(void), struct bpf_walker *walker)
{
	static const struct trans_ops ops = { .stack = take_stack };
	struct collector_event event = { .count = 500000, .kernel = true, .user = true };
	struct collector_config config = { .events = &event, .nr_events = 1,
					   .clock_khz = 1000000, .callgraph_depth = 32 };
	struct collector *c = collector_perf();
	struct trans *trans = trans_new(&ops, NULL);
	uint64_t until = now_ns() + DEADLINE_NS;
	struct op_error e = { "" };

	need_perf();
	memset(&seen, 0, sizeof(seen));
	seen.pid = start(prepare, run_made_code, USER);
	open_registered();
	config.unwind = cache;
	config.registered = r;
	config.walker = walker;
	CHECK(!c->open(c, &config, &e) && !c->start(c, &e), "open: %s", e.text);
	while (!has_enough(c, walker) && now_ns() < until) {
		usleep(20000);
		CHECK(!c->drain(c, false, feed, trans, NULL), "drain");
	}
	CHECK(has_enough(c, walker), "too few, or not walked");
	CHECK(seen.whole * 100 >= seen.nr * 99, "%llu of %llu whole: %s",
	      (unsigned long long)seen.whole, (unsigned long long)seen.nr, seen.wrong);
	c->stop(c, &e);
	c->close(c);
	trans_free(trans);
	close_registered();
	end(seen.pid);
}

TEST(stacks_through_it_are_whole)
{
	check_stacks(with_debug_frame, NULL);
}

TEST(stacks_by_relocated_frames_are_whole)
{
	check_stacks(with_eh_frame, NULL);
}

TEST(stacks_through_it_are_walked_by_bpf)
{
	struct bpf_walker *walker = NULL;
	struct op_error e = { "" };

	need_bpf();
	CHECK(!bpf_walker_load((size_t)16 << 20, &walker, &e), "%s", e.text);
	check_stacks(with_debug_frame, walker);
	bpf_walker_free(walker);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/* errand.c - what hangs delays its caller once, and others not at all */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libutil/clock.h"
#include "libutil/errand.h"
#include "libutil/fd_message.h"
#include "libutil/opener/ask.h"
#include "libutil/proc_stat.h"
#include "tests/tap.h"
#include "tests/unit/own_mounts.h"

struct reading {
	struct errand errand;
	char byte;
};

/* Hangs until there is something to read. */
static int read_byte(struct errand *errand)
{
	struct reading *r = (struct reading *)errand;
	bool has_read = read(errand->fd, &r->byte, 1) == 1;

	errand->opened = fcntl(errand->fd, F_DUPFD_CLOEXEC, 0);
	return has_read ? 0 : -EIO;
}

static int run_as(enum errand_kind kind, int fd, uint64_t place, struct reading *ret)
{
	*ret = (struct reading){ .errand = { .run = read_byte, .place = place, .fd = fd,
					     .kind = kind } };
	return errand_run(&ret->errand, sizeof(*ret));
}

static int run(int fd, uint64_t place, struct reading *ret)
{
	return run_as(ERRAND_FILE, fd, place, ret);
}

TEST(an_answer)
{
	struct reading r;
	int ends[2];

	CHECK(!pipe2(ends, O_CLOEXEC) && write(ends[1], "x", 1) == 1, "pipe");
	CHECK(!run(ends[0], 1, &r) && r.byte == 'x', "read");
	CHECK(r.errand.fd == ends[0] && r.errand.opened >= 0, "descriptors");
	close(r.errand.opened);
	close(ends[1]);
	CHECK(run(ends[0], 1, &r) == -EIO, "its own failure");
	close(r.errand.opened);
	close(ends[0]);
}

TEST(a_place_that_hangs)
{
	int slow[2], quick[2];
	struct reading r;

	CHECK(!pipe2(slow, O_CLOEXEC) && !pipe2(quick, O_CLOEXEC), "pipes");
	CHECK(run(slow[0], 1, &r) == -ETIMEDOUT, "it did not hang");
	CHECK(write(quick[1], "abc", 3) == 3, "write");
	CHECK(run(quick[0], 1, &r) == -ETIMEDOUT, "the place was tried again");
	CHECK(!run(quick[0], 2, &r) && r.byte == 'a', "another place");
	close(r.errand.opened);
	CHECK(write(slow[1], "x", 1) == 1, "write");
	while (run(quick[0], 1, &r))	/* until it has returned */
		poll(NULL, 0, 1);
	CHECK(r.byte == 'b', "the place works again");
	close(r.errand.opened);
	close(slow[0]);
	signal(SIGPIPE, SIG_IGN);
	while (write(slow[1], "x", 1) == 1)	/* until its descriptors are closed */
		poll(NULL, 0, 1);
	CHECK(errno == EPIPE, "%s", strerror(errno));
	close(slow[1]);
	close(quick[0]);
	close(quick[1]);
}

/* ---- an opener that works longer for an answer than an errand may hang ---- */

static void work_until_ns(uint64_t spent)
{
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < spent)
		;
}

/* As a true one answers who looks at its threads. */
static int open_named(const struct opener_request *r)
{
	char path[PATH_MAX];
	int flags;

	return opener_format(r, path, &flags) ? open(path, flags | O_CLOEXEC) : -1;
}

static bool answer(int socket, int err, int fd)
{
	const struct opener_answer a = { .err = err, .tid = gettid() };
	bool is_sent = !fd_message_send(socket, &a, opener_answer_size(&a), &fd, fd >= 0);

	if (fd >= 0)
		close(fd);
	return is_sent;
}

static void *serve(void *socket)
{
	int s = *(int *)socket, fd;
	struct opener_request r;
	size_t len, nr;
	bool works = answer(s, 0, -1);

	while (works && !fd_message_receive(s, &r, sizeof(r), &len, NULL, 0, &nr)) {
		if (r.pid == 1)
			work_until_ns(1100 * NS_PER_MS);
		fd = r.pid == 1 ? -1 : open_named(&r);
		works = answer(s, fd < 0 ? -ENODATA : 0, fd);
	}
	return socket;
}

static void serve_all(int socket)
{
	int sockets[OPENER_CONNECTIONS_MAX];
	pthread_t thread;
	size_t len, nr;
	char byte;

	for (int i = 0; i < OPENER_CONNECTIONS_MAX; i++)
		if (fd_message_receive(socket, &byte, 1, &len, &sockets[i], 1, &nr) || nr != 1 ||
		    pthread_create(&thread, NULL, serve, &sockets[i]))
			break;
	_exit(0);
}

static int ask_opener(struct errand *errand)
{
	(void)errand;
	return opener_open("/proc/1/maps", O_RDONLY);
}

/* Also the first time, when there is no connection yet. */
TEST(an_opener_that_works)
{
	struct errand errand = { .run = ask_opener, .fd = -1 };
	bool hidden = !geteuid() && own_mounts() &&
		      !mount("proc", "/proc", "proc", 0, "hidepid=2");
	pid_t opener;
	int ends[2];

	CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "sockets");
	opener = fork();
	if (!opener) {
		close(ends[0]);
		serve_all(ends[1]);
	}
	close(ends[1]);
	opener_use(ends[0], NULL, 0);
	if (hidden)
		CHECK(!setgroups(0, NULL) && !setresgid(1234, 1234, 0) &&
		      !setresuid(1234, 1234, 0) && access("/proc/1", F_OK), "a user");
	CHECK(errand_run(&errand, sizeof(errand)) == -ENODATA, "it was given up");
	if (hidden)	/* what looks for leaks traces this process, as root may */
		CHECK(!seteuid(0), "root");
	kill(opener, SIGKILL);
}

TEST(what_counts_as_blocked)
{
	const struct errand_look before = { { 1, 2 }, false, 1000, 70 };
	const struct errand_look starts = { { 1, OPENER_STARTS }, false, 1000, 70 };

	CHECK(errand_blocked_ns(&before, &(struct errand_look){ { 1, 2 }, false, 1100, 70 }) == 100,
	      "all of it");
	CHECK(errand_blocked_ns(&before, &(struct errand_look){ { 1, 2 }, false, 1100, 150 }) == 20,
	      "but for the CPU");
	CHECK(errand_blocked_ns(&before, &(struct errand_look){ { 1, 2 }, false, 1100, 300 }) == 0,
	      "two threads' CPUs");
	CHECK(errand_blocked_ns(&before, &(struct errand_look){ { 1, 2 }, true, 1100, 70 }) == 0,
	      "still waits for a CPU");
	CHECK(errand_blocked_ns(&before, &(struct errand_look){ { 1, 3 }, false, 1100, 70 }) == 0,
	      "another thread, of which is not known what it did before");
	CHECK(errand_blocked_ns(&starts, &(struct errand_look){ { 1, OPENER_STARTS }, false, 1100,
								70 }) == 0, "not started");
}

struct hanging {
	pthread_t thread;
	int ends[2], err;
	uint64_t place;
};

static void *hang(void *hanging)
{
	struct hanging *h = hanging;
	struct reading r;

	h->err = run_as(ERRAND_MEMORY, h->ends[0], h->place, &r);
	return NULL;
}

/* A user with some user ids can let so many hang: files are opened all the same. */
TEST(many_that_hang)
{
	struct hanging all[ERRANDS_LATE_MAX];
	struct reading r;
	int other[2];

	CHECK(!pipe2(other, O_CLOEXEC) && write(other[1], "ab", 2) == 2, "pipe");
	for (unsigned int i = 0; i < ERRANDS_LATE_MAX; i++) {
		all[i].place = i;
		CHECK(!pipe2(all[i].ends, O_CLOEXEC) &&
		      !pthread_create(&all[i].thread, NULL, hang, &all[i]), "%u", i);
	}
	for (unsigned int i = 0; i < ERRANDS_LATE_MAX; i++) {
		pthread_join(all[i].thread, NULL);
		CHECK(all[i].err == -ETIMEDOUT, "%u", i);
	}
	CHECK(run_as(ERRAND_MEMORY, other[0], 100, &r) == -ETIMEDOUT, "one more thread");
	CHECK(!run(other[0], 100, &r) && r.byte == 'a', "of another kind");
	close(r.errand.opened);
	for (unsigned int i = 0; i < ERRANDS_LATE_MAX; i++)
		CHECK(write(all[i].ends[1], "x", 1) == 1, "write");
	while (run_as(ERRAND_MEMORY, other[0], 100, &r))
		poll(NULL, 0, 1);
	CHECK(r.byte == 'b', "'%c'", r.byte);
}

/* ---- threads ---- */

static unsigned int nr_threads(void)
{
	struct proc_stat stat = { .nr_threads = 0 };

	CHECK(!proc_stat_read("/proc/self/stat", &stat), "stat");
	return stat.nr_threads;
}

TEST(few_threads_for_many)
{
	unsigned int first = 0;
	int ends[2];

	CHECK(!pipe2(ends, O_CLOEXEC), "pipe");
	for (int i = 0; i < 1000; i++) {
		char sent = 'a' + i % 26;
		struct reading r;

		CHECK(write(ends[1], &sent, 1) == 1 && !run(ends[0], 1, &r) && r.byte == sent, "%d",
		      i);
		if (!i)
			first = nr_threads();
		close(r.errand.opened);
	}
	CHECK(nr_threads() <= first + 1, "%u threads, first %u", nr_threads(), first);
}

static struct reading of_child;

/* Threads are not forked; the thread sanitizer allows no new ones there. */
TEST(a_child_has_its_own)
{
	int ends[2], status;
	pid_t child;

#ifdef __SANITIZE_THREAD__
	SKIP("no threads after fork()");
#endif
	CHECK(!pipe2(ends, O_CLOEXEC) && write(ends[1], "ab", 2) == 2, "pipe");
	CHECK(!run(ends[0], 1, &of_child), "here");
	close(of_child.errand.opened);
	child = fork();
	if (!child)
		_exit(run(ends[0], 1, &of_child) || of_child.byte != 'b');
	CHECK(waitpid(child, &status, 0) == child && !status, "there");
}

/* ---- brief errands ---- */

static int nr_dropped;			/* atomic */

static void note_drop(struct errand *errand)
{
	(void)errand;
	__atomic_add_fetch(&nr_dropped, 1, __ATOMIC_RELAXED);
}

/* As soon as a thread is there for it; a busy machine may not have one at once. */
static int run_briefly(int fd, uint64_t place)
{
	struct reading r = { .errand = { .run = read_byte, .drop = note_drop, .place = place,
					 .fd = fd, .kind = ERRAND_BRIEF } };
	int err;

	while ((err = errand_run(&r.errand, sizeof(r))) == -EAGAIN)
		poll(NULL, 0, 1);
	if (!err)
		close(r.errand.opened);
	return err;
}

/* The thread works all the time, so by blocked time it could take forever. */
static int work_for_long(struct errand *errand)
{
	(void)errand;
	work_until_ns(UINT64_MAX);
	return 0;
}

TEST(while_something_else_waits)
{
	struct errand errand = { .run = work_for_long, .fd = -1, .kind = ERRAND_BRIEF };

	errand_set_urgent(true);
	while (errand_run(&errand, sizeof(errand)) == -EAGAIN)
		poll(NULL, 0, 1);
	CHECK(clock_ns(CLOCK_THREAD_CPUTIME_ID) < NS_PER_SECOND, "it waited busily");
}

TEST(many_brief_ones_that_hang)
{
	int stuck[2], ready[2], err;
	struct reading r;

	CHECK(!pipe2(stuck, O_CLOEXEC) && !pipe2(ready, O_CLOEXEC), "pipes");
	errand_set_urgent(true);
	for (unsigned int i = 0; i < ERRANDS_BRIEF_LATE_MAX; i++)
		CHECK(run_briefly(stuck[0], i) == -ETIMEDOUT, "%u came back", i);
	CHECK(run_briefly(ready[0], 100) == -ETIMEDOUT, "one too many");
	CHECK(write(ready[1], "a", 1) == 1 && !run(ready[0], 101, &r) && r.byte == 'a',
	      "one that is not brief");
	close(r.errand.opened);
	CHECK(!__atomic_load_n(&nr_dropped, __ATOMIC_RELAXED), "dropped while they hang");
	close(ready[1]);
	close(stuck[1]);
	while (__atomic_load_n(&nr_dropped, __ATOMIC_RELAXED) < ERRANDS_BRIEF_LATE_MAX)
		poll(NULL, 0, 1);
	do
		err = run_briefly(ready[0], 100);
	while (err == -ETIMEDOUT);	/* a busy machine */
	CHECK(err == -EIO, "after that: %d", err);
}

TEST_MAIN()

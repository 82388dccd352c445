// SPDX-License-Identifier: GPL-2.0-or-later
/* errand.c - what hangs delays its caller once, and others not at all */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libutil/clock.h"
#include "libutil/errand.h"
#include "libutil/fd_message.h"
#include "libutil/opener/ask.h"
#include "tests/tap.h"

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

static int run(int fd, uint64_t place, struct reading *ret)
{
	*ret = (struct reading){ .errand = { .run = read_byte, .place = place, .fd = fd } };
	return errand_run(&ret->errand, sizeof(*ret));
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

/* An opener that answers once, and then works longer for an answer than an errand may hang. */
static void *serve(void *socket)
{
	const struct opener_answer answer = { .err = -ENODATA, .tid = gettid() };
	struct opener_request r;
	size_t len, nr;
	int fd;

	if (fd_message_receive(*(int *)socket, &r, 1, &len, &fd, 1, &nr) || nr != 1)
		return socket;
	for (int i = 0; i < 2; i++) {
		if (fd_message_receive(fd, &r, sizeof(r), &len, NULL, 0, &nr))
			return socket;
		while (i && clock_ns(CLOCK_THREAD_CPUTIME_ID) < 1100 * NS_PER_MS)
			;
		if (fd_message_send(fd, &answer, opener_answer_size(&answer), NULL, 0))
			return socket;
	}
	close(fd);
	return NULL;
}

static int ask_opener(struct errand *errand)
{
	(void)errand;
	return opener_open("/proc/1/maps", O_RDONLY);
}

TEST(an_opener_that_works)
{
	struct errand errand = { .run = ask_opener, .fd = -1 };
	pthread_t thread;
	void *failed;
	int ends[2];

	CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "sockets");
	CHECK(!pthread_create(&thread, NULL, serve, &ends[1]), "thread");
	opener_use(ends[0], NULL, 0);
	CHECK(ask_opener(NULL) == -ENODATA, "an answer");
	CHECK(errand_run(&errand, sizeof(errand)) == -ENODATA, "it was given up");
	CHECK(!pthread_join(thread, &failed) && !failed, "the opener failed");
}

TEST(what_counts_as_blocked)
{
	const struct errand_look before = { { 1, 2 }, false, 1000, 70 };

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
	CHECK(errand_blocked_ns(&(struct errand_look){ { 0 }, false, 1000, 0 },
				&(struct errand_look){ { 0 }, false, 1100, 0 }) == 0,
	      "not started");
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

	h->err = run(h->ends[0], h->place, &r);
	return NULL;
}

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
	CHECK(run(other[0], 100, &r) == -ETIMEDOUT, "one more thread");
	for (unsigned int i = 0; i < ERRANDS_LATE_MAX; i++)
		CHECK(write(all[i].ends[1], "x", 1) == 1, "write");
	while (run(other[0], 100, &r))
		poll(NULL, 0, 1);
	CHECK(r.byte == 'a', "'%c'", r.byte);
}

TEST_MAIN()

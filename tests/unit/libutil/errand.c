// SPDX-License-Identifier: GPL-2.0-or-later
/* errand.c - what hangs delays its caller once, and others not at all */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include "libutil/errand.h"
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

TEST(many_that_hang)
{
	int ends[ERRANDS_LATE_MAX][2], other[2];
	struct reading r;

	CHECK(!pipe2(other, O_CLOEXEC) && write(other[1], "ab", 2) == 2, "pipe");
	for (unsigned int i = 0; i < ERRANDS_LATE_MAX; i++) {
		CHECK(!pipe2(ends[i], O_CLOEXEC), "pipe");
		CHECK(run(ends[i][0], i, &r) == -ETIMEDOUT, "%u", i);
	}
	CHECK(run(other[0], 100, &r) == -ETIMEDOUT, "one more thread");
	for (unsigned int i = 0; i < ERRANDS_LATE_MAX; i++)
		CHECK(write(ends[i][1], "x", 1) == 1, "write");
	while (run(other[0], 100, &r))
		poll(NULL, 0, 1);
	CHECK(r.byte == 'a', "'%c'", r.byte);
}

TEST_MAIN()

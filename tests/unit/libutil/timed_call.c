// SPDX-License-Identifier: GPL-2.0-or-later
/* timed_call.c - threads that do what may wait, come back late, or never */
#include "libutil/timed_call.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "libutil/xalloc.h"
#include "tests/tap.h"

/* Reads a byte, for which it may wait. */
struct job {
	struct timed_call call;
	int from;
	char got;
};

static int nr_dropped;			/* atomic */

static void read_byte(struct timed_call *e)
{
	struct job *job = (struct job *)e;

	if (read(job->from, &job->got, 1) != 1)
		job->got = '-';
}

static void drop(struct timed_call *e)
{
	free(e);
	__atomic_add_fetch(&nr_dropped, 1, __ATOMIC_RELEASE);
}

static int send_job(int from, char *ret_got)
{
	struct job *job = xcalloc(1, sizeof(*job));
	int err;

	job->call = (struct timed_call){ read_byte, drop };
	job->from = from;
	err = timed_call_run(&job->call);
	if (err)
		return err;
	*ret_got = job->got;
	free(job);
	return 0;
}

static void wait_for_drops(int nr)
{
	while (__atomic_load_n(&nr_dropped, __ATOMIC_ACQUIRE) < nr)
		poll(NULL, 0, 1);
}

/* A busy machine may start no thread in the time that is given to one. */
static int send_until_taken(int from, char *ret_got)
{
	int err;

	do
		err = send_job(from, ret_got);
	while (err == -EAGAIN);
	return err;
}

TEST(one_after_the_other)
{
	for (int i = 0; i < 1000; i++) {
		char got = 0, sent = 'a' + i % 26;
		int ends[2], err;

		CHECK(!pipe(ends) && write(ends[1], &sent, 1) == 1, "pipe");
		close(ends[1]);
		err = send_until_taken(ends[0], &got);
		if (err == -ETIMEDOUT)		/* on a busy machine: that one still reads */
			i--;
		else
			CHECK(!err && got == sent, "%d: %d, '%c' instead of '%c'", i, err, got,
			      sent);
		if (!err)
			close(ends[0]);
	}
}

TEST(what_does_not_come_back_is_left)
{
	int stuck[2], ready[2], err = -ETIMEDOUT;
	char got = 0;

	timed_call_set_urgent(true);
	CHECK(!pipe(stuck) && !pipe(ready), "pipe");
	CHECK(send_until_taken(stuck[0], &got) == -ETIMEDOUT, "it came back");
	CHECK(write(ready[1], "x", 1) == 1, "write");
	close(ready[1]);
	while (err == -ETIMEDOUT)
		err = send_until_taken(ready[0], &got);
	CHECK(!err, "another one cannot be sent: %d", err);
	close(stuck[1]);
	wait_for_drops(1);
}

TEST(not_too_many_are_out)
{
	int stuck[2], err, dropped;
	char got = 0;

	timed_call_set_urgent(true);
	CHECK(!pipe(stuck), "pipe");
	for (int i = 0; i < TIMED_CALLS_MAX; i++)
		CHECK(send_until_taken(stuck[0], &got) == -ETIMEDOUT, "%d came back", i);
	dropped = __atomic_load_n(&nr_dropped, __ATOMIC_RELAXED);
	CHECK(send_job(stuck[0], &got) == -EAGAIN, "one too many");
	CHECK(__atomic_load_n(&nr_dropped, __ATOMIC_RELAXED) == dropped + 1, "it was not dropped");
	close(stuck[1]);
	wait_for_drops(dropped + 1 + TIMED_CALLS_MAX);
	do
		err = send_job(stuck[0], &got);
	while (err);
	CHECK(got == '-', "got '%c'", got);
}

TEST_MAIN()

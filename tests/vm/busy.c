/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy - run a command and print for how many ns the machine's one CPU was not idle meanwhile
 *
 *	busy COMMAND...
 *
 * What is idle is soaked up by a child that runs only when nobody else wants to, and knows how
 * much it did: all the rest of the time somebody worked, whoever it was. In a machine whose clock
 * goes by instructions, these are the instructions of all that the command caused. Exit status: the
 * command's.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/vm/workloads/spin.h"

#define BLOCK	500		/* turns */
#define TRIES	1000

static volatile sig_atomic_t done;

static void on_term(int sig)
{
	(void)sig;
	done = 1;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* What a block takes undisturbed: as nearly all do. */
static uint64_t block_ns(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t start = now_ns();

		for (int n = 0; n < 20 && !done; n++)
			spin(BLOCK);
		start = now_ns() - start;
		if (start < best)
			best = start;
	}
	return best / 20;
}

static void soak(int out)
{
	struct sched_param none = {};
	uint64_t blocks = 0, each = block_ns();

	signal(SIGTERM, on_term);
	if (sched_setscheduler(0, SCHED_IDLE, &none) || write(out, &each, sizeof(each)) < 0)
		_exit(1);
	for (; !done; blocks++)
		spin(BLOCK);
	blocks *= each;
	_exit(write(out, &blocks, sizeof(blocks)) != sizeof(blocks));
}

int main(int argc, char **argv)
{
	uint64_t start, took, soaked;
	int out[2], status;
	pid_t soaker, pid;

	if (argc < 2 || pipe(out))
		return 2;
	soaker = fork();
	if (!soaker)
		soak(out[1]);
	if (soaker < 0 || read(out[0], &soaked, sizeof(soaked)) != sizeof(soaked))
		return 2;
	start = now_ns();
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 2;
	took = now_ns() - start;
	kill(soaker, SIGTERM);
	if (read(out[0], &soaked, sizeof(soaked)) != sizeof(soaked))
		return 2;
	printf("%lld\n", (long long)(took - soaked));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

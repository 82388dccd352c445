/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally - run a command while the module samples, and count the samples by CPU and counter
 *
 *	tally FROM TO COMMAND...
 *
 * Prints "cpu C counter N user U kernel K inside I" for every pair that has samples; I are those of
 * the kernel's at addresses FROM (hexadecimal) up to TO. What is to be sampled stands in oprofilefs
 * already. Exit status: 1 when something failed, which is printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "op_abi.h"

#define CPUS		64
#define COUNTERS	32

static struct {
	long user, kernel, inside;
} tally[CPUS][COUNTERS];

static op_word from, to;
static op_word record[64];	/* a note and its payload, or a sample, so far */
static int nr_words;
static unsigned int cpu;
static bool user;

static void die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

/* Words of the note that begins with ESCAPE and @code. */
static int length_of(op_word code)
{
	switch (code) {
	case OP_CTX_SWITCH:	return 2 + 5;
	case OP_CPU_SWITCH:
	case OP_COOKIE_SWITCH:	return 2 + 1;
	case OP_ANON_MAP:	return 2 + OP_ANON_MAP_WORDS;
	case OP_MODULE_RANGE:	return 2 + OP_MODULE_RANGE_WORDS;
	default:		return 2;
	}
}

static void take_note(void)
{
	if (record[1] == OP_CPU_SWITCH)
		cpu = record[2] % CPUS;
	else if (record[1] == OP_KERNEL_ENTER || record[1] == OP_USER_ENTER)
		user = record[1] == OP_USER_ENTER;
}

static void take_sample(void)
{
	unsigned int counter = record[1] % COUNTERS;

	if (user)
		tally[cpu][counter].user++;
	else
		tally[cpu][counter].kernel++;
	if (!user && record[0] >= from && record[0] < to)
		tally[cpu][counter].inside++;
}

static void take(op_word word)
{
	record[nr_words++] = word;
	if (nr_words < 2 || (record[0] == OP_ESCAPE && nr_words < length_of(record[1])))
		return;
	if (record[0] == OP_ESCAPE)
		take_note();
	else
		take_sample();
	nr_words = 0;
}

static void drain(int fd)
{
	static op_word buffer[1 << 15];
	ssize_t n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		for (size_t i = 0; i < n / sizeof(*buffer); i++)
			take(buffer[i]);
	if (n < 0 && errno != EAGAIN)
		die("read");
}

static void enable(const char *text)
{
	int fd = open(OPROFILEFS_MOUNT "/enable", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, 1) < 0)
		die("enable");
	close(fd);
}

static void run(char **command, int fd)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	for (int status = 0; !waitpid(pid, &status, WNOHANG);) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		poll(&p, 1, 2);
		drain(fd);
	}
}

int main(int argc, char **argv)
{
	int fd;

	if (argc < 4)
		return 2;
	from = strtoull(argv[1], NULL, 16);
	to = strtoull(argv[2], NULL, 16);
	fd = open(OPROFILEFS_MOUNT "/buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		die("buffer");
	enable("1");
	run(argv + 3, fd);
	enable("0");
	drain(fd);
	for (int c = 0; c < CPUS; c++)
		for (int n = 0; n < COUNTERS; n++)
			if (tally[c][n].user || tally[c][n].kernel)
				printf("cpu %d counter %d user %ld kernel %ld inside %ld\n", c, n,
				       tally[c][n].user, tally[c][n].kernel, tally[c][n].inside);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally - run a command while the module samples, and count the samples by CPU and counter
 *
 *	tally FROM TO COMMAND...
 *
 * Prints "cpu C counter N user U kernel K inside I" for every pair that has samples; I are those of
 * the kernel's at addresses FROM (hexadecimal) up to TO. Instruction-based samples have "fetch" and
 * "op" for N; that their words hold together is checked. What is to be sampled stands in oprofilefs
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
#include "oprofilefs/op_abi.h"

#define CPUS		64
#define COUNTERS	32
#define FETCH		COUNTERS	/* behind the counters */
#define OP		(COUNTERS + 1)

static struct {
	long user, kernel, inside;
} tally[CPUS][COUNTERS + 2];

static op_word from, to;
static unsigned int target_words;	/* of a branch target, behind each OP_IBS_OP */
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
	case OP_IBS_FETCH:	return 2 + OP_IBS_FETCH_WORDS;
	case OP_IBS_OP:		return 2 + OP_IBS_OP_WORDS + target_words;
	default:		return 2;
	}
}

static void take_sample(op_word address, unsigned int counter)
{
	if (user)
		tally[cpu][counter].user++;
	else
		tally[cpu][counter].kernel++;
	if (!user && address >= from && address < to)
		tally[cpu][counter].inside++;
}

/* The first register is the address sampled, which a kernel sample's address is, too. */
static void take_ibs(void)
{
	op_word linear = record[3] | record[4] << 32;
	int nr = record[1] == OP_IBS_OP ? OP_IBS_OP_WORDS : OP_IBS_FETCH_WORDS;

	for (int i = 3; i < 2 + nr; i++)
		if (record[i] >> 32) {
			printf("word %d of an IBS note has 0x%llx\n", i, (long long)record[i]);
			exit(1);
		}
	if (user ? linear >> 63 : linear != record[2]) {
		printf("a %s sample at 0x%llx is of 0x%llx\n", user ? "user" : "kernel",
		       (long long)record[2], (long long)linear);
		exit(1);
	}
	take_sample(record[2], record[1] == OP_IBS_OP ? OP : FETCH);
}

static void take_note(void)
{
	if (record[1] == OP_CPU_SWITCH)
		cpu = record[2] % CPUS;
	else if (record[1] == OP_KERNEL_ENTER || record[1] == OP_USER_ENTER)
		user = record[1] == OP_USER_ENTER;
	else if (record[1] == OP_IBS_FETCH || record[1] == OP_IBS_OP)
		take_ibs();
}

static void take(op_word word)
{
	record[nr_words++] = word;
	if (nr_words < 2 || (record[0] == OP_ESCAPE && nr_words < length_of(record[1])))
		return;
	if (record[0] == OP_ESCAPE)
		take_note();
	else
		take_sample(record[0], record[1] % COUNTERS);
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

/* Whether what is sampled has branch targets stands in oprofilefs. */
static void read_target_words(void)
{
	FILE *f = fopen(OPROFILEFS_MOUNT "/ibs_op/branch_target", "re");

	if (f && fscanf(f, "%u", &target_words) != 1)
		die("branch_target");
	if (f)
		fclose(f);
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

static void print(unsigned int c, unsigned int n)
{
	char number[12];

	if (!tally[c][n].user && !tally[c][n].kernel)
		return;
	snprintf(number, sizeof(number), "%u", n);
	printf("cpu %u counter %s user %ld kernel %ld inside %ld\n", c,
	       n == FETCH ? "fetch" : n == OP ? "op" : number, tally[c][n].user,
	       tally[c][n].kernel, tally[c][n].inside);
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
	read_target_words();
	enable("1");
	run(argv + 3, fd);
	enable("0");
	drain(fd);
	for (unsigned int c = 0; c < CPUS; c++)
		for (unsigned int n = 0; n < COUNTERS + 2; n++)
			print(c, n);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe - touch oprofilefs the way only a test would
 *
 *	probe open FILE r|w|rw		"ok", or the errno's name
 *	probe write FILE TEXT		the same
 *	probe hold FILE			keep it open for reading, say "held", wait to be killed
 *	probe lease FILE		run it as an endless loop, with a write lease; say "held"
 *	probe as UID COMMAND...		run it without root's rights
 *	probe sizes SECONDS		read the buffer in all sizes; "READS WORDS SAMPLES BAD"
 *	probe wake ROUNDS		a dump makes the buffer readable; "ROUNDS ASLEEP SAMPLES"
 *	probe modules			"NAME START SIZE" of each module noted at set-up
 *	probe push			push what are no unwind tables: a line "WHAT ERRNO" for each
 *	probe signal			a blocked read ends with a signal: prints the errno's name
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "oprofilefs/op_abi.h"
#include "unwind/table.h"

static const char *outcome(int result)
{
	return result < 0 ? strerrorname_np(errno) : "ok";
}

static void die(const char *what)
{
	printf("%s: %s\n", what, strerrorname_np(errno));
	exit(1);
}

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		die(path);
	return fd;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), result;

	if (fd < 0)
		return -1;
	result = write(fd, text, strlen(text));
	close(fd);
	return result;
}

/* Just enough of a decoder to count samples and to notice when words are missing. */
struct decoder {
	int skip;		/* words left of a note's payload */
	bool escaped, in_sample;
	long words, samples, bad;
};

static int payload_of(op_word code)
{
	switch (code) {
	case OP_CTX_SWITCH:	return 5;
	case OP_CPU_SWITCH:
	case OP_COOKIE_SWITCH:	return 1;
	case OP_KERNEL_ENTER:
	case OP_USER_ENTER:
	case OP_MODULE_LOADED:
	case OP_TRACE_BEGIN:	return 0;
	case OP_ANON_MAP:	return OP_ANON_MAP_WORDS;
	case OP_MODULE_RANGE:	return OP_MODULE_RANGE_WORDS;
	case OP_STACK_END:
	case OP_WANT_TABLE:
	case OP_COOKIE_END:	return 1;
	default:		return -1;
	}
}

static void decode(struct decoder *d, op_word word)
{
	d->words++;
	if (d->skip) {
		d->skip--;
	} else if (d->escaped) {
		d->escaped = false;
		d->skip = payload_of(word);
		if (d->skip < 0) {
			d->bad++;
			d->skip = 0;
		}
	} else if (d->in_sample) {
		d->in_sample = false;
		d->samples++;
		d->bad += word != 0;	/* the timer is counter 0 */
	} else if (word == OP_ESCAPE) {
		d->escaped = true;
	} else {
		d->in_sample = true;
	}
}

static op_word buffer[1 << 17];

/* One read of at most @bytes; its size, 0 when there is nothing. */
static ssize_t read_some(int fd, size_t bytes, struct decoder *d)
{
	ssize_t n = read(fd, buffer, bytes);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		die("read");
	if (n % sizeof(op_word) || (size_t)n > bytes)
		d->bad++;
	for (size_t i = 0; i < n / sizeof(op_word); i++)
		decode(d, buffer[i]);
	return n;
}

static void drain(int fd, struct decoder *d)
{
	while (read_some(fd, sizeof(buffer), d) > 0)
		;
}

static int sizes(int seconds)
{
	static const size_t sizes[] = { 8, 16, 24, 40, 12, 4096, 8, 100, sizeof(buffer) };
	int fd = open_or_die(OPROFILEFS_MOUNT "/buffer", O_RDONLY | O_NONBLOCK);
	struct decoder d = { 0 };
	time_t end = time(NULL) + seconds;
	long reads = 0;

	if (write_file(OPROFILEFS_MOUNT "/enable", "1") < 0)
		die("enable");
	while (time(NULL) < end) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, 100) > 0) {
			read_some(fd, sizes[reads % (sizeof(sizes) / sizeof(sizes[0]))], &d);
			reads++;
		}
	}
	if (write_file(OPROFILEFS_MOUNT "/enable", "0") < 0)
		die("enable");
	drain(fd, &d);
	printf("%ld %ld %ld %ld\n", reads, d.words, d.samples,
	       d.bad + d.escaped + d.in_sample + (d.skip != 0));
	close(fd);
	return 0;
}

/* Spend about @ms of this process's time. */
static void burn(int ms)
{
	struct timespec t;
	long end;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	end = t.tv_sec * 1000 + t.tv_nsec / 1000000 + ms;
	do {
		for (volatile int i = 0; i < 20000; i++)
			;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < end);
}

/* Samples taken on all CPUs since it was enabled. */
static long received(void)
{
	long sum = 0, value;

	for (int cpu = 0; ; cpu++) {
		char path[80];
		FILE *f;

		snprintf(path, sizeof(path), OPROFILEFS_MOUNT "/stats/cpu%d/sample_received", cpu);
		f = fopen(path, "r");
		if (!f)
			return sum;
		if (fscanf(f, "%ld", &value) == 1)
			sum += value;
		fclose(f);
	}
}

/* Until there is a sample to bring: how long that takes is the host's affair. */
static void burn_until_sampled(void)
{
	long before = received();

	do
		burn(20);
	while (received() == before);
}

/* Far below the watershed nothing wakes the reader but the dump itself. */
static int wake(int rounds)
{
	int fd = open_or_die(OPROFILEFS_MOUNT "/buffer", O_RDONLY | O_NONBLOCK), asleep = 0;
	struct decoder d = { 0 };

	if (write_file(OPROFILEFS_MOUNT "/enable", "1") < 0)
		die("enable");
	for (int i = 0; i < rounds; i++) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		long before = d.samples;

		burn_until_sampled();
		if (write_file(OPROFILEFS_MOUNT "/dump", "1") < 0)
			die("dump");
		if (poll(&p, 1, 0) <= 0)
			asleep++;
		drain(fd, &d);
		asleep += d.samples == before;
	}
	if (write_file(OPROFILEFS_MOUNT "/enable", "0") < 0)
		die("enable");
	drain(fd, &d);
	printf("%d %d %ld\n", rounds, asleep, d.samples);
	close(fd);
	return 0;
}

/* The smallest table there is: one row, which knows nothing. */
static const struct {
	struct op_unwind_table header;
	struct op_unwind_rule rule;
	u32 pages[2];
	u16 start, which;
} least_table = {
	.header = { OP_UNWIND_MAGIC, OP_UNWIND_VERSION, OP_UNWIND_X86_64, .nr_rules = 1,
		    .nr_pages = 1, .nr_rows = 1 },
	.rule = { .cfa = OP_CFA_NONE, .ra_register = OP_UNWIND_NO_REGISTER },
	.pages = { 0, 1 },
};

static void push_one(int fd, const char *what, op_word cookie, op_word same_as, const void *data,
		     op_word len)
{
	struct op_unwind_push push = { cookie, same_as, (uintptr_t)data, len };

	printf("%s %s\n", what, outcome(ioctl(fd, OP_IOC_UNWIND_TABLE, &push)));
}

static int push(void)
{
	int fd = open_or_die(OPROFILEFS_MOUNT "/buffer", O_RDONLY);
	const op_word vdso = OP_COOKIE_VDSO, none = OP_NO_COOKIE;
	size_t len = sizeof(least_table);
	char bent[sizeof(least_table)];

	push_one(fd, "nothing-shared", vdso, vdso, NULL, 0);
	push_one(fd, "taken", vdso, none, &least_table, len);
	push_one(fd, "shared", vdso, vdso, NULL, 0);
	push_one(fd, "both", vdso, vdso, &least_table, len);
	push_one(fd, "unknown-cookie", 4711, none, &least_table, len);
	push_one(fd, "no-cookie", none, none, &least_table, len);
	push_one(fd, "short", vdso, none, &least_table, len - 1);
	push_one(fd, "tiny", vdso, none, &least_table, 1);
	push_one(fd, "long", vdso, none, buffer, sizeof(buffer));
	push_one(fd, "too-much", vdso, none, buffer, 512 << 20);
	push_one(fd, "endless", vdso, none, buffer, ~(op_word)0);
	push_one(fd, "unmapped", vdso, none, (void *)8, len);
	push_one(fd, "kernel's", vdso, none, (void *)0xffff888000000000, len);
	for (size_t i = 0; i < len; i++) {
		memcpy(bent, &least_table, len);
		bent[i] ^= 0x80;
		push_one(fd, "bent", vdso, none, bent, len);
	}
	push_one(fd, "taken-away", vdso, none, NULL, 0);
	push_one(fd, "nothing-there", vdso, none, NULL, 0);
	close(fd);
	return 0;
}

/* Nothing samples: there is nothing in the buffer but these notes. */
static int modules(void)
{
	int fd = open_or_die(OPROFILEFS_MOUNT "/buffer", O_RDONLY | O_NONBLOCK);
	ssize_t n = read(fd, buffer, sizeof(buffer)) / (ssize_t)sizeof(buffer[0]);

	for (ssize_t i = 0; i < n; i += 2 + OP_MODULE_RANGE_WORDS) {
		if (buffer[i] != OP_ESCAPE || buffer[i + 1] != OP_MODULE_RANGE)
			die("no module's note");
		printf("%.64s 0x%016llx %llu\n", (char *)&buffer[i + 5],
		       (unsigned long long)buffer[i + 3], (unsigned long long)buffer[i + 4]);
	}
	close(fd);
	return 0;
}

static void on_alarm(int signal)
{
	(void)signal;
}

static int interrupted(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	int fd = open_or_die(OPROFILEFS_MOUNT "/buffer", O_RDONLY);
	ssize_t n;

	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	n = read(fd, buffer, sizeof(buffer));	/* nothing counts: nothing comes */
	printf("%s\n", outcome(n));
	close(fd);
	return 0;
}

static void hold(const char *path)
{
	open_or_die(path, O_RDONLY);
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}

/* Whoever opens it meanwhile has to wait, unless it asks not to; it is never given up. */
static void lease(const char *path)
{
	static const unsigned char loop[] = { 0xeb, 0xfe };	/* x86 */
	void (*run)(void);
	void *at;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	if (fd < 0 || write(fd, loop, sizeof(loop)) != sizeof(loop) || close(fd))
		die(path);
	fd = open_or_die(path, O_RDONLY);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	signal(SIGIO, SIG_IGN);
	if (at == MAP_FAILED || fcntl(fd, F_SETLEASE, F_WRLCK))
		die("lease");
	puts("held");
	fflush(stdout);
	memcpy(&run, &at, sizeof(run));
	run();
}

static int open_file(const char *path, const char *how)
{
	int flags = !strcmp(how, "r") ? O_RDONLY : !strcmp(how, "w") ? O_WRONLY : O_RDWR;
	int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);

	printf("%s\n", outcome(fd));
	if (fd >= 0)
		close(fd);
	return 0;
}

static int run_as(int uid, char **command)
{
	if (setgroups(0, NULL) || setgid(uid) || setuid(uid))
		die("setuid");
	execvp(command[0], command);
	die(command[0]);
	return 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc == 4 && !strcmp(what, "open"))
		return open_file(argv[2], argv[3]);
	if (argc == 4 && !strcmp(what, "write"))
		return !printf("%s\n", outcome(write_file(argv[2], argv[3])));
	if (argc == 3 && !strcmp(what, "hold"))
		hold(argv[2]);
	if (argc == 3 && !strcmp(what, "lease"))
		lease(argv[2]);
	if (argc > 3 && !strcmp(what, "as"))
		return run_as(atoi(argv[2]), argv + 3);
	if (argc == 3 && !strcmp(what, "sizes"))
		return sizes(atoi(argv[2]));
	if (argc == 3 && !strcmp(what, "wake"))
		return wake(atoi(argv[2]));
	if (argc == 2 && !strcmp(what, "modules"))
		return modules();
	if (argc == 2 && !strcmp(what, "push"))
		return push();
	if (argc == 2 && !strcmp(what, "signal"))
		return interrupted();
	fprintf(stderr, "usage: see the top of tests/vm/probe.c\n");
	return 2;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks - sample one command with its callers, without a daemon, and print what came
 *
 *	stacks [-t] [-k] [-a] [-n N] DEPTH COMMAND...
 *
 * -t: user stacks are walked by unwind tables, which it makes when they are asked for, else along
 * frame pointers. With -t what comes before the command's own table is left out, and what lacked a
 * table before the last one was given: how long that takes depends on the machine. -n: the command
 * is ended once it has N stacks, from the first on that has an end after the last table was
 * given and what was set aside then has come ([EB-24]): before, the module may not know of all that
 * is mapped there. Prints a line for each
 * different stack of the command's process, with -a of all that run its file: how many samples
 * had it, how it ended (enum op_stack_end, and "+fp" where frame pointers were followed), and its
 * frames, innermost first, with a ';' between: functions of the command by name, those of the
 * kernel as "[k]" or, with -k, by name, "?" for others. Last a line "samples N bad M": M words
 * that are not what doc/event-buffer.md says.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/stacks_names.h"
#include "libutil/clock.h"
#include "libutil/sorted.h"
#include "oprofilefs/op_abi.h"
#include "unwind/build.h"
#include "unwind/vdso.h"

#define FS OPROFILEFS_MOUNT "/"
#define SET_ASIDE_MS	300	/* [EB-24]: a quarter of a second, and the pass after that */

static void set(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(file);
	close(fd);
}

/* ---- the stream ---- */

static op_word *words;
static size_t nr_words;
static size_t first_told;	/* stacks before are not printed */
static size_t last_table;	/* stacks before may lack a table that was given since */
static int64_t settled;	/* ms: when no stack is set aside that does; 0: none is */

static struct { op_word tgid, cookie; bool user; } now;
static op_word program_cookie;
static const char *program_path;
static pid_t command;
static struct symbols program, kernel;
static unsigned long nr_samples, nr_bad;
static bool all_processes, in_program;	/* the stack has a frame in the command's file */
static unsigned long nr_wanted;		/* 0: the command ends by itself */

static char **lines;
static size_t nr_lines;

static char line[128 * (OP_STACK_DEPTH_MAX + 1)];
static size_t line_length;

static void add_frame(op_word address, bool leaf)
{
	const char *name = "?";

	if (!now.user) {
		name = kernel.nr ? name_of(&kernel, address - !leaf) : "[k]";
	} else if (now.cookie == program_cookie) {
		name = name_of(&program, address - !leaf);
		in_program = true;
	}
	if (line_length < sizeof(line) - 256)
		line_length += sprintf(line + line_length, "%s%.200s", leaf ? "" : ";", name);
}

static void end_stack(op_word end, bool told)
{
	static const char *const names[NR_OP_STACK_ENDS] = {
		"complete", "truncated", "no-table", "bad-frame", "unreadable", "short-copy",
		"no-user", "untold", "no-maps",
	};
	op_word kind = end & OP_STACK_END_MASK;
	char *text;

	nr_samples++;
	if (kind >= NR_OP_STACK_ENDS ||
	    (end & ~(op_word)(OP_STACK_END_MASK | OP_STACK_FRAME_POINTERS))) {
		nr_bad++;
		return;
	}
	if (!told || (all_processes ? !in_program : (pid_t)now.tgid != command))
		return;
	if (asprintf(&text, "%s%s %s", names[kind], end & OP_STACK_FRAME_POINTERS ? "+fp" : "",
		     line) < 0)
		die("memory");
	lines = realloc(lines, (nr_lines + 1) * sizeof(*lines));
	if (!lines)
		die("memory");
	lines[nr_lines++] = text;
}

/* Whether a table would have changed the stack. */
static bool lacks_table(op_word end)
{
	return (end & OP_STACK_END_MASK) == OP_STACK_NO_TABLE || (end & OP_STACK_FRAME_POINTERS);
}

/* Whether the command's own file is what @cookie stands for. */
static bool is_program(int fd, op_word cookie)
{
	char name[4096];
	struct op_cookie_path ask = {
		.cookie = cookie, .buf = (op_word)(uintptr_t)name, .len = sizeof(name) };

	return !ioctl(fd, OP_IOC_COOKIE_PATH, &ask) && !strcmp(name, program_path);
}

static void cookie_switch(int fd, op_word cookie)
{
	now.cookie = cookie;
	if (cookie != OP_NO_COOKIE && !program_cookie && is_program(fd, cookie))
		program_cookie = cookie;
}

/* Decode @nr words, whole records: everything has been drained. */
static void decode(int fd, const op_word *w, size_t nr)
{
	bool in_stack = false, leaf = false;

	for (size_t i = 0; i + 1 < nr;) {
		if (w[i] != OP_ESCAPE) {
			nr_bad += !in_stack || (w[i + 1] != 0);
			if (leaf) {
				line_length = 0;
				in_program = false;
			}
			add_frame(w[i], leaf);
			leaf = false;
			i += 2;
			continue;
		}
		switch (w[i + 1]) {
		case OP_TRACE_BEGIN:
			nr_bad += in_stack;
			in_stack = leaf = true;
			i += 2;
			break;
		case OP_STACK_END:
			nr_bad += !in_stack || leaf;
			end_stack(w[i + 2], i >= first_told &&
				  (i >= last_table || !lacks_table(w[i + 2])));
			in_stack = false;
			i += 3;
			break;
		case OP_CTX_SWITCH:
			now.tgid = w[i + 6];
			i += 7;
			break;
		case OP_CPU_SWITCH:
		case OP_WANT_TABLE:
		case OP_COOKIE_END:
			i += 3;
			break;
		case OP_COOKIE_SWITCH:
			cookie_switch(fd, w[i + 2]);
			i += 3;
			break;
		case OP_KERNEL_ENTER:
		case OP_USER_ENTER:
			now.user = w[i + 1] == OP_USER_ENTER;
			i += 2;
			break;
		case OP_ANON_MAP:
			i += 2 + OP_ANON_MAP_WORDS;
			break;
		case OP_MODULE_LOADED:
			i += 2;
			break;
		case OP_MODULE_RANGE:
			i += 2 + OP_MODULE_RANGE_WORDS;
			break;
		default:
			nr_bad++;
			i += 2;
		}
	}
}

static void take(int fd)
{
	static op_word piece[1 << 16];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		words = realloc(words, nr_words * sizeof(*words) + n);
		if (!words)
			die("memory");
		memcpy(words + nr_words, piece, n);
		nr_words += n / sizeof(*words);
	}
}

/* What was sampled until now may lack a table. */
static void skip_older(int fd)
{
	set(FS "dump", "1");
	take(fd);
	last_table = nr_words;
}

/* Make the table of what @cookie stands for, and give it to the module. */
static void give_table(int fd, op_word cookie)
{
	struct op_unwind_push push = { .cookie = cookie };
	struct op_unwind_table *table = NULL;
	struct unwind_table vdso;
	size_t len;
	int err, image;

	if (cookie == OP_COOKIE_VDSO) {
		err = unwind_vdso_table(&vdso);
		table = err ? NULL : (void *)vdso.blob;
		len = vdso.len;
	} else {
		image = ioctl(fd, OP_IOC_COOKIE_FD, &cookie);
		err = image < 0 ? -errno : unwind_build_fd(image, 64 << 20, &table, &len, NULL);
		close(image);
	}
	if (err) {
		printf("no table of %llx: %s\n", (unsigned long long)cookie, strerror(-err));
		return;
	}
	push.data = (uintptr_t)table;
	push.len = len;
	if (ioctl(fd, OP_IOC_UNWIND_TABLE, &push))
		printf("table of %llx not taken: %s\n", (unsigned long long)cookie,
		       strerror(errno));
	free(table);
	skip_older(fd);
	settled = now_ms() + SET_ASIDE_MS;
	if ((nr_wanted && first_told) || is_program(fd, cookie))
		first_told = nr_words;
}

/* What has been asked for in the words from @at on. */
static void give_tables(int fd, size_t at)
{
	for (; at + 2 < nr_words; at++)
		if (words[at] == OP_ESCAPE && words[at + 1] == OP_WANT_TABLE)
			give_table(fd, words[at + 2]);
}

static bool gets_to_an_end(op_word end)
{
	op_word kind = end & OP_STACK_END_MASK;

	return kind == OP_STACK_COMPLETE || kind == OP_STACK_TRUNCATED;
}

/* How many stacks of the command's are to be told so far. */
static unsigned long stacks_told(void)
{
	unsigned long nr = 0;
	op_word tgid = 0;

	for (size_t i = 0; i + 6 < nr_words; i++) {
		if (words[i] != OP_ESCAPE)
			continue;
		if (words[i + 1] == OP_CTX_SWITCH)
			tgid = words[i + 6];
		if (words[i + 1] != OP_STACK_END || i < first_told || (pid_t)tgid != command)
			continue;
		if (!nr && !gets_to_an_end(words[i + 2]))
			first_told = i + 1;
		else
			nr++;
	}
	return nr;
}

static void print_lines(void)
{
	qsort(lines, nr_lines, sizeof(*lines), compare_texts);
	for (size_t i = 0, n; i < nr_lines; i += n) {
		for (n = 1; i + n < nr_lines && !strcmp(lines[i], lines[i + n]); n++)
			;
		printf("%zu %s\n", n, lines[i]);
	}
	printf("samples %lu bad %lu\n", nr_samples, nr_bad);
}

int main(int argc, char **argv)
{
	bool tables = false, kernel_names = false;
	size_t seen = 0, enough = 0;	/* the words in which all wanted stacks are */
	int fd, option, status;

	while ((option = getopt(argc, argv, "+tkan:")) > 0) {
		tables |= option == 't';
		kernel_names |= option == 'k';
		all_processes |= option == 'a';
		if (option == 'n')
			nr_wanted = strtoul(optarg, NULL, 10);
	}
	argc -= optind;
	argv += optind;
	if (argc < 2) {
		fprintf(stderr, "usage: stacks [-t] [-k] [-a] [-n N] DEPTH COMMAND...\n");
		return 2;
	}
	program_path = argv[1];
	read_program(&program, program_path);
	if (kernel_names)
		read_kernel(&kernel);
	set(FS "backtrace_depth", argv[0]);
	set(FS "unwind/memory", tables ? "65536" : "0");
	fd = open(FS "buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		die("buffer");
	set(FS "enable", "1");
	command = fork();
	if (!command) {
		execv(program_path, argv + 1);
		_exit(127);
	}
	do {
		take(fd);
		if (tables && !enough)
			give_tables(fd, seen);
		seen = nr_words;
		if (settled && now_ms() >= settled) {
			skip_older(fd);
			settled = 0;
			if (nr_wanted && first_told)
				first_told = nr_words;
		}
		if (!enough && nr_wanted && first_told && !settled && stacks_told() >= nr_wanted)
			enough = nr_words;
		if (enough)
			kill(command, SIGKILL);
		usleep(20000);
	} while (!waitpid(command, &status, WNOHANG));
	set(FS "enable", "0");
	take(fd);
	/* later stacks may lack a table that was not given any more */
	decode(fd, words, enough ? enough : nr_words);
	print_lines();
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* proc.c - read threads and mappings of the process from /proc, without the heap */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libsampler/copy/copy.h"

static ssize_t read_task(pid_t tid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

static bool has_signal(const char *text, const char *key, int signal)
{
	const char *line = strstr(text, key);

	return line && strtoull(line + strlen(key), NULL, 16) >> (signal - 1) & 1;
}

bool copy_read_signal(pid_t tid, int signal, bool *is_pending, bool *is_blocked)
{
	char text[4096];

	if (read_task(tid, "status", text, sizeof(text)) <= 0)
		return false;
	*is_pending = has_signal(text, "\nSigPnd:", signal);
	*is_blocked = has_signal(text, "\nSigBlk:", signal);
	return true;
}

/* "NUMBER ARGUMENT... SP PC" of a system call, "-1 SP PC" of anything else, or "running". */
static bool parse_call(const char *text, uintptr_t *sp, uintptr_t *pc)
{
	const char *last = strrchr(text, ' '), *before = last;

	if (!last)
		return false;
	while (before > text && before[-1] != ' ')
		before--;
	*sp = strtoull(before, NULL, 16);
	*pc = strtoull(last + 1, NULL, 16);
	return *sp && *pc;
}

bool copy_read_blocked(pid_t tid, struct copy_blocked *ret)
{
	memset(ret, 0, sizeof(*ret));
	/* not all kernels have schedstat */
	read_task(tid, "schedstat", ret->runs, sizeof(ret->runs));
	return read_task(tid, "syscall", ret->call, sizeof(ret->call)) > 0 &&
	       parse_call(ret->call, &ret->sp, &ret->pc);
}

struct wanted {
	uintptr_t address, low, high;
	bool is_stack, is_found;
};

/* The end of a long line may be missing. */
static void parse_mapping(const char *line, struct wanted *w)
{
	uintptr_t low, high;
	char readable;

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c", &low, &high, &readable) != 3 ||
	    w->address < low || w->address >= high)
		return;
	w->low = low;
	w->high = high;
	w->is_stack = strstr(line, "[stack]");
	w->is_found = readable == 'r';
}

bool copy_find_mapping(uintptr_t address, uintptr_t *low, uintptr_t *high, bool *is_stack)
{
	struct wanted w = { .address = address };
	char text[4096], line[128];
	size_t len = 0;
	ssize_t n;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	while (!w.is_found && (n = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n && !w.is_found; i++) {
			if (text[i] != '\n') {
				if (len < sizeof(line) - 1)
					line[len++] = text[i];
				continue;
			}
			line[len] = '\0';
			len = 0;
			parse_mapping(line, &w);
		}
	close(fd);
	if (!w.is_found)
		return false;
	*low = w.low;
	*high = w.high;
	*is_stack = w.is_stack;
	return true;
}

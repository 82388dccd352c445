// SPDX-License-Identifier: GPL-2.0-or-later
/* paths.c - the files that are opened by their names, and their names */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "libutil/number.h"
#include "libutil/opener/requests.h"

#define MODULE_MOUNT	"/dev/oprofile/"

static const struct {
	const char *name;
	int flags;
	bool is_private;
} of_process[] = {
	{ "maps", O_RDONLY, true },
	{ "exe", O_PATH, true },
	{ "root", O_PATH | O_DIRECTORY, true },
	{ "comm", O_RDONLY, false },	/* of a thread */
	/* everybody may read these, unless /proc is mounted with hidepid */
	{ "cgroup", O_RDONLY, false },
	{ "cmdline", O_RDONLY, false },
	{ "mountinfo", O_RDONLY, false },
	{ "schedstat", O_RDONLY, false },
	{ "stat", O_RDONLY, false },
	{ "status", O_RDONLY, false },
	/* of a process that has changed its user it is root's */
	{ "autogroup", O_WRONLY, false },
};

static const char *const of_kernel[] = {
	"/proc/kallsyms", "/proc/1/root/proc/kallsyms", "/proc/modules",
};

#define NR_OF_PROCESS	(sizeof(of_process) / sizeof(*of_process))
#define NR_OF_KERNEL	(sizeof(of_kernel) / sizeof(*of_kernel))
#define COMM		3

_Static_assert(PATH_MAX > 200, "room for all of them");

static bool starts_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The number at **at, up to the slash after it, which is skipped. */
static bool take_id(const char **at, uint32_t *ret)
{
	size_t len = strcspn(*at, "/");
	char digits[16];
	uint64_t n;

	if (!len || len >= sizeof(digits) || (*at)[len] != '/')
		return false;
	memcpy(digits, *at, len);
	digits[len] = '\0';
	if (number_parse_range(digits, 1, INT_MAX, &n))
		return false;
	*ret = (uint32_t)n;
	*at += len + 1;
	return true;
}

static bool parse_of_process(const char *at, int flags, struct opener_request *ret, bool *private)
{
	if (!take_id(&at, &ret->pid))
		return false;
	if (starts_with(at, "task/")) {
		at += strlen("task/");
		if (!take_id(&at, &ret->tid) || strcmp(at, of_process[COMM].name))
			return false;
	}
	for (uint32_t i = 0; i < NR_OF_PROCESS; i++)
		if (!strcmp(at, of_process[i].name) && of_process[i].flags == flags) {
			*private = of_process[i].is_private;
			ret->file = i;
			return (i == COMM) == (ret->tid != 0);
		}
	return false;
}

bool opener_parse(const char *path, int flags, struct opener_request *ret, bool *is_private)
{
	size_t len = strlen(MODULE_MOUNT);

	flags &= ~(O_CLOEXEC | O_NONBLOCK);
	*is_private = true;
	for (uint32_t i = 0; i < NR_OF_KERNEL; i++)
		if (!strcmp(path, of_kernel[i]) && flags == O_RDONLY) {
			*ret = (struct opener_request){ .kind = OPENER_KERNEL, .file = i };
			return true;
		}
	if (starts_with(path, "/proc/")) {
		*ret = (struct opener_request){ .kind = OPENER_PROC };
		return parse_of_process(path + strlen("/proc/"), flags, ret, is_private);
	}
	if (!starts_with(path, MODULE_MOUNT) || strlen(path) - len >= PATH_MAX)
		return false;
	*is_private = false;
	*ret = (struct opener_request){ .kind = OPENER_MODULE, .nr = flags == O_WRONLY };
	strcpy(ret->path, path + len);
	return flags == O_WRONLY || flags == O_RDONLY;
}

/* Of the module's file system: "enable", "0/event". */
static bool is_plain(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_/");

	return len && len < 100 && !name[len];
}

static bool format_of_process(const struct opener_request *r, char path[PATH_MAX], int *ret_flags)
{
	if (!r->pid || r->pid > INT_MAX || r->tid > INT_MAX || r->file >= NR_OF_PROCESS ||
	    (r->file == COMM) != (r->tid != 0))
		return false;
	*ret_flags = of_process[r->file].flags;
	if (r->tid)
		snprintf(path, PATH_MAX, "/proc/%u/task/%u/comm", r->pid, r->tid);
	else
		snprintf(path, PATH_MAX, "/proc/%u/%s", r->pid, of_process[r->file].name);
	return true;
}

bool opener_format(const struct opener_request *r, char path[PATH_MAX], int *ret_flags)
{
	*ret_flags = O_RDONLY;
	if (r->kind == OPENER_PROC)
		return format_of_process(r, path, ret_flags);
	if (r->kind == OPENER_KERNEL) {
		if (r->file < NR_OF_KERNEL)
			strcpy(path, of_kernel[r->file]);
		return r->file < NR_OF_KERNEL;
	}
	if (r->kind != OPENER_MODULE || !memchr(r->path, '\0', sizeof(r->path)) ||
	    !is_plain(r->path))
		return false;
	*ret_flags = (r->nr ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_NOFOLLOW;
	snprintf(path, PATH_MAX, MODULE_MOUNT "%.100s", r->path);
	return true;
}

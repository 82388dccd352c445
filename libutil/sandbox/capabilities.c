// SPDX-License-Identifier: GPL-2.0-or-later
/* capabilities.c - the kernel's calls themselves, of which the C library has no wrapper */
#include "libutil/sandbox/capabilities.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct capability_sets {
	struct __user_cap_data_struct word[2];	/* 32 capabilities each */
};

static struct __user_cap_header_struct this_thread(void)
{
	return (struct __user_cap_header_struct){ .version = _LINUX_CAPABILITY_VERSION_3 };
}

static int get(struct capability_sets *ret)
{
	struct __user_cap_header_struct head = this_thread();

	return syscall(SYS_capget, &head, ret->word) ? -errno : 0;
}

int capabilities_keep(uint64_t wanted)
{
	struct __user_cap_header_struct head = this_thread();
	struct capability_sets sets;
	int err = get(&sets);

	if (err)
		return err;
	/* fails without CAP_SETPCAP, and past the last capability that the kernel knows */
	for (unsigned long number = 0; number < 64; number++)
		(void)prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (int i = 0; i < 2; i++) {
		sets.word[i].permitted &= (uint32_t)(wanted >> (32 * i));
		sets.word[i].effective = sets.word[i].permitted;
		sets.word[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, sets.word) ? -errno : 0;
}

uint64_t capabilities_now(void)
{
	struct capability_sets sets;

	if (get(&sets))
		return 0;
	return sets.word[0].effective | (uint64_t)sets.word[1].effective << 32;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* forbid_call.h - a filter of system calls, as a sandbox or an older kernel has it */
#ifndef TESTS_UNIT_FORBID_CALL_H
#define TESTS_UNIT_FORBID_CALL_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>

static inline bool install_filter(struct sock_filter *filter, unsigned short len)
{
	const struct sock_fprog program = { len, filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* From now on @call fails with @error, also in executed programs. False: impossible here. */
static inline bool forbid_call(long call, int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return install_filter(filter, sizeof(filter) / sizeof(filter[0]));
}

/* The same if its first argument is @first. On little-endian machines. */
static inline bool forbid_call_of(long call, unsigned int first, int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return install_filter(filter, sizeof(filter) / sizeof(filter[0]));
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf - run a BPF program called "busy" in the kernel
 *
 *	bpf TIMES
 *
 * Exit status: 0 done, 3 this kernel has no BPF, 1 another error.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STEPS 4000	/* longer than a page: its end is not where its first page ends */

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int main(int argc, char **argv)
{
	static struct bpf_insn program[STEPS + 2];
	static char packet[64];
	/* before 5.11 programs are locked memory, of which perf's rings are in the same account */
	const struct rlimit no_limit = { RLIM_INFINITY, RLIM_INFINITY };
	union bpf_attr attr;
	int fd;

	if (argc != 2)
		return 1;
	if (setrlimit(RLIMIT_MEMLOCK, &no_limit)) {
		perror("bpf: cannot lift the limit of locked memory");
		return 1;
	}
	program[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 };
	for (int i = 1; i <= STEPS; i++)
		program[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MUL | BPF_K, .imm = 3 };
	program[STEPS + 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insn_cnt = STEPS + 2;
	attr.insns = (uintptr_t)program;
	attr.license = (uintptr_t)"GPL";
	strcpy(attr.prog_name, "busy");
	fd = (int)bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0) {
		int err = errno;

		fprintf(stderr, "bpf: cannot load: %s\n", strerror(err));
		return err == ENOSYS ? 3 : 1;
	}
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)fd;
	attr.test.data_in = (uintptr_t)packet;
	attr.test.data_size_in = sizeof(packet);
	attr.test.repeat = (uint32_t)atoi(argv[1]);
	if (bpf(BPF_PROG_TEST_RUN, &attr) < 0) {
		perror("bpf: cannot run");
		return 1;
	}
	return 0;
}

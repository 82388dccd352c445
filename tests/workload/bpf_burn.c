// SPDX-License-Identifier: GPL-2.0-or-later
/* bpf_burn.c - for scripts: burns MS ms in a BPF program "burn"; says why it cannot, status 1 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NR_STEPS	4000		/* instructions of a run: far more than entering it costs */

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int load(void)
{
	static struct bpf_insn steps[NR_STEPS + 2];
	union bpf_attr attr;

	steps[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 };
	for (int i = 1; i <= NR_STEPS; i++)
		steps[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MUL | BPF_K, .imm = 3 };
	steps[NR_STEPS + 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)steps;
	attr.insn_cnt = NR_STEPS + 2;
	attr.license = (uintptr_t)"GPL";
	strcpy(attr.prog_name, "burn");
	return bpf(BPF_PROG_LOAD, &attr);
}

static int run(int program)
{
	char packet[64] = "";
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)program;
	attr.test.data_in = (uintptr_t)packet;
	attr.test.data_size_in = sizeof(packet);
	attr.test.repeat = 1000;
	return bpf(BPF_PROG_TEST_RUN, &attr);
}

int main(int argc, char **argv)
{
	clock_t end = (argc > 1 ? atoi(argv[1]) : 0) * (CLOCKS_PER_SEC / 1000);
	int program = load(), err = program < 0 ? -1 : run(program);

	while (!err && clock() < end)
		err = run(program);
	if (err)
		printf("no BPF: %s\n", strerror(errno));
	return err ? 1 : 0;
}

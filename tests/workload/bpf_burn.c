// SPDX-License-Identifier: GPL-2.0-or-later
/* bpf_burn.c - for scripts: burns CPU time in a BPF program "burn"; says why it cannot, status 1 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NR_STEPS	4000		/* instructions of a run: far more than entering it costs */
#define BURN_MS		300

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

int main(void)
{
	int program = load();

	while (program >= 0 && clock() < BURN_MS * (CLOCKS_PER_SEC / 1000))
		if (run(program))
			break;
	if (program < 0 || clock() < BURN_MS * (CLOCKS_PER_SEC / 1000)) {
		printf("no BPF: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* absent.c - instead of walker.c where the BPF program cannot be built */
#include "daemon/collect/bpf/walker.h"

#include <errno.h>

int bpf_walker_load(size_t bytes, struct bpf_walker **ret, struct op_error *e)
{
	(void)bytes;
	(void)ret;
	return op_error_set(e, -ENOTSUP, "built without the BPF collector, which needs clang, "
			    "bpftool and libbpf; use --collector=perf");
}

void bpf_walker_free(struct bpf_walker *w)
{
	(void)w;
}

int bpf_walker_attach(struct bpf_walker *w, int event, int output, uint32_t place)
{
	(void)w;
	(void)event;
	(void)output;
	(void)place;
	return -ENOTSUP;
}

int bpf_walker_set_process(struct bpf_walker *w, uint32_t tgid, const struct bpf_process *process)
{
	(void)w;
	(void)tgid;
	(void)process;
	return -ENOTSUP;
}

void bpf_walker_clear_processes(struct bpf_walker *w)
{
	(void)w;
}

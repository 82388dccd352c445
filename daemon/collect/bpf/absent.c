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

int bpf_walker_attach(struct bpf_walker *w, int event, int output, uint32_t place,
		      enum bpf_watch_flags flags)
{
	(void)w;
	(void)event;
	(void)output;
	(void)place;
	(void)flags;
	return -ENOTSUP;
}

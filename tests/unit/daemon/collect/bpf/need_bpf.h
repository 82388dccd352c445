/* SPDX-License-Identifier: GPL-2.0-or-later */
/* need_bpf.h - skip a test if the BPF program cannot be loaded, or nobody may sample */
#ifndef TESTS_UNIT_DAEMON_COLLECT_BPF_NEED_BPF_H
#define TESTS_UNIT_DAEMON_COLLECT_BPF_NEED_BPF_H

#include "daemon/collect/bpf/walker.h"
#include "tests/unit/daemon/collect/perf/need_perf.h"

static inline void need_bpf(void)
{
	struct bpf_walker *w;
	static struct op_error e;

	need_perf();
	if (bpf_walker_load(1 << 20, &w, &e))
		SKIP(e.text);
	bpf_walker_free(w);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.h - put stacks into a fake collector, and read them from the session */
#ifndef TESTS_UNIT_DAEMON_RECORD_STACKS_H
#define TESTS_UNIT_DAEMON_RECORD_STACKS_H

#include "libdb/stack/store.h"
#include "tests/unit/daemon/record/session.h"

#define APP_AT	"{root}/bin/app"
#define LIB_AT	"{root}/lib/x.so"
#define KERNEL	"{kern}/no-vmlinux"
#define HEAP	"{anon:[heap]}/21.0x7000.0x9000"
#define JIT	"{anon:anon}/21.0xa000.0xb000"
#define ALL	"TIMER.0.0.all.all.all"
#define CG(app, caller, callee) app "/{dep}/" caller "/{cg}/" callee "/" ALL

/* The key of an arc to @to from a call that returns to @from. */
#define ARC(from, to) ((uint64_t)(from) << 32 | (uint32_t)(to))
#define KERNEL_PC 0xffffffff81000100

static inline void put_task(void)
{
	fake_cpu(&fake, 1);
	fake_user(&fake);
	fake_task(&fake, 22, APP, 21);
}

/* @n times: main calls f, which calls a function of the library. */
static inline void put_calls(int n)
{
	put_task();
	for (int i = 0; i < n; i++) {
		fake_stack(&fake);
		fake_cookie(&fake, LIB);
		fake_sample(&fake, 0x100, 0);
		fake_cookie(&fake, APP);
		fake_caller(&fake, 0x20);
		fake_caller(&fake, 0x30);
		fake_stack_end(&fake, OP_STACK_COMPLETE);
	}
}

/* The kernel, a library and two mappings; what called them and the end follow. */
static inline void put_mixed_callers(void)
{
	fake_stack(&fake);
	fake_kernel(&fake);
	fake_sample(&fake, KERNEL_PC, 0);
	fake_caller(&fake, KERNEL_PC + 0x100);
	fake_user(&fake);
	fake_cookie(&fake, LIB);
	fake_caller(&fake, 0x41);
	fake_anon(&fake, 0x7000, 0x9000, "[heap]");
	fake_caller(&fake, 0x7011);
	fake_anon(&fake, 0xa000, 0xb000, "");
	fake_caller(&fake, 0xa001);
}

/* The session's stacks as text: count, event, image and offset of each frame, and the end. */
static inline char *stacks_of(const char *session)
{
	struct op_error e = { "" };
	struct strbuf out = STRBUF_INIT;
	struct stack_snapshot s;
	char path[9000];
	int err;

	snprintf(path, sizeof(path), "%s/samples/%s/stats/stacks", tmpdir, session);
	err = stack_store_read(path, &s, &e);
	if (err) {
		strbuf_addf(&out, "%s", err == -ENOENT ? "none" : e.text);
		return strbuf_steal(&out);
	}
	for (uint32_t i = 0; i < s.nr_counts; i++) {
		const struct stack_context *c = &s.contexts[s.counts[i].context];
		const struct stack_node *n = &s.nodes[s.counts[i].node];

		strbuf_addf(&out, "%" PRIu64 " %s", s.counts[i].count,
			    s.events[s.counts[i].event].name);
		if (c->app != STACK_NONE)
			strbuf_addf(&out, " of %s", s.images[c->app].name.path);
		if (c->tgid != SAMPLE_ALL)
			strbuf_addf(&out, " %d/%d", (int)c->tgid, (int)c->tid);
		if (*c->comm)
			strbuf_addf(&out, " '%s'", c->comm);
		if (c->cpu != SAMPLE_ALL)
			strbuf_addf(&out, " cpu%d", (int)c->cpu);
		for (; n->parent != STACK_NONE; n = &s.nodes[n->parent])
			strbuf_addf(&out, " %s+%" PRIx64,
				    path_base(s.images[s.frames[n->frame].image].name.path),
				    s.frames[n->frame].offset);
		strbuf_addf(&out, " %s\n", stack_end_name(STACK_END_KIND(n->frame)));
	}
	stack_snapshot_free(&s);
	return strbuf_steal(&out);
}

#define CHECK_STACKS(session, want)                                                                \
	do {                                                                                       \
		char *got_ = stacks_of(session);                                                   \
		CHECK(!strcmp(got_, want), "want\n%sgot\n%s", want, got_);                         \
		free(got_);                                                                        \
	} while (0)

static inline void check_files(const char *want)
{
	char *files = session_files("current");

	CHECK(!strcmp(files, want), "want\n%sgot\n%s", want, files);
	free(files);
}

#endif

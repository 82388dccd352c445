// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callgraph.c - from stacks in words to opreport's call graph, with names of functions
 *
 * The functions are in this program: their offsets in its file are computed from where the loader
 * put them, and the report must have their names.
 */
#include <link.h>
#include <unistd.h>
#include "libutil/xalloc.h"
#include "tests/unit/daemon/record/session.h"

int graph_main(int n), graph_calls(int n), graph_leaf(int n);

int __attribute__((noinline)) graph_leaf(int n)
{
	return n * 7;
}

int __attribute__((noinline)) graph_calls(int n)
{
	return graph_leaf(n) + 1;
}

int __attribute__((noinline)) graph_main(int n)
{
	return graph_calls(n) + graph_leaf(n);
}

/* The offset in the file of the byte at @address in memory. */
struct location {
	uintptr_t address;
	uint64_t offset;
};

static int find_offset(struct dl_phdr_info *info, size_t size, void *context)
{
	struct location *p = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_LOAD && p->address - start < h->p_filesz)
			p->offset = p->address - start + h->p_offset;
	}
	return 1;			/* the program itself comes first */
}

static uint64_t offset_of(int (*function)(int))
{
	struct location p = { .address = (uintptr_t)function };

	dl_iterate_phdr(find_offset, &p);
	CHECK(p.offset, "in no segment of the file");
	return p.offset;
}

/* Samples in graph_leaf: stacks of 3 frames, some with recursion in graph_calls. */
static void put_stacks(void)
{
	uint64_t leaf = offset_of(graph_leaf), calls = offset_of(graph_calls),
		 top = offset_of(graph_main);

	fake_cpu(&fake, 0);
	fake_user(&fake);
	fake_task(&fake, 22, 1, 21);
	fake_cookie(&fake, 1);
	for (int i = 0; i < 10; i++) {
		fake_stack(&fake);
		fake_sample(&fake, leaf, 0);
		fake_caller(&fake, calls + 1);
		if (i < 4)
			fake_caller(&fake, calls + 1);
		fake_caller(&fake, top + 1);
		fake_stack_end(&fake, OP_STACK_COMPLETE);
	}
	for (int i = 0; i < 5; i++) {
		fake_stack(&fake);
		fake_sample(&fake, leaf + 1, 0);
		fake_caller(&fake, top + 2);
		fake_stack_end(&fake, OP_STACK_COMPLETE);
	}
}

static char *report(const char *options)
{
	char *dir = path_program_dir(), *command, *text = xcalloc(1, 20000);
	FILE *f;

	command = xasprintf("%s/../bin/opreport --session-dir='%s' %s 2>/dev/null", dir, tmpdir,
			    options);
	f = popen(command, "r");
	CHECK(f && fread(text, 1, 19999, f) > 0, "%s", command);
	if (f)
		pclose(f);
	free(command);
	free(dir);
	return text;
}

#define DASHES "-------------------------------------------------------------------------------\n"

static const char graph[] =
	DASHES
	"  5        33.3333  graph_main\n"
	"  10       66.6667  graph_calls\n"
	"15       100.000  graph_leaf\n"
	"  15       100.000  graph_leaf [self]\n"
	DASHES
	"  4        28.5714  graph_calls\n"
	"  10       71.4286  graph_main\n"
	"0              0  graph_calls\n"
	"  10       71.4286  graph_leaf\n"
	"  4        28.5714  graph_calls\n"
	"  0              0  graph_calls [self]\n"
	DASHES
	"0              0  graph_main\n"
	"  10       66.6667  graph_calls\n"
	"  5        33.3333  graph_leaf\n"
	"  0              0  graph_main [self]\n"
	DASHES;

TEST(functions_call_each_other)
{
	static char exe[4096];
	static const char *paths[] = { exe };
	struct recorder *r;
	char *text, *at;

	test_prepare();
	CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0, "readlink");
	fake_collector_free(&fake);
	fake_collector_init(&fake, paths, 1);
	put_stacks();
	r = test_open();
	test_drain(r);
	test_close(r);
	text = report("--callgraph");
	at = strstr(text, DASHES);
	CHECK(at && !strcmp(at, graph), "want\n%s\ngot\n%s", graph, text);
	free(text);
	text = report("--stacks");
	CHECK(strstr(text, "\nStacks: 100") && strstr(text, " % complete\n"), "%s", text);
	free(text);
}

TEST_MAIN()

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* autofdo.c - make profiles for compilers from addresses in this program */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/all_formats.h"
#include "libutil/xalloc.h"
#include "pp/exchange/autofdo/call_site.h"
#include "pp/exchange/autofdo/sample_pgo.h"
#include "pp/exchange/export/session_format.h"
#include "tests/tap.h"

#define NOINLINE	__attribute__((noinline))

static char exe[4096];
static volatile int sink;
static void *returned;

NOINLINE static void leaf(void)
{
	returned = __builtin_return_address(0);
	sink++;
}

NOINLINE static void calls_directly(void)
{
	leaf();
	sink++;
}

static void (*volatile pointer)(void) = leaf;

NOINLINE static void calls_indirectly(void)
{
	pointer();
	sink++;
}

__attribute__((always_inline)) static inline void inner(void)
{
	leaf();			/* 2 lines below inner() */
	sink++;
}

NOINLINE static void outer(void)
{
	sink++;
	inner();
	sink++;
}

static const char *find_self(void)
{
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n < 0 ? 0 : n] = '\0';
	return exe;
}

static int find_base(struct dl_phdr_info *info, size_t size, void *ret)
{
	(void)size;
	*(uint64_t *)ret = info->dlpi_addr;
	return 1;		/* the first is the program */
}

static uint64_t base(void)
{
	uint64_t found = 0;

	dl_iterate_phdr(find_base, &found);
	return found;
}

static uint64_t linked(const void *address)
{
	return (uintptr_t)address - base();
}

static uint64_t offset_of(const struct object_file *f, uint64_t address)
{
	for (size_t i = 0; i < f->nr_sections; i++)
		if (f->sections[i].flags & SHF_EXECINSTR &&
		    address - f->sections[i].addr < f->sections[i].size)
			return address - f->sections[i].addr + f->sections[i].offset;
	return 0;
}

static enum call_kind call_before(const struct object_file *f, const void *after,
				  uint64_t *ret_target)
{
	return pgo_call_site(f, offset_of(f, linked(after)), linked(after), ret_target);
}

TEST(calls)
{
	struct object_file f;
	uint64_t target = 0;

	find_self();
	CHECK(!object_file_open(exe, &f, NULL), "this program can be opened");
	calls_directly();
	CHECK(call_before(&f, returned, &target) == CALL_SITE_DIRECT, "a direct call");
	CHECK(target == linked((void *)leaf), "and where it leads to");
	calls_indirectly();
	CHECK(call_before(&f, returned, &target) == CALL_SITE_INDIRECT, "an indirect call");
	CHECK(call_before(&f, (char *)leaf + 1, &target) == CALL_SITE_NONE, "not a call");
	object_file_close(&f);
}

static uint32_t raw(uint32_t discriminator)
{
	return discriminator;
}

static uint32_t place_at(struct profile *p, uint32_t image, const struct object_file *f,
			 const char *address)
{
	return profile_place(p, image, p->images[image].start + offset_of(f, linked(address)),
			     NULL, 0);
}

/* Two kinds of stacks: inner() inlined into outer(), and leaf() called by calls_directly(). */
static struct profile *make_profile(const char *build_id)
{
	struct profile *p = profile_new();
	struct profile_event event = { .name = profile_string(p, "cycles"), .period = 1 };
	struct profile_image image = { .path = profile_string(p, find_self()),
				       .build_id = profile_string(p, build_id),
				       .start = 0x100000000, .limit = 0x200000000 };
	struct object_file f;
	uint32_t in, places[2];

	if (object_file_open(exe, &f, NULL))
		return p;
	profile_add_event(p, &event);
	in = profile_add_image(p, &image);
	outer();
	places[0] = place_at(p, in, &f, (char *)returned - 1);
	*profile_add_sample(p, profile_stack(p, places, 1), 0) = 5;
	*profile_add_sample(p, profile_stack(p, places, 1), 0) = 2;
	calls_directly();
	places[0] = place_at(p, in, &f, (char *)leaf);
	places[1] = place_at(p, in, &f, (char *)returned - 1);
	*profile_add_sample(p, profile_stack(p, places, 2), 0) = 11;
	/* a caller without a call instruction */
	places[1] = place_at(p, in, &f, (char *)leaf + 1);
	*profile_add_sample(p, profile_stack(p, places, 2), 0) = 1;
	object_file_close(&f);
	return p;
}

static const struct pgo_function *function_named(const struct pgo_samples *s, const char *name)
{
	for (size_t i = 0; i < s->tree.nr; i++)
		if (!strcmp(s->tree.functions[i]->name, name))
			return s->tree.functions[i];
	return NULL;
}

static void test_inlined(const struct pgo_samples *s)
{
	const struct pgo_function *f = function_named(s, "outer"), *in;
	const struct pgo_position *at = f && f->nr ? &f->positions[f->nr - 1] : NULL;

	CHECK(at && at->offset == 3, "the call that was inlined is 3 lines below outer()");
	CHECK(at && at->nr_inlined == 1 && !strcmp(at->inlined[0]->name, "inner"),
	      "inner() is nested there");
	if (!at || !at->nr_inlined)
		return;
	in = at->inlined[0];
	CHECK(in->nr == 1 && in->positions[0].offset == 2 &&
	      in->positions[0].count == 7, "its line has the samples of both stacks");
	CHECK(pgo_total(f) == 7, "and so has outer() in all");
}

TEST(samples)
{
	struct notices notices = { 0 };
	struct pgo_options options = { .notices = &notices, .discriminator = raw };
	struct profile *p = make_profile("");
	const struct pgo_function *f;
	struct pgo_samples s;
	struct op_error e;
	size_t nr = 0;

	if (pgo_samples_read(p, &options, &s, &e)) {
		CHECK(false, "positions are found: %s", e.text);
		return;
	}
	test_inlined(&s);
	f = function_named(&s, "leaf");
	CHECK(f && pgo_total(f) == 12 && f->head == 12, "leaf() was at its beginning");
	f = function_named(&s, "calls_directly");
	for (size_t i = 0; f && i < f->nr; i++)
		for (size_t k = 0; k < f->positions[i].nr_targets; k++, nr++)
			CHECK(!strcmp(f->positions[i].targets[k].function, "leaf") &&
			      f->positions[i].targets[k].count == 11 && f->positions[i].offset == 2,
			      "the call of leaf() stands where it was made");
	CHECK(nr == 1, "and nowhere else");
	pgo_samples_free(&s);
	profile_free(p);
	p = make_profile("00112233");
	CHECK(pgo_samples_read(p, &options, &s, &e) == -EINVAL &&
	      strstr(e.text, "debug information"), "another build than the one profiled is used");
	notices_free(&notices);
	profile_free(p);
}

static struct source_frame frame(uint32_t line, uint32_t discriminator, const char *name)
{
	return (struct source_frame){ .function = name, .start_line = 100, .line = line,
				      .discriminator = discriminator };
}

TEST(tree)
{
	struct pgo_tree t = { .discriminator = raw };
	struct pgo_function *f = pgo_tree_function(&t, "f");
	struct source_frame at = frame(105, 2, "f"), before = frame(99, 0, "f");

	pgo_count(pgo_position(&t, f, &at, 1), 3);
	pgo_count(pgo_position(&t, f, &at, 1), 9);
	pgo_count(pgo_position(&t, f, &at, 1), 4);
	at.discriminator = 0;
	pgo_count(pgo_position(&t, f, &at, 1), 1);
	CHECK(f->nr == 2 && f->positions[1].count == 9, "the largest count of a position");
	CHECK(!f->positions[0].discriminator && f->positions[0].count == 1,
	      "discriminators distinguish positions");
	pgo_count(pgo_position(&t, f, &before, 1), 2);
	CHECK(f->nr == 3 && f->positions[2].offset == 0xffff, "lines before the function wrap");
	pgo_call(&f->positions[0], "g", 2);
	pgo_call(&f->positions[0], "h", 5);
	pgo_call(&f->positions[0], "g", 2);
	pgo_call(&f->positions[1], "g", UINT64_MAX);
	pgo_call(&f->positions[1], "g", 2);
	for (int i = 0; i < 1000; i++)
		pgo_tree_function(&t, xasprintf("%d", i));
	CHECK(t.nr == 1001 && pgo_tree_function(&t, "f") == f, "found among many");
	pgo_tree_sort(&t);
	CHECK(f->positions[0].nr_targets == 2 &&
	      !strcmp(f->positions[0].targets[0].function, "h") &&
	      f->positions[0].targets[1].count == 4, "targets add up and are sorted by count");
	CHECK(f->positions[1].targets[0].count == UINT64_MAX, "counts are saturated");
	CHECK(t.nr == 1001 && !strcmp(t.functions[1000]->name, "f"), "functions are sorted");
	for (size_t i = 0; i < t.nr; i++)
		if (t.functions[i] != f)
			free((char *)t.functions[i]->name);
	pgo_tree_free(&t);
}

/* --- gcc's auto-profile, read as gcc reads it [SG-13] to [SG-16] --- */

struct afdo {
	const unsigned char *at, *end;
	const char *names[1000];
	uint32_t nr_names;
};

static uint32_t get32(struct afdo *a)
{
	uint32_t n = 0;

	if (a->end - a->at < 4) {
		a->at = a->end;
		return 0;
	}
	for (int i = 0; i < 4; i++)
		n |= (uint32_t)*a->at++ << 8 * i;
	return n;
}

static uint64_t get64(struct afdo *a)
{
	uint64_t low = get32(a);

	return low | (uint64_t)get32(a) << 32;
}

static void get_names(struct afdo *a)
{
	CHECK(get32(a) == 0xaa000000, "names come first");
	get32(a);
	a->nr_names = get32(a);
	CHECK(a->nr_names <= 1000, "%u names", a->nr_names);
	for (uint32_t i = 0; i < a->nr_names && i < 1000; i++) {
		uint32_t size = get32(a);

		CHECK(size && size <= (size_t)(a->end - a->at) && !a->at[size - 1], "a name");
		a->names[i] = (const char *)a->at;
		a->at += size;
	}
}

/* The counts of a function and of those inlined into it. */
static uint64_t get_function(struct afdo *a, const char **ret_name)
{
	uint32_t name = get32(a), nr_counts = get32(a), nr_inlined = get32(a);
	uint64_t total = 0;
	const char *unused;

	*ret_name = name < a->nr_names ? a->names[name] : "";
	while (nr_counts-- && a->at < a->end) {
		uint32_t nr_targets;

		get32(a);
		nr_targets = get32(a);
		total += get64(a);
		while (nr_targets-- && a->at < a->end) {
			get32(a);
			CHECK(get64(a) < a->nr_names, "a callee has a name");
			get64(a);
		}
	}
	while (nr_inlined-- && a->at < a->end) {
		get32(a);
		total += get_function(a, &unused);
	}
	return total;
}

static uint32_t none(uint32_t discriminator)
{
	(void)discriminator;
	return 0;
}

static void check_afdo(struct afdo *a, const struct pgo_tree *t)
{
	uint64_t all = 0;

	CHECK(get32(a) == 0x67636461 && get32(a) == 2 && !get32(a), "header");
	get_names(a);
	CHECK(get32(a) == 0xac000000, "then functions");
	get32(a);
	CHECK(get32(a) == t->nr, "as many as there are");
	for (size_t i = 0; i < t->nr; i++) {
		uint64_t head = get64(a), total;
		const char *name;

		total = get_function(a, &name);
		CHECK(!strcmp(name, t->functions[i]->name) && head == t->functions[i]->head &&
		      total == pgo_total(t->functions[i]), "%s: head %llu, total %llu", name,
		      (unsigned long long)head, (unsigned long long)total);
		all += total;
	}
	CHECK(all >= 12 + 7, "%llu in all", (unsigned long long)all);
	CHECK(get32(a) == 0xae000000 && !get32(a) && a->end - a->at == 4 && !get32(a), "the end");
}

TEST(gcc_reads_the_same_totals)
{
	struct notices notices = { 0 };
	struct pgo_options options = { .notices = &notices, .discriminator = none,
				       .nest_indirect = true };
	struct format_session session = { .notices = &notices };
	struct format_write_options write_options = { .session = &session };
	struct profile *p = make_profile("");
	struct pgo_samples s;
	struct op_error e;
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);
	struct afdo a = { 0 };

	CHECK(!pgo_samples_read(p, &options, &s, &e), "%s", e.text);
	CHECK(!format_gcc_afdo.write(p, &write_options, out, &e), "%s", e.text);
	fclose(out);
	a.at = (unsigned char *)bytes;
	a.end = a.at + size;
	check_afdo(&a, &s.tree);
	free(bytes);
	pgo_samples_free(&s);
	notices_free(&notices);
	profile_free(p);
}

TEST_MAIN()

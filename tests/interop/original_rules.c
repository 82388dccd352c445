// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * original_rules.c - would OProfile 1.x have written this session? every byte of its sample files
 *
 *	original_rules SESSION-DIR [SESSION]
 *
 * Exit status 0: yes; else what is wrong is on stdout.
 * Nothing of our own library is used: names and headers are read here as that version's tools read
 * them, and each file is then made anew from what its header and nodes say, by its algorithm. The
 * two must be the same to the last byte.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEADER = 72, DESCRIPTOR = 32, NODE = 16, FIRST_SLOTS = 128, LAST_CPU_TYPE = 120 };

struct part {				/* of a file's name: an application, an image, a callee */
	enum { ROOT, KERN, ANON } kind;
	char path[4096];
	uint64_t anon_start;
};

struct name {
	struct part app, image, callee;
	bool has_callee;
	uint64_t count, mask;
};

struct header {
	uint32_t cpu_type, event, mask, count, is_kernel, callee_is_kernel;
	double mhz;
	uint64_t mtime, anon_start, callee_anon_start;
};

static const char *session, *path_at_hand;
static size_t nr_files, nr_bad;
static uint32_t first_cpu_type;

static void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void wrong(const char *format, ...)
{
	va_list args;

	nr_bad++;
	printf("# %s: ", path_at_hand);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* --- names --- */

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* "1234.0x7f00.0x7f80": process, start, end */
static bool anon_range(const char *text, uint64_t *ret_start)
{
	uint64_t end;
	unsigned int tgid;
	char again[100];

	if (sscanf(text, "%u.0x%" SCNx64 ".0x%" SCNx64, &tgid, ret_start, &end) != 3)
		return false;
	snprintf(again, sizeof(again), "%u.0x%" PRIx64 ".0x%" PRIx64, tgid, *ret_start, end);
	return !strcmp(again, text);
}

/* One part, up to "/{dep}/", "/{cg}/" or the last component; returns what follows it. */
static char *take_part(char *at, struct part *ret)
{
	char *dep = strstr(at, "/{dep}/"), *cg = strstr(at, "/{cg}/"), *end = strrchr(at, '/');

	if (dep && dep < end)
		end = dep;
	if (cg && cg < end)
		end = cg;
	memset(ret, 0, sizeof(*ret));
	if (!end)
		return NULL;
	*end = '\0';
	if (starts(at, "{root}/"))
		snprintf(ret->path, sizeof(ret->path), "%s", at + 6);
	else if (starts(at, "{kern}/") && !strchr(at + 7, '/'))
		snprintf(ret->path, sizeof(ret->path), "%s", at + 7);
	else if (starts(at, "{anon:") && strstr(at, "}/"))
		snprintf(ret->path, sizeof(ret->path), "%s", strstr(at, "}/") + 2);
	else
		return NULL;
	ret->kind = at[1] == 'r' ? ROOT : at[1] == 'k' ? KERN : ANON;
	if (ret->kind == KERN && anon_range(ret->path, &ret->anon_start))
		ret->kind = ANON;	/* the original's name of an anonymous caller */
	if (ret->kind == ANON && !anon_range(ret->path, &ret->anon_start))
		return NULL;
	return end + 1;
}

static bool is_number_or_all(const char *text, bool all)
{
	return (all && !strcmp(text, "all")) ||
	       (*text && strspn(text, "0123456789") == strlen(text));
}

static bool take_fields(char *at, struct name *ret)
{
	char *field[6];

	for (int i = 0; i < 6; i++) {
		field[i] = at ? at : (char[]){ "" };
		at = i < 5 ? strchr(field[i], '.') : NULL;
		if (i < 5 && !at)
			return false;
		if (at)
			*at++ = '\0';
	}
	for (int i = 1; i < 6; i++)
		if (!is_number_or_all(field[i], i > 2))
			return false;
	ret->count = strtoull(field[1], NULL, 10);
	ret->mask = strtoull(field[2], NULL, 10);
	return *field[0] && !strchr(field[0], '/');
}

static bool take_name(const char *text, struct name *ret)
{
	char *copy = strdup(text), *at = take_part(copy, &ret->app);
	bool good;

	if (at && starts(at, "{dep}/"))
		at = take_part(at + 6, &ret->image);
	else
		at = NULL;
	ret->has_callee = at && starts(at, "{cg}/");
	if (ret->has_callee)
		at = take_part(at + 5, &ret->callee);
	good = at && take_fields(at, ret);
	free(copy);
	return good;
}

/* --- the file --- */

static uint32_t get32(const unsigned char *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get64(const unsigned char *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static void put32(unsigned char *p, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(n >> 8 * i);
}

static void put64(unsigned char *p, uint64_t n)
{
	put32(p, (uint32_t)n);
	put32(p + 4, (uint32_t)(n >> 32));
}

static void take_header(const unsigned char *p, struct header *ret)
{
	*ret = (struct header){
		.cpu_type = get32(p + 8), .event = get32(p + 12), .mask = get32(p + 16),
		.count = get32(p + 20), .is_kernel = get32(p + 24), .mtime = get64(p + 40),
		.callee_is_kernel = get32(p + 48), .anon_start = get64(p + 56),
		.callee_anon_start = get64(p + 64),
	};
	memcpy(&ret->mhz, p + 32, sizeof(ret->mhz));
}

static void make_header(const struct header *h, unsigned char *p)
{
	memset(p, 0, HEADER);
	memcpy(p, "DAE\n", 4);
	put32(p + 4, 0x13);
	put32(p + 8, h->cpu_type);
	put32(p + 12, h->event);
	put32(p + 16, h->mask);
	put32(p + 20, h->count);
	put32(p + 24, h->is_kernel);
	memcpy(p + 32, &h->mhz, sizeof(h->mhz));
	put64(p + 40, h->mtime);
	put32(p + 48, h->callee_is_kernel);
	put64(p + 56, h->anon_start);
	put64(p + 64, h->callee_anon_start);
}

/* What the name says, the header must say too. */
static void check_header(const struct header *h, const struct name *n)
{
	const char *known = getenv("UNCHANGED");	/* a file that is what was profiled */
	struct stat st;

	if (!first_cpu_type)
		first_cpu_type = h->cpu_type;
	if (h->cpu_type != first_cpu_type || !h->cpu_type || h->cpu_type > LAST_CPU_TYPE)
		wrong("CPU type %u, others %u", h->cpu_type, first_cpu_type);
	if (h->count != n->count || h->mask != n->mask)
		wrong("count %u and mask %u are not the name's", h->count, h->mask);
	if (h->is_kernel > 1 || (n->image.kind == KERN && !h->is_kernel) ||
	    (n->image.kind == ANON && h->is_kernel))
		wrong("is_kernel is %u", h->is_kernel);
	if (h->callee_is_kernel > 1 || (h->callee_is_kernel && !n->has_callee) ||
	    (n->has_callee && n->callee.kind == KERN && !h->callee_is_kernel))
		wrong("cg_to_is_kernel is %u", h->callee_is_kernel);
	if (h->anon_start != (n->image.kind == ANON ? n->image.anon_start : 0))
		wrong("anon_start is 0x%" PRIx64, h->anon_start);
	if (h->callee_anon_start != (n->callee.kind == ANON ? n->callee.anon_start : 0))
		wrong("cg_to_anon_start is 0x%" PRIx64, h->callee_anon_start);
	if (!(h->mhz >= 0 && h->mhz < 20000))
		wrong("%g MHz", h->mhz);
	if (known && n->image.kind == ROOT && !strcmp(n->image.path, known) && !stat(known, &st) &&
	    h->mtime != (uint64_t)st.st_mtime)
		wrong("mtime %" PRIu64 " is not the image's", h->mtime);
	if (n->image.kind == ANON && h->mtime)
		wrong("mtime %" PRIu64 " of anonymous memory", h->mtime);
}

/* Its hash, of 64 bits in 32. */
static uint32_t bucket(uint64_t key, uint32_t slots)
{
	uint32_t t = (uint32_t)(key ^ key >> 32);

	return (t ^ t >> 8) & (slots - 1);
}

/* Stacks of the nodes before @used, each at the head of its own when it came. */
static void make_hash(const unsigned char *nodes, uint32_t slots, uint32_t used,
		      unsigned char *hash, unsigned char *chained)
{
	for (uint32_t i = 1; i < used; i++) {
		unsigned char *head = hash + 4 * (size_t)bucket(get64(nodes + (size_t)i * NODE),
								slots);

		if (chained)
			put32(chained + (size_t)i * NODE + 12, get32(head));
		put32(head, i);
	}
}

/*
 * As if the nodes had been inserted one after the other. @with_rest: a file that grew has the hash
 * of half its size where the nodes of the other half will be, as the original leaves it.
 */
static void make_table(const unsigned char *from, uint32_t slots, uint32_t used, bool with_rest,
		       unsigned char *to)
{
	unsigned char *nodes = to + DESCRIPTOR, *hash = nodes + (size_t)slots * NODE;

	put32(to, slots);
	put32(to + 4, used);
	if (with_rest && slots > FIRST_SLOTS)
		make_hash(from + DESCRIPTOR, slots / 2, slots / 2, nodes + slots / 2 * NODE, NULL);
	for (uint32_t i = 1; i < used; i++)	/* key and count */
		memcpy(nodes + (size_t)i * NODE, from + DESCRIPTOR + (size_t)i * NODE, 12);
	make_hash(nodes, slots, used, hash, nodes);
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void check_keys(const unsigned char *nodes, uint32_t used)
{
	uint64_t *keys = calloc(used, sizeof(*keys));

	for (uint32_t i = 1; keys && i < used; i++) {
		keys[i] = get64(nodes + (size_t)i * NODE);
		if (!get32(nodes + (size_t)i * NODE + 8))
			wrong("a node without samples");
	}
	if (keys && used > 2)
		qsort(keys + 1, used - 1, sizeof(*keys), compare_keys);
	for (uint32_t i = 2; keys && i < used; i++)
		if (keys[i] == keys[i - 1])
			wrong("key 0x%" PRIx64 " in two nodes", keys[i]);
	free(keys);
}

static void check_bytes(const unsigned char *bytes, size_t size, const struct name *name)
{
	const unsigned char *table = bytes + HEADER;
	uint32_t slots = get32(table), used = get32(table + 4);
	unsigned char *again, *rest;
	struct header header;

	if (memcmp(bytes, "DAE\n", 4) || get32(bytes + 4) != 0x13) {
		wrong("magic or version");
		return;
	}
	if (slots < FIRST_SLOTS || slots & (slots - 1) || !used || used > slots ||
	    size != HEADER + DESCRIPTOR + (size_t)slots * (NODE + 4)) {
		wrong("%u of %u slots in %zu bytes", used, slots, size);
		return;
	}
	if (slots > FIRST_SLOTS && used <= slots / 2)
		wrong("it grew to %u slots for %u", slots, used);
	take_header(bytes, &header);
	check_header(&header, name);
	check_keys(table + DESCRIPTOR, used);
	again = calloc(2, size);
	rest = again + size;
	make_header(&header, again);
	make_header(&header, rest);
	make_table(table, slots, used, false, again + HEADER);
	make_table(table, slots, used, true, rest + HEADER);
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != again[i] && bytes[i] != rest[i]) {
			wrong("byte %zu is 0x%02x, not 0x%02x", i, bytes[i], again[i]);
			break;
		}
	free(again);
}

static unsigned char *read_all(const char *path, size_t size)
{
	unsigned char *bytes = malloc(size + 1);
	FILE *f = fopen(path, "r");

	if (!f || !bytes || fread(bytes, 1, size, f) != size || getc(f) != EOF) {
		free(bytes);
		bytes = NULL;
	}
	if (f)
		fclose(f);
	return bytes;
}

/* The original's tools skip these. */
static bool is_skipped(const char *name)
{
	size_t n = strlen(name);

	return starts(name, "stats/") || (n > 3 && !strcmp(name + n - 3, ".jo"));
}

static int check_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *text = path + strlen(session) + 1;
	struct name name = { .count = 0 };
	unsigned char *bytes;

	(void)ftw;
	if (type == FTW_D || is_skipped(text))
		return 0;
	nr_files++;
	path_at_hand = text;
	if (type != FTW_F || !S_ISREG(st->st_mode)) {
		wrong("no regular file");
	} else if (!take_name(text, &name)) {
		wrong("not a sample file's name");
	} else if ((size_t)st->st_size < HEADER + DESCRIPTOR) {
		wrong("%lld bytes", (long long)st->st_size);
	} else {
		bytes = read_all(path, (size_t)st->st_size);
		if (bytes)
			check_bytes(bytes, (size_t)st->st_size, &name);
		else
			wrong("cannot be read");
		free(bytes);
	}
	return 0;
}

int main(int argc, char **argv)
{
	char *path;

	if (argc < 2 ||
	    asprintf(&path, "%s/samples/%s", argv[1], argc > 2 ? argv[2] : "current") < 0) {
		fputs("usage: original_rules SESSION-DIR [SESSION]\n", stderr);
		return 2;
	}
	session = path;
	if (nftw(path, check_file, 32, FTW_PHYS) || !nr_files) {
		printf("# no sample files in %s\n", path);
		return 1;
	}
	printf("# %zu files\n", nr_files);
	return nr_bad ? 1 : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_lookup.c - source lines and inlined functions of many addresses of one binary
 *
 *	line_lookup BINARY [NAME [NUMBER]]
 *
 * Addresses are spread evenly over the binary's functions. Medians of five runs, each in a process
 * of its own: from DWARF, and from the cache; CPU seconds and the peak of memory. NAME is put into
 * the figures' names. Without a binary nothing is measured: the ones worth it are large
 * (opannotate.bench makes one).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"
#include "pp/binary/binary.h"
#include "pp/binary/line/table.h"

#define RUNS	5

struct figures {
	double seconds, mbytes;
};

static int compare_seconds(const void *a, const void *b)
{
	const struct figures *x = a, *y = b;

	return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

static uint64_t *spread(const char *path, size_t nr)
{
	const struct binary_options how = { .root = "" };
	uint64_t *addresses = xcalloc(nr, sizeof(*addresses));
	struct op_error e = { "" };
	struct binary b;

	if (binary_open(path, &how, &b, &e) || !b.nr_symbols) {
		fprintf(stderr, "line_lookup: %s: %s\n", path, *e.text ? e.text : "no symbols");
		exit(1);
	}
	for (size_t i = 0; i < nr; i++) {
		const struct code_symbol *s = &b.symbols[i * b.nr_symbols / nr];

		addresses[i] = s->vma + (s->end - s->start) / 2;
		/* symbols are by place: addresses of another section may be lower */
		if (i && addresses[i] < addresses[i - 1])
			addresses[i] = addresses[i - 1];
	}
	binary_close(&b);
	return addresses;
}

static void look_up(const char *path, const char *build_id, const char *cache,
		    const uint64_t *addresses, size_t nr)
{
	struct line_place *places = xcalloc(nr, sizeof(*places));
	struct inline_span frames[64];
	struct line_tables *tables;
	size_t found = 0, inlined = 0;

	if (line_tables_open(path, build_id, cache, &tables, NULL))
		_exit(1);
	line_tables_find(tables, addresses, nr, true, places);
	for (size_t i = 0; i < nr; i++) {
		found += places[i].file != NULL;
		inlined += line_tables_frames(tables, addresses[i], frames, 64) > 1;
	}
	line_tables_close(tables);
	if (!found)
		_exit(1);
	if (getenv("SHOW"))
		fprintf(stderr, "# %zu of %zu have a line, %zu are inlined\n", found, nr, inlined);
	_exit(0);
}

static struct figures run(const char *path, const char *build_id, const char *cache,
			  const uint64_t *addresses, size_t nr)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid)
		look_up(path, build_id, cache, addresses, nr);
	if (wait4(pid, &status, 0, &usage) < 0 || status) {
		fprintf(stderr, "line_lookup: %s: no lines\n", path);
		exit(1);
	}
	return (struct figures){
		usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
			(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
		usage.ru_maxrss / 1024.0,
	};
}

static void bench(const char *name, const char *how, const char *path, const char *build_id,
		  const char *cache, const uint64_t *addresses, size_t nr)
{
	struct figures f[RUNS];

	for (int i = 0; i < RUNS; i++)
		f[i] = run(path, build_id, cache, addresses, nr);
	qsort(f, RUNS, sizeof(*f), compare_seconds);
	printf("bench line_lookup_%s_%s_cpu %.3f s\n", name, how, f[RUNS / 2].seconds);
	printf("bench line_lookup_%s_%s_memory %.0f MB\n", name, how, f[RUNS / 2].mbytes);
}

int main(int argc, char **argv)
{
	char cache[] = "/tmp/line-lookup-XXXXXX";
	const char *name = argc > 2 ? argv[2] : "binary";
	uint64_t nr = 10000, *addresses;

	if (argc < 2)
		return 0;
	if ((argc > 3 && number_parse_range(argv[3], 1, 10000000, &nr)) || !mkdtemp(cache)) {
		fprintf(stderr, "usage: line_lookup BINARY [NAME [NUMBER]]\n");
		return 1;
	}
	addresses = spread(argv[1], nr);
	bench(name, "cold", argv[1], "", NULL, addresses, nr);
	run(argv[1], "abc", cache, addresses, nr);
	bench(name, "cached", argv[1], "abc", cache, addresses, nr);
	file_remove_tree(cache);
	free(addresses);
	return 0;
}

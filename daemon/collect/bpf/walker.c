// SPDX-License-Identifier: GPL-2.0-or-later
/* walker.c - load the program with libbpf, or say why it cannot be loaded */
#include "daemon/collect/bpf/walker.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/collect/bpf/walk.skel.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define BTF_FILE	"/sys/kernel/btf/vmlinux"
#define IMAGES_MAX	16384
#define INITIAL_PID_NS	0xeffffffcu	/* the inode of the first PID namespace */

static int log_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	char line[512];

	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = '\0';
	log_about(LOG_MISC, "%s", line);
	return 0;
}

/* The program compares with ids of the first PID namespace, our records have those of ours. */
static bool is_in_first_pid_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == INITIAL_PID_NS;
}

/* How @bytes are divided. A file has 8 bytes in rows for each in rules, by far. */
static void divide(struct bpf_walker *w, size_t bytes)
{
	w->nr_images = IMAGES_MAX;
	w->nr_mappings = (uint32_t)(bytes / 8 / sizeof(struct bpf_mapping));
	w->nr_rules = (uint32_t)(bytes / 8 / BPF_RULE_BYTES);
	w->nr_words = (uint32_t)(bytes / 4 * 3 / sizeof(uint32_t) / BPF_WORDS * BPF_WORDS);
}

static void *map_array(const struct bpf_map *map)
{
	size_t value = (bpf_map__value_size(map) + 7) / 8 * 8;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = value * bpf_map__max_entries(map);
	void *at = mmap(NULL, (bytes + page - 1) / page * page, PROT_READ | PROT_WRITE, MAP_SHARED,
			bpf_map__fd(map), 0);

	return at == MAP_FAILED ? NULL : at;
}

static int explain(int err, struct op_error *e)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		return op_error_set(e, err, "cannot load the BPF program: %s; run as root or with "
				    "CAP_BPF and CAP_PERFMON, or use --collector=perf",
				    strerror(-err));
	case EINVAL:
		return op_error_set(e, err, "this kernel rejects the BPF program: Linux 5.19 is "
				    "needed; use --collector=perf (--verbose=misc logs more)");
	default:
		return op_error_set(e, err, "cannot load the BPF program: %s; use --collector=perf",
				    strerror(-err));
	}
}

static int set_sizes(const struct bpf_walker *w, struct walk *s)
{
	int err = bpf_map__set_max_entries(s->maps.mappings, w->nr_mappings);

	if (!err)
		err = bpf_map__set_max_entries(s->maps.images, w->nr_images);
	if (!err)
		err = bpf_map__set_max_entries(s->maps.rules, w->nr_rules);
	if (!err)
		err = bpf_map__set_max_entries(s->maps.words, w->nr_words / BPF_WORDS);
	if (!err)
		err = bpf_map__set_max_entries(s->maps.outputs, BPF_PLACES_MAX);
	if (!err)
		err = bpf_map__set_max_entries(s->maps.watches, BPF_PLACES_MAX);
	return err;
}

static int load(struct bpf_walker *w, size_t bytes, struct op_error *e)
{
	struct walk *s = walk__open();
	int err;

	if (!s)
		return explain(-errno, e);
	w->skeleton = s;
	divide(w, bytes);
	err = set_sizes(w, s);
	if (!err)
		err = walk__load(s);
	if (err)
		return explain(err, e);
	w->sets = map_array(s->maps.processes);
	w->watches = map_array(s->maps.watches);
	w->mappings = map_array(s->maps.mappings);
	w->images = map_array(s->maps.images);
	w->rules = map_array(s->maps.rules);
	w->words = map_array(s->maps.words);
	if (!w->sets || !w->watches || !w->mappings || !w->images || !w->rules || !w->words)
		return op_error_set(e, -ENOMEM, "cannot map the arrays of the BPF program");
	return 0;
}

int bpf_walker_load(size_t bytes, struct bpf_walker **ret, struct op_error *e)
{
	struct bpf_walker *w;
	int err;

	if (access(BTF_FILE, R_OK))
		return op_error_set(e, -ENOTSUP, "'%s' is missing: the BPF collector needs a "
				    "kernel with BTF (CONFIG_DEBUG_INFO_BTF); use --collector=perf",
				    BTF_FILE);
	if (!is_in_first_pid_namespace())
		return op_error_set(e, -ENOTSUP, "the BPF collector cannot run in a PID namespace "
				    "of its own; use --collector=perf");
	libbpf_set_print(log_libbpf);
	w = xcalloc(1, sizeof(*w));
	err = load(w, bytes, e);
	if (err) {
		bpf_walker_free(w);
		return err;
	}
	*ret = w;
	return 0;
}

static void unmap(void *at, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (at)
		munmap(at, (bytes + page - 1) / page * page);
}

void bpf_walker_free(struct bpf_walker *w)
{
	if (!w)
		return;
	unmap(w->sets, sizeof(*w->sets) << BPF_SETS_SHIFT);
	unmap(w->watches, BPF_PLACES_MAX * sizeof(*w->watches));
	unmap(w->mappings, w->nr_mappings * sizeof(*w->mappings));
	unmap(w->images, w->nr_images * sizeof(*w->images));
	unmap(w->rules, w->nr_rules * BPF_RULE_BYTES);
	unmap(w->words, w->nr_words * sizeof(*w->words));
	walk__destroy(w->skeleton);
	free(w);
}

int bpf_walker_attach(struct bpf_walker *w, int event, int output, uint32_t place,
		      enum bpf_watch_flags flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = place);
	int link;

	w->watches[place].flags = flags;
	if (bpf_map_update_elem(bpf_map__fd(w->skeleton->maps.outputs), &place, &output, BPF_ANY))
		return -errno;
	link = bpf_link_create(bpf_program__fd(w->skeleton->progs.walk), event, BPF_PERF_EVENT,
			       &opts);
	return link < 0 ? -errno : link;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine_names.c - name places of the kernel and of code made at run time [IM-11]
 *
 * The kernel's names are those of the running kernel if it is the one that was profiled, else those
 * of a vmlinux with its build ID.
 */
#include "pp/exchange/import/machine_names.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "formats/file/text_lines.h"
#include "libutil/build_id.h"
#include "libutil/file.h"
#include "libutil/radix_sort.h"
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/binary/binary.h"

#define TEXT_LIMIT	(UINT64_C(256) << 20)	/* bytes of kallsyms, or of a map */
#define RANDOM_STEP	(UINT64_C(2) << 20)	/* the kernel's address is random in such steps */

struct machine_symbol {
	uint64_t start, end;
	uint32_t name;			/* string of the profile */
};

struct machine_symbols {
	struct machine_symbol *all;	/* ascending */
	size_t nr, room;
};

static void add_symbol(struct machine_symbols *s, uint64_t start, uint64_t end, uint32_t name)
{
	xgrow(s->all, s->nr, s->room);
	s->all[s->nr++] = (struct machine_symbol){ start, end, name };
}

static int compare_symbols(const void *a, const void *b)
{
	const struct machine_symbol *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Sort; symbols without an end reach to the next one. */
static void finish_symbols(struct machine_symbols *s)
{
	if (s->nr)
		qsort(s->all, s->nr, sizeof(*s->all), compare_symbols);
	for (size_t i = 0; i < s->nr; i++) {
		size_t next = i + 1;

		while (next < s->nr && s->all[next].start == s->all[i].start)
			next++;
		if (!s->all[i].end)
			s->all[i].end = next < s->nr ? s->all[next].start : UINT64_MAX;
	}
}

static const struct machine_symbol *find_symbol(const struct machine_symbols *s, uint64_t address)
{
	size_t low = first_not(s->nr, i, s->all[i].start <= address);

	return low && address < s->all[low - 1].end ? &s->all[low - 1] : NULL;
}

/* Name places of @image, whose addresses are @shift above those of the symbols. */
static void name_places(struct profile *p, uint32_t image, const struct machine_symbols *s,
			uint64_t shift)
{
	for (uint32_t i = 0; i < p->nr_places; i++) {
		const struct machine_symbol *at;
		struct profile_function f = { 0 };
		struct profile_line line = { 0 };

		if (p->places[i].image != image || p->places[i].lines)
			continue;
		at = find_symbol(s, p->places[i].address - shift);
		if (!at)
			continue;
		f.name = f.system_name = at->name;
		line.function = profile_function(p, &f);
		profile_name_place(p, i, &line, 1);
	}
}

static bool needs_names(const struct profile *p, uint32_t image)
{
	for (uint32_t i = 0; i < p->nr_places; i++)
		if (p->places[i].image == image && !p->places[i].lines)
			return true;
	return false;
}

static bool take_hex(struct text *line, uint64_t *ret)
{
	struct text word = text_first_word(line);
	char digits[17] = "", *end;

	if (!text_length(word) || text_length(word) > 16)
		return false;
	memcpy(digits, word.at, text_length(word));
	*ret = strtoull(digits, &end, 16);
	return !*end;
}

/* --- code made at run time: /tmp/perf-PID.map --- */

/* As perf: only of root or ourselves, because anybody may write to /tmp. */
static int read_map(const char *path, char **ret, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), err = -EACCES;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (!st.st_uid || st.st_uid == geteuid()))
		err = file_read_all_fd(fd, TEXT_LIMIT, ret, ret_len);
	close(fd);
	return err;
}

static void name_generated(struct profile *p, uint32_t image, const char *root)
{
	char *path = xasprintf("%s%s", root, profile_text(p, p->images[image].path)), *bytes;
	struct machine_symbols s = { 0 };
	struct text all, line;
	size_t len;
	int err = read_map(path, &bytes, &len);

	free(path);
	if (err)
		return;
	for (all = (struct text){ bytes, bytes + len }; text_next_line(&all, &line);) {
		uint64_t start, size;

		if (!take_hex(&line, &start) || !take_hex(&line, &size))
			continue;
		text_trim(&line);
		if (text_length(line) && !text_has_controls(line) && !memchr(line.at, 0,
		    text_length(line)) && size && start + size > start)
			add_symbol(&s, start, start + size,
				   profile_string_n(p, line.at, text_length(line)));
	}
	free(bytes);
	finish_symbols(&s);
	name_places(p, image, &s, 0);
	free(s.all);
}

/* --- the kernel --- */

static bool has_remark(const struct profile *p, const char *key, const char *value)
{
	size_t len = strlen(key);

	for (uint32_t i = 0; i < p->nr_comments; i++) {
		const char *text = profile_text(p, p->comments[i]);

		if (!strncmp(text, key, len) && !strcmp(text + len, value))
			return true;
	}
	return false;
}

/* By its build ID or, without one, by its release, host and address. */
static bool is_running_kernel(const struct profile *p, const struct profile_image *kernel,
			      const char *root, uint64_t shift)
{
	char *path = xasprintf("%s/sys/kernel/notes", root), *notes, text[BUILD_ID_TEXT];
	const char *wanted = profile_text(p, kernel->build_id);
	struct build_id id = { .len = 0 };
	struct utsname name;
	size_t len;

	if (!file_read_all(path, TEXT_LIMIT, &notes, &len)) {
		build_id_read_notes(notes, len, &id);
		free(notes);
	}
	free(path);
	if (*wanted)
		return id.len && !strcmp(build_id_text(&id, text), wanted);
	return !shift && !uname(&name) && has_remark(p, "kernel: ", name.release) &&
	       has_remark(p, "host: ", name.nodename);
}

/* How far the profiled kernel was above the one with these symbols; false: not the same one. */
static bool find_shift(uint64_t start, uint64_t text, uint64_t *ret)
{
	*ret = start - text;
	return text && *ret % RANDOM_STEP == 0;
}

/* Symbols of /proc/kallsyms, modules included. *ret_text: the kernel's start, 0: hidden. */
static int read_kallsyms(struct profile *p, const char *root, struct machine_symbols *ret,
			 uint64_t *ret_text)
{
	char *path = xasprintf("%s/proc/kallsyms", root), *bytes;
	struct text all, line;
	size_t len;
	int err = file_read_all(path, TEXT_LIMIT, &bytes, &len);

	free(path);
	*ret_text = 0;
	if (err)
		return err;
	for (all = (struct text){ bytes, bytes + len }; text_next_line(&all, &line);) {
		struct text type, name;
		uint64_t start;

		if (!take_hex(&line, &start) || !start)
			continue;
		type = text_first_word(&line);
		name = text_first_word(&line);
		if (text_length(type) != 1 || !strchr("tTwW", *type.at) || !text_length(name))
			continue;
		if (text_is(name, "_text") || (!*ret_text && text_is(name, "_stext")))
			*ret_text = start;
		add_symbol(ret, start, 0, profile_string_n(p, name.at, text_length(name)));
	}
	free(bytes);
	finish_symbols(ret);
	return 0;
}

/* The file that @pattern finds and whose build ID is @build_id, or NULL. */
static char *find_built(const char *pattern, const char *build_id)
{
	char text[BUILD_ID_TEXT], *found = NULL;
	struct build_id id;
	glob_t files;

	if (glob(pattern, GLOB_NOSORT, NULL, &files))
		return NULL;
	for (size_t i = 0; i < files.gl_pathc && !found; i++)
		if (!build_id_read(files.gl_pathv[i], &id) &&
		    !strcmp(build_id_text(&id, text), build_id))
			found = xstrdup(files.gl_pathv[i]);
	globfree(&files);
	return found;
}

static char *find_vmlinux(const char *root, const char *build_id)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-*", "/usr/lib/debug/lib/modules/*/vmlinux",
		"/usr/lib/debug/lib/modules/*/vmlinux.debug", "/boot/vmlinux-*",
		"/lib/modules/*/build/vmlinux",
	};
	char *pattern, *found;

	if (strlen(build_id) < 4)
		return NULL;
	pattern = xasprintf("%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, build_id,
			    build_id + 2);
	found = find_built(pattern, build_id);
	free(pattern);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !found; i++) {
		pattern = xasprintf("%s%s", root, places[i]);
		found = find_built(pattern, build_id);
		free(pattern);
	}
	return found;
}

static bool read_vmlinux(struct profile *p, const char *root, const char *build_id,
			 struct machine_symbols *ret, uint64_t *ret_text)
{
	const struct binary_options options = { .by_address = true, .root = root };
	char *path = find_vmlinux(root, build_id);
	struct binary b;
	int err = path ? binary_open(path, &options, &b, NULL) : -ENOENT;

	free(path);
	if (err)
		return false;
	*ret_text = 0;
	for (size_t i = 0; i < b.nr_symbols; i++) {
		const struct code_symbol *s = &b.symbols[i];

		if (!strcmp(s->name, "_text") || (!*ret_text && !strcmp(s->name, "_stext")))
			*ret_text = s->start;
		add_symbol(ret, s->start, s->end, profile_string(p, s->name));
	}
	/* of two names at one address only one is kept, so _text may be missing */
	if (!*ret_text && b.nr_symbols)
		*ret_text = b.symbols[0].start / RANDOM_STEP * RANDOM_STEP;
	binary_close(&b);
	finish_symbols(ret);
	return true;
}

static void name_from_vmlinux(struct profile *p, uint32_t kernel, const char *root,
			      bool is_hidden, struct notices *notices)
{
	const char *build_id = profile_text(p, p->images[kernel].build_id);
	struct machine_symbols s = { 0 };
	uint64_t text, shift;

	if (read_vmlinux(p, root, build_id, &s, &text) &&
	    find_shift(p->images[kernel].start, text, &shift))
		name_places(p, kernel, &s, shift);
	else if (is_hidden)
		notice_add(notices, "kernel functions are not named: /proc/kallsyms hides "
			   "addresses; run as root or set kernel.kptr_restrict to 0");
	else if (*build_id)
		notice_add(notices, "kernel functions are not named: another kernel than this "
			   "machine's was profiled, and no vmlinux with build ID %s was found",
			   build_id);
	else
		notice_add(notices, "kernel functions are not named: the profile has no build ID "
			   "of the kernel, and no host and release like this machine's");
	free(s.all);
}

/* Modules have names only if they are still where they were. */
static void name_kernel(struct profile *p, uint32_t kernel, const char *root,
			struct notices *notices)
{
	struct machine_symbols s = { 0 };
	uint64_t text = 0, shift = 0;
	int err = read_kallsyms(p, root, &s, &text);
	bool is_known = !err && find_shift(p->images[kernel].start, text, &shift);
	bool is_same = is_running_kernel(p, &p->images[kernel], root, is_known ? shift : 1);

	if (is_known && is_same) {
		name_places(p, kernel, &s, shift);
		for (uint32_t i = 0; i < p->nr_images && !shift; i++)
			if (p->images[i].kind == PROFILE_KERNEL_MODULE)
				name_places(p, i, &s, 0);
	} else {
		bool is_hidden = !err && !text && (is_same || !p->images[kernel].build_id);

		name_from_vmlinux(p, kernel, root, is_hidden, notices);
	}
	free(s.all);
}

void import_machine_names(struct profile *p, const char *root, struct notices *notices)
{
	for (uint32_t i = 0; i < p->nr_images; i++) {
		enum profile_image_kind kind = p->images[i].kind;

		if (kind == PROFILE_JIT && needs_names(p, i))
			name_generated(p, i, root);
		if (kind == PROFILE_KERNEL && p->images[i].limit && needs_names(p, i))
			name_kernel(p, i, root, notices);
	}
}

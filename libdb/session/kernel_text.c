// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_text.c - pack and unpack the snapshot of the kernel's symbols [SS-41]
 *
 * The kernel's own symbols, as offsets from its start, are the same in each boot of a build. They
 * are taken out of the text, which begins with "# kernel START END", and put back between its
 * symbols below START and those from END on.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "libdb/session/kernel_text.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "libutil/zstd.h"

#define PACKED_LINE	"# packed "	/* the second line: size of the rest, and HASH or "-" */
#define EXPANSION_MAX	64		/* of what a hostile file may ask for */
#define HASH_DIGITS	16
#define LEVEL		2		/* starting to profile must not wait */

struct text {
	const char *at, *end;
};

/* The next line with its newline, taken off @t; empty at the end. */
static struct text take_line(struct text *t)
{
	const char *newline = t->at < t->end ? memchr(t->at, '\n', (size_t)(t->end - t->at)) : NULL;
	struct text line = { t->at, newline ? newline + 1 : t->end };

	t->at = line.end;
	return line;
}

/*
 * The hex number at the beginning of @line, which is taken off. There are 100,000 of them, so
 * neither this nor add_moved() uses stdio.
 */
static uint64_t take_number(struct text *line)
{
	uint64_t value = 0;

	for (; line->at < line->end; line->at++) {
		char c = *line->at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (unsigned int)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value << 4 | (unsigned int)((c | 0x20) - 'a' + 10);
		else
			break;
	}
	return value;
}

static bool is_symbol(struct text line)
{
	return line.at < line.end && *line.at != '#';
}

static void add(struct strbuf *out, struct text t)
{
	strbuf_add_bytes(out, t.at, (size_t)(t.end - t.at));
}

/* Append a line with the number @value and the rest of it, @line. */
static void add_moved(struct strbuf *out, uint64_t value, struct text line)
{
	char digits[HASH_DIGITS], *at = digits + sizeof(digits);

	do {
		*--at = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	strbuf_add_bytes(out, at, (size_t)(digits + sizeof(digits) - at));
	add(out, line);
}

/* Split what follows the first line. */
static void split(struct text all, uint64_t start, uint64_t end, struct strbuf *own,
		  struct strbuf *rest)
{
	struct text line, behind;

	while (is_symbol(behind = line = take_line(&all))) {
		uint64_t address = take_number(&behind);

		if (address >= start && address < end)
			add_moved(own, address - start, behind);
		else
			add(rest, line);
	}
	add(rest, (struct text){ line.at, all.end });
}

static void join(struct text rest, struct text own, uint64_t start, struct strbuf *out)
{
	struct text before = rest, line, behind;

	while (is_symbol(behind = line = take_line(&before)) && take_number(&behind) < start)
		add(out, line);
	while (own.at < own.end) {
		behind = take_line(&own);
		add_moved(out, take_number(&behind) + start, behind);
	}
	add(out, (struct text){ line.at, rest.end });
}

/* --- compression --- */

/* *ret: NUL terminated. */
static int unpack(struct text from, uint64_t size, char **ret)
{
	uint64_t packed = (uint64_t)(from.end - from.at);
	char *text;

	if (size > KERNEL_TEXT_MAX || size > packed * EXPANSION_MAX)
		return -EPROTO;
	text = malloc(size + 1);
	if (!text)
		return -ENOMEM;
	if (ZSTD_decompress(text, size, from.at, packed) != size) {
		free(text);
		return -EPROTO;
	}
	text[size] = '\0';
	*ret = text;
	return 0;
}

/* "# packed SIZE HASH\n" and the compressed bytes. */
static int format(const struct strbuf *text, const char *hash, struct strbuf *out)
{
	size_t n;
	void *packed;
	int err = zstd_pack(text->text, text->len, LEVEL, &packed, &n);

	if (err)
		return err;
	strbuf_addf(out, PACKED_LINE "%zu %s\n", text->len, hash);
	strbuf_add_bytes(out, packed, n);
	free(packed);
	return 0;
}

/* *ret_hash may be NULL. -ENOENT: it does not begin so. */
static int parse(struct text from, char **ret, size_t *ret_len, char ret_hash[HASH_DIGITS + 1])
{
	struct text line = take_line(&from);
	char hash[HASH_DIGITS + 1] = "";
	uint64_t size;
	int err;

	if ((size_t)(line.end - line.at) < strlen(PACKED_LINE) ||
	    memcmp(line.at, PACKED_LINE, strlen(PACKED_LINE)))
		return -ENOENT;
	if (sscanf(line.at + strlen(PACKED_LINE), "%" SCNu64 " %16[0-9a-f-]", &size, hash) != 2)
		return -EPROTO;
	err = unpack(from, size, ret);
	if (err)
		return err;
	*ret_len = size;
	memcpy(ret_hash, hash, sizeof(hash));
	return 0;
}

/* --- the file with the kernel's own symbols --- */

/* "SD", of "SD/samples/NAME/stats/kernel-symbols"; NULL: @path is not of that form. Malloc'd. */
static char *session_dir_of(const char *path)
{
	static const char *const names[] = { NULL, "stats", NULL, "samples" };
	char *dir = xstrdup(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *slash = strrchr(dir, '/');

		if (!slash || slash == dir || (names[i] && strcmp(slash + 1, names[i]))) {
			free(dir);
			return NULL;
		}
		*slash = '\0';
	}
	return dir;
}

static bool has_bytes(const char *path, const struct strbuf *bytes)
{
	char *text;
	size_t len;
	bool same;

	if (file_read_all(path, KERNEL_TEXT_MAX, &text, &len))
		return false;
	same = len == bytes->len && !memcmp(text, bytes->text, len);
	free(text);
	return same;
}

/* Replace @to by a link to @from. */
static int link_to(const char *from, const char *to)
{
	char *aside = xasprintf("%s.tmp", to);
	int err;

	(void)unlink(aside);
	err = link(from, aside) || rename(aside, to) ? -errno : 0;
	(void)unlink(aside);		/* rename() leaves one of two links to a file */
	free(aside);
	return err;
}

static int write_own(const char *path, const char *session_dir, const struct strbuf *bytes,
		     const char *hash)
{
	char *own = xasprintf("%s.%s", path, hash);
	char *shared = session_dir ? xasprintf("%s/" KERNEL_TEXTS "/%s", session_dir, hash) : NULL;
	int err = -ENOENT;

	if (shared && !has_bytes(shared, bytes)) {
		err = file_make_parent_dirs(shared, 0755);
		if (!err)
			err = file_write_atomic(shared, bytes->text, bytes->len, KERNEL_TEXT_MODE);
	} else if (shared) {
		err = 0;
	}
	if (!err)
		err = link_to(shared, own);
	if (err)			/* no hard links there, for example */
		err = file_write_atomic(own, bytes->text, bytes->len, KERNEL_TEXT_MODE);
	free(shared);
	free(own);
	return err;
}

static int read_own(const char *path, const char *hash, char **ret, size_t *ret_len,
		    struct op_error *e)
{
	char *own = xasprintf("%s.%s", path, hash), *packed = NULL, ignored[HASH_DIGITS + 1];
	size_t len = 0;
	int err = file_read_all(own, KERNEL_TEXT_MAX, &packed, &len);

	if (!err)
		err = parse((struct text){ packed, packed + len }, ret, ret_len, ignored);
	if (err)
		err = op_error_set(e, -EPROTO, "cannot read '%s': %s", own,
				   err == -EPROTO ? "not the symbols of a kernel"
						  : strerror(-err));
	free(packed);
	free(own);
	return err;
}

/* --- all --- */

static int write_packed(const char *path, struct text all, struct text title)
{
	struct strbuf own = STRBUF_INIT, rest = STRBUF_INIT, shared = STRBUF_INIT,
		      out = STRBUF_INIT;
	char hash[HASH_DIGITS + 1] = "-", *session_dir = session_dir_of(path);
	uint64_t start = 0, end = 0;
	int err = 0;

	(void)sscanf(title.at, "# kernel %" SCNx64 " %" SCNx64, &start, &end);
	split(all, start, end, &own, &rest);
	if (own.len) {
		snprintf(hash, sizeof(hash), "%016" PRIx64, hash_bytes(own.text, own.len));
		err = format(&own, "-", &shared);
		if (!err)
			err = write_own(path, session_dir, &shared, hash);
	}
	add(&out, title);
	if (!err)
		err = format(&rest, hash, &out);
	if (!err)
		err = file_write_atomic(path, out.text, out.len, KERNEL_TEXT_MODE);
	if (!err && session_dir)
		kernel_texts_remove_unused(session_dir);
	free(session_dir);
	strbuf_free(&own);
	strbuf_free(&rest);
	strbuf_free(&shared);
	strbuf_free(&out);
	return err;
}

int kernel_text_write(const char *path, const char *text, size_t len)
{
	struct text all = { text, text + len }, title = take_line(&all);

	if (len < 9 || memcmp(text, "# kernel ", 9) || title.end[-1] != '\n')
		return file_write_atomic(path, text, len, KERNEL_TEXT_MODE);
	return write_packed(path, all, title);
}

/* @whole: the file @path, packed. */
static int read_packed(const char *path, struct text whole, char **ret_text, size_t *ret_len,
		       struct op_error *e)
{
	struct text title = take_line(&whole);
	char hash[HASH_DIGITS + 1], *rest = NULL, *own = NULL;
	size_t rest_len = 0, own_len = 0;
	struct strbuf out = STRBUF_INIT;
	uint64_t start = 0, end;
	int err = parse(whole, &rest, &rest_len, hash);

	if (err == -EPROTO)
		op_error_set(e, err, "%s:2: malformed compressed data", path);
	if (!err && strcmp(hash, "-"))
		err = read_own(path, hash, &own, &own_len, e);
	if (!err && rest_len + 3 * own_len > 2 * (size_t)KERNEL_TEXT_MAX)
		err = op_error_set(e, -EFBIG, "cannot read '%s': %s", path, strerror(EFBIG));
	if (!err) {
		(void)sscanf(title.at, "# kernel %" SCNx64 " %" SCNx64, &start, &end);
		add(&out, title);
		join((struct text){ rest, rest + rest_len },
		     (struct text){ own, own ? own + own_len : own }, start, &out);
		*ret_len = out.len;
		*ret_text = strbuf_steal(&out);
	}
	free(rest);
	free(own);
	return err;
}

int kernel_text_read(const char *path, char **ret_text, size_t *ret_len, struct op_error *e)
{
	char *whole;
	size_t len;
	int err = file_read_all(path, KERNEL_TEXT_MAX, &whole, &len);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	err = read_packed(path, (struct text){ whole, whole + len }, ret_text, ret_len, e);
	if (err == -ENOENT) {		/* of an earlier version */
		*ret_text = whole;
		*ret_len = len;
		return 0;
	}
	free(whole);
	return err;
}

void kernel_texts_remove_unused(const char *session_dir)
{
	char *folder = path_join(session_dir, KERNEL_TEXTS);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir)))
		if (!fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode) && st.st_nlink == 1)
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	free(folder);
}

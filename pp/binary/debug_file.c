/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_file.c - look up by build-id, by name and checksum, then among fetched files */
#include "pp/binary/debug_file.h"

#include <elf.h>
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define DEBUG_DIR "/usr/lib/debug"

struct search {
	const struct object_file *image;
	const char *path, *root;
	struct build_id id;
	bool has_id;
	struct strbuf looked;
	struct object_file *ret;
};

/* The CRC-32 of .gnu_debuglink, of the whole file. */
static bool has_crc(const struct object_file *f, uint32_t want)
{
	unsigned char *buf = xmalloc(256 * 1024);
	uint32_t crc = 0;
	uint64_t at = 0;
	bool ok = true;

	while (ok && at < f->size) {
		size_t n = f->size - at < 256 * 1024 ? f->size - at : 256 * 1024;

		ok = !object_file_read(f, at, buf, n);
		if (ok)
			crc = lzma_crc32(buf, n, crc);
		at += n;
	}
	free(buf);
	return ok && crc == want;
}

static bool has_symbols(const struct object_file *f)
{
	for (size_t i = 1; i < f->nr_sections; i++)
		if (f->sections[i].type == SHT_SYMTAB)
			return true;
	return false;
}

/* @crc: compared if there are no build-ids, or NULL. Takes over @path. */
static bool try_file(struct search *s, char *path, const uint32_t *crc, char **ret_path)
{
	struct build_id id;
	bool same;

	if (!strcmp(path, s->path)) {
		free(path);
		return false;
	}
	if (!object_file_open(path, s->ret, NULL)) {
		if (s->has_id && !object_file_build_id(s->ret, &id))
			same = id.len == s->id.len && !memcmp(id.bytes, s->id.bytes, id.len);
		else
			same = crc && has_crc(s->ret, *crc);
		if (same && has_symbols(s->ret)) {
			*ret_path = path;
			return true;
		}
		object_file_close(s->ret);
	}
	strbuf_addf(&s->looked, "%s%s", s->looked.len ? ", " : "", path);
	free(path);
	return false;
}

static struct fetched {
	char *build_id, *path;
	struct fetched *next;
} *fetched;				/* few: fetching is slow */

void debug_file_fetched(const char *build_id, const char *path)
{
	struct fetched *f = xcalloc(1, sizeof(*f));

	*f = (struct fetched){ xstrdup(build_id), xstrdup(path), fetched };
	fetched = f;
}

static bool by_fetched(struct search *s, char **ret_path)
{
	char text[BUILD_ID_TEXT];

	if (!s->has_id)
		return false;
	build_id_text(&s->id, text);
	for (const struct fetched *f = fetched; f; f = f->next)
		if (!strcmp(f->build_id, text))
			return try_file(s, xstrdup(f->path), NULL, ret_path);
	return false;
}

/* In @root; a build ID is a proof also if the image is elsewhere. */
static bool by_build_id(struct search *s, const char *root, char **ret_path)
{
	char text[BUILD_ID_TEXT];

	if (!s->has_id || s->id.len < 2)
		return false;
	build_id_text(&s->id, text);
	return try_file(s, xasprintf("%s%s/.build-id/%.2s/%s.debug", root, DEBUG_DIR, text,
				     text + 2), NULL, ret_path);
}

/* The name and checksum of .gnu_debuglink; the name is malloc'd, or NULL. */
static char *read_link(const struct object_file *image, uint32_t *ret_crc)
{
	const struct object_section *section = object_section_find(image, ".gnu_debuglink");
	size_t size = 0, len;
	char *name;

	if (!section || section->size > 64 * 1024)
		return NULL;
	name = (char *)object_section_read(image, section, &size);
	len = name ? strlen(name) : 0;
	if (!len || strchr(name, '/') || (len + 4) / 4 * 4 + 4 > size) {
		free(name);
		return NULL;
	}
	*ret_crc = object_get32(image, name + (len + 4) / 4 * 4);
	return name;
}

static bool by_link(struct search *s, char **ret_path)
{
	size_t root_len = strlen(s->root);
	char *dir, *name;
	const char *below_root;
	uint32_t crc;
	bool found;

	name = read_link(s->image, &crc);
	if (!name)
		return false;
	dir = xstrdup(s->path);
	dir[path_base(dir) - dir] = '\0';	/* keeps the '/' */
	below_root = strncmp(dir, s->root, root_len) ? dir : dir + root_len;
	found = try_file(s, xasprintf("%s.debug/%s", dir, name), &crc, ret_path) ||
		try_file(s, xasprintf("%s%s/%s%s", s->root, DEBUG_DIR,
				      below_root + (*below_root == '/'), name), &crc, ret_path) ||
		try_file(s, xasprintf("%s%s", dir, name), &crc, ret_path);
	free(dir);
	free(name);
	return found;
}

int debug_file_open(const struct object_file *image, const char *path, const char *root,
		    struct object_file *ret, char **ret_path, char **ret_looked)
{
	struct search s = { .image = image, .path = path, .root = root, .looked = STRBUF_INIT,
			    .ret = ret };

	s.has_id = !object_file_build_id(image, &s.id);
	if (by_build_id(&s, root, ret_path) || by_link(&s, ret_path) ||
	    (*root && by_build_id(&s, "", ret_path)) || by_fetched(&s, ret_path)) {
		strbuf_free(&s.looked);
		return 0;
	}
	*ret = (struct object_file){ .fd = -1 };
	*ret_looked = s.looked.len ? strbuf_steal(&s.looked) : NULL;
	strbuf_free(&s.looked);
	return -ENOENT;
}

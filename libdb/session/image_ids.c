// SPDX-License-Identifier: GPL-2.0-or-later
/* image_ids.c - stats/images: which build of each image was profiled [SS-30] */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/session/image_ids.h"
#include "libdb/session/text_file.h"
#include "libutil/file.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

#define IDS_FILE	"images"
#define IDS_LIMIT	(64 * 1024 * 1024)
#define APART		"00000000"	/* no hash begins so */

int image_ids_append(const char *stats_dir, const char *path, const char *build_id)
{
	struct strbuf line = STRBUF_INIT;
	char *file = path_join(stats_dir, IDS_FILE);
	int err;

	strbuf_addf(&line, "%s ", build_id && *build_id ? build_id : "-");
	text_add_escaped(&line, path, true);
	strbuf_add_char(&line, '\n');
	err = text_append(file, line.text, line.len);
	strbuf_free(&line);
	free(file);
	return err;
}

struct image_id {
	const char *path, *build_id;	/* in @text */
	size_t order;			/* the later of two lines wins */
};

struct image_ids {
	char *text;
	struct image_id *ids;		/* sorted by path, then order */
	size_t nr, room;
};

static int compare_ids(const void *a, const void *b)
{
	const struct image_id *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	return c ? c : (x->order > y->order) - (x->order < y->order);
}

static const char *parse_line(void *context, char *line)
{
	struct image_ids *ids = context;
	char *rest = line, *id = text_next_word(&rest);

	if (!id || (strcmp(id, "-") && !text_is_hex(id)))
		return "expected a build ID in hex, or '-'";
	if (!rest || !*rest || strchr(rest, ' '))
		return "expected one path after the build ID";
	if (!text_unescape(rest))
		return "invalid escape";
	xgrow(ids->ids, ids->nr, ids->room);
	ids->ids[ids->nr] = (struct image_id){ rest, id, ids->nr };
	ids->nr++;
	return NULL;
}

int image_ids_parse(char *text, size_t len, const char *name, struct image_ids **ret,
		    struct op_error *e)
{
	struct text_lines lines = { text, text + len, name, TEXT_LAST_IGNORED, 0 };
	struct image_ids *ids = xcalloc(1, sizeof(*ids));
	int err = text_each_line(&lines, parse_line, ids, e);

	if (err) {
		image_ids_free(ids);	/* @text stays the caller's */
		return err;
	}
	if (ids->nr)
		qsort(ids->ids, ids->nr, sizeof(*ids->ids), compare_ids);
	ids->text = text;
	*ret = ids;
	return 0;
}

int image_ids_read(const char *stats_dir, struct image_ids **ret)
{
	char *path = path_join(stats_dir, IDS_FILE), *text = NULL;
	size_t len;
	int err = file_read_all(path, IDS_LIMIT, &text, &len);

	if (!err)
		err = image_ids_parse(text, len, path, ret, NULL);
	if (err)
		free(text);
	free(path);
	return err;
}

const char *image_ids_find(const struct image_ids *ids, const char *path)
{
	/* the first entry behind all of @path */
	size_t low = first_not(ids->nr, i, strcmp(ids->ids[i].path, path) <= 0);

	if (!low || strcmp(ids->ids[low - 1].path, path))
		return NULL;
	return strcmp(ids->ids[low - 1].build_id, "-") ? ids->ids[low - 1].build_id : NULL;
}

void image_ids_free(struct image_ids *ids)
{
	if (!ids)
		return;
	free(ids->text);
	free(ids->ids);
	free(ids);
}

void image_apart_id(uint64_t dev, uint64_t ino, char ret[IMAGE_APART_TEXT])
{
	snprintf(ret, IMAGE_APART_TEXT, APART "%016" PRIx64 "%016" PRIx64, dev, ino);
}

bool image_id_is_apart(const char *build_id)
{
	return !strncmp(build_id, APART, strlen(APART)) && strlen(build_id) == IMAGE_APART_TEXT - 1;
}

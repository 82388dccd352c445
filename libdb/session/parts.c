// SPDX-License-Identifier: GPL-2.0-or-later
/* parts.c - stats/parts/index: the build ID and control group of each part [SS-60] */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "libdb/session/parts.h"
#include "libdb/session/text_file.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define PARTS_FOLDER	"parts"
#define INDEX_FILE	PARTS_FOLDER "/index"
#define INDEX_LIMIT	(16u << 20)	/* bytes */

static const char *parse_line(void *context, char *line)
{
	struct session_parts *parts = context;
	char *rest = line, *build_id = text_next_word(&rest), *cgroup = text_next_word(&rest);

	if (!cgroup || (rest && *rest))
		return "expected a build ID and a control group";
	if (strcmp(build_id, "-") && !text_is_hex(build_id))
		return "expected a build ID in hex, or '-'";
	if (!text_unescape(cgroup))
		return "invalid escape";
	if (!strcmp(build_id, "-") && !strcmp(cgroup, "-"))
		return "both build ID and control group are '-'";
	if (parts->nr == SESSION_PARTS_MAX)
		return "too many parts";
	xgrow(parts->parts, parts->nr, parts->room);
	parts->parts[parts->nr++] = (struct session_part){
		.build_id = xstrdup(strcmp(build_id, "-") ? build_id : ""),
		.cgroup = xstrdup(strcmp(cgroup, "-") ? cgroup : ""),
	};
	return NULL;
}

int session_parts_parse(char *text, size_t len, const char *name, struct session_parts *ret,
			struct op_error *e)
{
	struct text_lines lines = { text, text + len, name, TEXT_LAST_IGNORED, 0 };
	struct session_parts parts = { 0 };
	int err = text_each_line(&lines, parse_line, &parts, e);

	if (err)
		session_parts_free(&parts);
	else
		*ret = parts;
	return err;
}

int session_parts_read(const char *stats_dir, struct session_parts *ret, struct op_error *e)
{
	char *path = path_join(stats_dir, INDEX_FILE), *text = NULL;
	size_t len;
	int err = file_read_all(path, INDEX_LIMIT, &text, &len);

	if (!err)
		err = session_parts_parse(text, len, path, ret, e);
	free(text);
	free(path);
	return err;
}

void session_parts_free(struct session_parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++) {
		free(parts->parts[i].build_id);
		free(parts->parts[i].cgroup);
	}
	free(parts->parts);
	*parts = (struct session_parts){ 0 };
}

static int append(const char *stats_dir, const char *build_id, const char *cgroup)
{
	struct strbuf line = STRBUF_INIT;
	char *path = path_join(stats_dir, INDEX_FILE);
	int err;

	strbuf_addf(&line, "%s ", *build_id ? build_id : "-");
	text_add_escaped(&line, *cgroup ? cgroup : "-", true);
	strbuf_add_char(&line, '\n');
	err = file_make_parent_dirs(path, 0755);
	if (!err)
		err = text_append(path, line.text, line.len);
	strbuf_free(&line);
	free(path);
	return err;
}

int session_parts_get(const char *stats_dir, struct session_parts *parts, const char *build_id,
		      const char *cgroup, size_t *ret_number)
{
	int err;

	if (!*build_id && !*cgroup)
		return -EINVAL;
	for (size_t i = 0; i < parts->nr; i++)
		if (!strcmp(parts->parts[i].build_id, build_id) &&
		    !strcmp(parts->parts[i].cgroup, cgroup)) {
			*ret_number = i;
			return 0;
		}
	if (parts->nr == SESSION_PARTS_MAX)
		return -ENOSPC;
	err = append(stats_dir, build_id, cgroup);
	if (err)
		return err;
	xgrow(parts->parts, parts->nr, parts->room);
	*ret_number = parts->nr;
	parts->parts[parts->nr++] = (struct session_part){
		.build_id = xstrdup(build_id), .cgroup = xstrdup(cgroup),
	};
	return 0;
}

char *session_part_path(const char *stats_dir, size_t number)
{
	return xasprintf("%s/" PARTS_FOLDER "/%zu", stats_dir, number);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - doc/oprofilefs.md lists the files of oprofilefs/files.c, with the same modes and units
 *
 * Both tables are read as text, from the source tree this was built in.
 */
#include <ctype.h>
#include "tests/tap.h"

struct row {
	char name[64], mode[8], unit[32];
};

static const char *root(void)
{
	static char path[256];
	char *end;

	snprintf(path, sizeof(path), "%s", __FILE__);
	end = strstr(path, "tests/unit/");
	if (end)
		*end = '\0';
	return end && end != path ? path : "./";
}

static FILE *open_source(const char *name)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root(), name);
	f = fopen(path, "r");
	if (!f)
		SKIP("source tree not at hand");
	return f;
}

/* `| `stats/x` | 0444 | unit | ...` */
static int doc_row(const char *line, struct row *r)
{
	return sscanf(line, "| `%63[^`]` | %7[0-7] | %31[^|]|", r->name, r->mode, r->unit) == 3;
}

/* `{ "x", 0444, OPFS_VALUE, "unit", ...` below `static const struct opfs_file DIR_files[]` */
static int code_row(const char *line, const char *dir, struct row *r)
{
	char name[48];

	if (sscanf(line, " { \"%47[^\"]\", %7[0-7], OPFS_%*[A-Z], \"%31[^\"]\"", name, r->mode,
		   r->unit) != 3)
		return 0;
	snprintf(r->name, sizeof(r->name), "%.15s%s", dir, name);
	return 1;
}

static const char *code_dir(const char *line)
{
	static const char *const dirs[][2] = {
		{ " root_files[]", "" }, { " counter_files[]", "N/" },
		{ " timer_files[]", "timer/" }, { " stats_files[]", "stats/" },
		{ " cpu_stats_files[]", "stats/cpuN/" }, { " ibs_fetch_files[]", "ibs_fetch/" },
		{ " ibs_op_files[]", "ibs_op/" }, { " unwind_files[]", "unwind/" },
	};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		if (strstr(line, dirs[i][0]))
			return dirs[i][1];
	return NULL;
}

static int read_rows(const char *name, int code, struct row *rows, int max)
{
	FILE *f = open_source(name);
	const char *dir = "";
	char line[1024];
	int nr = 0;

	while (nr < max && fgets(line, sizeof(line), f)) {
		if (code && strstr(line, "struct opfs_file ") && code_dir(line))
			dir = code_dir(line);
		if (code ? code_row(line, dir, &rows[nr]) : doc_row(line, &rows[nr])) {
			for (char *e = strchr(rows[nr].unit, '\0');
			     e > rows[nr].unit && isspace(e[-1]);)
				*--e = '\0';
			nr++;
		}
	}
	fclose(f);
	return nr;
}

static int has(const struct row *rows, int nr, const struct row *r)
{
	for (int i = 0; i < nr; i++)
		if (!strcmp(rows[i].name, r->name) && !strcmp(rows[i].mode, r->mode) &&
		    !strcmp(rows[i].unit, r->unit))
			return 1;
	return 0;
}

TEST(the_two_tables_agree)
{
	static struct row code[100], doc[100];
	int nr_code = read_rows("oprofilefs/files.c", 1, code, 100);
	int nr_doc = read_rows("doc/oprofilefs.md", 0, doc, 100);

	CHECK(nr_code >= 28, "%d files in the code", nr_code);
	for (int i = 0; i < nr_code; i++)
		CHECK(has(doc, nr_doc, &code[i]), "%s %s (%s) is not in the document", code[i].name,
		      code[i].mode, code[i].unit);
	for (int i = 0; i < nr_doc; i++)
		CHECK(has(code, nr_code, &doc[i]), "%s %s (%s) is not in the code", doc[i].name,
		      doc[i].mode, doc[i].unit);
}

TEST_MAIN()

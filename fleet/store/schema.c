// SPDX-License-Identifier: GPL-2.0-or-later
/* schema.c - embed the files of fleet/schema with the assembler; build.mk has the dependency */
#include "fleet/store/schema.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FILE_TEXT(name, file)                                                                  \
	extern const char name[];                                                              \
	__asm__(".pushsection .rodata\n"                                                       \
		#name ":\n.incbin \"fleet/schema/" file "\"\n.byte 0\n"                        \
		".popsection\n")

FILE_TEXT(schema_tables, "1-tables.sql");
FILE_TEXT(schema_codecs, "2-codecs.sql");
FILE_TEXT(schema_shards, "shards.sql");

static const char *const files[] = { schema_tables, schema_codecs };
#define NR_FILES	((unsigned int)(sizeof(files) / sizeof(*files)))
#define NEEDED		1	/* files without which nothing works */

/* Of each replica one of its own: what one did, the others have to do. */
static const char version_table[] =
	"CREATE TABLE IF NOT EXISTS schema (version UInt32, done DateTime) "
	"ENGINE = ReplacingMergeTree ORDER BY version;\n";

/* --- statements --- */

/* "MergeTree ", "SummingMergeTree(samples)": with its place in Keeper, by the table's name. */
static const char *replicate(const char *engine, struct strbuf *ret)
{
	static const char create[] = "CREATE TABLE IF NOT EXISTS ";
	const char *found = strstr(ret->text, create);
	size_t kind = strcspn(engine, " (;\n");
	char table[64] = "";

	if (found)
		snprintf(table, sizeof(table), "%s", found + strlen(create));
	table[strcspn(table, " \n")] = '\0';
	strbuf_addf(ret, "ENGINE = Replicated%.*s('/clickhouse/tables/{shard}/" STORE_DATABASE
		    "/%s', '{replica}'", (int)kind, engine, table);
	engine += kind;
	strbuf_add(ret, *engine == '(' ? ", " : ")");
	return engine + (*engine == '(');
}

void schema_statement(const char **sql, const struct schema_options *options, struct strbuf *ret)
{
	static const char engine[] = "ENGINE = ";
	static const char cluster[] = "{cluster}", database[] = "{database}";
	const char *at = *sql;

	strbuf_reset(ret);
	while (isspace((unsigned char)*at) || !strncmp(at, "--", 2))
		at += *at == '-' ? strcspn(at, "\n") : 1;
	while (*at && !(*at == ';' && (at[1] == '\n' || !at[1]))) {
		if (!strncmp(at, cluster, strlen(cluster))) {
			sql_quote(ret, options->cluster);
			at += strlen(cluster);
		} else if (!strncmp(at, database, strlen(database))) {
			sql_quote(ret, STORE_DATABASE);
			at += strlen(database);
		} else if (options->replicated && !strncmp(at, engine, strlen(engine)) &&
			   strncmp(at + strlen(engine), "Distributed", 11)) {
			at = replicate(at + strlen(engine), ret);
		} else {
			strbuf_add_char(ret, *at++);
		}
	}
	*sql = *at ? at + 1 : at;
}

static int do_all(struct store *s, const char *sql, const struct schema_options *options,
		  struct op_error *e)
{
	struct strbuf statement = STRBUF_INIT;
	int err = 0;

	for (schema_statement(&sql, options, &statement); *statement.text && !err;
	     schema_statement(&sql, options, &statement))
		err = store_do(s, statement.text, e);
	strbuf_free(&statement);
	return err;
}

/* --- files --- */

/* Which are done, as bits. */
static int read_done(struct store *s, unsigned int *ret, struct op_error *e)
{
	struct store_rows rows;
	int err = store_ask(s, "SELECT DISTINCT version FROM schema", 1, &rows, e);

	if (err)
		return err;
	*ret = 0;
	for (size_t i = 0; i < rows.nr && !err; i++) {
		uint64_t version = store_number(&rows, i, 0);

		if (version > NR_FILES)
			err = op_error_set(e, -EPROTO, "%s: its tables have version %llu, this "
					   "program knows %u: update the program", s->url,
					   (unsigned long long)version, NR_FILES);
		else if (version)
			*ret |= 1u << (version - 1);
	}
	store_rows_free(&rows);
	return err;
}

static bool is_old_server(const struct store *s, const char *file)
{
	unsigned int major, minor;

	return sscanf(file, "-- server: %u.%u", &major, &minor) == 2 &&
	       s->version < major * 1000 + minor;
}

static int do_file(struct store *s, unsigned int i, const struct schema_options *options,
		   struct op_error *e)
{
	char insert[80];
	int err = do_all(s, files[i], options, e);

	snprintf(insert, sizeof(insert), "INSERT INTO schema SELECT %u, now()", i + 1);
	return err ? err : store_do(s, insert, e);
}

int schema_init(struct store *s, const struct schema_options *options, struct schema_result *ret,
		struct op_error *e)
{
	struct schema_result result = { 0 };
	unsigned int done = 0;
	int err;

	s->database = NULL;
	err = store_do(s, "CREATE DATABASE IF NOT EXISTS " STORE_DATABASE, e);
	s->database = STORE_DATABASE;
	if (!err)
		err = do_all(s, version_table, &(struct schema_options){ NULL, false }, e);
	if (!err)
		err = read_done(s, &done, e);
	for (unsigned int i = 0; i < NR_FILES && !err; i++) {
		bool is_done = done >> i & 1;

		result.had += is_done;
		if (!is_done && is_old_server(s, files[i])) {
			result.waiting++;
			continue;
		}
		if (!is_done)
			err = do_file(s, i, options, e);
		result.has += !err;
	}
	if (!err && options->cluster) {
		err = do_all(s, schema_shards, options, e);
		s->is_sharded = !err;
	}
	if (!err)
		*ret = result;
	return err;
}

int schema_check(struct store *s, struct op_error *e)
{
	struct store_rows rows;
	unsigned int done = 0;
	int err;

	s->database = NULL;
	err = store_ask(s, "SELECT count() FROM system.tables WHERE database = '" STORE_DATABASE
			"' AND name = 'schema'", 1, &rows, e);
	s->database = STORE_DATABASE;
	if (err)
		return err;
	if (!store_number(&rows, 0, 0))
		err = -ENOENT;
	store_rows_free(&rows);
	if (!err)
		err = read_done(s, &done, e);
	if (err == -ENOENT || (!err && !(done & NEEDED)))
		err = op_error_set(e, -ENOENT, "%s: it has no tables of profiles; make them with "
				   "'opfleet init --url=%s'", s->url, s->url);
	return err;
}

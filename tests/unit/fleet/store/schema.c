// SPDX-License-Identifier: GPL-2.0-or-later
/* schema.c - statements of schema files; whether servers take them: opfleet.test */
#include "fleet/store/schema.h"

#include "tests/tap.h"

static void expect(const char *sql, const struct schema_options *o, const char *const *statements)
{
	struct strbuf got = STRBUF_INIT;

	for (schema_statement(&sql, o, &got); *statements; statements++) {
		CHECK(!strcmp(got.text, *statements), "%s", got.text);
		schema_statement(&sql, o, &got);
	}
	CHECK(!*got.text, "one more: %s", got.text);
	strbuf_free(&got);
}

TEST(comments_are_left_out)
{
	expect("-- server: 1.2\n-- a; b\n\nSELECT ';', 1;\n-- c\nSELECT 2;\n\n",
	       &(struct schema_options){ .cluster = NULL },
	       (const char *[]){ "SELECT ';', 1", "SELECT 2", NULL });
	expect("-- nothing", &(struct schema_options){ .cluster = NULL }, (const char *[]){ NULL });
}

TEST(names_are_quoted)
{
	expect("CREATE TABLE IF NOT EXISTS a AS b ENGINE = "
	       "Distributed({cluster}, {database}, b);\n",
	       &(struct schema_options){ .cluster = "x', y", .replicated = true },
	       (const char *[]){ "CREATE TABLE IF NOT EXISTS a AS b ENGINE = "
				 "Distributed('x\\', y', 'oprofile', b)", NULL });
}

TEST(replicated_tables_have_a_place)
{
	expect("CREATE TABLE IF NOT EXISTS a (x Int8) ENGINE = MergeTree ORDER BY x;\n"
	       "CREATE TABLE IF NOT EXISTS b (\n\tx Int8\n) ENGINE = SummingMergeTree(x) "
	       "ORDER BY x;\n",
	       &(struct schema_options){ .replicated = true },
	       (const char *[]){
		       "CREATE TABLE IF NOT EXISTS a (x Int8) ENGINE = ReplicatedMergeTree("
		       "'/clickhouse/tables/{shard}/oprofile/a', '{replica}') ORDER BY x",
		       "CREATE TABLE IF NOT EXISTS b (\n\tx Int8\n) ENGINE = "
		       "ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/oprofile/b', "
		       "'{replica}', x) ORDER BY x", NULL });
}

TEST_MAIN()

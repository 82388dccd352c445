// SPDX-License-Identifier: GPL-2.0-or-later
/* ibs_files.c - the module's IBS files, and the logs of single samples */
#include <errno.h>
#include <sys/stat.h>
#include "daemon/collect/module/device_ibs.h"
#include "daemon/record/ibs.h"
#include "daemon/record/ibs_log.h"
#include "libutil/log.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

/* The module's files [IB-8] */

static void set_file(const char *name, const char *text)
{
	char path[5000];

	snprintf(path, sizeof(path), "%s", tmpdir_path(name));
	file_make_parent_dirs(path, 0755);
	put_text(path, text);
}

static void check_file(const char *name, const char *want)
{
	char text[64] = "(none)";

	file_read_line(tmpdir_path(name), text, sizeof(text));
	CHECK(!strcmp(text, want), "%s: '%s'", name, text);
}

static struct ibs_config asked(const char *args)
{
	struct ibs_config c;
	struct op_error e;

	CHECK(!ibs_config_parse(args, &c, &e), "%s", e.text);
	c.family = 0;
	return c;
}

static void make_module_files(void)
{
	static const char *const files[] = {
		"ibs_fetch/max_count", "ibs_fetch/rand_enable", "ibs_fetch/enable",
		"ibs_op/max_count", "ibs_op/dispatched_ops", "ibs_op/branch_target",
		"ibs_op/enable",
	};

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		set_file(files[i], "9");
}

TEST(module_files)
{
	struct ibs_config c = asked("fetch:IBS_FETCH_ALL:1048575:0|op:IBS_OP_ALL:100000:5");
	struct op_error e = { "" };

	make_module_files();
	CHECK(!device_set_ibs(tmpdir, &c, &e), "%s", e.text);
	check_file("ibs_fetch/max_count", "1048560");
	check_file("ibs_fetch/rand_enable", "1");
	check_file("ibs_fetch/enable", "1");
	check_file("ibs_op/max_count", "100000");
	check_file("ibs_op/dispatched_ops", "1");
	check_file("ibs_op/branch_target", "1");
	check_file("ibs_op/enable", "1");

	c = asked("op:IBS_OP_ALL:200000:2");
	CHECK(!device_set_ibs(tmpdir, &c, &e), "%s", e.text);
	check_file("ibs_fetch/enable", "0");
	check_file("ibs_op/max_count", "200000");
	check_file("ibs_op/dispatched_ops", "0");
	check_file("ibs_op/branch_target", "0");

	CHECK(!device_set_ibs(tmpdir, NULL, &e), "%s", e.text);
	check_file("ibs_op/enable", "0");
}

TEST(module_files_missing)
{
	struct ibs_config c = asked("op:IBS_OP_ALL:100000:5");
	struct op_error e = { "" };

	tmpdir_make();
	CHECK(!device_set_ibs(tmpdir, NULL, &e), "not requested, not needed: %s", e.text);
	CHECK(device_set_ibs(tmpdir, &c, &e) == -ENODEV && strstr(e.text, "ibs_op/max_count") &&
	      strstr(e.text, "does not support sampling of ops"), "%s", e.text);
	set_file("ibs_op/max_count", "0");
	set_file("ibs_op/enable", "0");
	CHECK(device_set_ibs(tmpdir, &c, &e) == -ENODEV && strstr(e.text, "dispatched_ops"), "%s",
	      e.text);
	set_file("ibs_op/dispatched_ops", "0");
	CHECK(device_set_ibs(tmpdir, &c, &e) == -ENODEV && strstr(e.text, "branch_target"), "%s",
	      e.text);
	check_file("ibs_op/enable", "0");
	c = asked("op:IBS_OP_ALL:100000:1");
	CHECK(!device_set_ibs(tmpdir, &c, &e), "not requested, not needed: %s", e.text);
	check_file("ibs_op/enable", "1");
	c = asked("fetch:IBS_FETCH_ALL:100000:0");
	CHECK(device_set_ibs(tmpdir, &c, &e) == -ENODEV && strstr(e.text, "instruction fetches"),
	      "%s", e.text);
}

/* Logs [IB-9] */

TEST(log_of_limited_size)
{
	struct ibs_log log = IBS_LOG_CLOSED;
	struct op_error e = { "" };
	char path[5000];
	struct stat st;

	tmpdir_make();
	snprintf(path, sizeof(path), "%s", tmpdir_path("ibs.log"));
	log_open(tmpdir_path("daemon.log"), NULL);
	ibs_log_line(&log, "not open\n");
	ibs_log_flush(&log);
	CHECK(!ibs_log_open(&log, path, "# head\n", 200000, &e), "%s", e.text);
	for (int i = 0; i < 100000; i++)
		ibs_log_line(&log, "line %d\n", i);
	ibs_log_close(&log);
	CHECK(!stat(path, &st) && st.st_size <= 200000 && st.st_size > 100000, "%ld",
	      (long)st.st_size);
	CHECK((st.st_mode & 0777) == 0600, "%o", st.st_mode);
	CHECK(log.left_out > 50000 && log.left_out < 100000, "%lu", log.left_out);
	log_close();
}

TEST(existing_files_of_others)
{
	struct ibs_log log = IBS_LOG_CLOSED;
	struct op_error e = { "" };
	char path[5000], victim[5000];

	tmpdir_make();
	snprintf(path, sizeof(path), "%s", tmpdir_path("ibs.log"));
	snprintf(victim, sizeof(victim), "%s", tmpdir_path("victim"));
	put_text(victim, "precious");
	CHECK(!symlink(victim, path), "symlink");
	CHECK(ibs_log_open(&log, path, "", 1000, &e) == -ELOOP && strstr(e.text, "ibs.log"), "%s",
	      e.text);
	unlink(path);
	CHECK(!link(victim, path), "link");
	CHECK(ibs_log_open(&log, path, "", 1000, &e) == -EPERM, "%s", e.text);
	check_file("victim", "precious");
	unlink(path);
	CHECK(!mkfifo(path, 0600), "fifo");
	CHECK(ibs_log_open(&log, path, "", 1000, &e), "opened a pipe without a reader");
	CHECK(log.fd == -1, "open");
}

TEST_MAIN()

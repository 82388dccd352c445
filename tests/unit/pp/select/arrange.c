/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arrange.c - classes, their axis, merging, and the inversion */
#include "tests/tap.h"

#include <errno.h>
#include "libdb/odb/odb.h"
#include "libutil/xalloc.h"
#include "pp/select/arrange.h"
#include "pp/select/invert.h"
#include "tests/unit/tmpdir.h"

static struct report_image bash = {
	.kind = IMAGE_FILE, .path = (char[]){"/bin/bash"}, .name = (char[]){"/bin/bash"}};
static struct report_image dash = {
	.kind = IMAGE_FILE, .path = (char[]){"/bin/dash"}, .name = (char[]){"/bin/dash"}};
static struct report_image libc = {
	.kind = IMAGE_FILE, .path = (char[]){"/lib/libc"}, .name = (char[]){"/lib/libc"}};
static char *header_file;

/* All "sample files" are one: only the first header of each class is read. */
static void make_header_file(void)
{
	struct sample_header header = { .version = SAMPLE_VERSION_1X, .cpu_type = 4 };
	struct odb *db;

	tmpdir_make();
	header_file = tmpdir_path("file");
	CHECK(!odb_open(header_file, SAMPLE_HEADER_SIZE, &db, NULL), "odb_open");
	CHECK(!sample_header_store(&header, odb_header(db)), "header");
	odb_close(db);
}

static void add(struct file_list *list, struct report_image *app, struct report_image *image,
		const char *event, int64_t tgid, int64_t tid, int64_t cpu)
{
	xgrow(list->files, list->nr, list->room);
	list->files[list->nr++] = (struct sample_file){
		.path = header_file, .app = app, .image = image, .cgroup = "",
		.name = { .event = event, .count = 1, .tgid = tgid, .tid = tid, .cpu = cpu },
	};
}

/* Strict: a second axis is an error. */
static int arrange(const struct file_list *list, const struct merge *merge, bool exclude_dependent,
		   struct arrangement *a, struct op_error *e)
{
	struct arrange_options options = {
		.merge = *merge, .exclude_dependent = exclude_dependent, .strict = true
	};
	struct notices notices = { 0 };
	int err = arrange_files(list, &options, a, &notices, e);

	CHECK(!notices.nr, "no notices");
	notices_free(&notices);
	return err;
}

TEST(one_class)
{
	struct file_list list = { 0 };
	struct arrangement a;
	struct merge merge = { 0 };

	make_header_file();
	add(&list, &bash, &libc, "E", -1, -1, -1);
	add(&list, &bash, &bash, "E", -1, -1, -1);
	add(&list, &dash, &libc, "E", -1, -1, -1);
	CHECK(!arrange(&list, &merge, false, &a, NULL), "arrange");
	CHECK(a.nr_classes == 1 && a.axis == AXIS_NONE && a.nr_files == 3, "one class");
	CHECK(a.nr_apps == 2, "%zu applications", a.nr_apps);
	CHECK(!strcmp(a.classes[0].title, "E:1"), "%s", a.classes[0].title);
	CHECK(a.classes[0].header.cpu_type == 4, "header");
	arrangement_free(&a);
	CHECK(!arrange(&list, &merge, true, &a, NULL), "exclude dependent");
	CHECK(a.nr_files == 1 && a.files[0].image == &bash, "only the application itself");
	arrangement_free(&a);
	merge.lib = true;
	CHECK(!arrange(&list, &merge, true, &a, NULL), "merged libraries are applications");
	CHECK(a.nr_files == 3 && a.nr_apps == 2, "bash and libc");
	arrangement_free(&a);
	free(list.files);
}

TEST(axes)
{
	static const struct {
		struct { const char *event; int64_t tgid, tid, cpu; } files[3];
		struct merge merge;
		int err;
		enum axis axis;
		size_t nr_classes;
		const char *title;	/* of the last */
	} cases[] = {
		{{{"A", -1, -1, -1}, {"B", -1, -1, -1}}, {0}, 0, AXIS_EVENT, 2, "B:1"},
		{{{"A", -1, -1, 1}, {"A", -1, -1, 0}}, {0}, 0, AXIS_CPU, 2, "cpu:1"},
		{{{"A", 5, 5, -1}, {"A", 6, 6, -1}}, {0}, 0, AXIS_TGID, 2, "tgid:6"},
		{{{"A", 5, 5, -1}, {"A", 5, 6, -1}}, {0}, 0, AXIS_TID, 2, "tid:6"},
		{{{"A", 5, 5, -1}, {"A", 6, 7, -1}}, {0}, -EINVAL, 0, 0, ""},
		{{{"A", -1, -1, 0}, {"B", -1, -1, 1}}, {0}, -EINVAL, 0, 0, ""},
		{{{"A", -1, -1, 0}, {"B", -1, -1, 1}}, {.cpu = true}, 0, AXIS_EVENT, 2, "B:1"},
		{{{"A", 5, 5, 0}, {"A", 6, 7, 1}}, {.tgid = true}, 0, AXIS_CPU, 2, "cpu:1"},
		{{{"A", 5, 5, 0}, {"A", 6, 7, 1}},
		 {.cpu = true, .tid = true, .tgid = true},
		 0,
		 AXIS_NONE,
		 1,
		 "A:1"},
	};

	make_header_file();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file_list list = { 0 };
		struct arrangement a = { 0 };
		struct op_error e = { "" };
		int err;

		for (size_t j = 0; j < 3 && cases[i].files[j].event; j++)
			add(&list, &bash, &bash, cases[i].files[j].event, cases[i].files[j].tgid,
			    cases[i].files[j].tid, cases[i].files[j].cpu);
		err = arrange(&list, &cases[i].merge, false, &a, &e);
		CHECK(err == cases[i].err, "%zu: %d %s", i, err, e.text);
		if (!err) {
			CHECK(a.axis == cases[i].axis, "%zu: axis %d", i, a.axis);
			CHECK(a.nr_classes == cases[i].nr_classes, "%zu: %zu classes", i,
			      a.nr_classes);
			CHECK(!strcmp(a.classes[a.nr_classes - 1].title, cases[i].title), "%zu: %s",
			      i, a.classes[a.nr_classes - 1].title);
		} else {
			CHECK(strstr(e.text, "--merge="), "%zu: says what to do: %s", i, e.text);
		}
		arrangement_free(&a);
		free(list.files);
	}
}

TEST(inversion)
{
	struct file_list list = { 0 };
	struct arrangement a;
	struct inversion inv;
	struct merge merge = { 0 };

	make_header_file();
	add(&list, &bash, &libc, "A", -1, -1, -1);
	add(&list, &bash, &libc, "B", -1, -1, -1);
	add(&list, &dash, &libc, "A", -1, -1, -1);
	add(&list, &bash, &bash, "B", -1, -1, -1);
	CHECK(!arrange(&list, &merge, false, &a, NULL), "arrange");
	invert_arrangement(&a, &inv);
	CHECK(inv.nr_images == 2, "%zu images", inv.nr_images);
	CHECK(inv.images[0].image == &bash && inv.images[0].nr_apps == 1, "bash");
	CHECK(inv.images[1].image == &libc && inv.images[1].nr_apps == 2, "libc");
	CHECK(inv.images[1].apps[0].app == &bash && inv.images[1].apps[0].nr == 2, "libc in bash");
	CHECK(inv.images[1].apps[1].app == &dash && inv.images[1].apps[1].nr == 1, "libc in dash");
	inversion_free(&inv);
	arrangement_free(&a);
	free(list.files);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind_libraries.c - frames in libraries that are loaded, unloaded, or have no unwind information
 */
#include <fcntl.h>
#include <malloc.h>
#include "tests/unit/libsampler/test.h"
#include "tests/unit/libsampler/walked.h"

static struct walked w;
static struct tiny tiny;

static void call_in_tiny(struct stack *c)
{
	stack_without_frame_pointers(c);
}

static void stay_in_tiny(void *context)
{
	tiny.call(walked_stay, context);
}

/* Whether one of the @nr innermost frames is in the library. */
static bool is_in_tiny(int nr)
{
	for (int i = 0; i < nr; i++)
		if (w.frames[i].module && !strcmp(w.frames[i].module->path, tiny.path))
			return true;
	return false;
}

TEST(through_a_loaded_library)
{

	CHECK(!tiny_open("sampler_tiny.so", &tiny), "%s", dlerror());
	w.stack.then = stay_in_tiny;
	walked_start(&w, call_in_tiny);
	walked_sample(&w, false);
	CHECK(walked_is_whole(&w), "all of it");
	/* inside of the stack's frames: stay_in_tiny(), unless it was a jump, and tiny_call() */
	CHECK(is_in_tiny(walked_find(&w)), "in the library");
	walked_end(&w);
	tiny_close(&tiny);
}

TEST(through_a_library_without_call_frame_information)
{
	char path[PATH_MAX];
	stack_run *run;
	void *handle;

	CHECK(!tiny_open("sampler_tiny.so", &tiny), "%s", dlerror());
	strcpy(path, tiny.path);
	strcpy(strrchr(path, '/') + 1, "sampler_without_cfi.so");
	handle = dlopen(path, RTLD_NOW);
	run = handle ? (stack_run *)dlsym(handle, "stack_without_cfi") : NULL;
	CHECK(run, "%s", dlerror());
	if (!run)
		return;
	walked_start(&w, run);
	walked_sample(&w, false);
	CHECK(walked_is_whole(&w), "by frame pointers, and on by what others have");
	walked_end(&w);
}

/* It was still loaded during the copy. */
TEST(a_library_that_is_unloaded_before_the_walk)
{
	size_t whole;

	CHECK(!tiny_open("sampler_tiny.so", &tiny), "%s", dlerror());
	w.stack.then = stay_in_tiny;
	walked_start(&w, call_in_tiny);
	walked_sample(&w, false);
	whole = w.nr;
	close(w.target.go[1]);
	pthread_join(w.target.thread, NULL);
	tiny_close(&tiny);
	modules_update();
	walked_walk(&w);
	CHECK(w.status == SAMPLER_BROKEN, "status %d", w.status);
	CHECK(w.nr > 1 && w.nr < whole && !w.frames[w.nr - 1].module && w.frames[w.nr - 2].module,
	      "its frame has no module and is the last one of %zu", w.nr);
	walker_free(w.walker);
	modules_release();
	stack_buffer_free(&w.target.buffer);
}

/* An unwinder that is tried at each frame and never can. */
static bool unload(void *context, const struct sampler_frame *from)
{
	bool *is_loaded = context;

	if (from->module && *is_loaded) {
		*is_loaded = false;
		tiny_close(&tiny);
		modules_update();
	}
	return false;
}

/* The thread continues meanwhile, but not the copy of its stack. */
TEST(a_library_that_is_unloaded_during_the_walk)
{
	static const struct sampler_unwinder_ops ops = { .size = sizeof(ops),
							 .can_unwind = unload };
	bool is_loaded = false;
	size_t whole;

	CHECK(!tiny_open("sampler_tiny.so", &tiny), "%s", dlerror());
	w.stack.then = stay_in_tiny;
	walked_start(&w, call_in_tiny);
	CHECK(!walker_add(w.walker, &ops, &is_loaded), "added");
	walked_sample(&w, false);
	whole = w.nr;
	close(w.target.go[1]);
	pthread_join(w.target.thread, NULL);
	is_loaded = true;
	walked_walk(&w);
	CHECK(!is_loaded, "unloaded when the first frame had been found");
	CHECK(w.status == SAMPLER_BROKEN && w.nr < whole, "status %d, %zu frames", w.status, w.nr);
	CHECK(!w.frames[w.nr - 1].module, "up to its frame");
	walker_free(w.walker);
	modules_release();
	stack_buffer_free(&w.target.buffer);
}

/* The file of that name is not the loaded one, so it is not used for unwinding. */
TEST(a_library_whose_file_was_replaced)
{
	char copy[] = "/tmp/sampler.so.XXXXXX", command[3 * PATH_MAX];
	int fd = mkstemp(copy);
	bool is_there = false;
	struct tiny other;

	CHECK(fd >= 0, "%s", copy);
	CHECK(!tiny_open("sampler_tiny.so", &tiny) && !tiny_open("sampler_other.so", &other), "%s",
	      dlerror());
	snprintf(command, sizeof(command), "cp '%s' %s", tiny.path, copy);
	CHECK(!system(command), "%s", command);
	tiny_close(&tiny);
	tiny.handle = dlopen(copy, RTLD_NOW);
	tiny.call = tiny.handle ? (sampler_tiny_call *)dlsym(tiny.handle, "tiny_call") : NULL;
	snprintf(command, sizeof(command), "rm %s && cp '%s' %s", copy, other.path, copy);
	CHECK(tiny.call && !system(command), "%s", command);
	if (!tiny.call)
		return;
	w.stack.then = stay_in_tiny;
	walked_start(&w, call_in_tiny);
	walked_sample(&w, false);
	for (size_t i = 0; i < w.nr; i++)
		is_there |= w.frames[i].module && !strcmp(w.frames[i].module->path, copy);
	CHECK(is_there, "where it is");
	/* by frame pointers, or incomplete, but never SAMPLER_WHOLE */
	CHECK(w.status == SAMPLER_BROKEN, "status %d", w.status);
	walked_end(&w);
	unlink(copy);
	close(fd);
}

/* --- many --- */

static atomic_bool is_over;

static void load_and_unload(struct target *t)
{
	atomic_store(&t->is_ready, 1);
	for (int i = 0; i < 10000; i++) {
		struct tiny own;

		if (tiny_open(i & 1 ? "sampler_tiny.so" : "sampler_other.so", &own))
			continue;
		own.call(w.stack.then, &w.stack);
		tiny_close(&own);
		t->value++;
	}
	atomic_store(&is_over, true);
	target_stay(t);
}

static void work(void *context)
{
	for (volatile int i = 0; i < 2000; i++)
		;
	(void)context;
}

static int open_files(void)
{
	int nr = 0;

	for (int fd = 0; fd < 1000; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

TEST(ten_thousand_loads_and_unloads_while_it_is_sampled)
{
	unsigned long samples = 0, whole = 0, in_tiny = 0;
	int files = open_files();
	size_t used = 0;

	w.stack.then = work;
	modules_hold();
	CHECK(!walker_new(&w.walker), "a walker");
	target_start(&w.target, load_and_unload);
	for (; !atomic_load(&is_over); samples++) {
		walked_sample(&w, false);
		whole += w.status == SAMPLER_WHOLE;
		for (size_t i = 0; i < w.nr; i++)
			in_tiny += w.frames[i].module &&
				   strstr(w.frames[i].module->path, "/sampler_");
		if (samples == 500)
			used = mallinfo2().uordblks;
		usleep(200);
	}
	CHECK(w.target.value == 10000, "%ld times", atomic_load(&w.target.value));
	printf("# %lu samples, %lu whole, %lu frames in it\n", samples, whole, in_tiny);
	CHECK(samples < 600 || mallinfo2().uordblks < used + 500000, "%zu bytes, %zu at first",
	      mallinfo2().uordblks, used);
	CHECK(whole * 2 >= samples, "%lu of %lu are whole", whole, samples);
	walked_end(&w);
	CHECK(open_files() == files, "no files stay open");
}

TEST_MAIN()

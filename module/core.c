// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * core.c - load and unload; set-up, start, stop and shutdown under one mutex (core.h)
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include "module/buffer_sync.h"
#include "module/core.h"
#include "module/cpu_buffer.h"
#include "module/dcookie.h"
#include "module/event_buffer.h"
#include "module/hooks.h"
#include "module/maps.h"
#include "module/op_model.h"
#include "module/pins.h"
#include "module/selftest/selftest.h"
#include "module/stats.h"
#include "module/unwind_tables.h"
#include "oprofilefs/op_abi.h"
#include "oprofilefs/oprofilefs.h"

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("system-wide statistical profiler");
MODULE_AUTHOR("The authors of oprofile-ng");
#ifdef OP_VERSION /* Kbuild; DKMS compares it */
MODULE_VERSION(OP_VERSION);
#endif

struct op_settings op_settings = {
	.buffer_size = OP_BUFFER_SIZE,
	.buffer_watershed = OP_BUFFER_WATERSHED,
	.cpu_buffer_size = OP_CPU_BUFFER_SIZE,
	.unwind_memory = OP_UNWIND_MEMORY,
	.idle = 1,
};

static DEFINE_MUTEX(state_mutex);
static bool is_set_up, is_sampling;

static int setup(void)
{
	int err;

	lockdep_assert_held(&state_mutex);
	if (is_set_up)
		return -EBUSY;

	err = op_event_alloc(op_settings.buffer_size, op_settings.buffer_watershed,
			     op_settings.backtrace_depth);
	if (err)
		return err;

	err = op_cpu_buffers_alloc(op_settings.cpu_buffer_size, op_settings.backtrace_depth,
				   op_settings.idle);
	if (err)
		goto free_event_buffer;

	err = op_pins_alloc();
	if (err)
		goto free_cpu_buffers;

	err = op_cookies_alloc();
	if (err)
		goto free_pins;

	err = op_unwind_tables_alloc(op_settings.backtrace_depth ?
				     (u64)op_settings.unwind_memory << 10 : 0);
	if (err)
		goto free_cookies;

	err = op_maps_alloc();
	if (err)
		goto free_unwind_tables;

	err = op_model_setup();
	if (err)
		goto free_maps;

	op_stats_reset();
	/* from here notes of modules go into the buffer */
	err = op_hooks_watch_modules();
	if (err)
		goto shut_model_down;

	is_set_up = true;
	return 0;

shut_model_down:
	op_model_shutdown();
free_maps:
	op_maps_free();
free_unwind_tables:
	op_unwind_tables_free();
free_cookies:
	op_cookies_free();
free_pins:
	op_pins_free();
free_cpu_buffers:
	op_cpu_buffers_free();
free_event_buffer:
	op_event_free();
	return err;
}

static int start(void)
{
	int err;

	lockdep_assert_held(&state_mutex);
	if (!is_set_up)
		return -EINVAL;
	if (is_sampling)
		return 0;

	/* before the first sample, whose mapping must not vanish unseen */
	op_hooks_watch_mappings();
	op_sync_start();
	err = op_model_start();
	if (err)
		goto stop_sync;
	is_sampling = true;
	return 0;

stop_sync:
	op_sync_stop();
	op_hooks_unwatch_mappings();
	return err;
}

static void stop(void)
{
	lockdep_assert_held(&state_mutex);
	if (!is_sampling)
		return;
	op_model_stop();
	op_sync_stop();
	op_hooks_unwatch_mappings();
	is_sampling = false;
	op_event_flush();
}

int op_setup(void)
{
	int err;

	mutex_lock(&state_mutex);
	err = setup();
	mutex_unlock(&state_mutex);
	return err;
}

void op_shutdown(void)
{
	mutex_lock(&state_mutex);
	stop();
	op_hooks_unwatch_modules();
	op_model_shutdown();
	op_maps_free();
	op_unwind_tables_free();
	op_cookies_free();
	op_pins_free();
	op_cpu_buffers_free();
	op_event_free();
	is_set_up = false;
	mutex_unlock(&state_mutex);
}

int op_start(void)
{
	int err;

	mutex_lock(&state_mutex);
	err = start();
	mutex_unlock(&state_mutex);
	return err;
}

void op_stop(void)
{
	mutex_lock(&state_mutex);
	stop();
	mutex_unlock(&state_mutex);
}

bool op_is_sampling(void)
{
	return READ_ONCE(is_sampling);
}

int op_dump(void)
{
	int err = -EINVAL;

	mutex_lock(&state_mutex);
	if (is_set_up) {
		op_sync_flush();
		op_event_flush();
		err = 0;
	}
	mutex_unlock(&state_mutex);
	return err;
}

void op_counter_times(unsigned int n, u64 *ret_enabled, u64 *ret_running)
{
	mutex_lock(&state_mutex);
	op_model_times(n, ret_enabled, ret_running);
	mutex_unlock(&state_mutex);
}

int op_set(unsigned long *setting, unsigned long value)
{
	int err = -EBUSY;

	mutex_lock(&state_mutex);
	if (!is_set_up) {
		WRITE_ONCE(*setting, value);
		err = 0;
	}
	mutex_unlock(&state_mutex);
	return err;
}

static int __init oprofile_init(void)
{
	int err;

	err = op_selftest();
	if (err)
		return err;

	err = op_timer_init();
	if (err)
		return err;

	err = op_models_init();
	if (err)
		return err;

	err = op_sync_init();
	if (err)
		return err;

	err = opfs_register();
	if (err)
		goto exit_sync;

	pr_info("oprofile: model %s, %u counters, clock %lu kHz\n", op_model_name(),
		op_model_nr_counters(), op_timer_clock_khz());
	return 0;

exit_sync:
	op_sync_exit();
	return err;
}

/* Nothing is mounted, so no buffer is open and nothing samples. */
static void __exit oprofile_exit(void)
{
	opfs_unregister();
	op_sync_exit();
}

module_init(oprofile_init);
module_exit(oprofile_exit);

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c - all files of oprofilefs: one table, and reading and writing each kind
 */
#include <linux/dcache.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "module/core.h"
#include "module/op_model.h"
#include "module/stats.h"
#include "module/unwind_tables.h"
#include "oprofilefs/number.h"
#include "oprofilefs/op_abi.h"
#include "oprofilefs/oprofilefs.h"

/* ---- functions of single files ---- */

/* Without newlines, because the tools compare them. */
static void cpu_type(char *buf, size_t size)
{
	strscpy(buf, op_model_cpu_type(), size);
}

static void model(char *buf, size_t size)
{
	strscpy(buf, op_model_name(), size);
}

static u64 pointer_size(unsigned int cpu, unsigned int arg)
{
	return sizeof(op_word);
}

static u64 abi_version(unsigned int cpu, unsigned int arg)
{
	return OP_ABI_VERSION;
}

static u64 enabled(unsigned int cpu, unsigned int arg)
{
	return op_is_sampling();
}

static int enable(u64 on)
{
	if (on > 1)
		return -EINVAL;
	if (on)
		return op_start();
	op_stop();
	return 0;
}

static u64 min_count(unsigned int cpu, unsigned int arg)
{
	return op_timer_min_count();
}

static u64 clock_khz(unsigned int cpu, unsigned int arg)
{
	return op_timer_clock_khz();
}

static u64 period_ns(unsigned int cpu, unsigned int arg)
{
	return op_timer_period_ns();
}

static u64 cpu_stat(unsigned int cpu, unsigned int stat)
{
	return op_stat_read(cpu, stat);
}

static u64 stat_sum(unsigned int cpu, unsigned int stat)
{
	return op_stat_sum(stat);
}

static u64 nr_counters(unsigned int cpu, unsigned int arg)
{
	return op_model_nr_counters();
}

static u64 enabled_ns(unsigned int counter, unsigned int arg)
{
	u64 enabled, running;

	op_counter_times(counter, &enabled, &running);
	return enabled;
}

static u64 running_ns(unsigned int counter, unsigned int arg)
{
	u64 enabled, running;

	op_counter_times(counter, &enabled, &running);
	return running;
}

static u64 unwind_tables(unsigned int cpu, unsigned int arg)
{
	return op_unwind_nr_tables();
}

static u64 unwind_used(unsigned int cpu, unsigned int arg)
{
	return DIV_ROUND_UP_ULL(op_unwind_bytes(), 1024);
}

static u64 unwind_refused(unsigned int cpu, unsigned int arg)
{
	return op_unwind_nr_refused();
}

static unsigned long ibs_op_max(void)
{
	return op_ibs_offer.op_max;
}

/* ---- the table ---- */

static const struct opfs_file root_files[] = {
	{ "buffer",           0400, OPFS_RAW,     "words",   .fops = &opfs_buffer_operations },
	{ "buffer_size",      0600, OPFS_SETTING, "words",
	  .setting = &op_settings.buffer_size,
	  .min = OP_BUFFER_SIZE_MIN, .max = OP_BUFFER_SIZE_MAX },
	{ "buffer_watershed", 0600, OPFS_SETTING, "words",
	  .setting = &op_settings.buffer_watershed,
	  .min = OP_BUFFER_WATERSHED_MIN, .max = OP_BUFFER_WATERSHED_MAX },
	{ "cpu_buffer_size",  0600, OPFS_SETTING, "samples",
	  .setting = &op_settings.cpu_buffer_size,
	  .min = OP_CPU_BUFFER_SIZE_MIN, .max = OP_CPU_BUFFER_SIZE_MAX },
	{ "backtrace_depth",  0600, OPFS_SETTING, "frames",
	  .setting = &op_settings.backtrace_depth, .min = 0, .max = OP_STACK_DEPTH_MAX },
	{ "idle",             0600, OPFS_SETTING, "0 or 1",
	  .setting = &op_settings.idle, .min = 0, .max = 1 },
	{ "enable",           0600, OPFS_CALL,    "0 or 1",  .value = enabled, .write = enable },
	{ "dump",             0200, OPFS_POKE,    "-",       .poke = op_dump },
	{ "cpu_type",         0444, OPFS_TEXT,    "-",       .text = cpu_type },
	{ "model",            0444, OPFS_TEXT,    "-",       .text = model },
	{ "models",           0444, OPFS_TEXT,    "-",       .text = op_models_print },
	{ "nr_counters",      0444, OPFS_VALUE,   "-",       .value = nr_counters },
	{ "time_slice",       0600, OPFS_SETTING, "ms",
	  .setting = &op_time_slice, .min = 1, .max = OP_TIME_SLICE_MS_MAX },
	{ "pointer_size",     0444, OPFS_VALUE,   "bytes",   .value = pointer_size },
	{ "abi_version",      0444, OPFS_VALUE,   "-",       .value = abi_version },
	{ }
};

#define COUNTER(name) .field = offsetof(struct op_counter, name)

static const struct opfs_file counter_files[] = {
	{ "enabled",          0600, OPFS_COUNTER, "0 or 1",  COUNTER(enabled), .max = 1 },
	{ "event",            0600, OPFS_COUNTER, "-",       COUNTER(event), .max = ULONG_MAX },
	{ "unit_mask",        0600, OPFS_COUNTER, "-",       COUNTER(unit_mask), .max = ULONG_MAX },
	{ "count",            0600, OPFS_COUNTER, "events",  COUNTER(count), .max = ULONG_MAX },
	{ "kernel",           0600, OPFS_COUNTER, "0 or 1",  COUNTER(kernel), .max = 1 },
	{ "user",             0600, OPFS_COUNTER, "0 or 1",  COUNTER(user), .max = 1 },
	{ "extra",            0600, OPFS_COUNTER, "-",       COUNTER(extra), .max = ULONG_MAX },
	{ "enabled_ns",       0444, OPFS_VALUE,   "ns",      .value = enabled_ns },
	{ "running_ns",       0444, OPFS_VALUE,   "ns",      .value = running_ns },
	{ }
};

static const struct opfs_file timer_files[] = {
	{ "count",            0600, OPFS_SETTING, "cycles",
	  .setting = &op_timer_count, .min_fn = op_timer_min_count, .max_fn = op_timer_max_count },
	{ "min_count",        0444, OPFS_VALUE,   "cycles",  .value = min_count },
	{ "clock_khz",        0444, OPFS_VALUE,   "kHz",     .value = clock_khz },
	{ "period_ns",        0444, OPFS_VALUE,   "ns",      .value = period_ns },
	{ }
};

#define IBS(name) .setting = &op_ibs_settings.name

static const struct opfs_file ibs_fetch_files[] = {
	{ "enable",           0600, OPFS_SETTING, "0 or 1",  IBS(fetch.enable), .max = 1 },
	{ "max_count",        0600, OPFS_SETTING, "fetches", IBS(fetch.max_count),
	  .min = OP_IBS_FETCH_MIN, .max = OP_IBS_FETCH_MAX },
	{ "rand_enable",      0600, OPFS_SETTING, "0 or 1",  IBS(fetch.rand_enable), .max = 1 },
	{ }
};

static const struct opfs_file ibs_op_files[] = {
	{ "enable",           0600, OPFS_SETTING, "0 or 1",  IBS(op.enable), .max = 1 },
	{ "max_count",        0600, OPFS_SETTING, "cycles or ops", IBS(op.max_count),
	  .min = OP_IBS_OP_MIN, .max_fn = ibs_op_max },
	{ "dispatched_ops",   0600, OPFS_SETTING, "0 or 1",  IBS(op.dispatched_ops), .max = 1,
	  .present = &op_ibs_offer.dispatched_ops },
	{ "branch_target",    0600, OPFS_SETTING, "0 or 1",  IBS(op.branch_target), .max = 1,
	  .present = &op_ibs_offer.branch_target },
	{ }
};

static const struct opfs_file unwind_files[] = {
	{ "memory",           0600, OPFS_SETTING, "KiB",
	  .setting = &op_settings.unwind_memory, .max = OP_UNWIND_MEMORY_MAX },
	{ "tables",           0444, OPFS_VALUE,   "tables",  .value = unwind_tables },
	{ "used",             0444, OPFS_VALUE,   "KiB",     .value = unwind_used },
	{ "refused",          0444, OPFS_VALUE,   "times",   .value = unwind_refused },
	{ }
};

static const struct opfs_file stats_files[] = {
	{ "event_lost_overflow",    0444, OPFS_VALUE, "samples",
	  .value = stat_sum, .arg = OP_STAT_LOST_EVENT_OVERFLOW },
	{ "sample_lost_no_mm",      0444, OPFS_VALUE, "samples",
	  .value = stat_sum, .arg = OP_STAT_LOST_NO_MM },
	{ "sample_lost_no_mapping", 0444, OPFS_VALUE, "samples",
	  .value = stat_sum, .arg = OP_STAT_LOST_NO_MAPPING },
	{ "sample_lost_no_image",   0444, OPFS_VALUE, "samples",
	  .value = stat_sum, .arg = OP_STAT_LOST_NO_IMAGE },
	{ "bt_lost_no_mapping",     0444, OPFS_VALUE, "stacks",
	  .value = stat_sum, .arg = OP_STAT_CALLER_NO_MAPPING },
	{ "multiplex_counter",      0444, OPFS_VALUE, "times",
	  .value = stat_sum, .arg = OP_STAT_SWITCHES },
	{ }
};

static const struct opfs_file cpu_stats_files[] = {
	{ "sample_received",            0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_RECEIVED },
	{ "sample_lost_overflow",       0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_LOST_OVERFLOW },
	{ "sample_lost_event_overflow", 0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_LOST_EVENT_OVERFLOW },
	{ "sample_lost_no_mm",          0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_LOST_NO_MM },
	{ "sample_lost_no_mapping",     0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_LOST_NO_MAPPING },
	{ "sample_lost_no_image",       0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_LOST_NO_IMAGE },
	{ "sample_invalid_eip",         0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_INVALID_EIP },
	{ "sample_delivered",           0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_DELIVERED },
	{ "sample_idle",                0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_IDLE },
	{ "sample_disturbed",           0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_DISTURBED },
	{ "event_errors",               0444, OPFS_VALUE, "seconds",
	  .value = cpu_stat, .arg = OP_STAT_EVENT_ERRORS },
	{ "sample_throttled",           0444, OPFS_VALUE, "periods",
	  .value = cpu_stat, .arg = OP_STAT_THROTTLED },
	{ "sample_by_timer",            0444, OPFS_VALUE, "samples",
	  .value = cpu_stat, .arg = OP_STAT_BY_TIMER },
	{ "backtrace_aborted",          0444, OPFS_VALUE, "stacks",
	  .value = cpu_stat, .arg = OP_STAT_BACKTRACE_ABORTED },
	{ }
};

const struct opfs_dir opfs_dirs[] = {
	{ "",           root_files },
	{ "N",          counter_files, OPFS_PER_COUNTER },
	{ "timer",      timer_files },
	{ "ibs_fetch",  ibs_fetch_files, .present = &op_ibs_offer.fetch },
	{ "ibs_op",     ibs_op_files, .present = &op_ibs_offer.op },
	{ "unwind",     unwind_files },
	{ "stats",      stats_files },
	{ "stats/cpuN", cpu_stats_files, OPFS_PER_CPU },
	{ }
};

/* ---- operations of each kind ---- */

static const struct opfs_file *file_of(const struct file *file)
{
	return file_inode(file)->i_private;
}

/* The number of the CPU or counter that a file is about, from its directory. */
static unsigned int number_of(const struct file *file)
{
	return (unsigned long)d_inode(file_dentry(file)->d_parent)->i_private;
}

static unsigned long *setting_of(const struct file *file)
{
	const struct opfs_file *f = file_of(file);

	if (f->kind == OPFS_COUNTER)
		return (void *)&op_counters[number_of(file)] + f->field;
	return f->setting;
}

static ssize_t read_number(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	const struct opfs_file *f = file_of(file);
	char text[24];
	u64 n;

	if (f->kind == OPFS_SETTING || f->kind == OPFS_COUNTER)
		n = READ_ONCE(*setting_of(file));
	else
		n = f->value(number_of(file), f->arg);
	return simple_read_from_buffer(buf, len, pos, text,
				       scnprintf(text, sizeof(text), "%llu\n", n));
}

static ssize_t read_text(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	char *text = kzalloc(OPFS_TEXT_MAX, GFP_KERNEL);
	ssize_t done;

	if (!text)
		return -ENOMEM;
	file_of(file)->text(text, OPFS_TEXT_MAX);
	done = simple_read_from_buffer(buf, len, pos, text, strlen(text));
	kfree(text);
	return done;
}

static int number_from_user(const char __user *buf, size_t len, loff_t pos, u64 *ret)
{
	char text[OPFS_NUMBER_LEN];

	if (pos || len > sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, len))
		return -EFAULT;
	return opfs_parse_number(text, len, ret);
}

static bool is_in_range(const struct opfs_file *f, u64 n)
{
	return n >= (f->min_fn ? f->min_fn() : f->min) && n <= (f->max_fn ? f->max_fn() : f->max);
}

/* The position stays 0, so that an open descriptor can be written repeatedly. */
static ssize_t write_number(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	const struct opfs_file *f = file_of(file);
	u64 n;
	int err;

	err = number_from_user(buf, len, *pos, &n);
	if (err)
		return err;
	if (f->kind == OPFS_CALL)
		err = f->write(n);
	else
		err = is_in_range(f, n) ? op_set(setting_of(file), n) : -EINVAL;
	return err ?: len;
}

static ssize_t poke(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	return file_of(file)->poke() ?: len;
}

static const struct file_operations number_fops = {
	.owner = THIS_MODULE,
	.read = read_number,
	.write = write_number,
	.llseek = default_llseek,
};

/* Root may open any file for writing, whatever its mode. */
static const struct file_operations value_fops = {
	.owner = THIS_MODULE,
	.read = read_number,
	.llseek = default_llseek,
};

static const struct file_operations text_fops = {
	.owner = THIS_MODULE,
	.read = read_text,
	.llseek = default_llseek,
};

static const struct file_operations poke_fops = {
	.owner = THIS_MODULE,
	.write = poke,
	.llseek = noop_llseek,
};

const struct file_operations *opfs_operations(const struct opfs_file *f)
{
	switch (f->kind) {
	case OPFS_VALUE:
		return &value_fops;
	case OPFS_TEXT:
		return &text_fops;
	case OPFS_POKE:
		return &poke_fops;
	case OPFS_RAW:
		return f->fops;
	default:
		return &number_fops;
	}
}

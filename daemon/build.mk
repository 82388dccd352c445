# what daemon/ builds
$(eval $(call library,libdaemon.a,daemon/record/anon.c daemon/asked_events.c daemon/record/attribute.c \
	daemon/record/attribute_extended.c daemon/record/attribute_stack.c daemon/record/binaries.c daemon/record/binary_copy.c \
	daemon/collect/cgroup_handle.c daemon/record/cgroups.c daemon/record/comms.c \
	daemon/control.c daemon/control_requests.c daemon/control_status.c daemon/record/cookie.c \
	daemon/collect/module/device.c daemon/collect/module/counts.c daemon/collect/module/events.c daemon/collect/module/device_ibs.c \
	daemon/event_options.c daemon/record/ext_feature.c daemon/record/ibs.c daemon/collect/ibs/config.c \
	daemon/collect/ibs/events.c daemon/record/ibs_log.c daemon/collect/perf/ibs.c daemon/record/image.c \
	daemon/record/kernel.c daemon/record/kernel_snapshot.c libutil/log.c daemon/options.c \
	daemon/record/parts.c daemon/process.c libutil/quiet_path.c daemon/record/recorder.c \
	daemon/record/recorder_apart.c \
	daemon/record/recorder_session.c daemon/record/recorder_times.c daemon/record/recorder_words.c \
	daemon/record/sfile.c daemon/record/sfile_batch.c daemon/record/sfile_open.c \
	daemon/record/sfile_trouble.c daemon/record/stacks.c daemon/record/stats.c daemon/record/trans.c daemon/record/trans_chain.c \
	daemon/record/trans_notes.c daemon/collect/perf/attribute.c daemon/collect/perf/callers.c \
	daemon/collect/perf/answers.c daemon/collect/perf/callers_setup.c daemon/collect/perf/cgroups.c daemon/collect/perf/chain.c \
	daemon/collect/perf/comms.c \
	daemon/collect/perf/tables.c daemon/collect/perf/unwind.c \
	daemon/collect/perf/collector.c daemon/collect/perf/cookies.c daemon/collect/perf/copy_size.c \
	daemon/collect/perf/counters.c daemon/collect/perf/cpus.c daemon/collect/perf/emit.c daemon/collect/perf/events.c \
	daemon/collect/perf/explain.c \
	daemon/collect/perf/image_fd.c daemon/collect/perf/maps.c daemon/collect/perf/modules.c daemon/collect/perf/mounts.c \
	daemon/collect/perf/note.c \
	daemon/collect/perf/open.c daemon/collect/perf/order.c daemon/collect/perf/proc.c daemon/collect/perf/proc_read.c \
	daemon/collect/perf/process.c daemon/collect/perf/records.c daemon/collect/perf/ring.c daemon/collect/perf/rings.c \
	daemon/collect/perf/rings_sums.c daemon/collect/perf/targets.c \
	unwind/build.c unwind/cache.c unwind/cfi.c unwind/elf.c \
	unwind/expression.c unwind/key.c unwind/plt.c \
	unwind/program.c daemon/collect/module/push_tables.c \
	unwind/rows.c unwind/rules.c unwind/section.c \
	unwind/signal.c unwind/vdso.c \
	daemon/jit/code.c daemon/jit/convert.c daemon/jit/debug.c daemon/jit/deaths.c \
	daemon/jit/dump.c \
	daemon/jit/files.c daemon/jit/jitdump.c daemon/jit/layout.c daemon/jit/live.c \
	daemon/jit/object.c daemon/jit/owner.c daemon/jit/perf_map.c daemon/jit/places.c \
	daemon/jit/objects.c daemon/jit/processes.c daemon/jit/sweep.c))
$(eval $(call program,oprofiled,daemon/main.c daemon/set_up.c,\
	libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt -pthread))
$(eval $(call program,opjitconv,daemon/opjitconv.c,\
	libdaemon.a libdb.a libbuildid.a libutil.a,-lpopt))

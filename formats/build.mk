# what formats/ builds, a line for each format; programs that read or write profiles link these too
formats_ldlibs := -lz -ljansson -lm
formats_srcs := formats/profile/profile.c formats/profile/sums.c formats/formats.c formats/file/open.c
formats_srcs += formats/profile/warn.c
formats_srcs += formats/file/gunzip.c formats/profile/shown_frames.c
formats_srcs += formats/file/json_tree.c formats/profile/named_images.c
formats_srcs += formats/callgrind/costs.c formats/callgrind/write.c
formats_srcs += formats/callgrind/names.c formats/callgrind/read.c
formats_srcs += formats/cpuprofile/maps_line.c formats/cpuprofile/maps_text.c formats/cpuprofile/maps_text_write.c
formats_srcs += formats/cpuprofile/words.c formats/cpuprofile/read.c formats/cpuprofile/symbols.c
formats_srcs += formats/cpuprofile/handler.c formats/cpuprofile/write.c
formats_srcs += formats/firefox/threads.c formats/firefox/tables.c formats/firefox/write.c
formats_srcs += formats/firefox/columns.c formats/firefox/read.c
formats_srcs += formats/perf_script/line.c formats/perf_script/read.c formats/perf_script/write.c
formats_srcs += formats/speedscope/read.c formats/speedscope/write.c
formats_srcs += formats/file/gzip_write.c formats/proto/write.c formats/proto/strings.c
formats_srcs += formats/proto/columns.c formats/proto/encode.c formats/proto/decode.c
formats_srcs += formats/proto/ids.c formats/proto/read.c formats/proto/read_tables.c
formats_srcs += formats/proto/read_samples.c
formats_srcs += formats/folded/read.c formats/folded/write.c
formats_srcs += formats/csv/images.c formats/csv/read.c formats/csv/write.c
$(eval $(call library,libformats.a,$(formats_srcs)))

# profile feedback, which has a model of its own
xprof_srcs := feedback/xprof/xprof.c feedback/xprof/sums.c feedback/xprof/flow.c feedback/xprof/lines.c
xprof_srcs += feedback/xprof/read.c feedback/xprof/read_sections.c feedback/xprof/read_proc.c
xprof_srcs += feedback/xprof/value.c feedback/xprof/split.c feedback/xprof/write.c
xprof_srcs += feedback/xprof/check.c feedback/xprof/check_proc.c feedback/xprof/check_arrays.c
xprof_srcs += feedback/xprof/crc32c.c feedback/xprof/encode.c feedback/xprof/decode.c feedback/xprof/dir.c
xprof_srcs += feedback/xprof/sources.c feedback/xprof/copy.c feedback/xprof/add.c
xprof_srcs += feedback/xprof/line_counts.c feedback/xprof/flow_smooth.c
xprof_srcs += feedback/gcov/cursor.c feedback/gcov/read.c feedback/gcov/xprof.c
$(eval $(call library,libxprof.a,$(xprof_srcs)))

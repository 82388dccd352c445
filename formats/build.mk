# what formats/ builds, a line for each format; programs that read or write profiles link these too
formats_ldlibs := -lz -ljansson -lm
formats_srcs := formats/profile.c formats/profile_sums.c formats/formats.c formats/profile_file.c
formats_srcs += formats/format_warn.c
formats_srcs += formats/profile_gunzip.c formats/shown_frames.c
formats_srcs += formats/json_tree.c formats/named_images.c
formats_srcs += formats/callgrind_costs.c formats/callgrind_write.c
formats_srcs += formats/callgrind_names.c formats/callgrind_read.c
formats_srcs += formats/maps_line.c formats/maps_text.c formats/maps_text_write.c
formats_srcs += formats/cpuprofile_words.c formats/cpuprofile_read.c formats/cpuprofile_symbols.c
formats_srcs += formats/cpuprofile_handler.c formats/cpuprofile_write.c
formats_srcs += formats/firefox_threads.c formats/firefox_tables.c formats/firefox_write.c
formats_srcs += formats/firefox_columns.c formats/firefox_read.c
formats_srcs += formats/perf_script_line.c formats/perf_script_read.c formats/perf_script_write.c
formats_srcs += formats/speedscope_read.c formats/speedscope_write.c
formats_srcs += formats/gzip_write.c formats/proto_write.c formats/proto_strings.c
formats_srcs += formats/proto_columns.c formats/proto_encode.c formats/proto_decode.c
formats_srcs += formats/proto_ids.c formats/proto_read.c formats/proto_read_tables.c
formats_srcs += formats/proto_read_samples.c
formats_srcs += formats/folded_read.c formats/folded_write.c
formats_srcs += formats/csv_images.c formats/csv_read.c formats/csv_write.c
$(eval $(call library,libformats.a,$(formats_srcs)))

# profile feedback, which has a model of its own
xprof_srcs := formats/xprof.c formats/xprof_sums.c formats/xprof_flow.c formats/xprof_lines.c
xprof_srcs += formats/xprof_read.c formats/xprof_read_sections.c formats/xprof_read_proc.c
xprof_srcs += formats/xprof_value.c formats/xprof_split.c formats/xprof_write.c
xprof_srcs += formats/xprof_check.c formats/xprof_check_proc.c formats/xprof_check_arrays.c
xprof_srcs += formats/crc32c.c formats/xprof_encode.c formats/xprof_decode.c formats/xprof_dir.c
xprof_srcs += formats/xprof_sources.c formats/xprof_copy.c formats/xprof_add.c
xprof_srcs += formats/xprof_line_counts.c formats/flow_smooth.c
xprof_srcs += formats/gcov_cursor.c formats/gcov_read.c formats/gcov_xprof.c
$(eval $(call library,libxprof.a,$(xprof_srcs)))

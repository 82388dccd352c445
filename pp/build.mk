# what pp/ builds
pp_ldlibs := -lbfd -ldw -lpopt -lelf -llzma -ldl -lm -lpthread
$(eval $(call library,libpp.a,pp/select/spec.c pp/select/sessions.c pp/select/images.c pp/select/find_image.c pp/select/file_list.c \
	pp/select/arrange.c pp/select/axes.c pp/select/collect.c pp/select/event_scale.c pp/select/invert.c \
	pp/binary/object_file.c pp/binary/unpack.c pp/binary/unpack_xz.c pp/binary/unpack_zst.c pp/binary/debug_file.c \
	pp/binary/debug_server.c pp/report/fetch_debug.c pp/binary/elf_symbols.c pp/binary/plt_symbols.c pp/binary/binary.c \
	pp/binary/demangle_name.c pp/binary/shorten_name.c pp/report/open_image.c \
	pp/binary/line/binary.c pp/binary/line/table.c pp/binary/line/record.c pp/binary/line/dwarf.c pp/binary/line/paths.c \
	pp/binary/line/inlines.c \
	pp/binary/line/cache.c pp/binary/line/cache_write.c pp/binary/disassemble/bfd.c pp/report/row_lines.c \
	libutil/radix_sort.c pp/select/samples.c pp/report/symbols.c pp/report/merge_pass.c pp/report/populate.c \
	pp/report/missing_symbols.c pp/exchange/import/images.c pp/exchange/imported.c \
	pp/report/arc_files.c pp/report/callgraph.c pp/report/diff.c pp/report/merge_boots.c pp/report/sort.c \
	pp/report/stack/report.c pp/report/stack/chain_choices.c pp/report/stack/chains.c pp/report/stack/symbols.c pp/report/stack/callers.c \
	pp/report/stack/callees.c \
	pp/report/summary.c pp/report/data_quality.c pp/select/notices.c \
	pp/report/format/header.c pp/report/format/number.c pp/report/format/summary.c pp/report/format/columns.c \
	pp/report/format/symbols.c pp/report/format/callgraph.c pp/report/format/stacks.c pp/report/format/xml_text.c pp/report/format/xml.c \
	pp/report/format/xml_parts.c \
	pp/report/format/json.c pp/report/format/csv.c pp/cli/option_words.c pp/cli/common_options.c \
	pp/report/options.c pp/report.c \
	pp/report/share_interval.c pp/report/merge_anon.c pp/report/compare.c pp/report/diff_options.c pp/report/format/compare.c \
	pp/report/format/compare_data.c))
$(eval $(call library,libpicture.a,pp/picture/picture.c pp/picture/data.c pp/picture/tree.c \
	pp/picture/table.c pp/picture/cut.c pp/picture/source.c pp/picture/json.c \
	pp/picture/parts.c pp/picture/svg.c pp/picture/html.c))
$(O)/pp/picture/parts.o: $(wildcard pp/picture/page/*)
$(eval $(call program,opreport,pp/opreport.c pp/cli/output.c pp/cli/terminal.c,\
	libpicture.a libannotate.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	-lmd $(pp_ldlibs)))
$(eval $(call program,opdiff,pp/opdiff.c pp/cli/output.c pp/cli/terminal.c,\
	libpp.a libdb.a libevents.a libbuildid.a libutil.a,$(pp_ldlibs)))
$(eval $(call library,libannotate.a,pp/annotate/options.c pp/annotate/files.c pp/annotate/kernel.c \
	pp/annotate/samples.c pp/annotate/container.c pp/annotate/text.c \
	pp/annotate/paths.c pp/annotate/source.c pp/annotate/listing.c pp/annotate/assembly.c \
	pp/annotate/missing.c \
	pp/binary/disassemble/open.c pp/binary/disassemble/disassemble.c pp/binary/disassemble/names.c pp/binary/disassemble/options.c))
$(eval $(call program,opannotate,pp/opannotate.c pp/cli/output.c pp/cli/terminal.c,\
	libannotate.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	-lopcodes $(pp_ldlibs)))
$(eval $(call library,libxproftool.a,feedback/tool.c feedback/gcov/list.c feedback/gcov/tcov_listing.c \
	pp/cli/output.c pp/cli/terminal.c))
xprof_libs := libxproftool.a libpp.a libxprof.a libformats.a libdb.a libevents.a libbuildid.a \
	libutil.a
$(foreach t,xprof_atob xprof_btoa xprof_gcov optcov,\
	$(eval $(call program,$(t),feedback/$(t).c,$(xprof_libs),$(pp_ldlibs) $(formats_ldlibs))))
$(eval $(call program,opxprof,feedback/opxprof.c feedback/session/session.c feedback/session/proc.c feedback/session/calls.c \
	feedback/session/control_flow.c,libexport.a libgprof.a libannotate.a $(xprof_libs),-lopcodes $(pp_ldlibs) $(formats_ldlibs)))
$(eval $(call library,libgprof.a,pp/exchange/gmon/options.c pp/exchange/gmon/gprof.c pp/exchange/gmon/gprof_calls.c pp/exchange/gmon/gmon.c \
	pp/exchange/gmon/format.c))
$(eval $(call program,opgprof,pp/opgprof.c pp/cli/output.c pp/cli/terminal.c,\
	libgprof.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,$(pp_ldlibs)))
$(eval $(call library,libarchive.a,pp/exchange/archive/options.c pp/exchange/archive/binary.c pp/exchange/archive/plan.c \
	pp/exchange/archive/write.c))
$(eval $(call program,oparchive,pp/oparchive.c pp/cli/output.c pp/cli/terminal.c,\
	libarchive.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,$(pp_ldlibs) -lmd))
$(eval $(call library,libimport.a,pp/exchange/import/options.c pp/exchange/import/foreign_samples.c pp/exchange/import/import.c \
	pp/exchange/import/profile.c pp/exchange/perf_data.c pp/exchange/import/session.c pp/exchange/import/names.c \
	pp/exchange/import/samples.c pp/exchange/import/calls.c \
	pp/exchange/import/chains.c pp/exchange/import/events.c))
$(eval $(call program,opimport,pp/opimport.c pp/cli/output.c pp/cli/terminal.c,\
	libimport.a libpp.a libformats.a libdb.a libevents.a libbuildid.a libutil.a,\
	$(pp_ldlibs) $(formats_ldlibs)))
$(eval $(call library,libexport.a,pp/exchange/export/profile.c pp/exchange/export/chains.c pp/exchange/export/files.c \
	pp/exchange/export/kept.c pp/exchange/export/labels.c \
	pp/exchange/export/images.c pp/exchange/export/symbols.c pp/exchange/export/baseline.c pp/exchange/export/session_formats.c \
	pp/exchange/export/command.c pp/binary/line/source_positions.c pp/exchange/autofdo/call_site.c pp/exchange/autofdo/tree.c \
	pp/exchange/autofdo/samples.c pp/exchange/autofdo/count.c pp/exchange/autofdo/llvm_sample.c pp/exchange/autofdo/gcc_afdo.c))
$(eval $(call program,opexport,pp/opexport.c pp/cli/output.c pp/cli/terminal.c,\
	libexport.a libgprof.a libformats.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	$(formats_ldlibs) $(pp_ldlibs)))
$(eval $(call library,libserve.a,live/serve.c live/http.c))
$(eval $(call program,opserve,live/opserve.c,\
	libserve.a libexport.a libformats.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	$(formats_ldlibs) $(pp_ldlibs)))

# what pp/ builds
$(eval $(call library,libpp.a,pp/spec.c pp/sessions.c pp/images.c pp/find_image.c pp/file_list.c \
	pp/arrange.c pp/invert.c pp/binary.c pp/debug_file.c pp/dynamic_symbols.c pp/demangle_name.c \
	pp/samples.c pp/symbols.c pp/populate.c pp/merge_boots.c pp/sort.c pp/summary.c pp/data_quality.c pp/notices.c \
	pp/report_header.c pp/format_text.c pp/report_options.c pp/collect.c pp/report.c))
$(eval $(call program,opreport,pp/opreport.c,libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	-lbfd -lpopt -lelf -lm))

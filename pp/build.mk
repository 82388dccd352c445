# what pp/ builds
pp_mains := $(addprefix pp/,opannotate.c oparchive.c opdiff.c opexport.c opgprof.c opimport.c opreport.c)
pp_rooms := pp/select pp/binary pp/binary/* pp/cli pp/report pp/report/*
$(eval $(call library,libpp.a,pp/report.c $(call sources,$(pp_rooms)),libdb.a libevents.a libunwind.a libutil.a,\
	-lopcodes -lbfd -ldw -lpopt -lelf -llzma -lzstd -lmd -ldl -lm -pthread))
$(eval $(call library,libannotate.a,$(call sources,pp/annotate),libpp.a))
$(eval $(call library,libpicture.a,$(call sources,pp/picture),libannotate.a))
$(O)/pp/picture/parts.o: $(wildcard pp/picture/page/*)
$(eval $(call library,libexchange.a,$(call sources,pp/exchange pp/exchange/*),libformats.a libpp.a))

$(eval $(call program,opreport,pp/opreport.c,libpicture.a))
$(eval $(call program,opannotate,pp/opannotate.c,libannotate.a))
$(eval $(call program,opdiff,pp/opdiff.c,libpp.a))
$(foreach t,oparchive opexport opgprof opimport,\
	$(eval $(call program,$(t),pp/$(t).c,libexchange.a)))

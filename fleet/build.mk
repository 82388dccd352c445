# what fleet/ builds, where libcurl is there; elsewhere the rest goes without it
has_curl := $(call has_header,curl/curl.h)
ifneq ($(has_curl),)
$(eval $(call library,libstore.a,fleet/http.c $(call sources,fleet/store),libformats.a libutil.a,-lcurl))
$(O)/fleet/store/schema.o: $(wildcard fleet/schema/*.sql)
$(eval $(call library,libpush.a,$(filter-out fleet/push/oppush.c,$(call sources,fleet/push \
	fleet/push/target)),libstore.a libexchange.a))
$(eval $(call program,oppush,fleet/push/oppush.c,libpush.a))
$(eval $(call library,libask.a,$(filter-out fleet/ask/opfleet.c,$(call sources,fleet/ask)),\
	libstore.a libexchange.a))
$(eval $(call program,opfleet,fleet/ask/opfleet.c,libask.a))
else
$(if $(builds_nothing),,$(info oppush and opfleet are left out: they need libcurl4-openssl-dev))
endif

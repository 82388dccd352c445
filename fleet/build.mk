# what fleet/ builds, where libcurl is there; elsewhere the rest goes without it
has_curl := $(shell echo '\#include <curl/curl.h>' | $(CC) $(CPPFLAGS) -E -x c - > /dev/null 2>&1 && echo y)
ifneq ($(has_curl),)
$(eval $(call library,libpush.a,fleet/http.c $(filter-out fleet/push/oppush.c,$(call sources,fleet/push \
	fleet/push/target)),libexchange.a,-lcurl))
$(eval $(call program,oppush,fleet/push/oppush.c,libpush.a))
else
$(if $(filter clean help deps,$(MAKECMDGOALS)),,$(info oppush is left out: it needs libcurl4-openssl-dev))
endif

# the data of pictures: pp/picture_*
$(eval $(call unit_test,pp_picture,tests/unit/pp_picture.c,\
	libpicture.a libannotate.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	-lmd $(pp_ldlibs)))

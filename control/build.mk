# what control/ builds

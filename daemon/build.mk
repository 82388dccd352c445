# what daemon/ builds

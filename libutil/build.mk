# what libutil/ builds

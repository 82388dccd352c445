-- One view of all shards, for the questions; agents insert at a shard of their own.

CREATE TABLE IF NOT EXISTS samples_all AS samples ENGINE = Distributed({cluster}, {database}, samples, cityHash64(host));
CREATE TABLE IF NOT EXISTS hourly_all AS hourly ENGINE = Distributed({cluster}, {database}, hourly, cityHash64(host));
CREATE TABLE IF NOT EXISTS stacks_all AS stacks ENGINE = Distributed({cluster}, {database}, stacks, stack);
CREATE TABLE IF NOT EXISTS sources_all AS sources ENGINE = Distributed({cluster}, {database}, sources, source);
CREATE TABLE IF NOT EXISTS numbers_all AS numbers ENGINE = Distributed({cluster}, {database}, numbers, cityHash64(host));
CREATE TABLE IF NOT EXISTS events_all AS events ENGINE = Distributed({cluster}, {database}, events, cityHash64(event));
CREATE TABLE IF NOT EXISTS binaries_all AS binaries ENGINE = Distributed({cluster}, {database}, binaries, cityHash64(build));

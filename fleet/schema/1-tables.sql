-- Tables of a fleet's profiles. All servers from ClickHouse 18.16 on take this file.
-- Statements end with a semicolon at the end of a line.

-- Which samples a stack had in a slice of the history. time: the middle of the slice; ns: what one
-- sample stands for, 0 if the event is not time; source: who they are of; batch: the slice, which may
-- come twice.
CREATE TABLE IF NOT EXISTS samples (
	time DateTime,
	event LowCardinality(String),
	service LowCardinality(String),
	host LowCardinality(String),
	source UInt64,
	stack UInt64,
	samples UInt64,
	ns UInt64,
	batch UInt64
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMMDD(time) ORDER BY (event, service, time, host, source, stack, batch);

-- The same by the hour, for questions about days. hour: of UTC, whatever the server's time zone.
-- batch: one of the slices; so that no two slices give equal blocks, of which servers would drop one.
CREATE TABLE IF NOT EXISTS hourly (
	hour DateTime,
	event LowCardinality(String),
	service LowCardinality(String),
	host LowCardinality(String),
	source UInt64,
	stack UInt64,
	ns UInt64,
	samples UInt64,
	batch UInt64
) ENGINE = SummingMergeTree(samples) PARTITION BY toYYYYMM(hour) ORDER BY (event, service, hour, host, source, stack, ns);

CREATE MATERIALIZED VIEW IF NOT EXISTS to_hourly TO hourly AS
SELECT toDateTime(intDiv(toUInt32(time), 3600) * 3600) AS hour, event, service, host, source, stack, ns, sum(samples) AS samples, any(batch) AS batch
FROM samples GROUP BY hour, event, service, host, source, stack, ns;

-- Stacks, innermost frame first. functions, images and offsets are as long as each other. An image
-- is "KIND BUILD-ID PATH"; "" stands for a function that is inlined into the next.
CREATE TABLE IF NOT EXISTS stacks (
	stack UInt64,
	seen Date,
	leaf LowCardinality(String),
	leaf_image LowCardinality(String),
	functions Array(LowCardinality(String)),
	images Array(LowCardinality(String)),
	offsets Array(UInt64)
) ENGINE = ReplacingMergeTree PARTITION BY toMonday(seen) ORDER BY stack;

-- Label sets: "NAME=VALUE", sorted.
CREATE TABLE IF NOT EXISTS sources (
	source UInt64,
	seen Date,
	host LowCardinality(String),
	service LowCardinality(String),
	labels Array(LowCardinality(String))
) ENGINE = ReplacingMergeTree PARTITION BY toMonday(seen) ORDER BY source;

-- What else happened in a slice: samples lost by a reason, gauges, and "seconds", its length.
CREATE TABLE IF NOT EXISTS numbers (
	time DateTime,
	host LowCardinality(String),
	name LowCardinality(String),
	value UInt64,
	batch UInt64
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(time) ORDER BY (name, host, time, batch);

-- Events as they were set up, by their names in samples.
CREATE TABLE IF NOT EXISTS events (
	event LowCardinality(String),
	name LowCardinality(String),
	unit LowCardinality(String),
	period UInt64,
	unit_mask UInt64
) ENGINE = ReplacingMergeTree ORDER BY event;

-- Binaries with samples, by build ID, and who had them first.
CREATE TABLE IF NOT EXISTS binaries (
	build LowCardinality(String),
	path LowCardinality(String),
	host LowCardinality(String),
	seen Date
) ENGINE = ReplacingMergeTree ORDER BY (build, path);

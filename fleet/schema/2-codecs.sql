-- server: 24.8
-- What 18.16 does not have: codecs, expiry, and inserts that are dropped if they come twice.

ALTER TABLE samples MODIFY COLUMN time DateTime CODEC(DoubleDelta, ZSTD(1));
ALTER TABLE samples MODIFY COLUMN source UInt64 CODEC(ZSTD(1));
ALTER TABLE samples MODIFY COLUMN stack UInt64 CODEC(ZSTD(1));
ALTER TABLE samples MODIFY COLUMN samples UInt64 CODEC(T64, ZSTD(1));
ALTER TABLE samples MODIFY COLUMN ns UInt64 CODEC(ZSTD(1));
ALTER TABLE samples MODIFY COLUMN batch UInt64 CODEC(ZSTD(1));
ALTER TABLE hourly MODIFY COLUMN hour DateTime CODEC(DoubleDelta, ZSTD(1));
ALTER TABLE hourly MODIFY COLUMN source UInt64 CODEC(ZSTD(1));
ALTER TABLE hourly MODIFY COLUMN stack UInt64 CODEC(ZSTD(1));
ALTER TABLE hourly MODIFY COLUMN samples UInt64 CODEC(T64, ZSTD(1));
ALTER TABLE stacks MODIFY COLUMN functions Array(LowCardinality(String)) CODEC(ZSTD(3));
ALTER TABLE stacks MODIFY COLUMN images Array(LowCardinality(String)) CODEC(ZSTD(3));
ALTER TABLE stacks MODIFY COLUMN offsets Array(UInt64) CODEC(ZSTD(3));
ALTER TABLE samples MODIFY TTL time + INTERVAL 30 DAY;
ALTER TABLE numbers MODIFY TTL time + INTERVAL 400 DAY;
ALTER TABLE hourly MODIFY COLUMN batch UInt64 CODEC(ZSTD(1));
ALTER TABLE hourly MODIFY TTL hour + INTERVAL 400 DAY;
ALTER TABLE stacks MODIFY TTL seen + INTERVAL 410 DAY;
ALTER TABLE sources MODIFY TTL seen + INTERVAL 410 DAY;
ALTER TABLE samples MODIFY SETTING ttl_only_drop_parts = 1, non_replicated_deduplication_window = 100000;
ALTER TABLE hourly MODIFY SETTING non_replicated_deduplication_window = 100000;

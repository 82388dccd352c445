# clickhouse.sh - two shards of ClickHouse for a test; sourced, with $work being a folder of its own
#
#   start_shards	sets url and url2, or returns 1: there is no clickhouse-server; with $keeper, a
#			port of ZooKeeper, the two are replicas of one shard
#   stop_shards
#
# shellcheck disable=SC2034,SC2154 # urls are for who sources it
# They are unprivileged processes of this user that listen on 127.0.0.1 only.

shard_config() # NUMBER
{
	local folder=$work/shard$1 zones=(Asia/Kolkata UTC)	# where hours begin at other minutes
	local between='</shard><shard>' replica=''
	[ -z "${keeper:-}" ] || between='' replica="
	<zookeeper><node><host>127.0.0.1</host><port>$keeper</port></node></zookeeper>
	<interserver_http_host>127.0.0.1</interserver_http_host>
	<interserver_http_port>${ports[$1 + 4]}</interserver_http_port>
	<macros><shard>1</shard><replica>$1</replica></macros>"
	mkdir -p "$folder/data" "$folder/tmp"
	cat > "$folder/config.xml" <<- EOF
	<yandex>
	<logger><level>error</level><log>$folder/log</log><errorlog>$folder/errors</errorlog></logger>
	<http_port>${ports[$1 * 2]}</http_port><tcp_port>${ports[$1 * 2 + 1]}</tcp_port>
	<listen_host>127.0.0.1</listen_host><path>$folder/data/</path>
	<tmp_path>$folder/tmp/</tmp_path><users_config>users.xml</users_config>
	<mark_cache_size>67108864</mark_cache_size><timezone>${zones[$1]}</timezone>
	<default_profile>default</default_profile><default_database>default</default_database>
	<remote_servers><two><shard>
	<replica><host>127.0.0.1</host><port>${ports[1]}</port></replica>$between
	<replica><host>127.0.0.1</host><port>${ports[3]}</port></replica>
	</shard></two></remote_servers>$replica
	</yandex>
	EOF
	cat > "$folder/users.xml" <<- EOF
	<yandex><profiles><default><max_threads>2</max_threads></default></profiles>
	<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
	<profile>default</profile><quota>default</quota></default></users>
	<quotas><default></default></quotas></yandex>
	EOF
}

free_ports() # NUMBER: that nobody listens on now
{
	local port
	local -A found=()
	while [ ${#found[@]} -lt "$1" ]; do
		port=$((20000 + RANDOM % 12000))
		(exec 3<> /dev/tcp/127.0.0.1/$port) 2> /dev/null || found[$port]=1
	done
	printf '%s\n' "${!found[@]}"
}

start_shards()
{
	local i
	command -v clickhouse-server > /dev/null || return 1
	mapfile -t ports < <(free_ports 6)
	servers=()
	for i in 0 1; do
		shard_config $i
		clickhouse-server --config-file="$work/shard$i/config.xml" \
			> "$work/shard$i/out" 2>&1 < /dev/null &
		servers+=($!)
		disown
	done
	url=http://127.0.0.1:${ports[0]} url2=http://127.0.0.1:${ports[2]}
	for i in 0 1; do
		until curl -fs "http://127.0.0.1:${ports[$i * 2]}/ping" > /dev/null; do
			kill -0 "${servers[$i]}" 2> /dev/null || { cat "$work/shard$i/out"; return 2; }
			sleep 0.1
		done
	done
}

stop_shards()
{
	[ ${#servers[@]} = 0 ] || kill -9 "${servers[@]}" 2> /dev/null
	while [ ${#servers[@]} != 0 ] && kill -0 "${servers[@]}" 2> /dev/null; do sleep 0.1; done
}

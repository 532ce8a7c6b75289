#!/usr/bin/env bash
# Installs what the tests need and this machine lacks.
#
#   bash test/install-servers.sh          for npm test, which runs this script itself
#   bash test/install-servers.sh --lab    for npm run test:lab, which runs it, too
#
# As root on Debian, it installs the missing packages. Otherwise it prints the command and exits with 1. No service is started: the tests run
# servers of their own on free ports.
set -uo pipefail

update_within=2m
install_within=10m
policy=/usr/sbin/policy-rc.d

# A line per package: its name, a program or file that it brings, and what needs it.
tests='
redis-server             redis-server                                leases in Redis, Sentinel and Redis Cluster
mariadb-server           mariadb-install-db                          leases, segments, series and ORMs on MariaDB
postgresql               initdb                                      leases, segments, series and ORMs on PostgreSQL
etcd-server              etcd                                        leases in etcd
etcd-client              etcdctl                                     users and snapshots of etcd
zookeeper                /usr/share/java/zookeeper.jar               leases in ZooKeeper
default-jre-headless     java                                        runs ZooKeeper
prometheus               promtool                                    metrics and alerts
openssl                  openssl                                     certificates for TLS
jq                       jq                                          compares registries after a failover of Redis
libfaketime              /usr/lib/*/faketime/libfaketime.so.1        steps the clock of one process
chromium-headless-shell  chromium-headless-shell                     the page of the console
zsh                      zsh                                         completion of the CLI
fish                     fish                                        completion of the CLI
python3                  python3                                     examples in Python
'
lab='
pgpool2                  pgpool                                      a load balancer between the app and PostgreSQL
golang-go                go                                          examples in Go
default-jdk-headless     javac                                       examples in Java
protobuf-compiler        protoc                                      generates gRPC clients
protobuf-compiler-grpc   grpc_python_plugin                          generates gRPC clients in Python
python3-grpcio           /usr/lib/python3/dist-packages/grpc         runs gRPC clients in Python
'

# Debian keeps the programs of PostgreSQL off the PATH, and those of root off the PATH of other users.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:$(printf '%s:' /usr/lib/postgresql/*/bin)"

is_installed() {
  case $1 in
    /*) compgen -G "$1" ;;
    *) type -P "$1" ;;
  esac >/dev/null
}

missing_packages() {
  while read -r package brings _; do
    [[ -z $package ]] || is_installed "$brings" || echo "$package"
  done <<<"$wanted"
}

install_missing() {
  local log=$1 apt_get=(apt-get -o DPkg::Lock::Timeout=60)
  # Debian starts a service when it installs it, unless this file exits with 101: "forbidden by policy".
  if [[ ! -e $policy ]]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  export DEBIAN_FRONTEND=noninteractive
  timeout "$update_within" "${apt_get[@]}" update >"$log" 2>&1 &&
    timeout "$install_within" "${apt_get[@]}" install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1
}

wanted=$tests
[[ ${1-} == --lab ]] && wanted+=$lab
read -ra missing < <(missing_packages | tr '\n' ' ')
((${#missing[@]} == 0)) && exit

echo "The tests need packages that are not installed: ${missing[*]}"
command="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
if ((EUID != 0)) || ! type -P apt-get >/dev/null; then
  echo "As root on Debian: $command"
  exit 1
fi
echo "Running, for at most $update_within and $install_within: $command"
log=$(mktemp)
install_missing "$log" || tail -n 5 "$log"
rm -f "$log"
still_missing=$(missing_packages | tr '\n' ' ')
if [[ -n $still_missing ]]; then
  echo "Could not install: $still_missing"
  exit 1
fi
echo 'Installed.'

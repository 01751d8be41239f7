#!/usr/bin/env bash
# The first start of a newcomer, on fresh machines: README's commands, from `npm ci` to the first message that is read
# back, in roots that debootstrap makes. Run as root, with the network, git and debootstrap; nothing may listen on
# Millrace's usual ports.
#
#   test/faults/programme/first-start.sh <directory> <suite> <mirror> [debootstrap's options …]
#
# Prints a row for each state of a machine: the seconds of `npm ci` (of the first; the others have its packages), of the
# start, and from the start to the message. FIRST_START_ONLY, a pattern, narrows the states. <directory>/<suite>.sources,
# if there, becomes the machine's sources.list. The roots stay for a look, and the output of each start is beside them.
set -euo pipefail
source=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(realpath "$1") suite=$2 mirror=$3
shift 3
base=$work/$suite
layer=$work/$suite.layer

# Runs a command as a user on the fresh machine; what it changes goes to the layer. All of it ends with the command.
within() {
  mkdir -p "$layer/upper" "$layer/work" "$layer/root"
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child ${network-} sh -c '
    mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root" && cd "$2/root" || exit 1
    mount -t proc proc proc && mount --rbind /sys sys && mount -t tmpfs tmpfs dev/shm && chmod 1777 dev/shm || exit 1
    ip link set lo up 2>/dev/null
    exec chroot . setpriv --reuid="$3" --regid="$3" --clear-groups env -i \
      "PATH=$4" "HOME=$5" LANG=C.UTF-8 NODE_EXTRA_CA_CERTS=/etc/ssl/more-authorities.pem sh -c "$6"
  ' sh "$base" "$layer" "$1" "$(path_of "$1")" "$(home_of "$1")" "$2"
}
root=0 newcomer=4321 homeless=4322
path_of() { [ "$1" = 0 ] && echo /usr/sbin:/usr/bin:/sbin:/bin || echo /usr/local/bin:/usr/bin:/bin; }
home_of() { case $1 in 0) echo /root ;; "$newcomer") echo /home/newcomer ;; *) echo /nonexistent ;; esac; }

# What was changed becomes part of the machine.
keep() {
  cp -a "$layer/upper/." "$base/"
  rm -rf "$layer"
}

make_base() {
  # With mounts of its own: none is left where it is cut short.
  unshare --mount debootstrap --variant=minbase --include=ca-certificates "$@" "$suite" "$base" "$mirror"
  cp /etc/resolv.conf "$base/etc/resolv.conf"
  echo '127.0.0.1 localhost' >"$base/etc/hosts"
  [ ! -e "$base.sources" ] || cp "$base.sources" "$base/etc/apt/sources.list"
  within $root 'apt-get -q update && apt-get install -qy --no-install-recommends nodejs npm python3-minimal && apt-get clean'
  keep
  chroot "$base" useradd --create-home --uid $newcomer newcomer
  chroot "$base" useradd --home-dir /nonexistent --uid $homeless homeless
}

clone() {
  git clone -q "$source" "$base/srv/millrace"
  chown -R $newcomer:$newcomer "$base/srv/millrace"
  # Where a proxy signs for what npm asks.
  [ -z "${NODE_EXTRA_CA_CERTS-}" ] || cp "$NODE_EXTRA_CA_CERTS" "$base/etc/ssl/more-authorities.pem"
}

# README's, but that the password comes from a file and not from the terminal.
# shellcheck disable=SC2016
newcomers='
  set -e
  cd /srv/millrace
  now() { date +%s.%N; }
  since() { awk "BEGIN { printf \"%.1f s\", $(now) - $1 }"; }
  began=$(now)
  [ -d node_modules ] || { npm ci >/tmp/npm-ci.log 2>&1 || { tail -n 5 /tmp/npm-ci.log; exit 1; }; printf "npm ci %s, " "$(since "$began")"; }
  began=$(now)
  npm start >/tmp/start.log 2>&1 &
  until grep -q "Millrace is up" /tmp/start.log; do
    kill -0 $! 2>/dev/null || { tail -n 1 /tmp/start.log; exit 1; }
    sleep 0.1
  done
  printf "start %s, " "$(since "$began")"
  export HOME=$(mktemp -d)
  # npm lets only the owner of the packages run a command of the package itself.
  millrace="npx millrace"; [ -w package.json ] || millrace=cli/millrace
  sed -n "s/.*\"adminPassword\": \"\(.*\)\".*/\1/p" data/secrets.json | $millrace login admin@example.com --password-stdin >/dev/null
  ORG=$($millrace orgs create --name Mill --raw)
  GROUP=$($millrace groups create --name "Wheel house" --org $ORG --raw)
  PROFILE=$($millrace profiles create --name Sensors --group $GROUP --raw)
  KEY=$($millrace things create --name Thermometer --type sensor --profile $PROFILE -o json |
    sed -n "s/.*\"key\": \"\(.*\)\".*/\1/p")
  MILLRACE_EDGE=http://localhost:8081 MILLRACE_KEY=$KEY python3 ingest/devices/python/device.py >/dev/null
  until $millrace messages read --limit 1 | grep -qi temperature; do sleep 0.1; done
  printf "message read %s after the start" "$(since "$began")"
  kill -TERM $!
  wait $! || true
'

# trial <title> <user> <what root does before>
trial() {
  local result log
  [[ $1 =~ ${FIRST_START_ONLY-} ]] || return 0
  rm -rf "$layer"
  log=$base.$(tr -c 'a-z0-9' '-' <<<"$1")
  network='' within $root "$3" >"$log-before.log" 2>&1 || { echo "| $suite | $1 | could not be prepared |"; return; }
  result=$(within "$2" "$newcomers" 2>"$log-errors.log") || result="FAILED: $result"
  cp "$layer/upper/tmp/start.log" "$log.log" || true
  echo "| $suite | $1 | ${result//$'\n'/ } |"
}

if [ ! -d "$base" ]; then make_base "$@" >"$base.log" 2>&1; fi
if [ ! -d "$base/srv/millrace" ]; then clone; fi
chroot "$base" sh -c 'echo "$1: node $(node -v), npm $(npm -v)"' sh "$suite"
install='apt-get -q update; apt-get install -qy --no-install-recommends'

trial 'nothing installed' $newcomer true
if [ ! -d "$base/srv/millrace/node_modules" ]; then
  mv "$layer/upper/srv/millrace/node_modules" "$base/srv/millrace/node_modules"
  mv "$base/srv/millrace/node_modules/.cache" "$base/fetched"
fi
trial 'no lists of packages' $newcomer 'rm -rf /var/lib/apt/lists/*'
trial 'redis-tools' $newcomer "$install redis-tools"
trial 'redis-tools, as root' $root "$install redis-tools"
trial 'redis-server off the PATH' $newcomer "$install redis-server; mkdir -p /usr/local/sbin; mv /usr/bin/redis-server /usr/bin/redis-check-rdb /usr/local/sbin"
trial 'redis-server' $newcomer "$install redis-server"
trial 'a dangling download of an earlier start' $newcomer 'mkdir -p /srv/millrace/node_modules/.cache/millrace-redis/usr/bin
  ln -s redis-check-rdb /srv/millrace/node_modules/.cache/millrace-redis/usr/bin/redis-server
  chown -R 4321 /srv/millrace/node_modules/.cache'
trial 'a user without a home, packages of root' $homeless 'chown -R 0 /srv/millrace; mkdir /srv/millrace/data
  chown 4322 /srv/millrace/data'
network=--net
trial 'no network, fetched before' $newcomer "mkdir -p /srv/millrace/node_modules/.cache; mv /fetched/millrace-redis /srv/millrace/node_modules/.cache/"
trial 'no network, nothing fetched' $newcomer true
network=''
if chroot "$base" apt-cache show valkey-server >/dev/null 2>&1; then
  trial 'valkey-server' $newcomer "$install valkey-server"
fi
rm -rf "$layer"

#!/bin/sh
# Sends a reading to Millrace, and tries again where it is asked to. Needs curl 7.71 or later.
#
#     MILLRACE_EDGE=http://localhost:8081 MILLRACE_KEY=<key of the thing> sh device.sh
set -eu

# curl waits as `Retry-After` says, and otherwise twice as long after each try; it tries 429, 503 and lost
# connections again, and nothing that is refused for good.
answer=$(
  printf '[{"n":"temperature","u":"Cel","t":%s,"v":21.5}]' "$(date +%s)" |
    curl --silent --show-error --write-out '\n%{http_code}' \
      --retry 8 --retry-max-time 300 --retry-connrefused --max-time 15 \
      --header "Authorization: Thing $MILLRACE_KEY" \
      --header 'Content-Type: application/senml+json' \
      --data-binary @- "$MILLRACE_EDGE/http/messages"
)
status=$(printf '%s' "$answer" | tail -n 1)
if [ "$status" != 202 ]; then
  printf 'refused: %s\n' "$answer" >&2
  exit 1
fi
echo "$status"

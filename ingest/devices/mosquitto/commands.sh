#!/bin/sh
# Prints the commands of a thing as they come over MQTT, and acknowledges each. Needs mosquitto_sub (Debian:
# mosquitto-clients).
#
#     MILLRACE_HOST=localhost MILLRACE_MQTT_PORT=1883 MILLRACE_THING=<id of the thing> MILLRACE_KEY=<its key> sh commands.sh
set -eu

while true; do
  # With QoS 1, mosquitto_sub sends PUBACK for each. Once connected, it connects again by itself.
  if mosquitto_sub -h "$MILLRACE_HOST" -p "${MILLRACE_MQTT_PORT:-1883}" -u internal -P "$MILLRACE_KEY" \
    -i valve-1 -q 1 -t "things/$MILLRACE_THING/commands/#"; then
    exit 0
  else
    code=$?
  fi
  # Refused for good: a wrong key (CONNACK 4 or 5 of MQTT 3.1.1).
  if [ "$code" -eq 4 ] || [ "$code" -eq 5 ]; then exit 1; fi
  sleep 2
done

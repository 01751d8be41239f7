#!/usr/bin/env python3
"""Takes the commands of a thing over MQTT: does each once, and acknowledges it then. Needs Python 3.8, and paho-mqtt 1.6
or 2.

    MILLRACE_HOST=localhost MILLRACE_MQTT_PORT=1883 MILLRACE_THING=<id of the thing> MILLRACE_KEY=<its key> \\
        python3 mqtt_commands.py
"""

import json
import os
import sys

import paho.mqtt.client as mqtt

WAIT_SECONDS_MAX = 60
SERVER_UNAVAILABLE = 3

# A device that must not do one twice keeps them over its restarts.
done = set()
refused = []


def new_client(client_id):
    # A clean session is enough: commands wait in Millrace.
    if hasattr(mqtt, "CallbackAPIVersion"):
        return mqtt.Client(mqtt.CallbackAPIVersion.VERSION1, client_id=client_id)
    return mqtt.Client(client_id=client_id)


def on_connect(client, userdata, flags, code):
    if code == 0:
        # With each connection: the session ended with the one before.
        client.subscribe(f"things/{os.environ['MILLRACE_THING']}/commands/#", qos=1)
    elif code != SERVER_UNAVAILABLE:
        refused.append(code)
        client.disconnect()


def on_message(client, userdata, message):
    # PUBACK goes when this has returned. A command that is not acknowledged comes again.
    command = json.loads(message.payload)
    if command["id"] in done:
        return
    print(command["command"], json.dumps(command.get("params")), flush=True)
    done.add(command["id"])


if __name__ == "__main__":
    client = new_client("valve-1")
    client.username_pw_set("internal", os.environ["MILLRACE_KEY"])
    client.on_connect = on_connect
    client.on_message = on_message
    client.reconnect_delay_set(1, WAIT_SECONDS_MAX)
    client.connect_async(
        os.environ["MILLRACE_HOST"], int(os.environ.get("MILLRACE_MQTT_PORT", "1883"))
    )
    # It connects again by itself.
    client.loop_forever(retry_first_connection=True)
    sys.exit(f"refused: CONNACK {refused[0]}" if refused else 0)

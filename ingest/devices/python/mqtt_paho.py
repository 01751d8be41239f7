#!/usr/bin/env python3
"""Sends a reading to Millrace over MQTT with QoS 2: it is stored once, also where the connection or the server is lost
meanwhile. Needs Python 3.8, and paho-mqtt 1.6 or 2.

    MILLRACE_HOST=localhost MILLRACE_MQTT_PORT=1883 MILLRACE_KEY=<key of the thing> python3 mqtt_paho.py
"""

import json
import os
import sys
import threading
import time

import paho.mqtt.client as mqtt

WAIT_SECONDS_MAX = 60
SERVER_UNAVAILABLE = 3

ended = threading.Event()
refused = []


def new_client(client_id):
    # Not a clean session: the server knows its packet ids when it comes back.
    if hasattr(mqtt, "CallbackAPIVersion"):
        version = mqtt.CallbackAPIVersion.VERSION1
        return mqtt.Client(version, client_id=client_id, clean_session=False)
    return mqtt.Client(client_id=client_id, clean_session=False)


def on_connect(client, userdata, flags, code):
    if code not in (0, SERVER_UNAVAILABLE):
        refused.append(code)
        ended.set()


def on_publish(client, userdata, packet_id):
    # PUBCOMP has come: the message is on the server's disk.
    ended.set()


if __name__ == "__main__":
    # The same each time the device starts.
    client = new_client("thermometer-1")
    client.username_pw_set("internal", os.environ["MILLRACE_KEY"])
    client.on_connect = on_connect
    client.on_publish = on_publish
    client.reconnect_delay_set(1, WAIT_SECONDS_MAX)
    client.connect_async(
        os.environ["MILLRACE_HOST"], int(os.environ.get("MILLRACE_MQTT_PORT", "1883"))
    )
    client.loop_start()
    reading = [{"n": "temperature", "u": "Cel", "t": time.time(), "v": 21.5}]
    # Where there is no connection yet, it is sent as soon as there is one.
    client.publish("readings", json.dumps(reading), qos=2)
    ended.wait()
    client.disconnect()
    client.loop_stop()
    if refused:
        sys.exit(f"refused: CONNACK {refused[0]}")
    print("acknowledged")

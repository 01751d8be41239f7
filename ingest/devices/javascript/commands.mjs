// Takes the commands of a thing over MQTT: does each once, and acknowledges it then. Needs Node 20 or later, and the
// package mqtt.
//
//     MILLRACE_HOST=localhost MILLRACE_MQTT_PORT=1883 MILLRACE_THING=<id of the thing> MILLRACE_KEY=<its key> \
//       node commands.mjs

import mqtt from 'mqtt';

const { MILLRACE_HOST, MILLRACE_MQTT_PORT = '1883', MILLRACE_THING, MILLRACE_KEY } = process.env;
const serverUnavailable = 0x88;
// A device that must not do one twice keeps them over its restarts.
const done = new Set();

const client = mqtt.connect(`mqtt://${MILLRACE_HOST}:${MILLRACE_MQTT_PORT}`, {
  protocolVersion: 5,
  clientId: 'valve-1',
  username: 'internal',
  password: MILLRACE_KEY,
  // A clean session is enough: commands wait in Millrace.
  clean: true,
  reconnectPeriod: 2_000,
});

// With each connection, the first one too. It connects again by itself.
client.on('connect', () => {
  client.subscribe(`things/${MILLRACE_THING}/commands/#`, { qos: 1 }, (error) => {
    if (error) process.stderr.write(`not subscribed: ${error.message}\n`);
  });
});

// PUBACK goes when this has returned. A command that is not acknowledged comes again.
client.on('message', (_topic, payload) => {
  const { id, command, params } = JSON.parse(payload);
  if (done.has(id)) return;
  process.stdout.write(`${command} ${JSON.stringify(params)}\n`);
  done.add(id);
});

// What is refused for good ends it.
client.on('error', (error) => {
  if (typeof error.code !== 'number' || error.code === serverUnavailable) return;
  process.stderr.write(`refused: ${error.message}\n`);
  process.exitCode = 1;
  client.end(true);
});

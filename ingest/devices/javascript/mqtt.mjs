// Sends a reading to Millrace over MQTT with QoS 2: it is stored once, also where the connection or the server is lost
// meanwhile. Needs Node 20 or later, and the package mqtt.
//
//     MILLRACE_HOST=localhost MILLRACE_MQTT_PORT=1883 MILLRACE_KEY=<key of the thing> node mqtt.mjs

import mqtt from 'mqtt';

const { MILLRACE_HOST, MILLRACE_MQTT_PORT = '1883', MILLRACE_KEY } = process.env;
const serverUnavailable = 0x88;

const client = mqtt.connect(`mqtt://${MILLRACE_HOST}:${MILLRACE_MQTT_PORT}`, {
  protocolVersion: 5,
  // The same each time the device starts.
  clientId: 'thermometer-1',
  username: 'internal',
  password: MILLRACE_KEY,
  // The server knows its packet ids when it comes back within an hour.
  clean: false,
  properties: { sessionExpiryInterval: 3_600 },
  reconnectPeriod: 2_000,
});

// It connects again by itself, and sends again what has no answer. What is refused for good ends it.
client.on('error', (error) => {
  if (typeof error.code !== 'number' || error.code === serverUnavailable) return;
  process.stderr.write(`refused: ${error.message}\n`);
  process.exitCode = 1;
  client.end(true);
});

const reading = [{ n: 'temperature', u: 'Cel', t: Date.now() / 1_000, v: 21.5 }];
try {
  // Resolves with PUBCOMP: the message is on the server's disk.
  await client.publishAsync('readings', JSON.stringify(reading), { qos: 2 });
  process.stdout.write('acknowledged\n');
  await client.endAsync();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

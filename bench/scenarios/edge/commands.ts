import { once } from 'node:events';
import mqtt from 'mqtt';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/eventually.ts';
import type { Thing } from '../../../test/support/fleet.ts';
import { median, percentile } from '../../../test/support/statistics.ts';
import { atMost, type Figure, info } from '../../harness/figures.ts';
import { isSmoke } from '../../harness/load/durations.ts';
import type { Bench, Scenario } from '../../harness/setup.ts';

/** Devices that listen, and how many commands each gets; so many are sent at one time. */
const devices = isSmoke ? 4 : 50;
const commandsEach = isSmoke ? 5 : 40;
const sendersAtOnce = 2;
const p99MsMax = 50;

/** When each command was asked for, and how long it took from there, and from its own time, to its device (ms). */
type Times = { sentAt: Map<string, number>; asked: number[]; queued: number[] };

type Listening = { thing: Thing; stop: () => void };
type Listen = (bench: Bench, thing: Thing, onCommand: (text: string) => void) => Promise<Listening>;

const overStream: Listen = async ({ system }, thing, onCommand) => {
  const url = `${system.ingestUrl.replace('http', 'ws')}/http/messages/stream`;
  const socket = new WebSocket(url, { headers: { authorization: `Thing ${thing.key}` } });
  socket.addEventListener('message', ({ data }) => {
    const { command } = Object(JSON.parse(typeof data === 'string' ? data : '{}'));
    onCommand(JSON.stringify(command));
    socket.send(`acknowledge ${command.id}`);
  });
  await once(socket, 'open');
  socket.send('commands');
  return { thing, stop: () => socket.terminate() };
};

const overMqtt: Listen = async ({ system }, thing, onCommand) => {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${system.mqttPort ?? 0}`, {
    username: 'internal',
    password: thing.key,
  });
  client.on('message', (_topic, payload) => onCommand(String(payload)));
  await client.subscribeAsync(`things/${thing.id}/commands/#`, { qos: 1 });
  return { thing, stop: () => client.end(true) };
};

/** How long a command takes to a device that listens, over MQTT and over a stream. */
export const commands: Scenario = async (bench) => [
  ...(await measure(bench, 'MQTT', overMqtt)),
  ...(await measure(bench, 'a stream', overStream)),
];

async function measure(bench: Bench, name: string, listen: Listen): Promise<Figure[]> {
  const times: Times = { sentAt: new Map(), asked: [], queued: [] };
  const onCommand = (text: string) => {
    const at = performance.now();
    const { command, created_at: created } = Object(JSON.parse(text));
    times.queued.push(performance.timeOrigin + at - Date.parse(created));
    times.asked.push(at - (times.sentAt.get(command) ?? Number.NaN));
  };
  const all: Listening[] = [];
  for (let at = 0; at < devices; at++) {
    all.push(await listen(bench, await bench.fleet.thing(), onCommand));
  }
  let sent = 0;
  const send = async () => {
    while (sent < devices * commandsEach) {
      const number = sent++;
      const thing = all[number % devices]?.thing;
      const command = `${name} ${number}`;
      times.sentAt.set(command, performance.now());
      await bench.fleet.call('POST', `/things/${thing?.id ?? ''}/commands`, { command });
    }
  };
  await Promise.all(Array.from({ length: sendersAtOnce }, send));
  await eventually(() => times.asked.length >= devices * commandsEach, 60_000);
  for (const { stop } of all) stop();
  return [
    info(`commands over ${name}, queued to received, p50`, median(times.queued), 'ms'),
    atMost(
      `commands over ${name}, queued to received, p99`,
      percentile(times.queued, 0.99),
      'ms',
      p99MsMax,
    ),
    info(`commands over ${name}, asked for to received, p99`, percentile(times.asked, 0.99), 'ms'),
  ];
}

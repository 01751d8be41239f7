import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fleet } from '../../support/fleet.ts';
import { floodMqtt } from '../../support/malformed/mqtt.ts';
import { watchStalls } from '../../support/malformed/stall.ts';
import { system } from '../../support/system.ts';
import { residentBytes } from '../../support/usage.ts';

const seed = Number(process.env['FAULTS_SEED'] ?? 1);
const packets = Number(process.env['FAULTS_PACKETS'] ?? 1_000_000);
const msMax = 60 * 60_000;
const grownBytesMax = 256 * 1024 * 1024;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

it(
  `${packets} malformed packets of MQTT at the edge: it lives, grows no more, and nobody waits (FAULTS_SEED=${seed})`,
  async () => {
    const { mqttPort } = system();
    if (mqttPort === undefined) throw new Error('the system takes no MQTT');
    const pid = await system().pid('ingest');
    const { key } = await fleet.thing();
    // The memory that the first of them took stays.
    await floodMqtt(mqttPort, key, seed + 1, packets / 10);
    const before = residentBytes(pid);
    const watch = await watchStalls(`${system().ingestUrl}/nothing`, pid);
    const found = await floodMqtt(mqttPort, key, seed, packets);
    const stalls = await watch.stop();
    const grownBytes = residentBytes(pid) - before;
    const part = 'malformed packets of MQTT at the edge';
    process.stdout.write(
      `${JSON.stringify({ part, seed, packets, ...found, grownBytes, stalls })}\n`,
    );
    expect(await system().pid('ingest')).toBe(pid);
    expect(grownBytes).toBeLessThan(grownBytesMax);
    expect(stalls.over).toBe(0);
  },
  msMax,
);

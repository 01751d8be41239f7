import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds } from '../../../test/support/usage.ts';
import { costOf, loadFigures } from '../../harness/cost.ts';
import { atMost, info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { cborPack, jsonMessage, jsonProfile } from '../../harness/messages.ts';
import { calm } from '../../harness/load/calm.ts';
import { deviceLoad } from '../../harness/load/device-load.ts';
import { seconds } from '../../harness/load/durations.ts';
import { createPublishers, pack, seededRandom } from '../../harness/requests.ts';
import { caughtUp, roundSeconds } from '../../harness/load/rounds.ts';
import { type Bench, metric } from '../../harness/setup.ts';

const devices = 1_000;
const share = 0.7;

/** Of a hundred devices. */
const kinds = { s1: 60, s10: 25, s100: 5, json: 5, cbor: 5 };

/**
 * A thousand devices of all kinds at 70 % of their rate without pauses, each message with a random due time. Latencies
 * begin at the due time, so they include the queue before the edge and delays of the generator.
 */
export const mixedFleet: Scenario = async (bench) => {
  const second = Math.floor(Date.now() / 1_000) - 86_400;
  const path = await writeFleet(bench, second);
  const edge = await bench.startEdge();
  const publish = (forSeconds: number, perSecond = 0) =>
    deviceLoad(edge, { path, second, perSecond, seconds: forSeconds });
  await publish(roundSeconds());
  await caughtUp(edge);
  const full = await publish(roundSeconds());
  await caughtUp(edge);
  // What was stored at full speed is merged before.
  const store = await bench.system.pid('clickhouse');
  await calm(() => cpuSeconds(store));
  const perSecond = full.requestsPerSecond * share;
  const round = await costOf(bench, [edge], () => publish(seconds(30), perSecond));
  const { result, cost } = round;
  const refused = await metric(edge.url, 'millrace_refused_messages_total');
  await edge.stop();
  return [
    info('all the time, one after the other', full.requestsPerSecond, 'requests/s'),
    ...loadFigures('70 %, open loop', round, cost.records / (devices + result.requests)),
    atMost('70 %, p99.9 from when it was due', result.p999Us / 1_000, 'ms', 50),
    atMost('70 %, p99.9 to p50', result.p999Us / result.p50Us, 'ratio', 20),
    info('70 %, the generator late, p99.9', result.lateP999Us / 1_000, 'ms'),
    atMost('refused', refused, 'messages', 0),
  ];
};

/** A line for each device; of each hundred so many of each kind. */
async function writeFleet({ fleet, credentials, scratch }: Bench, second: number): Promise<string> {
  const random = seededRandom(devices);
  const more = await createPublishers(fleet, devices - credentials.length);
  const things = [...credentials, ...more];
  const gateways = await createPublishers(fleet, (devices * kinds.json) / 100, jsonProfile);
  const senml = (credential: string, at: number, records: number) =>
    `${credential}\tapplication/senml+json\t${pack(random, at, records, second)}`;
  const lines = things.slice(0, devices).map((credential, at) => {
    let place = at % 100;
    if (place < kinds.s1) return senml(credential, at, 1);
    place -= kinds.s1;
    if (place < kinds.s10) return senml(credential, at, 10);
    place -= kinds.s10;
    if (place < kinds.s100) return senml(credential, at, 100);
    place -= kinds.s100;
    if (place < kinds.cbor) {
      const body = cborPack(pack(random, at, 10, second)).toString('hex');
      return `${credential}\tapplication/senml+cbor\t${body}`;
    }
    return `${gateways.pop()}\tapplication/json\t${jsonMessage(random, at, 10, second)}`;
  });
  const path = join(scratch, 'fleet');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

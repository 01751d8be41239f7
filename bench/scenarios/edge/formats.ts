import { join } from 'node:path';
import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';
import { costOf, loadFigures, medianRound, type Round } from '../../harness/cost.ts';
import { info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { cborPack, jsonMessage, jsonProfile } from '../../harness/messages.ts';
import {
  createPublishers,
  pack,
  writeMessages,
  type WriteMessage,
} from '../../harness/requests.ts';
import {
  caughtUp,
  connections,
  roundSeconds,
  usualRounds,
  warmUpSeconds,
} from '../../harness/load/rounds.ts';
import { type Load, load } from '../../harness/load/wrk.ts';

const records = 10;
const publishers = 100;

type Format = { name: string; profile: ProfileConfig; contentType: string; write: WriteMessage };

const formats: Format[] = [
  {
    name: 'SenML in JSON',
    profile: {},
    contentType: 'application/senml+json',
    write: (random, publisher, second) => pack(random, publisher, records, second),
  },
  {
    name: 'SenML in CBOR',
    profile: {},
    contentType: 'application/senml+cbor',
    write: (random, publisher, second) => cborPack(pack(random, publisher, records, second)),
  },
  {
    name: 'JSON with a transformer',
    profile: jsonProfile,
    contentType: 'application/json',
    write: (random, publisher, second) => jsonMessage(random, publisher, records, second),
  },
];

/** Messages of ten records in each format, in turns: what it costs to read each. */
export const formatsCompared: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  const paths = new Map<string, string>();
  for (const { name, profile, contentType, write } of formats) {
    const credentials = await createPublishers(bench.fleet, publishers, profile);
    const path = join(bench.scratch, `requests ${name}`);
    writeMessages(path, credentials, contentType, write);
    paths.set(name, path);
  }
  const runOf = (name: string, seconds: number): Promise<Load> =>
    load({ url: edge.url, requestsPath: paths.get(name) ?? '', connections, seconds });

  for (const { name } of formats) await runOf(name, warmUpSeconds());
  await caughtUp(edge);
  const rounds = new Map<string, Round[]>(formats.map(({ name }) => [name, []]));
  for (let round = 0; round < usualRounds(); round++) {
    for (const [name, done] of rounds) {
      done.push(await costOf(bench, [edge], () => runOf(name, roundSeconds())));
    }
  }
  await edge.stop();
  const [plain, ...others] = [...rounds].map(([name, done]) => ({ name, ...medianRound(done) }));
  if (plain === undefined) throw new Error('there is no format');
  return [
    ...[plain, ...others].flatMap((round) => loadFigures(round.name, round, records)),
    ...others.map(({ name, result }) =>
      info(
        `${name} to ${plain.name}`,
        result.requestsPerSecond / plain.result.requestsPerSecond,
        'ratio',
      ),
    ),
  ];
};

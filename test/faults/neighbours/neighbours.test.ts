import { appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OwnSystem, startSystem } from '../../support/system.ts';
import { attacks } from './attacks.ts';
import { Neighbour } from './neighbour.ts';
import { besiege, type Medians, quietMedians, type Siege, tableOf } from './siege.ts';

const seconds = Number(process.env['FAULTS_SIEGE_SECONDS'] ?? 30);
const quietSeconds = Number(process.env['FAULTS_QUIET_SECONDS'] ?? 20);
/** Attacks whose names hold this. */
const only = process.env['FAULTS_ATTACK'] ?? '';
const ratioMax = 5;
const webhooksMsMax = 60_000;
const storedMsMax = 120_000;
const warmUpSeconds = 10;
const file = join(tmpdir(), `millrace-neighbours-${process.pid}.ndjson`);

let system: OwnSystem;
let neighbour: Neighbour;
let quiet: Medians;
let failed = false;
const sieges: Siege[] = [];

beforeAll(async () => {
  system = await startSystem();
  neighbour = await Neighbour.open(system);
  await quietMedians(neighbour, warmUpSeconds);
  quiet = await quietMedians(neighbour, quietSeconds);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  process.stdout.write(`${tableOf(sieges)}\nkept in ${file}\n`);
  await system.stop(failed);
});

describe('a tenant beside a hostile one', () => {
  it.each(attacks.filter(({ name }) => name.includes(only)))(
    'is served as before during: $name',
    async ({ name: attack }) => {
      const siege = await besiege(system, neighbour, quiet, {
        attack,
        scale: 1,
        seconds,
        webhooksMsMax,
      });
      sieges.push(siege);
      appendFileSync(file, `${JSON.stringify(siege)}\n`);
      process.stdout.write(`${tableOf([siege])}\n`);
      expect(siege).toMatchObject({
        neighbourWrong: [],
        tally: { wrong: [] },
        webhooksMissing: 0,
        memoryOver: [],
        restarted: [],
      });
      const { publish, read, orgs, arrival } = siege.ratios;
      for (const ratio of [publish, read, orgs, arrival]) expect(ratio).toBeLessThan(ratioMax);
    },
  );

  it('and its acknowledged messages are stored once', async () => {
    const { acknowledged, stored } = await neighbour.leave(storedMsMax);
    expect(stored).toBe(acknowledged);
  });
});

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { Fleet } from '../../../support/fleet.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../../../support/services/own-edge.ts';
import { system } from '../../../support/system.ts';

/** An edge whose clock is set while it runs, by Debian's libfaketime: `apt-get install faketime`. */

const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const perSecond = 5;

let directory: string;
let edge: OwnEdge;
let fleet: Fleet;

function setClock(by: string): void {
  writeFileSync(join(directory, 'clock'), `${by}\n`);
}

describe.runIf(existsSync(library))(
  'an edge whose clock is set, where libfaketime is installed,',
  () => {
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
      setClock('+0');
      fleet = await Fleet.login(system());
      edge = await startOwnEdge({
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: join(directory, 'clock'),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        THING_RATE_LIMIT: String(perSecond),
      });
    });

    afterAll(async () => {
      await stopOwnEdge(edge);
      await fleet.close();
      rmSync(directory, { recursive: true });
    });

    it.each(['-2h', '+2d', '+0'])(
      'by %s goes on: it takes and stores each message once, keeps its limits, and forgets a removed key',
      async (by) => {
        const thing = await fleet.thing();
        const send = (v: number) =>
          fleet.publish(thing.key, [{ n: 'a', v }], { ingestUrl: edge.url });
        const accepted: number[] = [];
        let refused = 0;
        for (let v = 0; v < 3 * perSecond; v++) {
          const { status } = await send(v);
          if (status === 202) accepted.push(v);
          if (status === 429) refused += 1;
        }
        expect(refused).toBeGreaterThan(0);
        setClock(by);
        await eventually(async () => {
          const { status } = await send(1_000);
          expect(status).toBe(202);
          accepted.push(1_000);
        }, 5_000);
        await eventually(async () => {
          const stored = await fleet.readSenml(thing.id);
          expect(stored.map(({ value }) => value).toSorted((a = 0, b = 0) => a - b)).toEqual(
            accepted,
          );
        });
        expect(await fleet.call('DELETE', `/things/${thing.id}`)).toMatchObject({ status: 204 });
        await eventually(async () => expect((await send(2_000)).status).toBe(401));
      },
    );
  },
);

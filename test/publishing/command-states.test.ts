import fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, beforeAll, it } from 'vitest';
import { createEstate, type Estate, People } from '../support/api/people.ts';
import { step, World } from '../support/messages/command-world.ts';
import { system } from '../support/system.ts';

const people = new People();
const pool = new Pool({ connectionString: system().databaseUrl, max: 2 });
let estate: Estate;
let as: string;
let sender: string;

beforeAll(async () => {
  const editor = await people.register();
  ({ as, id: sender } = editor);
  estate = await createEstate(as);
});

afterAll(async () => {
  await pool.end();
  await people.close();
});

it('a command is queued, delivered, acknowledged or expired, whatever edges, things and people do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const world = await World.make({ as, sender, estate, people, pool });
      for (const one of steps) {
        await world.do(one);
        if (one.kind === 'pass') await world.check();
      }
      await world.end();
    }),
    // A failure is made smaller for as long as the test may last.
    { numRuns: 15, interruptAfterTimeLimit: 45_000 },
  );
});

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

/** These need no service, no process and no engine: all of it takes seconds. */
const unit = [
  '{api,bench,cli,infra,ingest,schemas,workers}/**/*.test.ts',
  'test/{tidy,tidy/*}.test.ts',
  'test/operating/deploy/{compose,kubernetes,systemd,watching/dashboards}.test.ts',
];

/** These start systems, processes or engines of their own. */
const parts = [
  'test/operating/deploy/{analysts,image,watching/alerts}.test.ts',
  'test/durability/{edges,store-sink,torn,webhook-outbox,webhook-sink}.test.ts',
  'test/operating/cluster/*.test.ts',
  'test/operating/{embedded-clickhouse,embedded-clickhouse-*,message-tables,outgoing,redis-package,start,supervisor}.test.ts',
  'test/webhooks/shares.test.ts',
];
/** Pages in a browser, and the command, which people use; rules, and the alarms that messages raise. */
const people = ['test/{alarms,cli,console}/**/*.test.ts'];
/** Messages that are read back, kept, deleted, and forwarded to webhooks; the demo, which has all of that. */
const reading = ['test/{reading,webhooks}/**/*.test.ts', 'test/operating/demo.test.ts'];
const exclude = [...configDefaults.exclude, 'data/**', 'test/faults/**', '**/*.long.test.ts'];

// An install makes it. A worktree that was given the packages of another one has none.
if (!existsSync(join(import.meta.dirname, 'schemas/client/generated'))) {
  execFileSync('npm', ['run', 'openapi'], { cwd: import.meta.dirname, stdio: 'ignore' });
}

/** A file's results are printed when it has ended: of one that hangs, this is all there is to see. */
const tellsWhatBegins: Reporter = {
  onTestModuleQueued({ relativeModuleId }) {
    process.stdout.write(`begins ${relativeModuleId}\n`);
  },
};

/**
 * `unit` is what stands beside its file, and the files of deployments; `parts` start what they need; `whole` share one
 * running system, started for them, and so do those of each other project. All but `unit` run file by file. `npm test` runs
 * three sides at once, one of them of two projects in turn: each waits at times, and together they use most of two cores. Four
 * hindered each other more than they waited.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 60_000,
    // Longer than a start may take.
    hookTimeout: 240_000,
    // Two cores hold the tests and the databases under them.
    fileParallelism: false,
    // Modules are read once: nothing in it remembers one file's tests for the next one's.
    isolate: false,
    // Of tests that run at once: they wait for the store.
    maxConcurrency: 16,
    reporters: ['default', tellsWhatBegins],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude,
          maxWorkers: 2,
          fileParallelism: true,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'parts', include: parts, exclude } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...unit, ...parts, ...reading, ...people],
          globalSetup: 'test/support/global-setup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'reading',
          include: reading,
          exclude: [...exclude, ...parts],
          globalSetup: 'test/support/global-setup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'people',
          include: people,
          exclude,
          globalSetup: 'test/support/global-setup.ts',
        },
      },
    ],
  },
});

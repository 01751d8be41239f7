import { configDefaults, defineConfig } from 'vitest/config';

/** Hours of faults, in pieces: `npm run test:programme`. */
const programme = ['test/faults/programme/**/*.test.ts'];

/**
 * The tests of what users are promised, but for the console's. These stay with one server:
 * - those that start stores or processes of their own (`parts` of vitest.config.ts); test/operating/cluster has the
 *   cluster's own;
 * - the one that moves a backup from the system's one server to two shards and back;
 * - long ones of malformed bodies, which end before the store.
 */
const promises = [
  'test/{access,alarms,cli,durability,http,management,publishing,reading,webhooks}/**/*.test.ts',
  'test/operating/{metrics,neighbours,operations}.test.ts',
  'test/faults/backup.test.ts',
];
const onOneServer = [
  'test/durability/{edges,store-sink,torn,webhook-sink}.test.ts',
  'test/webhooks/shares.test.ts',
  'test/reading/keeping/shards.test.ts',
  'test/{http,publishing}/*.long.test.ts',
];

/**
 * The long runs, `npm run test:faults`: `faults`, each with a system of its own, and `long`, what would make CI
 * too long, on one system that is started for them. `npm run test:cluster` runs the tests of promises on a system whose
 * store is two shards of ClickHouse.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 30 * 60_000,
    // Longer than a start may take.
    hookTimeout: 240_000,
    fileParallelism: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...programme],
        },
      },
      { extends: true, test: { name: 'programme', include: programme } },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: promises,
          exclude: [...configDefaults.exclude, ...onOneServer],
          isolate: false,
          maxConcurrency: 16,
          env: { CLUSTER: 'yes' },
          globalSetup: 'test/support/global-setup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          // `npm test` has all but the first as well, in part.
          include: [
            'test/**/*.long.test.ts',
            'test/access/{canaries,key-changes,matrix}.test.ts',
            'test/console/hostile.test.ts',
            'test/operating/embedded-clickhouse-durability.test.ts',
            'test/reading/filters.test.ts',
            'test/reading/pages/moment.test.ts',
          ],
          env: { LONG: 'yes' },
          globalSetup: 'test/support/global-setup.ts',
        },
      },
    ],
  },
});

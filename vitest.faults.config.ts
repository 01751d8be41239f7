import { configDefaults, defineConfig } from 'vitest/config';

/** Hours of faults, in pieces: `npm run test:programme`. */
const programme = ['test/faults/programme/**/*.test.ts'];

/**
 * The long runs, `npm run test:faults`: `faults`, each with a system of its own, and `long`, what would make CI
 * too long, on one system that is started for them.
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
          name: 'long',
          // `npm test` has all but the first as well, in part.
          include: [
            'test/**/*.long.test.ts',
            'test/access/{canaries,key-changes,matrix}.test.ts',
            'test/console/hostile.test.ts',
            'test/operating/embedded-clickhouse/durability.test.ts',
            'test/reading/filters.test.ts',
          ],
          env: { LONG: 'yes' },
          globalSetup: 'test/support/global-setup.ts',
        },
      },
    ],
  },
});

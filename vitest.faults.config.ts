import { defineConfig } from 'vitest/config';

/**
 * The long runs, `npm run test:faults`: `faults`, each with a system of its own, and what would make CI too
 * long, on one system that is started for them.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 30 * 60_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    projects: [
      { extends: true, test: { name: 'faults', include: ['test/faults/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/**/*.long.test.ts'],
          globalSetup: 'test/global-setup.ts',
        },
      },
    ],
  },
});

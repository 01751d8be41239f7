import { defineConfig } from 'vitest/config';

/** The long runs, each with a system of its own: `npm run test:faults`. */
export default defineConfig({
  test: {
    pool: 'forks',
    include: ['test/faults/**/*.test.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});

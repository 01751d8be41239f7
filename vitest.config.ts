import { configDefaults, defineConfig } from 'vitest/config';

const alone = ['test/tidy.test.ts', 'test/start.test.ts'];
const exclude = [...configDefaults.exclude, 'data/**', 'test/faults/**'];

const whole = (name: string, include: string[]) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude: [...exclude, ...alone],
    globalSetup: 'test/global-setup.ts',
  },
});

/**
 * `parts` need no running system, or start one of their own; the tests of `api` share one that is started
 * for them, those of `ingest`, the workers and the client another.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores hold the tests and the databases under them.
    fileParallelism: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['{infra,ingest,schemas,cli,bench}/**/*.test.ts', ...alone],
          exclude,
        },
      },
      whole('api', ['{test/api,api}/**/*.test.ts']),
      whole('ingest', ['{test/ingest,test/cli,workers}/**/*.test.ts']),
    ],
  },
});

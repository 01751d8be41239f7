import { configDefaults, defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

/** They start systems of their own, or need none. */
const alone = [
  'test/tidy.test.ts',
  'test/deploy/{image,compose,kubernetes,systemd,dashboards,alerts,analysts}.test.ts',
  'test/operating/neighbours.test.ts',
  'test/operating/start.test.ts',
  'test/operating/tracing.test.ts',
  'test/durability/{edges,stop,torn,webhook-sink}.test.ts',
  'test/access/rate-limit.test.ts',
  'test/webhooks/shares.test.ts',
  'workers/mail/smtp.test.ts',
];
const client = 'test/cli/**/*.test.ts';
const exclude = [...configDefaults.exclude, 'data/**', 'test/faults/**', '**/*.long.test.ts'];

/** A file's results are printed when it has ended: of one that hangs, this is all there is to see. */
const tellsWhatBegins: Reporter = {
  onTestModuleQueued({ relativeModuleId }) {
    process.stdout.write(`begins ${relativeModuleId}\n`);
  },
};

/**
 * `parts` need no running system, or start one of their own; `whole` share one, started for them, and so does
 * `client`, apart. Each runs file by file. `npm test` runs `whole` beside the others, which take about as long.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 60_000,
    // Longer than a start may take.
    hookTimeout: 240_000,
    // Two cores hold the tests and the databases under them.
    fileParallelism: false,
    reporters: ['default', tellsWhatBegins],
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['{infra,ingest,schemas,cli,bench}/**/*.test.ts', ...alone],
          exclude,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['{test,api,workers}/**/*.test.ts'],
          exclude: [...exclude, ...alone, client],
          globalSetup: 'test/support/global-setup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'client',
          include: [client],
          exclude,
          globalSetup: 'test/support/global-setup.ts',
        },
      },
    ],
  },
});

import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { chooseAddresses } from './addresses.ts';
import { readStartConfig } from './config.ts';
import { summary } from './summary.ts';

const secrets = {
  adminPassword: 'made-at-the-first-start',
  jwtSecret: '',
  secretKey: '',
  postgresPassword: '',
  redisPassword: '',
  clickhousePassword: '',
};

async function lastWords(env: NodeJS.ProcessEnv): Promise<string[]> {
  const ports = {
    API_PORT: '0',
    INGEST_PORT: '0',
    WORKERS_PORT: '0',
    INGEST_OPERATOR_PORT: '0',
    MQTT_PORT: '0',
  };
  const addresses = await chooseAddresses(readStartConfig(ports), secrets);
  const taken = {
    ...addresses,
    apiPort: Number(env['API_PORT'] ?? 8080),
    ingestPort: 8081,
    mqttPort: env['MQTT_PORT'] === 'off' ? undefined : 1883,
  };
  const text = summary(readStartConfig(env), secrets, taken);
  return text.split('\n').filter((line) => line !== '');
}

it('a start ends with where the console is and who signs in, then what to try, then the rest', async () => {
  expect(await lastWords({})).toEqual([
    'Millrace is up. Ctrl-C stops it, and loses nothing.',
    '  console  http://localhost:8080',
    '  sign in  admin@example.com  made-at-the-first-start',
    'Next, in another terminal, in this directory:',
    '  npx millrace login admin@example.com',
    '  npm run demo',
    `API and its documentation: http://localhost:8080/docs · edge: http://localhost:8081 · MQTT: localhost:1883 · data: ${resolve('data')}`,
  ]);
});

it('what it says to type leads to this system, wherever that is', async () => {
  const lines = await lastWords({
    API_PORT: '9000',
    DATA_DIR: '/srv/Mühle am Bach/daten',
    ADMIN_EMAIL: 'ann@mill.example',
    ADMIN_PASSWORD: 'not to be shown',
  });
  expect(lines).toContain('  sign in  ann@mill.example  (that of ADMIN_PASSWORD)');
  expect(lines).toContain(
    '  MILLRACE_URL=http://localhost:9000 npx millrace login ann@mill.example',
  );
  expect(lines).toContain("  DATA_DIR='/srv/Mühle am Bach/daten' npm run demo");
  expect(lines.join('\n')).not.toMatch(/not to be shown|made-at-the-first-start/);
});

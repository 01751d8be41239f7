import { resolve } from 'node:path';
import type { Addresses } from './addresses.ts';
import type { StartConfig } from './config.ts';
import type { LocalSecrets } from './local-secrets.ts';

/** The URL and the directory that the client and the demo take by themselves. */
const usualApiUrl = 'http://localhost:8080';
const usualDataDir = 'data';

/** The last lines of a start: where to look, who signs in, and what to try next. */
export function summary(
  { adminEmail, adminPassword, dataDir }: StartConfig,
  secrets: LocalSecrets,
  { apiPort, ingestPort, mqttPort }: Addresses,
): string {
  const apiUrl = `http://localhost:${apiPort}`;
  const password = adminPassword === undefined ? secrets.adminPassword : '(that of ADMIN_PASSWORD)';
  const server = apiUrl === usualApiUrl ? '' : `MILLRACE_URL=${apiUrl} `;
  const mqtt = mqttPort === undefined ? '' : ` · MQTT: localhost:${mqttPort}`;
  const data = dataDir === resolve(usualDataDir) ? '' : `DATA_DIR=${quoted(dataDir)} `;
  return `
Millrace is up. Ctrl-C stops it, and loses nothing.

  console  ${apiUrl}
  sign in  ${adminEmail}  ${password}

Next, in another terminal, in this directory:

  ${server}npx millrace login ${adminEmail}
  ${data}npm run demo

API and its documentation: ${apiUrl}/docs · edge: http://localhost:${ingestPort}${mqtt} · data: ${dataDir}

`;
}

/** For a shell: a path may have spaces. */
const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

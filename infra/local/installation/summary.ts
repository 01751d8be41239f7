import type { Addresses } from './addresses.ts';
import type { StartConfig } from './config.ts';
import type { LocalSecrets } from './local-secrets.ts';

/** The last lines of a start: where everything is, and something to try. */
export function summary(
  config: StartConfig,
  secrets: LocalSecrets,
  { apiPort, ingestPort }: Addresses,
): string {
  const apiUrl = `http://localhost:${apiPort}`;
  const given = config.adminPassword !== undefined;
  const password = given ? '(as set by ADMIN_PASSWORD)' : secrets.adminPassword;
  const login = JSON.stringify({
    email: config.adminEmail,
    password: given ? '<ADMIN_PASSWORD>' : secrets.adminPassword,
  });
  return `
Millrace is up. Ctrl-C stops it.

  API    ${apiUrl}
  edge   http://localhost:${ingestPort}
  admin  ${config.adminEmail}  ${password}
  data   ${config.dataDir}

Log in, then make an organization:

  TOKEN=$(curl -s ${apiUrl}/tokens -H 'Content-Type: application/json' \\
    -d '${login}' | cut -d'"' -f4)
  curl -i ${apiUrl}/orgs -H "Authorization: Bearer $TOKEN" \\
    -H 'Content-Type: application/json' -d '{"name":"Our first org"}'

`;
}

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ConfigError } from '../../runtime/process/config.ts';
import { isAbsent, writePrivateFile } from '../../runtime/process/files.ts';

const schema = Type.Object({
  adminPassword: Type.String(),
  jwtSecret: Type.String(),
  secretKey: Type.String(),
  postgresPassword: Type.String(),
  redisPassword: Type.String(),
  clickhousePassword: Type.String(),
});

/** The secrets that this installation generated. */
export type LocalSecrets = Static<typeof schema>;

/**
 * The secrets of this `DATA_DIR`, made at the first start and the same ever after. They are kept in
 * `secrets.json`, which only its owner reads.
 *
 * @throws ConfigError when the file is there but unreadable: new secrets would lock its data away.
 */
export function loadLocalSecrets(dataDir: string): LocalSecrets {
  const path = join(dataDir, 'secrets.json');
  const stored = readStored(path);
  const secrets = {
    adminPassword: randomBytes(15).toString('base64url'),
    jwtSecret: randomBytes(32).toString('base64url'),
    secretKey: randomBytes(32).toString('base64url'),
    postgresPassword: randomBytes(24).toString('base64url'),
    redisPassword: randomBytes(24).toString('base64url'),
    clickhousePassword: randomBytes(24).toString('base64url'),
    ...stored,
  };
  if (stored === undefined) writePrivateFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

function readStored(path: string): LocalSecrets | undefined {
  try {
    return Value.Parse(schema, JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw new ConfigError(`DATA_DIR: ${path} is damaged; put back the one this data was made with`);
  }
}

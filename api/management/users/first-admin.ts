import { randomUUID } from 'node:crypto';
import { ConfigError, type Secret } from '../../../infra/runtime/process/config.ts';
import type { Database } from '../../stores/database.ts';
import { hashPassword } from '../../access/tokens/passwords.ts';
import { hasPlatformAdmin, insertPlatformAdmin } from './sql.ts';

/** The root admin as the settings name it. */
export type FirstAdmin = { email: string; password: Secret | undefined };

/**
 * Makes the root admin where there is no platform admin yet.
 *
 * @throws ConfigError where one is needed and can't be made.
 */
export async function ensureAdmin(db: Database, admin: FirstAdmin): Promise<void> {
  if (await hasPlatformAdmin(db)) return;
  if (admin.password === undefined) {
    throw new ConfigError('ADMIN_PASSWORD: is needed to make the first admin');
  }
  const passwordHash = await hashPassword(admin.password.reveal());
  await insertPlatformAdmin(db, { id: randomUUID(), email: admin.email, passwordHash });
  // Another API process that starts at the same time may have been first: then all is well, too.
  if (!(await hasPlatformAdmin(db))) {
    throw new ConfigError('ADMIN_EMAIL: is the e-mail of a user who is not an admin');
  }
}

import { postgresConnections } from '../infra/runtime/stores/postgres-connections.ts';

export const postgresConnectionsMax = postgresConnections.workers.all;
export const postgresQueryMsMax = 10_000;
export const redisCommandMsMax = 1_000;
export const clickhouseTimeoutMs = 30_000;

/** How long mails that are under way at a stop may still take, before they are broken off. */
export const mailStopMsMax = 1_000;

/** How long a stop may take. */
export const stopMsMax = 8_000;

if (mailStopMsMax >= stopMsMax) throw new Error('a mail under way outlasts the stop');

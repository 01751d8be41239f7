import { alarms } from './alarms/operations.ts';
import { alarmRoutes } from './alarms/routes.ts';
import { annotations } from './annotations/operations.ts';
import { annotationRoutes } from './annotations/routes.ts';
import { certificates } from './certs/operations.ts';
import { certificateRoutes } from './certs/routes.ts';
import { commands } from './commands/operations.ts';
import { commandRoutes } from './commands/routes.ts';
import { overviews } from './overview/operations.ts';
import { overviewRoutes } from './overview/routes.ts';
import { profiles } from './profiles/operations.ts';
import { profileRoutes } from './profiles/routes.ts';
import { silences } from './silences/operations.ts';
import { silenceRoutes } from './silences/routes.ts';
import { rules } from './rules/operations.ts';
import { ruleRoutes } from './rules/routes.ts';
import { things } from './things/operations.ts';
import { thingRoutes } from './things/routes.ts';
import { webhooks } from './webhooks/operations.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** Things, and what makes them known, read and forwarded. */
export const devices = [
  { operations: [profiles], routes: profileRoutes },
  { operations: [things], routes: thingRoutes },
  { operations: [overviews], routes: overviewRoutes },
  { operations: [certificates], routes: certificateRoutes },
  { operations: [webhooks], routes: webhookRoutes },
  { operations: [commands], routes: commandRoutes },
  { operations: [alarms], routes: alarmRoutes },
  { operations: [silences], routes: silenceRoutes },
  { operations: [rules], routes: ruleRoutes },
  { operations: [annotations], routes: annotationRoutes },
] as const;

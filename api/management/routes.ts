import { tokens } from '../access/tokens/operations.ts';
import { tokenRoutes } from '../access/tokens/routes.ts';
import { audit } from './audit/operations.ts';
import { auditRoutes } from './audit/routes.ts';
import { dashboards } from './dashboards/operations.ts';
import { dashboardRoutes } from './dashboards/routes.ts';
import { groups } from './groups/operations.ts';
import { groupRoutes } from './groups/routes.ts';
import { invites } from './invites/operations.ts';
import { inviteRoutes } from './invites/routes.ts';
import { keys } from './keys/operations.ts';
import { keyRoutes } from './keys/routes.ts';
import { groupMembers, orgMembers } from './memberships/operations.ts';
import { membershipRoutes } from './memberships/routes.ts';
import { orgs } from './orgs/operations.ts';
import { orgRoutes } from './orgs/routes.ts';
import { quotas } from './quotas/operations.ts';
import { quotaRoutes } from './quotas/routes.ts';
import { sessions } from './sessions/operations.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { shares } from './shares/operations.ts';
import { shareRoutes } from './shares/routes.ts';
import { tree } from './tree/operations.ts';
import { treeRoutes } from './tree/routes.ts';
import { users } from './users/operations.ts';
import { userRoutes } from './users/routes.ts';

/** Users, orgs, groups and what belongs to them. */
export const management = [
  { operations: [tokens], routes: tokenRoutes },
  { operations: [users], routes: userRoutes },
  { operations: [keys], routes: keyRoutes },
  { operations: [sessions], routes: sessionRoutes },
  { operations: [orgs], routes: orgRoutes },
  { operations: [audit], routes: auditRoutes },
  { operations: [quotas], routes: quotaRoutes },
  { operations: [groups], routes: groupRoutes },
  { operations: [dashboards], routes: dashboardRoutes },
  { operations: [shares], routes: shareRoutes },
  { operations: [orgMembers, groupMembers], routes: membershipRoutes },
  { operations: [invites], routes: inviteRoutes },
  { operations: [tree], routes: treeRoutes },
] as const;

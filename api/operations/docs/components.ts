import { Type } from 'typebox';
import { ApiKey, ApiKeys, IssuedApiKey, NewApiKey } from '../../../schemas/resources/api-key.ts';
import {
  Certificate,
  IssuedCertificate,
  NewCertificate,
  Revocation,
  Serials,
} from '../../../schemas/resources/certificate.ts';
import {
  Acknowledgement,
  Alarm,
  Alarms,
  NewSilence,
  Silence,
  Silences,
} from '../../../schemas/resources/alarm.ts';
import { Command, Commands, NewCommand } from '../../../schemas/resources/command.ts';
import { AuditEntries, AuditEntry } from '../../../schemas/resources/audit.ts';
import { Quota, QuotaChange, Usage } from '../../../schemas/resources/quota.ts';
import {
  Dashboard,
  DashboardChange,
  Dashboards,
  DashboardSummary,
  DashboardVersion,
  DashboardVersions,
  NewDashboard,
} from '../../../schemas/resources/dashboard.ts';
import {
  DashboardShare,
  DashboardShares,
  NewDashboardShare,
  SharedDashboard,
  SharedData,
} from '../../../schemas/resources/dashboard-share.ts';
import { DashboardContent } from '../../../schemas/dashboards/content.ts';
import { errorCodes, errorTable } from '../../../schemas/http/errors.ts';
import { Queue, QueueJob, QueueJobs, Queues } from '../../../schemas/resources/queue.ts';
import { Group, GroupChange, Groups, NewGroup } from '../../../schemas/resources/group.ts';
import {
  Invite,
  InvitesOfUser,
  NewOrgInvite,
  NewPlatformInvite,
  OrgInvite,
  OrgInvites,
  PlatformInvite,
  PlatformInvites,
  Registration,
} from '../../../schemas/resources/invite.ts';
import {
  GroupMembership,
  GroupMemberships,
  OrgMembership,
  OrgMemberships,
} from '../../../schemas/resources/membership.ts';
import { NewOrg, Org, OrgChange, Orgs } from '../../../schemas/resources/org.ts';
import {
  NewProfile,
  Profile,
  ProfileChange,
  Profiles,
} from '../../../schemas/resources/profile.ts';
import { NextMessage } from '../../../schemas/resources/next-message.ts';
import { Overview } from '../../../schemas/resources/overview.ts';
import { PreviewedProfile, ProfilePreview } from '../../../schemas/resources/profile-preview.ts';
import {
  Annotation,
  AnnotationChange,
  Annotations,
  NewAnnotation,
} from '../../../schemas/resources/annotation.ts';
import { DefaultReceivers, DefaultReceiversChange } from '../../../schemas/resources/alarm.ts';
import {
  ClearCondition,
  Condition,
  NewRule,
  PreviewedRule,
  Receivers,
  Rule,
  RuleChange,
  RulePreview,
  Rules,
} from '../../../schemas/resources/rule.ts';
import { Session, Sessions } from '../../../schemas/resources/user.ts';
import {
  NewThing,
  Thing,
  ThingChange,
  ThingMetadata,
  ThingValues,
  ThingValuesSearch,
  ThingMove,
  Things,
} from '../../../schemas/resources/thing.ts';
import {
  NewTreeGroup,
  TreeGroupChange,
  TreeGroups,
  TreeMembers,
  TreeThings,
  TreeUsers,
} from '../../../schemas/resources/tree.ts';
import {
  NewUser,
  PasswordChange,
  User,
  UserChange,
  Users,
} from '../../../schemas/resources/user.ts';
import {
  NewWebhook,
  Replay,
  Webhook,
  WebhookChange,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookMessage,
  Webhooks,
} from '../../../schemas/resources/webhook.ts';
import { isObject } from '../../../schemas/members.ts';
import {
  Operations,
  OperationsProcess,
  OperationsQuarantined,
  OperationsSeries,
} from '../../../schemas/operations.ts';

/** The body of every failure. */
export const ErrorBody = Type.Object({
  error: Type.String({ description: 'What is wrong, and where, for people' }),
  code: Type.Enum([...errorCodes], {
    description: errorCodes.map((code) => `- \`${code}\`: ${errorTable[code].means}`).join('\n'),
  }),
  request_id: Type.String({
    description: 'The request’s `X-Request-Id`: the service’s log has it',
  }),
});

/** Schemas that have a name of their own in the document; one with a `$id` has that. */
export const namedSchemas: Readonly<Record<string, object>> = {
  Error: ErrorBody,
  Overview,
  User,
  NewUser,
  UserChange,
  PasswordChange,
  Users,
  ApiKey,
  NewApiKey,
  IssuedApiKey,
  ApiKeys,
  Session,
  Sessions,
  Org,
  NewOrg,
  OrgChange,
  Orgs,
  OrgMembership,
  GroupMembership,
  OrgMemberships,
  GroupMemberships,
  AuditEntry,
  AuditEntries,
  Quota,
  QuotaChange,
  Usage,
  Operations,
  OperationsSeries,
  OperationsProcess,
  OperationsQuarantined,
  Invite,
  OrgInvite,
  PlatformInvite,
  NewOrgInvite,
  NewPlatformInvite,
  Registration,
  OrgInvites,
  InvitesOfUser,
  PlatformInvites,
  Group,
  NewGroup,
  GroupChange,
  Groups,
  Profile,
  NewProfile,
  ProfileChange,
  Profiles,
  ProfilePreview,
  PreviewedProfile,
  Thing,
  NewThing,
  ThingChange,
  ThingMetadata,
  ThingValues,
  ThingValuesSearch,
  ThingMove,
  Things,
  NextMessage,
  Certificate,
  NewCertificate,
  IssuedCertificate,
  Revocation,
  Serials,
  Webhook,
  NewWebhook,
  WebhookChange,
  Webhooks,
  WebhookDelivery,
  WebhookMessage,
  WebhookDeliveries,
  Rule,
  NewRule,
  RuleChange,
  Rules,
  Condition,
  ClearCondition,
  RulePreview,
  PreviewedRule,
  Receivers,
  DefaultReceivers,
  DefaultReceiversChange,
  Replay,
  NewCommand,
  Command,
  Commands,
  Alarm,
  Alarms,
  Acknowledgement,
  Silence,
  NewSilence,
  Silences,
  Dashboard,
  NewDashboard,
  DashboardChange,
  Dashboards,
  DashboardSummary,
  DashboardContent,
  DashboardVersion,
  DashboardVersions,
  Annotation,
  NewAnnotation,
  AnnotationChange,
  Annotations,
  DashboardShare,
  NewDashboardShare,
  DashboardShares,
  SharedDashboard,
  SharedData,
  NewTreeGroup,
  TreeGroupChange,
  TreeGroups,
  TreeMembers,
  TreeUsers,
  TreeThings,
  Queue,
  Queues,
  QueueJob,
  QueueJobs,
};

/** Puts references in the place of what stands within these and among the components of this kind. */
export function refer(
  roots: readonly unknown[],
  kind: 'schemas' | 'responses',
  components: Readonly<Record<string, unknown>> = {},
): void {
  const names = new Map(
    Object.entries(components).map(([name, component]) => [JSON.stringify(component), name]),
  );
  const left = [...roots];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (!isObject(node)) continue;
    for (const [key, inner] of Object.entries(node)) {
      const name = names.get(JSON.stringify(inner));
      if (name === undefined) left.push(inner);
      else Reflect.set(node, key, { $ref: `#/components/${kind}/${name}` });
    }
  }
}

/**
 * Puts what two forms a value may have where the schema tells them apart by a condition: that is for the words
 * of a refusal, and readers of the document are better served by a choice.
 */
export function sayAnyOf(root: unknown): void {
  if (!isObject(root)) return;
  const { if: condition, then: first, else: second } = root;
  if (condition !== undefined) {
    for (const name of ['if', 'then', 'else']) Reflect.deleteProperty(root, name);
    Reflect.set(root, 'anyOf', [first, second]);
  }
  for (const inner of Object.values(root)) sayAnyOf(inner);
}

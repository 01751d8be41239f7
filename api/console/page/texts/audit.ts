import { number } from './words.ts';

const several = {
  user: 'users',
  api_key: 'API keys',
  session: 'sessions',
  org: 'orgs',
  quota: 'limits',
  org_member: 'members',
  invite: 'invites',
  group: 'groups',
  group_member: 'members of groups',
  profile: 'profiles',
  thing: 'things',
  certificate: 'certificates',
  webhook: 'webhooks',
  command: 'commands',
  rule: 'rules',
  alarm: 'alarms',
  silence: 'silences',
  alarm_receivers: 'receivers of alarms',
  tree_group: 'tree groups',
  tree_member: 'members of tree groups',
  messages: 'deletions of messages',
  queue: 'queues',
} as const;

export const auditTexts = {
  searchEntity: 'Id of what was changed',
  ofRequest: 'Of one request',
  several: (entries: number, kind: string) =>
    `${number.format(entries)} ${Object.entries(several).find(([one]) => one === kind)?.[1] ?? kind}`,
};

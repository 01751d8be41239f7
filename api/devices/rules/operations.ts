import { DefaultReceivers, DefaultReceiversChange } from '../../../schemas/resources/alarm.ts';
import {
  NewRule,
  PreviewedRule,
  Rule,
  RuleChange,
  RulePreview,
  Rules,
  RulesQuery,
} from '../../../schemas/resources/rule.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

const list = { method: 'GET', query: RulesQuery, answers: { 200: Rules } } as const;

const view = { method: 'GET', answers: { 200: DefaultReceivers } } as const;
const set = {
  method: 'PUT',
  body: DefaultReceiversChange,
  answers: { 200: Empty },
  audit: 'alarm_receivers',
} as const;

const ofGroup = { path: '/groups/:id/alarm-receivers' } as const;
/** They hear of things of every group of the org: who owns the org owns each of its groups, and nobody else does. */
const ofOrg = {
  path: '/orgs/:id/alarm-receivers',
  needs: { kind: 'member', role: 'owner', of: 'org' },
} as const;

export const rules = operations('rules', {
  createRule: {
    method: 'POST',
    path: '/groups/:id/rules',
    needs: { kind: 'member', role: 'editor', of: 'group' },
    body: NewRule,
    answers: { 201: Rule },
    summary: 'Create a rule of a group',
    about: 'It counts within a second, for messages that come from then on.',
    errors: ['conflict'],
    location: 'the rule',
    audit: 'rule',
  },
  listGroupRules: {
    ...list,
    path: '/groups/:id/rules',
    needs: { kind: 'member', role: 'viewer', of: 'group' },
    summary: 'List the rules of a group',
  },
  listThingRules: {
    ...list,
    path: '/things/:id/rules',
    needs: { kind: 'member', role: 'viewer', of: 'thing' },
    summary: 'List the rules that are about a thing',
  },
  listOrgRules: {
    ...list,
    path: '/orgs/:id/rules',
    needs: { kind: 'member', role: 'viewer', of: 'org' },
    summary: 'List the rules of one’s groups in an org',
  },
  listRules: {
    ...list,
    path: '/rules',
    needs: { kind: 'user' },
    summary: 'List the rules of all one’s groups',
  },
  viewRule: {
    method: 'GET',
    path: '/rules/:id',
    needs: { kind: 'member', role: 'viewer', of: 'rule' },
    answers: { 200: Rule },
    summary: 'View a rule',
  },
  updateRule: {
    method: 'PUT',
    path: '/rules/:id',
    needs: { kind: 'member', role: 'editor', of: 'rule' },
    body: RuleChange,
    answers: { 200: Empty },
    summary: 'Change a rule, disable or enable it',
    about:
      'Alarms of a rule that is disabled end. Where it is changed when it fires, for what, or for which things, an alarm goes on as long as the newest values are in breach of what the rule says now; others end, and whatever was not firing yet begins anew. Receivers are told of these ends.',
    audit: 'rule',
  },
  deleteRule: {
    method: 'DELETE',
    path: '/rules/:id',
    needs: { kind: 'member', role: 'editor', of: 'rule' },
    answers: { 204: Empty },
    summary: 'Delete a rule; its alarms end, and stay to be read',
    audit: 'rule',
    removes: true,
  },
  previewRule: {
    method: 'POST',
    reads: true,
    path: '/groups/:id/rules/preview',
    needs: { kind: 'member', role: 'viewer', of: 'group' },
    body: RulePreview,
    answers: { 200: PreviewedRule },
    summary: 'Try a rule on what is stored, before it is saved',
    about:
      'It reads the records of at most 50 things, those heard last, and at most 1,000,000 records. Things are taken for ok at the begin of the range. The store has the times of records and not those of receipt: `silent` is tried by the holes between records.',
    errors: ['too_many'],
  },
  viewGroupReceivers: {
    ...view,
    ...ofGroup,
    needs: { kind: 'member', role: 'editor', of: 'group' },
    summary: 'View who hears of alarms of a group whose rule names nobody',
  },
  setGroupReceivers: {
    ...set,
    ...ofGroup,
    needs: { kind: 'member', role: 'editor', of: 'group' },
    summary: 'Set who hears of alarms of a group whose rule names nobody',
  },
  viewOrgReceivers: {
    ...view,
    ...ofOrg,
    summary: 'View who hears of alarms of an org whose rule and group name nobody',
  },
  setOrgReceivers: {
    ...set,
    ...ofOrg,
    summary: 'Set who hears of alarms of an org whose rule and group name nobody',
  },
});

import {
  Acknowledgement,
  Alarm,
  Alarms,
  AlarmsFileQuery,
  AlarmsQuery,
} from '../../../schemas/resources/alarm.ts';
import { exampleOf } from '../../../schemas/http/examples.ts';
import { operations } from '../../http/operation.ts';
import { alarmColumns, csvHeadOf } from './columns.ts';

const ofThing = { kind: 'member', role: 'viewer', of: 'thing' } as const;
const ofGroup = { kind: 'member', role: 'viewer', of: 'group' } as const;
const ofOrg = { kind: 'member', role: 'viewer', of: 'org' } as const;
const ofAll = { kind: 'user' } as const;

const example = exampleOf(Alarm, {});
const exampleLine = `${JSON.stringify(example)}\n`;

const list = { method: 'GET', query: AlarmsQuery, answers: { 200: Alarms } } as const;

const files = {
  'application/x-ndjson': {
    schema: { type: 'string', description: 'A JSON object for each alarm, one to a line.' },
    example: exampleLine,
  },
  'text/csv': {
    schema: {
      type: 'string',
      description: `A line of names (${alarmColumns.join(', ')}), and one for each alarm. Values are JSON in their cell. Text that a spreadsheet would run as a formula has a single quote before it.`,
    },
    example: csvHeadOf(),
  },
};
const file = {
  method: 'GET',
  head: false,
  query: AlarmsFileQuery,
  written: { 200: { content: files } },
  about:
    'Filters apply, pages do not: all of them, in the order in which they fired, group by group.',
  auditAlso: 'alarm',
} as const;

const events = {
  'text/event-stream': {
    schema: {
      type: 'string',
      description: 'An event for each alarm that changed: `data` is the alarm as it is then.',
    },
    example: `id: 42\ndata: ${exampleLine}\n`,
  },
};
const live = {
  method: 'GET',
  head: false,
  written: { 200: { content: events } },
  about:
    'An event for each alarm that fires, is clearing or no longer, ends, or is acknowledged. The stream does not end. With `Last-Event-ID` it goes on after that event, without a gap.',
} as const;

export const alarms = operations('alarms', {
  listThingAlarms: {
    ...list,
    path: '/things/:id/alarms',
    needs: ofThing,
    summary: 'List the alarms of a thing',
  },
  listGroupAlarms: {
    ...list,
    path: '/groups/:id/alarms',
    needs: ofGroup,
    summary: 'List the alarms of the things of a group',
  },
  listOrgAlarms: {
    ...list,
    path: '/orgs/:id/alarms',
    needs: ofOrg,
    summary: 'List the alarms of one’s groups in an org',
  },
  listAlarms: {
    ...list,
    path: '/alarms',
    needs: ofAll,
    summary: 'List the alarms of all one’s groups',
  },
  viewAlarm: {
    method: 'GET',
    path: '/alarms/:id',
    needs: { kind: 'member', role: 'viewer', of: 'alarm' },
    answers: { 200: Alarm },
    summary: 'View an alarm and its state',
  },
  acknowledgeAlarm: {
    method: 'POST',
    path: '/alarms/:id/acknowledge',
    needs: { kind: 'member', role: 'editor', of: 'alarm' },
    body: Acknowledgement,
    answers: { 200: Alarm },
    summary: 'Acknowledge an alarm',
    about:
      'It says that somebody has seen to it: receivers are not told of it again while it goes on. One that has ended may be acknowledged too. Who acknowledges it again replaces time, user and note.',
    audit: 'alarm',
  },
  exportThingAlarms: {
    ...file,
    path: '/things/:id/alarms/export',
    needs: ofThing,
    summary: 'Export the alarms of a thing',
  },
  exportGroupAlarms: {
    ...file,
    path: '/groups/:id/alarms/export',
    needs: ofGroup,
    summary: 'Export the alarms of the things of a group',
  },
  exportOrgAlarms: {
    ...file,
    path: '/orgs/:id/alarms/export',
    needs: ofOrg,
    summary: 'Export the alarms of one’s groups in an org',
  },
  exportAlarms: {
    ...file,
    path: '/alarms/export',
    needs: ofAll,
    summary: 'Export the alarms of all one’s groups',
  },
  followGroupAlarms: {
    ...live,
    path: '/groups/:id/alarms/live',
    needs: ofGroup,
    summary: 'Alarms of a group as they change, as server-sent events',
  },
  followOrgAlarms: {
    ...live,
    path: '/orgs/:id/alarms/live',
    needs: ofOrg,
    summary: 'Alarms of one’s groups in an org as they change, as server-sent events',
  },
  followAlarms: {
    ...live,
    path: '/alarms/live',
    needs: ofAll,
    summary: 'Alarms of all one’s groups as they change, as server-sent events',
  },
});

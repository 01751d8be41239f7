import { Type } from 'typebox';
import {
  Command,
  Commands,
  commandBytesMax,
  CommandsQuery,
  MadeCommand,
  MadeCommands,
  NewCommand,
} from '../../../schemas/resources/command.ts';
import { Uuid } from '../../../schemas/http/common.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

const sending = {
  method: 'POST',
  needs: { kind: 'userOrThing' },
  body: NewCommand,
  bodyBytesMax: commandBytesMax,
  errors: ['forbidden', 'not_found', 'too_many'],
  audit: 'command',
} as const;

const how =
  'A user must be an editor of the group. A thing commands in its own group: a controller and a gateway command sensors, actuators and devices, a device commands devices, and each of the three the whole group; it may ask the edge as well. The path may begin with `/http`, and end with the subtopic.';

/** The rest of the path is the subtopic. */
const params = Type.Object({ id: Uuid, '*': Type.String() });
const withSubtopic = { params, undocumented: true } as const;

const toThing = {
  ...sending,
  answers: { 202: MadeCommand },
  summary: 'Send a command to a thing',
  about: `It waits until the thing takes it, or it expires. ${how}`,
} as const;
const toGroup = {
  ...sending,
  answers: { 202: MadeCommands },
  summary: 'Send a command to all things of a group',
  about: `It waits for each of them, but not for the thing that sends it. ${how}`,
} as const;

const list = { method: 'GET', query: CommandsQuery, answers: { 200: Commands } } as const;

export const commands = operations('commands', {
  commandThing: { ...toThing, path: '/things/:id/commands' },
  commandThing_subtopic: { ...toThing, ...withSubtopic, path: '/things/:id/commands/*' },
  commandGroup: { ...toGroup, path: '/groups/:id/commands' },
  commandGroup_subtopic: { ...toGroup, ...withSubtopic, path: '/groups/:id/commands/*' },
  listThingCommands: {
    ...list,
    path: '/things/:id/commands',
    needs: { kind: 'member', role: 'editor', of: 'thing' },
    summary: 'List the commands to a thing',
  },
  listGroupCommands: {
    ...list,
    path: '/groups/:id/commands',
    needs: { kind: 'member', role: 'editor', of: 'group' },
    summary: 'List the commands to the things of a group',
  },
  viewCommand: {
    method: 'GET',
    path: '/commands/:id',
    needs: { kind: 'member', role: 'editor', of: 'command' },
    answers: { 200: Command },
    summary: 'View a command and its state',
  },
  withdrawCommand: {
    method: 'DELETE',
    path: '/commands/:id',
    needs: { kind: 'member', role: 'editor', of: 'command' },
    answers: { 204: Empty },
    summary: 'Withdraw a command that is still queued',
    errors: ['conflict'],
    audit: 'command',
    removes: true,
  },
});

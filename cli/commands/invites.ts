import type { Command } from 'commander';
import type { NewOrgInvite } from '../../schemas/client/generated/types.ts';
import { having } from '../../schemas/client/shape.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { email, type Fields, json, role, text } from '../input/fields.ts';
import { askFirst } from '../invocation/removal.ts';
import { pageFlags } from '../input/flags.ts';
import { change, of, show, whoIsMeant } from './ordinary.ts';

const newInvite: Fields<NewOrgInvite> = {
  email,
  role,
  redirect_path: text('--redirect-path <path>', "of the mail's link, between the host and the id"),
  group_invites: json('--groups <json>', `groups to join along: [{"group_id":…,"member_role":…}]`),
};

/** The page, or the invites of one e-mail. */
function pageFor({ settings: { page, email: invitee } }: Call) {
  return { ...page, ...(invitee === undefined ? {} : { email: invitee }) };
}

/** Invites to an org; those to the platform are `platform_invites`. */
export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> <org_id> [token]',
    'Invite a user to an org, by mail',
    change('createOrgInvite', (call) => ({
      body: call.object('JSON', having<NewOrgInvite>('email', 'role')),
      ...of('org_id')(call),
    })),
    {
      fields: newInvite,
      parent: { argument: 'org_id', flags: '--org <id>' },
      examples: [
        'invites create --email ann@example.com --role editor --org $ORG',
        `invites create '{"email":"bob@example.com","role":"viewer"}' $ORG`,
      ],
    },
  );
  const view = show('viewInvite', of('invite_id'));
  const get = add(group, 'get <invite_id> [token]', 'Show one invite, or list them', view);
  add(get, 'by-id <invite_id> [token]', 'Show one invite', view);
  add(
    get,
    'by-org <org_id> [token]',
    'List the invites to an org',
    show('listOrgInvites', (call) => ({ ...of('org_id')(call), query: pageFor(call) })),
    { uses: [...pageFlags, 'email'] },
  );
  addOfUser(get, add);
  add(
    group,
    'accept <invite_id> [token]',
    'Join the org, and the groups that it names',
    change('acceptInvite', of('invite_id')),
  );
  addRefusals(group, add);
};

function addOfUser(get: Command, add: Add): void {
  for (const [kind, name, about] of [
    ['received', 'listReceivedInvites', 'List the invites a user got; without an id, your own'],
    ['sent', 'listSentInvites', 'List the invites a user sent; without an id, your own'],
  ] as const) {
    add(
      get,
      `${kind} [user_id|token] [token]`,
      about,
      async (call) => {
        const { id, token } = await whoIsMeant(call);
        const request = { path: { id }, query: pageFor(call) };
        await call.output.show(await call.as('auth', token).call(name, request));
      },
      { examples: [`invites get ${kind}`], uses: [...pageFlags, 'email'] },
    );
  }
}

function addRefusals(group: Command, add: Add): void {
  for (const [verb, name, about] of [
    ['decline', 'declineInvite', 'Do not join'],
    ['revoke', 'revokeInvite', 'Take back an invite that one has sent'],
  ] as const) {
    add(
      group,
      `${verb} <invite_id> [token]`,
      about,
      async (call) => {
        const request = of('invite_id')(call);
        const invite = await call.ask('viewInvite', request);
        const org = invite.org_name === undefined ? '' : ` to the org "${invite.org_name}"`;
        await askFirst(call, verb, `the invite of ${invite.invitee_email}${org}`, () =>
          call.ask(name, request),
        );
      },
      { removes: true },
    );
  }
}

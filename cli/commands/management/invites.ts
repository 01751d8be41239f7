import type { Command } from 'commander';
import type { NewOrgInvite } from '../../../schemas/client/generated/types.ts';
import { having } from '../../../schemas/client/shape.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add, AddCommands } from '../../invocation/command.ts';
import { email, type Fields, json, role, text } from '../../input/fields.ts';
import { takeAway } from '../../invocation/removal.ts';
import { pageFlags } from '../../input/flags.ts';
import { whoIsMeant } from '../../invocation/who.ts';

const newInvite: Fields<NewOrgInvite> = {
  email,
  role,
  redirect_path: text('--redirect-path <path>', "of the mail's link, between the host and the id"),
  group_invites: json('--groups <json>', `groups to join along: [{"group_id":…,"member_role":…}]`),
};

/** Invites to an org; those to the platform are `platform_invites`. */
export const addCommands: AddCommands = (group, add) => {
  addCreate(group, add);
  addGet(group, add);
  addAnswers(group, add);
};

function addCreate(group: Command, add: Add): void {
  add(
    group,
    'create <JSON> <org_id> [token]',
    'Invite a user to an org, by mail',
    async (call) => {
      const { invites } = call.as(call.settings.urls.auth);
      const invite = call.object('JSON', having<NewOrgInvite>('email', 'role'));
      await invites.inviteToOrg(call.id('org_id'), invite);
      await call.output.ok();
    },
    {
      fields: newInvite,
      parent: { argument: 'org_id', flags: '--org <id>' },
      examples: [
        'invites create --email ann@example.com --role editor --org $ORG',
        `invites create '{"email":"bob@example.com","role":"viewer"}' $ORG`,
      ],
    },
  );
}

function addGet(group: Command, add: Add): void {
  const view = async (call: Call) => {
    const { invites } = call.as(call.settings.urls.auth);
    await call.output.show(await invites.view(call.id('invite_id')));
  };
  const get = add(group, 'get <invite_id> [token]', 'Show one invite, or list them', view);
  add(get, 'by-id <invite_id> [token]', 'Show one invite', view);
  add(
    get,
    'by-org <org_id> [token]',
    'List the invites to an org',
    async (call) => {
      const { urls, page, email: of } = call.settings;
      const { invites } = call.as(urls.auth);
      await call.output.show(await invites.listOfOrg(call.id('org_id'), { ...page, ...only(of) }));
    },
    { uses: [...pageFlags, 'email'] },
  );
  for (const [kind, method, about] of [
    ['received', 'listReceived', 'List the invites a user got; without an id, your own'],
    ['sent', 'listSent', 'List the invites a user sent; without an id, your own'],
  ] as const) {
    add(
      get,
      `${kind} [user_id|token] [token]`,
      about,
      async (call) => {
        const { urls, page, email: of } = call.settings;
        const { id, token } = await whoIsMeant(call);
        const { invites } = call.as(urls.auth, token);
        await call.output.show(await invites[method](id, { ...page, ...only(of) }));
      },
      { examples: [`invites get ${kind}`], uses: [...pageFlags, 'email'] },
    );
  }
}

/** What the invitee or the inviter does with an invite. */
function addAnswers(group: Command, add: Add): void {
  add(
    group,
    'accept <invite_id> [token]',
    'Join the org, and the groups that it names',
    async (call) => {
      await call.as(call.settings.urls.auth).invites.accept(call.id('invite_id'));
      await call.output.ok();
    },
  );
  for (const [verb, about] of [
    ['decline', 'Do not join'],
    ['revoke', 'Take back an invite that one has sent'],
  ] as const) {
    add(
      group,
      `${verb} <invite_id> [token]`,
      about,
      async (call) => {
        const { invites } = call.as(call.settings.urls.auth);
        const invite = await invites.view(call.id('invite_id'));
        const org = invite.org_name === undefined ? '' : ` to the org "${invite.org_name}"`;
        await takeAway(call, verb, `the invite of ${invite.invitee_email}${org}`, () =>
          invites[verb](invite.id),
        );
      },
      { removes: true },
    );
  }
}

function only(of: string | undefined): { email?: string } {
  return of === undefined ? {} : { email: of };
}

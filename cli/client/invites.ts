import type { Static } from 'typebox';
import type {
  Invite,
  InvitesOfUser,
  NewOrgInvite,
  NewPlatformInvite,
  OrgInvites,
  OrgInvitesQuery,
  PlatformInvites,
  PlatformInvitesQuery,
  Registration,
} from '../../schemas/invite.ts';
import { read, type Service } from './service.ts';
import { having } from './shape.ts';
import { path } from './urls.ts';

const ofUserShape = having<Static<typeof InvitesOfUser>>('total', 'invites');

export class InvitesClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  async inviteToOrg(orgId: string, invite: NewOrgInvite): Promise<void> {
    const { transport, as } = this.#service;
    const url = this.#url('orgs', orgId, 'invites');
    await transport.done({ method: 'POST', url, as, json: invite });
  }

  /** The new invite's id. */
  inviteToPlatform(invite: NewPlatformInvite): Promise<string> {
    const { transport, as } = this.#service;
    return transport.created({ method: 'POST', url: this.#url('invites'), as, json: invite });
  }

  view(id: string): Promise<Static<typeof Invite>> {
    return read(
      this.#service,
      this.#url('invites', id),
      having<Static<typeof Invite>>('id', 'state'),
    );
  }

  listOfOrg(
    orgId: string,
    query: Static<typeof OrgInvitesQuery> = {},
  ): Promise<Static<typeof OrgInvites>> {
    return read(
      this.#service,
      this.#url('orgs', orgId, 'invites'),
      having<Static<typeof OrgInvites>>('total', 'invites'),
      query,
    );
  }

  listOfPlatform(
    query: Static<typeof PlatformInvitesQuery> = {},
  ): Promise<Static<typeof PlatformInvites>> {
    return read(
      this.#service,
      this.#url('invites'),
      having<Static<typeof PlatformInvites>>('total', 'invites'),
      query,
    );
  }

  listReceived(
    userId: string,
    query: Static<typeof OrgInvitesQuery> = {},
  ): Promise<Static<typeof InvitesOfUser>> {
    return read(
      this.#service,
      this.#url('users', userId, 'invites', 'received'),
      ofUserShape,
      query,
    );
  }

  listSent(
    userId: string,
    query: Static<typeof OrgInvitesQuery> = {},
  ): Promise<Static<typeof InvitesOfUser>> {
    return read(this.#service, this.#url('users', userId, 'invites', 'sent'), ofUserShape, query);
  }

  async accept(id: string): Promise<void> {
    await this.#do('POST', this.#url('invites', id, 'accept'));
  }

  async decline(id: string): Promise<void> {
    await this.#do('POST', this.#url('invites', id, 'decline'));
  }

  async revoke(id: string): Promise<void> {
    await this.#do('DELETE', this.#url('invites', id));
  }

  /** Makes the account that the invite is for. */
  async register(id: string, who: Static<typeof Registration>): Promise<void> {
    const { transport, urls } = this.#service;
    const url = `${urls.users}${path('register', 'invite', id)}`;
    await transport.done({ method: 'POST', url, json: who });
  }

  async #do(method: 'POST' | 'DELETE', url: string): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method, url, as });
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.auth}${path(...parts)}`;
  }
}

import type {
  Invite,
  InvitesOfUser,
  NewOrgInvite,
  NewPlatformInvite,
  OrgInvites,
  PlatformInvites,
  Registration,
  Requests,
} from '../generated/types.ts';
import { call, created, done, type Service } from '../service.ts';

export class InvitesClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  async inviteToOrg(orgId: string, invite: NewOrgInvite): Promise<void> {
    await done(this.#service, 'createOrgInvite', { path: { id: orgId }, body: invite });
  }

  /** The new invite's id. */
  inviteToPlatform(invite: NewPlatformInvite): Promise<string> {
    return created(this.#service, 'createPlatformInvite', { body: invite });
  }

  view(id: string): Promise<Invite> {
    return call(this.#service, 'viewInvite', { path: { id } });
  }

  listOfOrg(orgId: string, query: Requests['listOrgInvites']['query'] = {}): Promise<OrgInvites> {
    return call(this.#service, 'listOrgInvites', { path: { id: orgId }, query });
  }

  listOfPlatform(query: Requests['listPlatformInvites']['query'] = {}): Promise<PlatformInvites> {
    return call(this.#service, 'listPlatformInvites', { query });
  }

  listReceived(
    userId: string,
    query: Requests['listReceivedInvites']['query'] = {},
  ): Promise<InvitesOfUser> {
    return call(this.#service, 'listReceivedInvites', { path: { id: userId }, query });
  }

  listSent(
    userId: string,
    query: Requests['listSentInvites']['query'] = {},
  ): Promise<InvitesOfUser> {
    return call(this.#service, 'listSentInvites', { path: { id: userId }, query });
  }

  async accept(id: string): Promise<void> {
    await done(this.#service, 'acceptInvite', { path: { id } });
  }

  async decline(id: string): Promise<void> {
    await done(this.#service, 'declineInvite', { path: { id } });
  }

  async revoke(id: string): Promise<void> {
    await done(this.#service, 'revokeInvite', { path: { id } });
  }

  /** Makes the account that the invite is for. */
  async register(id: string, who: Registration): Promise<void> {
    const request = { path: { id }, body: who };
    await done(this.#service, 'registerByInvite', request, { as: undefined });
  }
}

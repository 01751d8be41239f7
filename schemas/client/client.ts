import { CertsClient } from './resources/certs.ts';
import { GroupsClient } from './resources/groups.ts';
import { InvitesClient } from './resources/invites.ts';
import { KeysClient } from './resources/keys.ts';
import { MessagesClient } from './resources/messages.ts';
import type { Answers, Operations, Requests } from './generated/types.ts';
import { OrgsClient } from './resources/orgs.ts';
import { ProfilesClient } from './resources/profiles.ts';
import { call, type Service } from './service.ts';
import { ThingsClient } from './resources/things.ts';
import { Transport } from './transport.ts';
import { TreeClient } from './resources/tree.ts';
import { type ServiceUrls, serviceUrls } from './urls.ts';
import { UsersClient } from './resources/users.ts';
import { WebhooksClient } from './resources/webhooks.ts';

export type * from './generated/types.ts';
export { AnswerError, ApiError, ConnectionError } from './errors.ts';
export { thingCredential } from './resources/things.ts';

export type ClientOptions = {
  /** The base URL; default `http://localhost:8080`. */
  url?: string;
  /** A user's token, or an API key. */
  token?: string | undefined;
  /** Services that answer elsewhere. */
  urls?: Partial<ServiceUrls>;
  /** Takes any certificate of a server's. */
  insecure?: boolean;
  /** Reads the JSON of answers; default `JSON.parse`, whose numbers hold 53 bits. */
  parse?: (text: string) => unknown;
};

/**
 * A client of Millrace, and of the platform whose interface it has.
 *
 *     const millrace = new Millrace({ url: 'http://localhost:8080' });
 *     const token = await millrace.users.login('admin@example.com', password);
 *     const { orgs } = await new Millrace({ token }).orgs.list();
 *
 * Methods reject with `ApiError` (the server said no, `status` and its own words), `ConnectionError`
 * or `AnswerError`. Reads are asked again where the server asks to wait; nothing else is.
 */
export class Millrace {
  readonly #service: Service;
  readonly users: UsersClient;
  readonly orgs: OrgsClient;
  readonly groups: GroupsClient;
  readonly profiles: ProfilesClient;
  readonly things: ThingsClient;
  readonly keys: KeysClient;
  readonly invites: InvitesClient;
  readonly messages: MessagesClient;
  readonly webhooks: WebhooksClient;
  readonly tree: TreeClient;
  readonly certs: CertsClient;

  constructor(options: ClientOptions = {}) {
    this.#service = {
      transport: new Transport(options),
      urls: { ...serviceUrls(options.url), ...options.urls },
      as: options.token === undefined ? undefined : { scheme: 'Bearer', value: options.token },
    };
    this.users = new UsersClient(this.#service);
    this.orgs = new OrgsClient(this.#service);
    this.groups = new GroupsClient(this.#service);
    this.profiles = new ProfilesClient(this.#service);
    this.things = new ThingsClient(this.#service);
    this.keys = new KeysClient(this.#service);
    this.invites = new InvitesClient(this.#service);
    this.messages = new MessagesClient(this.#service);
    this.webhooks = new WebhooksClient(this.#service);
    this.tree = new TreeClient(this.#service);
    this.certs = new CertsClient(this.#service);
  }

  /** How the server and what it stands on are. */
  health(): Promise<Answers['viewHealth']> {
    return call(this.#service, 'viewHealth', {}, { as: undefined, orStatus: 503 });
  }

  /** How the installation is, for platform admins; with `range` also how it was. */
  operations(query: Requests['viewOperations']['query'] = {}): Promise<Operations> {
    return call(this.#service, 'viewOperations', { query });
  }

  /** Ends what is under way and lets the process end. */
  close(): Promise<void> {
    return this.#service.transport.close();
  }
}

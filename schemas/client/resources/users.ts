import type {
  NewUser,
  PasswordChange,
  Requests,
  Sessions,
  User,
  UserChange,
  Users,
} from '../generated/types.ts';
import { call, created, done, type Service } from '../service.ts';

export class UsersClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Logs in: the token that the other methods need. */
  async login(email: string, password: string): Promise<string> {
    const body = { email, password };
    const { token } = await call(this.#service, 'issueToken', { body }, { as: undefined });
    return token;
  }

  /** The new user's id. */
  create(user: NewUser): Promise<string> {
    return created(this.#service, 'createUser', { body: user });
  }

  view(id: string): Promise<User> {
    return call(this.#service, 'viewUser', { path: { id } });
  }

  /** Whoever asks. */
  oneself(): Promise<User> {
    return call(this.#service, 'viewOwnUser', {});
  }

  search(body: Requests['searchUsers']['body'] = {}): Promise<Users> {
    return call(this.#service, 'searchUsers', { body }, { reads: true });
  }

  list(query: Requests['listUsers']['query'] = {}): Promise<Users> {
    return call(this.#service, 'listUsers', { query });
  }

  /** Of oneself. */
  async update(change: UserChange): Promise<void> {
    await done(this.#service, 'updateOwnMetadata', { body: change });
  }

  async changePassword(change: PasswordChange): Promise<void> {
    await done(this.#service, 'changeOwnPassword', { body: change });
  }

  /** The browsers that one is signed in with at the console. */
  sessions(query: Requests['listSessions']['query'] = {}): Promise<Sessions> {
    return call(this.#service, 'listSessions', { query });
  }

  async endSession(id: string): Promise<void> {
    await done(this.#service, 'endSession', { path: { id } });
  }

  /** All of them, and all tokens of the user: also the one of this client. */
  async endAllSessions(): Promise<void> {
    await done(this.#service, 'endAllSessions', {});
  }
}

import type { Static } from 'typebox';
import type {
  NewUser,
  PasswordChange,
  User,
  UserChange,
  Users,
  UsersQuery,
} from '../../schemas/user.ts';
import { type ListQuery, read, type Service } from './service.ts';
import { having } from './shape.ts';
import { path } from './urls.ts';

const userShape = having<User>('id', 'email');
const pageShape = having<Static<typeof Users>>('total', 'Users');

export class UsersClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Logs in: the token that the other methods need. */
  async login(email: string, password: string): Promise<string> {
    const { transport, urls } = this.#service;
    const url = `${urls.users}/tokens`;
    const ask = { method: 'POST', url, json: { email, password } } as const;
    const { token } = await transport.json(ask, having<{ token: string }>('token'));
    return token;
  }

  /** The new user's id. */
  create(user: Static<typeof NewUser>): Promise<string> {
    const { transport, urls, as } = this.#service;
    return transport.created({ method: 'POST', url: `${urls.users}/users`, as, json: user });
  }

  view(id: string): Promise<User> {
    return read(this.#service, `${this.#service.urls.users}/users${path(id)}`, userShape);
  }

  /** Whoever asks. */
  oneself(): Promise<User> {
    return read(this.#service, `${this.#service.urls.users}/users/profile`, userShape);
  }

  list(query: ListQuery<typeof UsersQuery> = {}): Promise<Static<typeof Users>> {
    return read(this.#service, `${this.#service.urls.users}/users`, pageShape, query);
  }

  /** Of oneself. */
  async update(change: UserChange): Promise<void> {
    const { transport, urls, as } = this.#service;
    await transport.done({ method: 'PUT', url: `${urls.users}/users`, as, json: change });
  }

  async changePassword(change: Static<typeof PasswordChange>): Promise<void> {
    const { transport, urls, as } = this.#service;
    await transport.done({ method: 'PATCH', url: `${urls.users}/password`, as, json: change });
  }
}

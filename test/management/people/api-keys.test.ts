import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../../support/api/http.ts';
import { type Person, People } from '../../support/api/people.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

let people: People;
let issuer: Person;
let other: Person;

beforeAll(async () => {
  people = new People();
  [issuer, other] = await Promise.all([people.register(), people.register()]);
});

afterAll(() => people.close());

async function issue(as: string, duration?: number): Promise<{ id: string; value: string }> {
  const answer = await call('POST', '/keys', { as, body: { type: 2, duration } });
  expect(answer.status).toBe(201);
  return { id: textAt(answer, 'id'), value: textAt(answer, 'value') };
}

describe('an API key', () => {
  it.each(['', '/svcauth'])('is issued, viewed, listed and revoked at %s/keys', async (prefix) => {
    const { as } = issuer;
    const issued = await call('POST', `${prefix}/keys`, { as, body: { type: 2, duration: 3600 } });
    expect([issued.status, json(issued)]).toEqual([
      201,
      {
        id: expect.stringMatching(uuid),
        value: expect.stringMatching(/^\S{32,}$/),
        issued_at: expect.stringMatching(timestamp),
        expires_at: expect.stringMatching(timestamp),
      },
    ]);
    const issuedAt = Date.parse(textAt(issued, 'issued_at'));
    expect(Date.parse(textAt(issued, 'expires_at')) - issuedAt).toBe(3_600_000);

    const key = {
      id: at(issued, 'id'),
      issuer_id: issuer.id,
      subject: issuer.email,
      type: 2,
      issued_at: at(issued, 'issued_at'),
      expires_at: at(issued, 'expires_at'),
    };
    const path = `${prefix}/keys/${textAt(issued, 'id')}`;
    const viewed = await call('GET', path, { as });
    expect([viewed.status, json(viewed)]).toEqual([200, key]);
    const listed = await call('GET', `${prefix}/keys?order=issued_at`, { as });
    expect(listed.status).toBe(200);
    expect(at(listed, 'keys', 0)).toEqual(key);

    const revoked = await call('DELETE', path, { as });
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expect((await call('GET', path, { as })).status).toBe(404);
    expect((await call('DELETE', path, { as })).status).toBe(404);
  });

  it.each([{ type: 2 }, { type: 2, duration: 0 }, { type: 2, duration: null }])(
    'never expires when issued by %j',
    async (body) => {
      const issued = await call('POST', '/keys', { as: issuer.as, body });
      expect(issued.status).toBe(201);
      expect(json(issued)).not.toHaveProperty('expires_at');
      const viewed = await call('GET', `/keys/${textAt(issued, 'id')}`, { as: issuer.as });
      expect(json(viewed)).not.toHaveProperty('expires_at');
    },
  );

  it.each([
    [{}, 'type is missing'],
    [{ type: 0 }, 'type must be one of 2'],
    [{ type: 1 }, 'type must be one of 2'],
    [{ type: '2' }, 'type'],
    [{ type: 2, duration: -1 }, 'duration'],
    [{ type: 2, duration: 1.5 }, 'duration'],
    [{ type: 2, duration: '10h' }, 'duration'],
    [{ type: 2, duration: 1e19 }, 'duration'],
    [[], 'body'],
  ])('is not issued by %j', async (body, named) => {
    const answer = await call('POST', '/keys', { as: issuer.as, body });
    expect(answer.status).toBe(400);
    expect(textAt(answer, 'error')).toContain(named);
  });

  it('has the rights of its issuer', async () => {
    const as = `Bearer ${(await issue(issuer.as)).value}`;
    const made = await call('POST', '/orgs', { as, body: { name: 'by key' } });
    expect(made.status).toBe(201);
    const orgs = await call('GET', '/orgs?name=by+key', { as: issuer.as });
    expect(at(orgs, 'orgs', 0, 'owner_id')).toBe(issuer.id);
    const foreign = await call('POST', '/users', {
      as,
      body: { email: 'a@b.c', password: 'long enough' },
    });
    expect(foreign.status).toBe(403);
  });

  it('cannot manage keys', async () => {
    const { id, value } = await issue(issuer.as);
    const as = `Bearer ${value}`;
    expect((await call('POST', '/keys', { as, body: { type: 2 } })).status).toBe(401);
    expect((await call('GET', '/keys', { as })).status).toBe(401);
    expect((await call('GET', `/keys/${id}`, { as })).status).toBe(401);
    expect((await call('DELETE', `/keys/${id}`, { as })).status).toBe(401);
  });

  it('is refused at once when it is revoked, and when it expires', async () => {
    const [revoked, expired] = [await issue(issuer.as), await issue(issuer.as, 3_600)];
    const statusOf = async ({ value }: { value: string }) =>
      (await call('GET', '/orgs', { as: `Bearer ${value}` })).status;
    expect([await statusOf(revoked), await statusOf(expired)]).toEqual([200, 200]);
    await call('DELETE', `/keys/${revoked.id}`, { as: issuer.as });
    await people.rows('UPDATE api_keys SET expires_at = now() WHERE id = $1', [expired.id]);
    expect([await statusOf(revoked), await statusOf(expired)]).toEqual([401, 401]);
  });

  it('is a 404 for anybody else', async () => {
    const { id, value } = await issue(issuer.as);
    expect((await call('GET', `/keys/${id}`, { as: other.as })).status).toBe(404);
    expect((await call('DELETE', `/keys/${id}`, { as: other.as })).status).toBe(404);
    expect(at(await call('GET', '/keys', { as: other.as }), 'total')).toBe(0);
    expect((await call('GET', '/orgs', { as: `Bearer ${value}` })).status).toBe(200);
  });

  it('is stored as a hash only', async () => {
    const { id, value } = await issue(issuer.as);
    const [row] = await people.rows('SELECT k::text AS text FROM api_keys AS k WHERE id = $1', [
      id,
    ]);
    expect(row?.['text']).not.toContain(value);
    expect(row?.['text']).not.toContain(Buffer.from(value).toString('hex'));
  });

  it.each(['GET', 'DELETE'] as const)(
    '%s of an absent one, of no id, by nobody',
    async (method) => {
      expect((await call(method, `/keys/${absent}`, { as: issuer.as })).status).toBe(404);
      expect((await call(method, '/keys/no-uuid', { as: issuer.as })).status).toBe(400);
      expect((await call(method, `/keys/${absent}`)).status).toBe(401);
    },
  );
});

describe('the list of keys', () => {
  it('comes in pages, with an exact total', async () => {
    const { as } = await people.register();
    expect(json(await call('GET', '/keys', { as }))).toEqual({
      total: 0,
      offset: 0,
      limit: 10,
      keys: [],
    });
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await issue(as)).id);
    const path = '/keys?limit=2&offset=1&order=id&dir=asc&total=0&metadata=x';
    const page = await call('GET', path, { as });
    expect(json(page)).toMatchObject({ total: 3, offset: 1, limit: 2, order: 'id', dir: 'asc' });
    expect([at(page, 'keys', 0, 'id'), at(page, 'keys', 1, 'id')]).toEqual(
      ids.toSorted().slice(1, 3),
    );
    expect(page.text).not.toContain('value');
  });

  it.each(['limit=0', 'limit=201', 'offset=-1', 'order=value', 'dir=up', 'limit=1&limit=2'])(
    'refuses ?%s',
    async (query) => {
      expect((await call('GET', `/keys?${query}`, { as: issuer.as })).status).toBe(400);
    },
  );
});

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../../support/api/http.ts';
import { createdAt, loginAdmin, type Person, People } from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';
import { plain } from '../../support/services/mailbox.ts';
import { system } from '../../support/system.ts';

const newEmail = () => `${randomUUID()}@example.com`;

// Workers look for mails each second.
describe.concurrent('without an SMTP server', () => {
  let people: People;
  let owner: Person;

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
  });

  afterAll(() => people.close());

  /** The mail to somebody, once its file is there. */
  function mailTo(email: string): Promise<{ path: string; mail: string }> {
    const outbox = join(system().dataDir, 'outbox');
    return eventually(() => {
      const paths = readdirSync(outbox).filter((name) => name.endsWith('.eml'));
      const mails = paths.map((name) => {
        const path = join(outbox, name);
        return { path, mail: plain(readFileSync(path, 'utf8')) };
      });
      const found = mails.find(({ mail }) => mail.includes(`To: ${email}`));
      if (found === undefined) throw new Error(`no mail to ${email}`);
      return found;
    });
  }

  it('a mail becomes a file that only its owner reads, with the link to the invite', async () => {
    const email = newEmail();
    const body = { invitee_email: email, redirect_path: '/register' };
    const id = await createdAt('/invites', await loginAdmin(), body);
    const { path, mail } = await mailTo(email);
    expect(mail).toContain(`http://localhost:${new URL(system().apiUrl).port}/register/${id}\r\n`);
    expect(mail).toContain('Subject: ');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(system().dataDir, 'outbox')).mode & 0o777).toBe(0o700);
    const waiting = await people.rows("SELECT 1 FROM mail_outbox WHERE message->>'to' = $1", [
      email,
    ]);
    expect(waiting).toEqual([]);
  });

  it.each([
    ['/view-invite', '/view-invite/'],
    ['view?it=1', '/view?it=1/'],
    ['.example.net/@', '/.example.net/@/'],
    [undefined, '/'],
  ])('the link for the redirect path %s stays on the host', async (redirect_path, expected) => {
    const email = newEmail();
    const body = { invitee_email: email, redirect_path };
    const id = await createdAt('/invites', await loginAdmin(), body);
    const { mail } = await mailTo(email);
    const host = `http://localhost:${new URL(system().apiUrl).port}`;
    expect(mail).toContain(`\r\n  ${host}${expected}${id}\r\n`);
  });

  it("an org's name can't write headers", async () => {
    const invitee = await people.register();
    const name = `Mühle\r\nBcc: everyone@example.com\r\n\r\nText`;
    const orgId = await createdAt('/orgs', owner.as, { name });
    const body = { email: invitee.email, role: 'editor' };
    const invited = await call('POST', `/orgs/${orgId}/invites`, { as: owner.as, body });
    expect(invited.status).toBe(201);
    const { mail } = await mailTo(invitee.email);
    const [head = ''] = mail.split('\r\n\r\n');
    expect(head).not.toMatch(/^Bcc/im);
    const list = await call('GET', `/orgs/${orgId}/invites`, { as: owner.as });
    expect(mail).toContain(`/${String(at(list, 'invites', 0, 'id'))}`);
  });

  it('an invite that is refused causes no mail', async () => {
    const as = await loginAdmin();
    const body = { invitee_email: owner.email };
    expect((await call('POST', '/invites', { as, body })).status).toBe(409);
    const invites = 'SELECT 1 FROM platform_invites WHERE invitee_email = $1';
    expect(await people.rows(invites, [owner.email])).toEqual([]);
    const mails = await people.rows("SELECT 1 FROM mail_outbox WHERE message->>'to' = $1", [
      owner.email,
    ]);
    expect(mails).toEqual([]);
  });
});

import { includesRole } from '../../../../schemas/role-order.ts';
import { What, Who } from '../audit/told.tsx';
import { type AuditEntry, call } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { roleIn } from '../roles.ts';
import { linkTo } from '../router.ts';
import { changesTexts } from '../texts/changes.ts';
import { homeTexts } from '../texts/home.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Panel } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';

const changesMax = 8;
/** Of so many orgs the changes are read: of more, an org is to be chosen. */
const orgsMax = 10;
const { actions } = changesTexts;
const words = homeTexts;

type NamedOrg = { id: string; name: string };

/** The last changes in orgs, of those of them where one may see them. In a group they are those of its org, as the title says. */
export function Changes({ user, orgs }: { user: User; orgs: readonly NamedOrg[] }) {
  const asked = orgs.length > orgsMax ? [] : orgs;
  const key = `${user.id} ${asked.map(({ id }) => id).join()}`;
  const { value } = useRead(asked.length === 0 ? undefined : key, (signal) =>
    readChanges(user, asked, signal),
  );
  const [only, ...others] = orgs;
  if (only === undefined || (asked.length > 0 && value === undefined)) return null;
  return (
    <Panel
      title={others.length === 0 ? words.changesIn(only.name) : words.changes}
      flush
      actions={
        <ButtonLink kind="quiet" href={linkTo('/organization', { tab: 'audit' })}>
          {words.allChanges}
        </ButtonLink>
      }
    >
      {value === undefined ? (
        <p class="explained muted">{words.chooseOrg}</p>
      ) : (
        <ul class="wrong">
          {value.map((entry) => (
            <Change
              key={entry.id}
              entry={entry}
              org={others.length === 0 ? undefined : orgs.find(({ id }) => id === entry.org_id)}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Change({ entry, org }: { entry: AuditEntry; org: NamedOrg | undefined }) {
  return (
    <li>
      <span class="kind small muted">{actions[entry.action]}</span>
      <span class="told">
        <What
          entry={entry}
          log={{ path: '/organization', query: { tab: 'audit', org: org?.id } }}
        />
        <span class="cut small muted">
          <Who entry={entry} />
        </span>
        {org !== undefined && <bdi class="cut small muted">{org.name}</bdi>}
      </span>
      <span class="small muted">
        <Ago time={entry.at} />
      </span>
    </li>
  );
}

/** The last of all; undefined, where one may see those of none of them. */
async function readChanges(
  user: User,
  orgs: readonly NamedOrg[],
  signal: AbortSignal,
): Promise<AuditEntry[] | undefined> {
  const query = { grouped: true, limit: changesMax } as const;
  const lists = await Promise.all(
    orgs.map(async ({ id }) =>
      (await maySee(user, id, signal))
        ? [(await call('listOrgAudit', { path: { id }, query }, signal)).entries]
        : [],
    ),
  );
  const seen = lists.flat();
  if (seen.length === 0) return undefined;
  return seen
    .flat()
    .toSorted((one, other) => other.id - one.id)
    .slice(0, changesMax);
}

async function maySee(user: User, id: string, signal: AbortSignal): Promise<boolean> {
  if (user.platform_admin) return true;
  // Who is in a group alone has no role in its org.
  const role = await roleIn({ of: 'org', id }, user, signal).catch(() => undefined);
  return role !== undefined && includesRole(role, 'admin');
}

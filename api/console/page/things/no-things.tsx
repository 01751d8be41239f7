import { includesRole, type Role } from '../../../../schemas/role-order.ts';
import { call, type Org } from '../client/call.ts';
import { session, type User, userIn } from '../client/session.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { linkTo } from '../router.ts';
import { noThingsTexts } from '../texts/no-things.ts';
import { orgsTexts } from '../texts/orgs.ts';
import { pagesTexts } from '../texts/pages.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/states.tsx';
import { roleIn } from '../roles.ts';

const words = noThingsTexts;

/** An org whose things one does not see, and who can change that. */
type Outside = Pick<Org, 'id' | 'name'> & { role: Role | undefined; admins: string[] };

/** Says whether one may make things, and for one who is in no group, why one sees none. */
export type Standing = { mayMake: boolean; orgs?: readonly Outside[] };

/** So many groups, orgs and admins are looked at. */
const groupsMax = 10;
const orgsMax = 3;
const adminsMax = 3;

/** Reads it while `isAsked`: a page of things with their keys has told already. */
export function useStanding(isAsked: boolean): Reading<Standing> {
  const user = userIn(session.value);
  return useRead(isAsked ? user?.id : undefined, (signal) =>
    user === undefined ? Promise.resolve({ mayMake: false }) : standingOf(user, signal),
  );
}

export async function standingOf(user: User, signal: AbortSignal): Promise<Standing> {
  if (user.platform_admin) return { mayMake: true };
  const { groups, total } = await call('listGroups', { query: { limit: groupsMax } }, signal);
  if (total === 0) return { mayMake: false, orgs: await orgsOf(user, signal) };
  // Among so many groups is one of one's own, or else the API says what is wrong.
  if (total > groupsMax) return { mayMake: true };
  const roles = await Promise.all(
    groups.map(({ id }) => roleIn({ of: 'group', id }, user, signal)),
  );
  return { mayMake: roles.some((role) => role !== undefined && includesRole(role, 'editor')) };
}

async function orgsOf(user: User, signal: AbortSignal): Promise<Outside[]> {
  const query = { limit: orgsMax, order: 'name', dir: 'asc' } as const;
  const { orgs } = await call('listOrgs', { query }, signal);
  return Promise.all(
    orgs.map(async ({ id, name }) => {
      const withRole = async (role: Role) => {
        const request = { path: { id }, query: { role, limit: adminsMax } };
        return (await call('listOrgMembers', request, signal)).org_memberships;
      };
      const [own, admins, owners] = await Promise.all([
        roleIn({ of: 'org', id }, user, signal),
        withRole('admin'),
        withRole('owner'),
      ]);
      const emails = [...admins, ...owners].map(({ email }) => email);
      return { id, name, role: own, admins: emails.slice(0, adminsMax) };
    }),
  );
}

/** Why there are no things, and what to do, which differs by what one may do. */
export function NoThings({ standing }: { standing: Standing }) {
  const { mayMake, orgs } = standing;
  if (mayMake) return <Empty title={words.none} text={words.noneText} />;
  if (orgs === undefined) return <Empty title={words.none} text={words.noneToLookAt} />;
  const [first] = orgs;
  if (first === undefined) {
    return (
      <Empty title={words.none} text={`${orgsTexts.none}. ${orgsTexts.noneText}`}>
        <ButtonLink href={linkTo('/organization')}>{pagesTexts.organization}</ButtonLink>
      </Empty>
    );
  }
  return (
    <Empty title={orgs.length === 1 ? words.noGroupOf(first.name) : words.noGroup}>
      {orgs.map((org) => (
        <WayIn key={org.id} org={org} />
      ))}
    </Empty>
  );
}

/** The way into a group of an org: its admins let one in; who may make groups makes one. */
function WayIn({ org: { id, name, role, admins } }: { org: Outside }) {
  const mayMakeGroups = role !== undefined && includesRole(role, 'editor');
  const groups = linkTo('/organization', { org: id, tab: 'groups' });
  return (
    <>
      {role !== 'owner' && (
        <p>
          <bdi>{words.askAdmins(name, admins)}</bdi>
        </p>
      )}
      {mayMakeGroups && <ButtonLink href={groups}>{words.makeGroup(name)}</ButtonLink>}
    </>
  );
}

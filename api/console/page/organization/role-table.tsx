import { needs as needsOf } from '../../../../schemas/client/generated/routes.ts';
import { organizationTexts } from '../texts/organization.ts';
import { Panel } from '../ui/page.tsx';

const words = organizationTexts;

const roles = ['viewer', 'editor', 'admin', 'owner'] as const;

/** The operations that a role adds to those of the role before it, in a place, by the API's own table. */
const addedBy = (role: (typeof roles)[number], place: 'org' | 'group') =>
  Object.entries(needsOf).flatMap(([operation, needs]) =>
    needs.kind === 'member' && needs.role === role && (needs.of === 'org') === (place === 'org')
      ? [operation]
      : [],
  );

/** The table of what each role may do in an org or in a group. */
export function RoleTable({ place }: { place: 'org' | 'group' }) {
  return (
    <Panel title={words.whatMayWho[place]}>
      <p class="muted above">{words.whatMayWhoText[place]}</p>
      <dl class="facts">
        {roles.map((role) => [
          <dt key={`${role} name`}>{words.roles[role]}</dt>,
          <dd key={role}>
            <details>
              <summary>{words.mays[place][role]}</summary>
              <p class="mono small break">{addedBy(role, place).join(', ')}</p>
            </details>
          </dd>,
        ])}
      </dl>
    </Panel>
  );
}

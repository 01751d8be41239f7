import { permissions, type Requirement } from '../../../../permissions.ts';
import { texts } from '../../texts.ts';
import { Panel } from '../../ui/page.tsx';

const words = texts.organization;

const roles = ['viewer', 'editor', 'admin', 'owner'] as const;

/** Which operations each role adds to those of the role before it: the API's own table. */
const added = roles.map((role) => ({
  role,
  operations: Object.entries<Requirement>(permissions).flatMap(([operation, needs]) =>
    needs.who === 'member' && needs.role === role ? [operation] : [],
  ),
}));

/** What may who. */
export function RoleTable() {
  return (
    <Panel title={words.whatMayWho}>
      <p class="muted above">{words.whatMayWhoText}</p>
      <dl class="facts">
        {added.map(({ role, operations }) => [
          <dt key={`${role} name`}>{words.roles[role]}</dt>,
          <dd key={role}>
            <details>
              <summary>{words.mays[role]}</summary>
              <p class="mono small break">{operations.join(', ')}</p>
            </details>
          </dd>,
        ])}
      </dl>
    </Panel>
  );
}

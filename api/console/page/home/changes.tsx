import { What, Who } from '../audit/entry.tsx';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { useMay } from '../roles.ts';
import { linkTo } from '../router.ts';
import { homeTexts } from '../texts/home.ts';
import { organizationTexts } from '../texts/organization.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { Ago } from '../ui/time.tsx';

const changesMax = 8;
const { actions } = organizationTexts.audit;

/** The last changes in an org, for those who may see them. */
export function Changes({ org }: { org: string }) {
  const may = useMay({ of: 'org', id: org });
  const isFor = may('listOrgAudit');
  const reading = useRead(isFor ? org : undefined, async (signal) => {
    const query = { grouped: true, limit: changesMax } as const;
    return (await call('listOrgAudit', { path: { id: org }, query }, signal)).entries;
  });
  if (!isFor) return null;
  return (
    <Panel
      title={homeTexts.changes}
      flush
      actions={
        <ButtonLink kind="quiet" href={linkTo('/organization', { org, tab: 'audit' })}>
          {homeTexts.allChanges}
        </ButtonLink>
      }
    >
      <Loaded reading={reading}>
        {(entries) => (
          <ul class="wrong">
            {entries.map((entry) => (
              <li key={entry.id}>
                <span class="kind small muted">{actions[entry.action]}</span>
                <span class="told">
                  <What entry={entry} />
                  <span class="cut small muted">
                    <Who entry={entry} />
                  </span>
                </span>
                <span class="small muted">
                  <Ago time={entry.at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

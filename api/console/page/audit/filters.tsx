import { urlOf } from '../client/url.ts';
import type { Org, Requests } from '../client/call.ts';
import { address, choose, type Query } from '../router.ts';
import { auditTexts } from '../texts/audit.ts';
import { changesTexts } from '../texts/changes.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Choice, Search } from '../ui/field.tsx';

const words = auditTexts;
const { actions, kinds } = changesTexts;

type Filters = NonNullable<Requests['listOrgAudit']['query']>;

const optionsOf = <Value extends string>(named: Readonly<Record<Value, string>>) =>
  Object.entries<string>(named).map(([value, text]) => ({ value, text }));

const isKeyOf = <Names extends object>(
  names: Names,
  given: string,
): given is keyof Names & string => Object.hasOwn(names, given);

/** The filters in the address. */
export function filtersOf({
  actor = '',
  action = '',
  kind = '',
  since = '',
  entity = '',
  request = '',
}: Query): Filters {
  return {
    ...(actor === '' ? {} : { actor }),
    ...(entity === '' ? {} : { entity_id: entity }),
    ...(request === '' ? {} : { request_id: request }),
    ...(isKeyOf(actions, action) ? { action } : {}),
    ...(isKeyOf(kinds, kind) ? { kind } : {}),
    ...(isKeyOf(sinceDays, since) ? { from: daysAgo(sinceDays[since]) } : {}),
  };
}

const sinceDays = { day: 1, week: 7, month: 30 } as const;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Chooses which entries are shown, and takes them as a file. Without an org: those of the platform. */
export function FilterBar({ org }: { org: Org | undefined }) {
  const { query } = address.value;
  const change = (to: Query) => choose({ ...to, offset: undefined }, 'replace');
  const file = (convert: 'csv' | 'ndjson') =>
    urlOf(org === undefined ? '/audit/export' : `/orgs/${org.id}/audit/export`, {
      ...filtersOf(query),
      convert,
      ...(convert === 'csv' ? { bom: true } : {}),
    });
  return (
    <header class="filters">
      <Search
        label={words.search}
        value={query['actor'] ?? ''}
        onSearch={(actor) => change({ actor })}
      />
      <Search
        label={words.searchEntity}
        value={query['entity'] ?? ''}
        onSearch={(entity) => change({ entity })}
      />
      <Choice
        label={words.kind}
        value={query['kind'] ?? ''}
        options={[{ value: '', text: words.everyKind }, ...optionsOf(kinds)]}
        onChoose={(kind) => change({ kind })}
      />
      <Choice
        label={words.action}
        value={query['action'] ?? ''}
        options={[{ value: '', text: words.everyAction }, ...optionsOf(actions)]}
        onChoose={(action) => change({ action })}
      />
      <Choice
        label={words.when}
        value={query['since'] ?? ''}
        options={[{ value: '', text: words.always }, ...optionsOf(words.since)]}
        onChoose={(since) => change({ since })}
      />
      {(query['request'] ?? '') !== '' && (
        <Button icon="close" onClick={() => change({ request: undefined })}>
          {words.ofRequest}
        </Button>
      )}
      <span class="row end">
        <ButtonLink icon="download" href={file('csv')} download="audit.csv" label={words.csv}>
          CSV
        </ButtonLink>
        <ButtonLink
          icon="download"
          href={file('ndjson')}
          download="audit.ndjson"
          label={words.ndjson}
        >
          NDJSON
        </ButtonLink>
      </span>
    </header>
  );
}

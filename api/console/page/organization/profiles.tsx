import { call, type Group, type Profile } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { choose, address, linkTo } from '../router.ts';
import { groupsTexts } from '../texts/groups.ts';
import { partsTexts } from '../texts/parts.ts';
import { thingsTexts } from '../texts/things.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Search } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import type { May } from '../roles.ts';

const words = groupsTexts;

const columns: readonly Column<Profile>[] = [
  {
    head: thingsTexts.name,
    kind: 'name',
    cell: ({ id, name }) => (
      <a href={linkTo(`/profiles/${id}`)}>
        <bdi class="cut">{name}</bdi>
      </a>
    ),
  },
  { head: words.reads, isExtra: true, cell: ({ config }) => readsOf(config) },
  { head: words.stores, cell: ({ config }) => (config['write'] === false ? words.no : words.yes) },
];

function readsOf({ content_type: type, transformer }: Profile['config']): string {
  const told = typeof type === 'string' && type !== '' ? type : words.asSent;
  return transformer === undefined ? told : words.transformed(told);
}

/** The profiles of the group: what is done with the messages of their things. */
export function Profiles({ group, may }: { group: Group; may: May }) {
  const { name = '' } = address.value.query;
  const offset = pageOffset();
  const reading = useRead(`${group.id} ${name} ${offset}`, (signal) => {
    const query = { name, offset, limit: pageLimit, order: 'name', dir: 'asc' } as const;
    return call('listGroupProfiles', { path: { id: group.id }, query }, signal);
  });
  return (
    <Panel flush>
      <header class="filters">
        <Search
          label={partsTexts.searchName}
          value={name}
          onSearch={(text) => choose({ name: text, offset: undefined }, 'replace')}
        />
        {may('createProfiles') && (
          <ButtonLink
            kind="primary"
            icon="plus"
            href={linkTo('/profiles/new', { group: group.id })}
          >
            {words.newProfile}
          </ButtonLink>
        )}
      </header>
      <p class="explained small muted">{words.profilesText}</p>
      <PagedTable
        reading={reading}
        rowsOf={({ profiles }) => profiles}
        keyOf={({ id }) => id}
        columns={columns}
        none={name === '' ? { title: words.noProfiles } : { title: words.noSuchProfile }}
      />
    </Panel>
  );
}

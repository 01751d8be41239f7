import { useState } from 'preact/hooks';
import { call, type Group, type Org } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { linkTo } from '../router.ts';
import { organizationTexts } from '../texts/organization.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import type { May } from '../roles.ts';

const words = organizationTexts;

const columns: readonly Column<Group>[] = [
  {
    head: words.name,
    kind: 'name',
    cell: ({ id, name }) => (
      <a href={linkTo(`/groups/${id}`)}>
        <bdi class="cut">{name}</bdi>
      </a>
    ),
  },
  {
    head: words.description,
    isExtra: true,
    cell: ({ description }) => <bdi class="break">{description}</bdi>,
  },
  {
    head: words.keeps,
    cell: ({ retention_days: days }) => (days === undefined ? words.asTheOrg : words.days(days)),
  },
  { head: partsTexts.created, isExtra: true, cell: ({ created_at: time }) => <Ago time={time} /> },
];

/** The groups that things of the org stand in. */
export function Groups({ org, may }: { org: Org; may: May }) {
  const offset = pageOffset();
  const [isMaking, setMaking] = useState(false);
  const reading = useRead(`${org.id} ${offset}`, (signal) => {
    const query = { offset, limit: pageLimit, order: 'name', dir: 'asc' } as const;
    return call('listOrgGroups', { path: { id: org.id }, query }, signal);
  });
  const make = async (form: FormData) => {
    const body = [{ name: fieldOf(form, 'name'), description: fieldOf(form, 'description') }];
    await call('createGroups', { path: { id: org.id }, body });
    reading.again();
  };
  return (
    <Panel
      title={words.tabs.groups}
      flush
      actions={
        may('createGroups') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {words.newGroup}
          </Button>
        )
      }
    >
      <PagedTable
        reading={reading}
        rowsOf={({ groups }) => groups}
        keyOf={({ id }) => id}
        none={{ title: words.noGroups, text: words.noGroupsText }}
        columns={columns}
      />
      {isMaking && (
        <FormDialog
          title={words.newGroup}
          action={words.newGroup}
          submit={make}
          onClose={() => setMaking(false)}
        >
          <Field label={words.name}>
            <input class="input" name="name" required maxLength={254} />
          </Field>
          <Field label={words.description}>
            <input class="input" name="description" maxLength={1024} />
          </Field>
        </FormDialog>
      )}
    </Panel>
  );
}

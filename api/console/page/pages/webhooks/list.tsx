import { useState } from 'preact/hooks';
import { call, type Org, type Webhook } from '../../client/call.ts';
import { useRead } from '../../client/use-read.ts';
import { choose, goTo, linkTo, place } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field, fieldOf, Search } from '../../ui/field.tsx';
import { PageHead, Panel } from '../../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../../ui/table.tsx';
import { chosenOrg, OfOrg, OrgChoice, useOrgs } from '../org.tsx';
import { WebhookState } from './state.tsx';

/** The webhooks of an org, of its groups and of their things. */
export default function WebhookList() {
  const orgs = useOrgs();
  const org = chosenOrg(orgs.value);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead title={texts.webhooks.title}>
        <OrgChoice orgs={orgs.value} />
        {org !== undefined && (
          <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
            {texts.webhooks.add}
          </Button>
        )}
      </PageHead>
      <OfOrg reading={orgs}>{(one) => <Webhooks key={one.id} org={one} />}</OfOrg>
      {isAdding && org !== undefined && <Adding org={org} onClose={() => setAdding(false)} />}
    </>
  );
}

function Webhooks({ org }: { org: Org }) {
  const { name = '' } = place.value.query;
  const offset = pageOffset();
  const { none, noneText, noneSuch } = texts.webhooks;
  const reading = useRead(`${org.id} ${name} ${offset}`, (signal) => {
    const query = { name, offset, limit: pageLimit, order: 'name', dir: 'asc' } as const;
    return call('listOrgWebhooks', { path: { id: org.id }, query }, signal);
  });
  return (
    <Panel
      flush
      actions={
        <Search
          label={texts.parts.search}
          value={name}
          onSearch={(text) => choose({ name: text, offset: undefined }, 'replace')}
        />
      }
    >
      <PagedTable
        reading={reading}
        rowsOf={({ webhooks }) => webhooks}
        keyOf={({ id }) => id}
        columns={columns}
        none={name === '' ? { title: none, text: noneText } : { title: noneSuch }}
      />
    </Panel>
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    head: texts.webhooks.name,
    kind: 'name',
    cell: ({ id, name }) => (
      <a href={linkTo(`/webhooks/${id}`)}>
        <bdi class="cut">{name}</bdi>
      </a>
    ),
  },
  {
    head: texts.webhooks.url,
    cell: ({ url }) => <bdi class="mono small break">{url}</bdi>,
  },
  { head: texts.webhooks.of, cell: (webhook) => texts.webhooks.ofWhat[ofWhat(webhook)] },
  { head: texts.webhooks.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
];

function ofWhat({ thing_id: thing, group_id: group }: Webhook): 'thing' | 'group' | 'org' {
  if (thing !== undefined) return 'thing';
  return group === undefined ? 'org' : 'group';
}

function Adding({ org, onClose }: { org: Org; onClose: () => void }) {
  const add = async (form: FormData) => {
    const secret = fieldOf(form, 'secret');
    const body = [
      {
        name: fieldOf(form, 'name'),
        url: fieldOf(form, 'url'),
        ...(secret === '' ? {} : { secret }),
      },
    ];
    const made = await call('createOrgWebhooks', { path: { id: org.id }, body });
    const [webhook] = Array.isArray(made) ? made : made.webhooks;
    if (webhook !== undefined) goTo(`/webhooks/${webhook.id}`);
  };
  return (
    <FormDialog
      title={texts.webhooks.adding(org.name)}
      action={texts.webhooks.add}
      submit={add}
      onClose={onClose}
    >
      <Field label={texts.webhooks.name}>
        <input class="input" name="name" required maxLength={254} />
      </Field>
      <Field label={texts.webhooks.url} hint={texts.webhooks.urlHint}>
        <input class="input" name="url" type="url" required maxLength={2048} />
      </Field>
      <Field label={texts.webhooks.secret} hint={texts.webhooks.secretHint}>
        <input class="input" name="secret" autocomplete="off" maxLength={256} />
      </Field>
    </FormDialog>
  );
}

import { useState } from 'preact/hooks';
import { call, type Org, type Webhook } from '../../client/call.ts';
import { useRead } from '../../client/use-read.ts';
import { choose, goTo, linkTo, place } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field, fieldOf, Search } from '../../ui/field.tsx';
import { PageHead, Panel } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { chosenOrg, OfOrg, OrgChoice, useOrgs } from '../org.tsx';
import { WebhookState } from './state.tsx';

const limit = 40;

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
  const { name = '', offset = '0' } = place.value.query;
  const reading = useRead(`${org.id} ${name} ${offset}`, (signal) => {
    const query = { name, offset: Number(offset), limit, order: 'name', dir: 'asc' } as const;
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
      <Loaded reading={reading}>
        {({ webhooks, total }) =>
          total === 0 ? (
            <Nothing isFiltered={name !== ''} />
          ) : (
            <>
              <Table webhooks={webhooks} />
              <Pager
                offset={Number(offset)}
                limit={limit}
                total={total}
                onOffset={(next) => choose({ offset: String(next) })}
              />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const { none, noneText, noneSuch } = texts.webhooks;
  return isFiltered ? <Empty title={noneSuch} /> : <Empty title={none} text={noneText} />;
}

function Table({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <div class="scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{texts.webhooks.name}</th>
            <th scope="col">{texts.webhooks.url}</th>
            <th scope="col">{texts.webhooks.of}</th>
            <th scope="col">{texts.webhooks.state}</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <th scope="row" class="cell">
                <a href={linkTo(`/webhooks/${webhook.id}`)}>
                  <bdi class="cut">{webhook.name}</bdi>
                </a>
              </th>
              <td class="cell">
                <bdi class="cut mono small">{webhook.url}</bdi>
              </td>
              <td>{texts.webhooks.ofWhat[ofWhat(webhook)]}</td>
              <td>
                <WebhookState webhook={webhook} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

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

import { useState } from 'preact/hooks';
import { call, type Webhook } from '../client/call.ts';
import { session, userIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { choose, linkTo, address } from '../router.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Search } from '../ui/field.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { useMay } from '../roles.ts';
import { PlaceChoice } from '../place/choice.tsx';
import { type ListPlace, onlyPlace, usePlaces } from '../place/places.ts';
import { Adding } from './adding.tsx';
import { ofWhat, WebhookState } from './state.tsx';

const words = webhooksTexts;

/** The webhooks of an org that one owns, or of a group that one is in, and of all that is in it. */
export default function WebhookList() {
  const places = usePlaces(userIn(session.value), 'owned');
  const chosen = onlyPlace(places.value);
  const may = useMay(chosen);
  const mayAdd = may(chosen?.of === 'org' ? 'createOrgWebhooks' : 'createGroupWebhooks');
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead title={words.title}>
        {chosen !== undefined && mayAdd && (
          <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        )}
      </PageHead>
      <Loaded reading={places}>
        {(all) =>
          chosen === undefined ? (
            <PlaceChoice places={all}>
              <Empty title={words.noPlace} text={words.noPlaceText} />
            </PlaceChoice>
          ) : (
            <Webhooks key={chosen.id} place={chosen} />
          )
        }
      </Loaded>
      {isAdding && chosen !== undefined && (
        <Adding place={chosen} onClose={() => setAdding(false)} />
      )}
    </>
  );
}

function Webhooks({ place: { of, id } }: { place: ListPlace }) {
  const { name = '' } = address.value.query;
  const offset = pageOffset();
  const { none, noneText, noneSuch } = words;
  const reading = useRead(`${id} ${name} ${offset}`, (signal) => {
    const query = { name, offset, limit: pageLimit, order: 'name', dir: 'asc' } as const;
    const operation = of === 'org' ? 'listOrgWebhooks' : 'listGroupWebhooks';
    return call(operation, { path: { id }, query }, signal);
  });
  return (
    <Panel
      flush
      actions={
        <Search
          label={partsTexts.search}
          value={name}
          onSearch={(text) => choose({ name: text, offset: undefined }, 'replace')}
        />
      }
    >
      <p class="explained small muted">{of === 'org' ? words.ofOrg : words.ofGroup}</p>
      <PagedTable
        reading={reading}
        rowsOf={({ webhooks }) => webhooks}
        keyOf={(webhook) => webhook.id}
        columns={columns}
        none={name === '' ? { title: none, text: noneText } : { title: noneSuch }}
      />
    </Panel>
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    head: words.name,
    kind: 'name',
    cell: ({ id, name, url }) => (
      <>
        <a href={linkTo(`/webhooks/${id}`)}>
          <bdi class="cut">{name}</bdi>
        </a>
        <bdi class="phone-only cut mono small muted">{url}</bdi>
      </>
    ),
  },
  { head: words.url, isExtra: true, cell: ({ url }) => <bdi class="mono small break">{url}</bdi> },
  { head: words.of, isExtra: true, cell: (webhook) => words.ofWhat[ofWhat(webhook)] },
  { head: words.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
];

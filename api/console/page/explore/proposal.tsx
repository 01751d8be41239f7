import type { ComponentChildren } from 'preact';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { address } from '../router.ts';
import { exploreTexts } from '../texts/explore.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/page.tsx';
import { Empty, Loading } from '../ui/states.tsx';
import { readOffers } from './offers.ts';
import { textOf, type Series } from './view.ts';

/** Of so many things those that were heard last are asked for their series, until one has some. */
const thingsMax = 4;
const offeredMax = 6;

/** Stands where nothing is drawn yet: offers the series of the thing that was heard last. */
export function Proposal(props: {
  onChoose: (series: Series[]) => void;
  children: ComponentChildren;
}) {
  const { org, group } = address.value.query;
  const { value, failure, isLoading } = useRead(`${org} ${group}`, (signal) =>
    proposed({ org, group }, signal),
  );
  if (isLoading && failure === undefined)
    return (
      <Panel>
        <Loading />
      </Panel>
    );
  if (value === undefined) {
    return (
      <Panel>
        <Empty title={exploreTexts.empty} text={exploreTexts.emptyText}>
          {props.children}
        </Empty>
      </Panel>
    );
  }
  const draw = (series: readonly Series[]) =>
    props.onChoose(series.map(({ format, thing, name }) => ({ format, thing, name })));
  return (
    <Panel>
      <Empty title={exploreTexts.empty} text={exploreTexts.proposalText}>
        <p>
          <bdi class="break">{exploreTexts.proposal(value.name)}</bdi>
        </p>
        <div class="row offers">
          {value.offers.map((offer) => (
            <Button key={textOf(offer)} onClick={() => draw([offer])}>
              <bdi class="cut">{offer.name}</bdi> <span class="muted">{offer.value}</span>
            </Button>
          ))}
        </div>
        <div class="row">
          <Button kind="primary" icon="explore" onClick={() => draw(value.offers)}>
            {exploreTexts.drawAll(value.offers.length)}
          </Button>
          {props.children}
        </div>
      </Empty>
    </Panel>
  );
}

async function proposed(
  { org, group }: { org: string | undefined; group: string | undefined },
  signal: AbortSignal,
) {
  const query = { limit: thingsMax, order: 'last_seen', dir: 'desc' } as const;
  const read = () => {
    if (group !== undefined) return call('listGroupThings', { path: { id: group }, query }, signal);
    if (org !== undefined) return call('listOrgThings', { path: { id: org }, query }, signal);
    return call('listThings', { query }, signal);
  };
  const { things } = await read();
  for (const { id, name } of things) {
    const offers = await readOffers(id, signal);
    if (offers.length > 0) return { name, offers: offers.slice(0, offeredMax) };
  }
  return undefined;
}

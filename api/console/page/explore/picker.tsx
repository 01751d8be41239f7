import { useState } from 'preact/hooks';
import { call, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { exploreTexts } from '../texts/explore.ts';
import { partsTexts } from '../texts/parts.ts';
import { paletteTexts } from '../texts/palette.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Search } from '../ui/field.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { Ago } from '../ui/time.tsx';
import { readOffers } from './offers.ts';
import { type Series, textOf } from './view.ts';

const thingsMax = 8;

/** Chooses a thing, then what of it is drawn. */
export function Picker(props: {
  chosen: readonly Series[];
  onChoose: (series: Series[]) => void;
  onClose: () => void;
}) {
  const { chosen, onChoose, onClose } = props;
  const [thing, setThing] = useState<Thing>();
  const [name, setName] = useState('');
  const toggle = (one: Series) => {
    const others = chosen.filter((other) => textOf(other) !== textOf(one));
    onChoose(others.length < chosen.length ? others : [...chosen, one]);
  };
  return (
    <Dialog title={exploreTexts.add} onClose={onClose}>
      {thing === undefined ? (
        <>
          <Search label={exploreTexts.findThing} value={name} onSearch={setName} />
          <Things name={name} onChoose={setThing} />
        </>
      ) : (
        <>
          <span class="row">
            <Button
              kind="quiet"
              icon="left"
              label={exploreTexts.otherThing}
              onClick={() => setThing(undefined)}
            />
            <bdi class="cut">{thing.name}</bdi>
          </span>
          <SeriesOf thing={thing} chosen={chosen} toggle={toggle} />
        </>
      )}
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          {partsTexts.done}
        </Button>
      </div>
    </Dialog>
  );
}

function Things({ name, onChoose }: { name: string; onChoose: (thing: Thing) => void }) {
  const reading = useRead(name, (signal) =>
    call(
      'listThings',
      { query: { name, limit: thingsMax, order: 'last_seen', dir: 'desc' } },
      signal,
    ),
  );
  return (
    <Loaded reading={reading}>
      {({ things }) =>
        things.length === 0 ? (
          <Empty title={paletteTexts.none} />
        ) : (
          <ul class="choices">
            {things.map((thing) => (
              <li key={thing.id}>
                <button type="button" onClick={() => onChoose(thing)}>
                  <bdi class="cut">{thing.name}</bdi>
                  <span class="muted small">
                    <Ago time={thing.last_seen} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function SeriesOf(props: {
  thing: Thing;
  chosen: readonly Series[];
  toggle: (series: Series) => void;
}) {
  const { thing, chosen, toggle } = props;
  const isChosen = (one: Series) => chosen.some((other) => textOf(other) === textOf(one));
  const reading = useRead(thing.id, (signal) => readOffers(thing.id, signal));
  return (
    <Loaded reading={reading}>
      {(offers) =>
        offers.length === 0 ? (
          <Empty title={exploreTexts.noValues} text={exploreTexts.noValuesText} />
        ) : (
          <ul class="choices">
            {offers.map((offer) => (
              <li key={textOf(offer)}>
                <label>
                  <input type="checkbox" checked={isChosen(offer)} onChange={() => toggle(offer)} />
                  <bdi class="cut">{offer.name}</bdi>
                  <span class="muted small">{offer.value}</span>
                </label>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

import { useState } from 'preact/hooks';
import { written } from '../chart/written.ts';
import { call, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { address } from '../router.ts';
import { exploreTexts } from '../texts/explore.ts';
import { partsTexts } from '../texts/parts.ts';
import { paletteTexts } from '../texts/palette.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Choice, Search } from '../ui/field.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { Ago } from '../ui/time.tsx';
import { valueIn } from './leaves.ts';
import { readOffers } from './offers.ts';
import { noteRecent, recentSeries } from './recent.ts';
import { useNames } from './use-names.ts';
import { type Series, seriesMax, textOf } from './view.ts';
import { unitText } from '../../../../schemas/messages/units.ts';

const texts = exploreTexts.picker;
const thingsMax = 20;
const foundMax = 20;
const groupsMax = 200;

type Offered = Series & { value?: string };
type Toggle = {
  isChosen: (one: Series) => boolean;
  isFull: boolean;
  toggle: (one: Series) => void;
};

/** Finds a thing, then what of it is drawn; or finds series by their name, of whatever thing. */
export function Picker(props: {
  chosen: readonly Series[];
  onChoose: (series: Series[]) => void;
  onClose: () => void;
}) {
  const { chosen, onChoose, onClose } = props;
  const [thing, setThing] = useState<Thing>();
  const isFull = chosen.length >= seriesMax;
  const choice: Toggle = {
    isFull,
    isChosen: (one) => chosen.some((other) => textOf(other) === textOf(one)),
    toggle: (one) => {
      const others = chosen.filter((other) => textOf(other) !== textOf(one));
      if (others.length === chosen.length) noteRecent(one);
      onChoose(others.length < chosen.length ? others : [...chosen, one]);
    },
  };
  return (
    <Dialog title={exploreTexts.add} onClose={onClose}>
      {thing === undefined ? (
        <Finding choice={choice} onThing={setThing} />
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
          <SeriesOf thing={thing} choice={choice} />
        </>
      )}
      {isFull && <p class="muted small">{exploreTexts.fullPicker(seriesMax)}</p>}
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          {partsTexts.done}
        </Button>
      </div>
    </Dialog>
  );
}

function Finding({ choice, onThing }: { choice: Toggle; onThing: (thing: Thing) => void }) {
  const [text, setText] = useState('');
  const [group, setGroup] = useState(address.value.query['group'] ?? '');
  return (
    <>
      <div class="row">
        <Search label={texts.find} value={text} onSearch={setText} />
        <GroupChoice chosen={group} onChoose={setGroup} />
      </div>
      {text === '' ? <Recent choice={choice} /> : <Found text={text} choice={choice} />}
      <Things name={text} group={group} onChoose={onThing} />
    </>
  );
}

/** Nothing where there is one group. */
function GroupChoice(props: { chosen: string; onChoose: (group: string) => void }) {
  const { value } = useRead('groups', (signal) =>
    call('listGroups', { query: { limit: groupsMax, order: 'name', dir: 'asc' } }, signal),
  );
  const groups = value?.groups ?? [];
  if (groups.length < 2) return null;
  return (
    <Choice
      label={texts.group}
      value={props.chosen}
      options={[
        { value: '', text: texts.allGroups },
        ...groups.map(({ id, name }) => ({ value: id, text: name })),
      ]}
      onChoose={props.onChoose}
    />
  );
}

function Things(props: { name: string; group: string; onChoose: (thing: Thing) => void }) {
  const { name, group, onChoose } = props;
  const reading = useRead(`${group} ${name}`, (signal) => {
    const query = { name, limit: thingsMax, order: 'last_seen', dir: 'desc' } as const;
    return group === ''
      ? call('listThings', { query }, signal)
      : call('listGroupThings', { path: { id: group }, query }, signal);
  });
  return (
    <Loaded reading={reading}>
      {({ things, total }) =>
        things.length === 0 ? (
          <Empty title={paletteTexts.none} />
        ) : (
          <>
            <h3 class="choices-head">{texts.things}</h3>
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
            {total > things.length && (
              <p class="muted small">{texts.more(total - things.length)}</p>
            )}
          </>
        )
      }
    </Loaded>
  );
}

function Recent({ choice }: { choice: Toggle }) {
  // As they were when the dialog opened: those that are chosen now do not move.
  const [recent] = useState(recentSeries);
  return <Offers title={texts.recent} series={recent} choice={choice} />;
}

/** Series whose names begin so, of any things. */
function Found({ text, choice }: { text: string; choice: Toggle }) {
  const { value } = useRead(text, async (signal) => {
    const query = { name_prefix: text, latest: true, limit: foundMax };
    const { messages } = await call('readMessages_senml', { query }, signal);
    return messages.flatMap((message) => {
      const last = valueIn(message);
      const { publisher: thing = '', name = '', unit = '' } = message;
      return last === null || thing === ''
        ? []
        : [{ format: 'senml' as const, thing, name, value: `${written(last)} ${unitText(unit)}` }];
    });
  });
  return <Offers title={texts.series} series={value ?? []} choice={choice} />;
}

function Offers(props: { title: string; series: readonly Offered[]; choice: Toggle }) {
  const { title, series, choice } = props;
  const { names } = useNames(series);
  if (series.length === 0) return null;
  return (
    <>
      <h3 class="choices-head">{title}</h3>
      <ul class="choices">
        {series.map((one, i) => (
          <Offer key={textOf(one)} one={one} name={names[i] ?? one.name} choice={choice} />
        ))}
      </ul>
    </>
  );
}

function Offer(props: { one: Offered; name: string; choice: Toggle }) {
  const { one, name, choice } = props;
  const { value, ...series } = one;
  const isChosen = choice.isChosen(one);
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={isChosen}
          disabled={choice.isFull && !isChosen}
          onChange={() => choice.toggle(series)}
        />
        <bdi class="cut">{name}</bdi>
        {value !== undefined && <span class="muted small">{value}</span>}
      </label>
    </li>
  );
}

type Scope = 'thing' | 'group';

function SeriesOf({ thing, choice }: { thing: Thing; choice: Toggle }) {
  const [scope, setScope] = useState<Scope>('thing');
  const inScope = (offer: Offered): Offered => {
    if (scope === 'thing') return offer;
    const { value: _value, ...one } = offer;
    return { ...one, thing: thing.group_id, isOfGroup: true };
  };
  const reading = useRead(thing.id, (signal) => readOffers(thing.id, signal));
  return (
    <Loaded reading={reading}>
      {(offers) =>
        offers.length === 0 ? (
          <Empty title={exploreTexts.noValues} text={exploreTexts.noValuesText} />
        ) : (
          <>
            <Choice
              label={texts.scope}
              value={scope}
              options={(['thing', 'group'] as const).map((value) => ({
                value,
                text: texts.scopes[value],
              }))}
              onChoose={setScope}
            />
            <ul class="choices">
              {offers.map(inScope).map((offer) => (
                <Offer key={textOf(offer)} one={offer} name={offer.name} choice={choice} />
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  );
}

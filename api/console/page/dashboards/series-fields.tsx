import { useEffect, useId, useState } from 'preact/hooks';
import type { PanelSeries, Variable } from '../../../../schemas/dashboards/content.ts';
import { call, type Dashboard } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { leafPaths } from '../explore/leaves.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { Choice, Search } from '../ui/field.tsx';
import { offersFor } from './controls.tsx';

const words = dashboardsTexts;

type Place = Pick<Dashboard, 'org_id' | 'group_id'>;

/** A series of a panel, in a form: of which thing or variable, and which of its values. */
export function SeriesFields({
  at,
  isThingOnly,
  series,
  place,
  variables,
  variableThings,
  onChange,
  onRemove,
}: {
  at: number;
  /** Whichever values it has. */
  isThingOnly: boolean;
  series: PanelSeries;
  place: Place;
  variables: readonly Variable[];
  /** A thing that each variable stands for now, by its name. */
  variableThings: Readonly<Record<string, readonly string[]>>;
  onChange: (series: PanelSeries) => void;
  onRemove: () => void;
}) {
  const { thing, variable, format = 'senml', label = '' } = series;
  const known = thing ?? variableThings[variable ?? '']?.[0];
  const own = words.seriesAt(at + 1);
  return (
    <fieldset class="series-fields">
      <legend class="hidden">{own}</legend>
      <ThingChoice
        at={at}
        series={series}
        place={place}
        variables={variables}
        onChange={onChange}
      />
      {!isThingOnly && (
        <>
          {' '}
          <Choice
            label={`${own}: ${words.format}`}
            value={format}
            options={[
              { value: 'senml', text: 'SenML' },
              { value: 'json', text: 'JSON' },
            ]}
            onChoose={(chosen) => onChange({ ...series, format: chosen, name: '' })}
          />
          <NameField own={own} known={known} series={series} onChange={onChange} />
          <input
            class="input"
            aria-label={`${own}: ${words.label}`}
            placeholder={words.label}
            maxLength={254}
            value={label}
            onChange={({ currentTarget }) => {
              const { label: _label, ...rest } = series;
              const text = currentTarget.value;
              onChange(text === '' ? rest : { ...rest, label: text });
            }}
          />
        </>
      )}
      <Button kind="quiet" icon="close" label={words.removeSeries(at + 1)} onClick={onRemove} />
    </fieldset>
  );
}

/** The name of the value, which is offered as the thing has sent it. */
function NameField({
  own,
  known,
  series,
  onChange,
}: {
  own: string;
  known: string | undefined;
  series: PanelSeries;
  onChange: (series: PanelSeries) => void;
}) {
  const list = useId();
  const { format = 'senml', name = '' } = series;
  const { value: names = [] } = useRead(known && `${known} ${format}`, (signal) =>
    namesOf(known ?? '', format, signal),
  );
  const [typed, setTyped] = useState(name);
  useEffect(() => setTyped(name), [name]);
  return (
    <>
      <input
        class="input"
        aria-label={`${own}: ${words.value}`}
        placeholder={words.value}
        title={words.valueHint}
        list={list}
        maxLength={1024}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => onChange({ ...series, name: currentTarget.value })}
      />
      <datalist id={list}>
        {names.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}

const namesMax = 200;

/** The names of a thing's values, as its newest messages have them. */
async function namesOf(thing: string, format: 'senml' | 'json', signal: AbortSignal) {
  if (format === 'senml') {
    const query = { publisher: thing, latest: true, limit: namesMax };
    const { messages } = await call('readMessages_senml', { query }, signal);
    return [...new Set(messages.flatMap((one) => one.name ?? []))];
  }
  const query = { publisher: thing, limit: 10 };
  const { messages } = await call('readMessages_json', { query }, signal);
  return [...new Set(messages.flatMap(({ payload }) => leafPaths(payload)))].filter(Boolean);
}

function ThingChoice({
  at,
  series,
  place,
  variables,
  onChange,
}: {
  at: number;
  series: PanelSeries;
  place: Place;
  variables: readonly Variable[];
  onChange: (series: PanelSeries) => void;
}) {
  const [text, setText] = useState('');
  const { thing, variable } = series;
  const { org_id: orgId, group_id: groupId } = place;
  const { value: things = [] } = useRead(`${orgId} ${groupId} ${text}`, (signal) =>
    offersFor('thing', place, signal, text),
  );
  const isOffered = thing === undefined || things.some(({ id }) => id === thing);
  const value = variable === undefined ? (thing ?? '') : `$${variable}`;
  return (
    <span class="thing-choice">
      <Choice
        label={`${words.seriesAt(at + 1)}: ${words.thing}`}
        value={value}
        options={[
          ...(value === '' ? [{ value: '', text: words.thing }] : []),
          ...(isOffered ? [] : [{ value: thing, text: words.gone(thing), under: words.things }]),
          ...things.map(({ id, name }) => ({ value: id, text: name, under: words.things })),
          ...variables.map((one) => ({
            value: `$${one.name}`,
            text: `$${one.name}`,
            under: words.variables,
          })),
        ]}
        onChoose={(chosen) => {
          const { thing: _thing, variable: _variable, ...rest } = series;
          onChange(
            chosen.startsWith('$')
              ? { ...rest, variable: chosen.slice(1) }
              : { ...rest, thing: chosen },
          );
        }}
      />
      <Search
        label={`${words.seriesAt(at + 1)}: ${words.findThing}`}
        placeholder={words.findThing}
        value={text}
        onSearch={setText}
      />
    </span>
  );
}

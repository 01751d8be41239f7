import { call, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { isVisible } from '../client/visible.ts';
import { linkTo } from '../router.ts';
import { thingsTexts } from '../texts/things.ts';
import { exploreTexts } from '../texts/explore.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Badge, Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { Sparkline } from '../chart/sparkline.tsx';
import type { SparkPoint } from '../chart/strokes.ts';
import { Ago } from '../ui/time.tsx';
import { leafAt } from '../../../../schemas/json/leaf.ts';
import { leafPaths } from '../explore/leaves.ts';
import { textOf } from '../explore/view.ts';
import { type Came, type Row, rowsOf } from './latest-values.ts';
import { Rate } from './rate.tsx';
import { type Trends, useTrends } from './trends.ts';

const seriesMax = 500;
/** So many lines are still told apart, and can go on live. */
const drawnMax = 3;

/** The newest value of each series, as it comes, and how much has come in a day. */
export function Latest({ thing, came }: { thing: Thing; came: Came }) {
  // Read again when somebody comes back: nothing was followed meanwhile.
  const reading = useRead(`${thing.id} ${isVisible.value}`, async (signal) => {
    const query = { publisher: thing.id, latest: true, limit: seriesMax };
    const [senml, json] = await Promise.all([
      call('readMessages_senml', { query }, signal),
      call('readMessages_json', { query }, signal),
    ]);
    return { senml: senml.messages, json: json.messages };
  });
  const { senml: records = [], json: payloads = [] } = reading.value ?? {};
  const drawn = [
    ...records.flatMap(({ name = '', value }) =>
      typeof value === 'number' ? [{ format: 'senml' as const, thing: thing.id, name }] : [],
    ),
    ...[...new Set(payloads.flatMap(({ payload }) => numberPaths(payload)))].map((name) => ({
      format: 'json' as const,
      thing: thing.id,
      name,
    })),
  ].slice(0, drawnMax);
  const numbers = records.flatMap(({ name = '', value }) =>
    typeof value === 'number' ? [name] : [],
  );
  const trends = useTrends(thing.id, numbers);
  return (
    <div class="stack">
      <Panel
        flush
        title={thingsTexts.latest}
        actions={
          <>
            <Badge tone={came.size > 0 ? 'good' : 'plain'}>{thingsTexts.following}</Badge>
            {drawn.length > 0 && (
              <ButtonLink
                kind="quiet"
                icon="explore"
                href={linkTo('/explore', { series: drawn.map(textOf).join('|') })}
              >
                {exploreTexts.title}
              </ButtonLink>
            )}
          </>
        }
      >
        <Loaded reading={reading}>
          {({ senml, json }) => (
            <Values thing={thing} rows={rowsOf(senml, json, came)} trends={trends} />
          )}
        </Loaded>
      </Panel>
      <Rate thing={thing} />
    </div>
  );
}

const numberPaths = (payload: unknown) =>
  leafPaths(payload).filter((path) => typeof leafAt(payload, path) === 'number');

function Values(props: { thing: Thing; rows: readonly Row[]; trends: Trends }) {
  const { thing, rows, trends } = props;
  const things = thingsTexts;
  if (rows.length === 0) {
    return (
      <Empty title={things.noMessages} text={things.noMessagesText}>
        <ButtonLink kind="primary" href={linkTo(`/things/${thing.id}`, { tab: 'connect' })}>
          {things.tabs.connect}
        </ButtonLink>
      </Empty>
    );
  }
  return (
    <table class="table fixed">
      <thead>
        <tr>
          <th scope="col">{things.series}</th>
          <th scope="col">{things.value}</th>
          <th scope="col" class="wide">
            {things.trend}
          </th>
          <th scope="col" class="wide">
            {things.time}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <ValueRow key={row.key} thing={thing} row={row} trend={trends.get(row.name) ?? []} />
        ))}
      </tbody>
    </table>
  );
}

function ValueRow(props: { thing: Thing; row: Row; trend: readonly SparkPoint[] }) {
  const { thing, row, trend } = props;
  const { format, name, value, unit, time, isDrawn } = row;
  const things = thingsTexts;
  return (
    <tr>
      <th scope="row">
        {isDrawn ? (
          <a
            href={linkTo('/explore', {
              series: textOf({ format, thing: thing.id, name }),
            })}
          >
            <bdi class="cut" title={name}>
              {name}
            </bdi>
          </a>
        ) : (
          <bdi class="cut" title={name}>
            {name === '' ? things.noSubtopic : name}
          </bdi>
        )}
      </th>
      <td>
        <bdi class={format === 'json' ? 'cut mono' : 'cut value'} title={value}>
          {value} <span class="muted">{unit}</span>
        </bdi>
      </td>
      <td class="wide">
        {format === 'senml' && <Sparkline points={trend} label={things.trendOf(name)} />}
      </td>
      <td class="wide">
        <Ago time={time} />
      </td>
    </tr>
  );
}

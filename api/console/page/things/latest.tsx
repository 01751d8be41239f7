import { useState } from 'preact/hooks';
import { call, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { isVisible } from '../client/visible.ts';
import { linkTo } from '../router.ts';
import { thingsTexts } from '../texts/things.ts';
import { exploreTexts } from '../texts/explore.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Chart } from '../chart/chart.tsx';
import { Badge, Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { Ago } from '../ui/time.tsx';
import { leafAt, leafPaths } from '../explore/leaves.ts';
import { ownTimeZone, textOf } from '../explore/view.ts';
import { type Came, type Row, rowsOf } from './latest-values.ts';

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
          {({ senml, json }) => <Values thing={thing} rows={rowsOf(senml, json, came)} />}
        </Loaded>
      </Panel>
      <Rate thing={thing} />
    </div>
  );
}

const numberPaths = (payload: unknown) =>
  leafPaths(payload).filter((path) => typeof leafAt(payload, path) === 'number');

function Values({ thing, rows }: { thing: Thing; rows: readonly Row[] }) {
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
            {things.time}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, format, name, value, unit, time, isDrawn }) => (
          <tr key={key}>
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
              <Ago time={time} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const dayMs = 86_400_000;
const ratePixels = 140;

/** Records by the hour, over a day. */
function Rate({ thing }: { thing: Thing }) {
  const [to] = useState(Date.now());
  const reading = useRead(thing.id, async (signal) => {
    const query = {
      publisher: thing.id,
      from: `${to - dayMs}000000`,
      to: `${to}000000`,
      agg_type: 'count' as const,
      agg_interval: 'minute' as const,
      agg_value: 30,
      agg_fill: 'zero' as const,
      limit: 100,
      dir: 'asc' as const,
    };
    const { messages } = await call('readMessages_senml', { query }, signal);
    return messages.map(({ time, value = null }) => ({ time, value }));
  });
  return (
    <Panel title={thingsTexts.rate}>
      <Loaded reading={reading}>
        {(points) =>
          points.length === 0 ? (
            <p class="muted">{thingsTexts.noRate}</p>
          ) : (
            <Chart
              label={thingsTexts.rate}
              times={points.map(({ time }) => time)}
              lines={[
                {
                  label: thingsTexts.recordsLine,
                  unit: '',
                  values: points.map(({ value }) => value),
                },
              ]}
              range={{ from: (to - dayMs) / 1_000, to: to / 1_000 }}
              timeZone={ownTimeZone}
              fromZero
              height={ratePixels}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

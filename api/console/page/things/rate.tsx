import { useState } from 'preact/hooks';
import { call, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { thingsTexts } from '../texts/things.ts';
import { Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';

const dayMs = 86_400_000;
const bucketMinutes = 30;

const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Records by the half hour, over a day: a bar for each. */
export function Rate({ thing }: { thing: Thing }) {
  const [to] = useState(Date.now());
  const reading = useRead(thing.id, async (signal) => {
    const query = {
      publisher: thing.id,
      from: `${to - dayMs}000000`,
      to: `${to}000000`,
      agg_type: 'count' as const,
      agg_interval: 'minute' as const,
      agg_value: bucketMinutes,
      agg_fill: 'zero' as const,
      limit: 100,
      dir: 'asc' as const,
    };
    const { messages } = await call('readMessages_senml', { query }, signal);
    return messages.map(({ time, value }) => ({ time, records: value ?? 0 }));
  });
  return (
    <Panel title={thingsTexts.rate}>
      <Loaded reading={reading}>
        {(bars) =>
          bars.length === 0 ? <p class="muted">{thingsTexts.noRate}</p> : <Bars bars={bars} />
        }
      </Loaded>
    </Panel>
  );
}

const height = 96;
const step = 10;

function Bars({ bars }: { bars: readonly { time: number; records: number }[] }) {
  const most = Math.max(1, ...bars.map(({ records }) => records));
  const sum = bars.reduce((all, { records }) => all + records, 0);
  const [first] = bars;
  const middle = bars[Math.floor(bars.length / 2)];
  const last = bars.at(-1);
  const ends = [first, middle, last].flatMap((bar) => (bar === undefined ? [] : [bar]));
  const says = thingsTexts.rateSum(sum, most);
  return (
    <div class="rate">
      <svg
        viewBox={`0 0 ${bars.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={says}
      >
        {bars.map(({ time, records }, at) => {
          const tall = (records / most) * height;
          return (
            <g key={time}>
              <rect
                class="amount"
                x={at * step + 1}
                y={height - tall}
                width={step - 2}
                height={tall}
              />
              <rect class="reach" x={at * step} y={0} width={step} height={height}>
                <title>{thingsTexts.records(records, clock.format(time * 1_000))}</title>
              </rect>
            </g>
          );
        })}
      </svg>
      <div class="row spread small muted">
        {ends.map(({ time }) => (
          <time key={time} dateTime={new Date(time * 1_000).toISOString()}>
            {clock.format(time * 1_000)}
          </time>
        ))}
      </div>
      <p class="small muted">{says}</p>
    </div>
  );
}

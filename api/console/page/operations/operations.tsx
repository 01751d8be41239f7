import { useState } from 'preact/hooks';
import { call, type Operations } from '../client/call.ts';
import { choose, linkTo, address } from '../router.ts';
import { operationsTexts } from '../texts/operations.ts';
import { exploreTexts } from '../texts/explore.ts';
import { Button } from '../ui/button.tsx';
import { Loaded, Notice } from '../ui/states.tsx';
import { OperationsHead } from './head.tsx';
import { Processes } from './processes.tsx';
import { Quarantine } from './quarantine.tsx';
import { Runbook } from './runbook.tsx';
import { TileView } from './tile.tsx';
import { tilesOf } from './tiles.ts';
import { useLive } from '../client/use-live.ts';

const ranges = ['1h', '6h', '24h', '7d'] as const;
const words = operationsTexts;

/** How the installation is and was: for platform admins. */
export default function OperationsPage() {
  const range = ranges.find((one) => one === address.value.query['range']) ?? '1h';
  const reading = useLive(range, (signal) => call('viewOperations', { query: { range } }, signal));
  return (
    <>
      <OperationsHead current="overview">
        <fieldset class="ranges">
          <legend class="hidden">{words.range}</legend>
          {ranges.map((one) => (
            <Button
              key={one}
              kind="quiet"
              label={exploreTexts.last(one)}
              pressed={one === range}
              onClick={() => choose({ range: one })}
            >
              {one}
            </Button>
          ))}
        </fieldset>
      </OperationsHead>
      <Loaded reading={reading}>
        {(operations) => (
          <div class="stack">
            <Notice failure={reading.failure} />
            <View operations={operations} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function View({ operations }: { operations: Operations }) {
  const { times = [], processes, quarantine } = operations;
  // The last request may have asked for another range than the one that is shown.
  const [first = 0, second = 0] = times;
  const hasCharts = address.value.query['charts'] === 'shown';
  const seen = { from: first - (second - first), to: times.at(-1) ?? 0 };
  return (
    <>
      <Attention problems={operations.problems} />
      <div class="stack overview" data-charts={hasCharts || undefined}>
        <div class="only-phone">
          <Button pressed={hasCharts} onClick={() => choose({ charts: hasCharts ? '' : 'shown' })}>
            {words.charts}
          </Button>
        </div>
        {tilesOf(operations).map(({ id, tiles }) => (
          <div key={id} class="tile-group">
            <h2>{words.groups[id]}</h2>
            <div class="tiles">
              {tiles.map((tile) => (
                <TileView key={tile.id} tile={tile} times={times} range={seen} />
              ))}
            </div>
          </div>
        ))}
      </div>
      <Processes processes={processes} />
      <Quarantine entries={quarantine} />
    </>
  );
}

/** The problems that an operator should look at, or that there are none. */
function Attention({ problems }: { problems: Operations['problems'] }) {
  const [shown, setShown] = useState<string>();
  if (problems.length === 0) {
    return (
      <p class="notice" data-tone="good" role="status">
        {words.well}
      </p>
    );
  }
  return (
    <>
      <ul class="problems" aria-label={words.attention}>
        {problems.map(({ severity, text, advice, runbook, webhook_id: webhook }) => (
          <li
            key={`${webhook ?? ''} ${text}`}
            class="notice"
            data-tone={severity === 'fail' ? 'bad' : 'warn'}
          >
            <b>
              {webhook === undefined ? text : <a href={linkTo(`/webhooks/${webhook}`)}>{text}</a>}
            </b>{' '}
            {advice}{' '}
            <Button kind="quiet" label={words.runbookOf(text)} onClick={() => setShown(runbook)}>
              {words.runbook}
            </Button>
          </li>
        ))}
      </ul>
      {shown !== undefined && <Runbook name={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

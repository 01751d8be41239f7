import { useState } from 'preact/hooks';
import { exploreTexts } from '../texts/explore.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import type { Line } from '../chart/chart.tsx';
import { Panel } from '../ui/page.tsx';
import { exactIn } from '../ui/time.tsx';
import { written } from '../chart/written.ts';
import { unitText } from '../../../../schemas/messages/units.ts';

const rowsMax = 200;

/** The points of the chart as numbers, the newest first. */
export function PointTable(props: {
  times: readonly number[];
  lines: readonly Line[];
  timeZone: string;
}) {
  const { times, lines, timeZone } = props;
  const [isOpen, setOpen] = useState(false);
  const format = exactIn(timeZone);
  const rows = times.map((time, at) => ({ time, at })).slice(-rowsMax);
  return (
    <Panel
      flush
      title={exploreTexts.table(times.length)}
      actions={
        <Button kind="quiet" pressed={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? partsTexts.hide : partsTexts.show}
        </Button>
      }
    >
      {isOpen && (
        <div class="scroll tall" tabIndex={0} role="region" aria-label={exploreTexts.points}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{exploreTexts.time}</th>
                {lines.map(({ label, unit }) => (
                  <th key={label} scope="col" class="number">
                    <bdi>{label}</bdi> {unitText(unit)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.toReversed().map(({ time, at }) => (
                <tr key={time}>
                  <td>{format.format(time * 1_000)}</td>
                  {lines.map(({ label, values }) => (
                    <td key={label} class="number">
                      {written(values[at])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

import { useState } from 'preact/hooks';
import type { Line } from '../chart/chart.tsx';
import { address, linkTo } from '../router.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { exploreTexts } from '../texts/explore.ts';
import { Menu } from '../ui/menu.tsx';
import { exactIn } from '../ui/time.tsx';
import { saveFile } from '../ui/save-file.ts';
import { say } from '../ui/toasts.tsx';
import { pictureOf } from './picture.ts';
import type { Points } from './read-points.ts';
import { Take } from './take.tsx';
import { fileNameOf, wideFile } from './wide-file.ts';
import { textOf, type View } from './view.ts';
import { zonedTime, wallTime } from './wall-time.ts';

/** All that the chart shows. */
export type Shown = {
  view: View;
  all: readonly Points[];
  times: readonly number[];
  lines: readonly Line[];
  names: readonly string[];
  /** In milliseconds. */
  ends: { from: number; to: number };
  pixels: number;
};

const texts = exploreTexts.takes;

function linkToDashboard(series: View['series'], aggregate: View['aggregate']): string {
  const { org, group } = address.value.query;
  return linkTo('/dashboards/new', {
    org,
    group,
    series: series.map(textOf).join('|'),
    ...(aggregate === 'none' ? {} : { aggregate }),
  });
}

/** Takes what is seen along: as a picture, as a table, or as the question behind it. */
export function TakeMenu(shown: Shown) {
  const [isOpen, setOpen] = useState(false);
  const { view, all, names, ends, pixels } = shown;
  // A panel has series of things alone.
  const own = view.series.filter(({ isOfGroup }) => isOfGroup !== true);
  return (
    <>
      <Menu
        label={texts.menu}
        icon="download"
        entries={[
          {
            kind: 'action',
            text: texts.picture,
            icon: 'explore',
            onChoose: () => void takePicture(shown),
          },
          { kind: 'action', text: texts.seen, icon: 'download', onChoose: () => takeTable(shown) },
          ...(own.length === 0
            ? []
            : [
                {
                  kind: 'link' as const,
                  text: dashboardsTexts.add,
                  icon: 'dashboards' as const,
                  href: linkToDashboard(own, view.aggregate),
                },
              ]),
          { kind: 'action', text: texts.more, rule: true, onChoose: () => setOpen(true) },
        ]}
      />
      {isOpen && (
        <Take
          view={view}
          all={all}
          names={names}
          ends={ends}
          pixels={pixels}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function nameOf({ lines, ends, view }: Shown, type: 'csv' | 'png'): string {
  const labels = lines.flatMap(({ label, isHidden }) => (isHidden === true ? [] : [label]));
  const [from, to] = [ends.from, ends.to].map((end) => wallTime(end, view.timeZone));
  return fileNameOf(labels, { from: from ?? '', to: to ?? '' }, type);
}

/** Of the range alone: live mode may hold more, and lines begin before it. */
function takeTable(shown: Shown): void {
  const { times, lines, view, ends } = shown;
  const places = times.flatMap((time, at) =>
    time * 1_000 >= ends.from && time * 1_000 <= ends.to ? [at] : [],
  );
  const file = wideFile(
    places.map((at) => times[at] ?? 0),
    lines.map((line) => ({ ...line, values: places.map((at) => line.values[at]) })),
    (time) => zonedTime(time * 1_000, view.timeZone),
  );
  saveFile(nameOf(shown, 'csv'), 'text/csv;charset=utf-8', [file]);
}

async function takePicture(shown: Shown): Promise<void> {
  const drawn = document.querySelector('.drawing canvas');
  const { view, ends, names, lines } = shown;
  const written = exactIn(view.timeZone);
  const picture =
    drawn instanceof HTMLCanvasElement
      ? await pictureOf(drawn, {
          title: names.length > 1 ? exploreTexts.title : (names[0] ?? exploreTexts.title),
          range: exploreTexts.rangeIn(
            written.format(ends.from),
            written.format(ends.to),
            view.timeZone,
          ),
          lines,
        })
      : null;
  if (picture === null) say(exploreTexts.noPicture);
  else saveFile(nameOf(shown, 'png'), 'image/png', [picture]);
}

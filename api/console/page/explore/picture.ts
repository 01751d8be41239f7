import { colour, lineColour } from '../chart/colours.ts';
import type { Line } from '../chart/chart.tsx';
import { unitText } from '../../../../schemas/messages/units.ts';

const padding = 16;
const titlePixels = 26;
const rowPixels = 20;
const markPixels = 10;
const betweenPixels = 20;
const charsMax = 80;
const font = '"Inter", system-ui, sans-serif';

const short = (text: string) => (text.length > charsMax ? `${text.slice(0, charsMax)}…` : text);

/** Where the entries of a legend stand: each in the row and at the place where it has room. */
function placed(context: CanvasRenderingContext2D, texts: readonly string[], width: number) {
  let [row, x] = [0, 0];
  return texts.map((text) => {
    const wide = markPixels + 6 + context.measureText(text).width + betweenPixels;
    if (x > 0 && x + wide > width) [row, x] = [row + 1, 0];
    const at = { text, row, x };
    x += wide;
    return at;
  });
}

/** A picture of a chart: its title, its range with the zone, the chart as it is drawn, and its legend. */
export async function pictureOf(
  drawn: HTMLCanvasElement,
  { title, range, lines }: { title: string; range: string; lines: readonly Line[] },
): Promise<Blob | null> {
  const ratio = drawn.width / Math.max(1, drawn.clientWidth);
  const width = drawn.clientWidth + 2 * padding;
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.font = `12px ${font}`;
  const shown = lines.flatMap(({ label, unit, isHidden, paleOf }, at) =>
    isHidden === true
      ? []
      : [
          {
            place: paleOf ?? at,
            text: short(unit === '' ? label : `${label} (${unitText(unit)})`),
          },
        ],
  );
  const entries = placed(
    context,
    shown.map(({ text }) => text),
    width - 2 * padding,
  );
  const rows = (entries.at(-1)?.row ?? -1) + 1;
  const top = padding + titlePixels + rowPixels;
  const height = top + drawn.clientHeight + rows * rowPixels + padding;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  context.fillStyle = colour('--panel');
  context.fillRect(0, 0, width, height);
  context.textBaseline = 'middle';
  write(context, `600 16px ${font}`, colour('--text'), title, padding, padding + titlePixels / 2);
  const rangeAt = padding + titlePixels + rowPixels / 2;
  write(context, `12px ${font}`, colour('--muted'), range, padding, rangeAt);
  context.drawImage(drawn, padding, top, drawn.clientWidth, drawn.clientHeight);
  for (const [i, { text, row, x }] of entries.entries()) {
    const y = top + drawn.clientHeight + (row + 0.5) * rowPixels;
    context.fillStyle = lineColour(shown[i]?.place ?? i);
    context.fillRect(padding + x, y - markPixels / 2, markPixels, markPixels);
    write(context, `12px ${font}`, colour('--text'), text, padding + x + markPixels + 6, y);
  }
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

function write(
  context: CanvasRenderingContext2D,
  fontText: string,
  fill: string,
  text: string,
  x: number,
  y: number,
): void {
  context.font = fontText;
  context.fillStyle = fill;
  context.fillText(text, x, y);
}

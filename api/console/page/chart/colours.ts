const lineColours = 8;

/** The number of the colour, from 1 on, for the line at a place in the legend. */
export const colourNumber = (line: number) => (line % lineColours) + 1;

const dashes: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

/** The dashes, in pixels, by which lines of the same colour are told apart; none for the first ones. */
export const lineDash = (line: number) =>
  dashes[Math.floor(line / lineColours) % dashes.length] ?? [];

export const lineColour = (line: number) => colour(`--line-${colourNumber(line)}`);

/** A colour of the style sheet as it is now. Canvases don't know `light-dark()`. */
export function colour(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

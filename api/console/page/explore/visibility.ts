import type { Series } from './view.ts';

const shown = ({ format, thing, name, isOfGroup }: Series): Series => ({
  format,
  thing,
  name,
  ...(isOfGroup === true ? { isOfGroup } : {}),
});
const hidden = (series: Series): Series => ({ ...series, isHidden: true });

/** Hides a series, or shows it again. */
export const toggled = (all: readonly Series[], at: number): Series[] =>
  all.map((one, i) => (i === at ? (one.isHidden === true ? shown(one) : hidden(one)) : one));

/** Hides all others; where they are hidden already, shows all. */
export function isolated(all: readonly Series[], at: number): Series[] {
  const isAlone = all.every((one, i) => (one.isHidden === true) !== (i === at));
  return all.map((one, i) => (isAlone || i === at ? shown(one) : hidden(one)));
}

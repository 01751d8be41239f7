/*
 * The kinds and bounds of a dashboard's parts, for code that only draws or asks: the schemas come with a library, which the
 * page of the console does without.
 */

export const panelKinds = ['line', 'bars', 'states', 'value', 'table', 'map'] as const;
export const panelAggregates = [
  'none',
  'avg',
  'min',
  'max',
  'sum',
  'count',
  'first',
  'last',
] as const;
export const tones = ['good', 'warn', 'bad'] as const;

export const gridColumns = 12;
export const panelsMax = 40;
export const seriesOfPanelMax = 20;

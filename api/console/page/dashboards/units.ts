import type { Panel } from '../../../../schemas/dashboards/content.ts';

/** Units of SenML that people write otherwise. */
const written: Readonly<Record<string, string>> = {
  Cel: '°C',
  '%RH': '% RH',
  '%EL': '%',
  '/': '',
};

/** The unit of a panel, or that of its messages. */
export const unitOf = ({ unit = '' }: Panel, ofMessages: string): string =>
  unit === '' ? (written[ofMessages] ?? ofMessages) : unit;

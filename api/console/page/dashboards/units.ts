import type { Panel } from '../../../../schemas/dashboards/content.ts';
import { unitText } from '../../../../schemas/messages/units.ts';

/** The unit of a panel, or that of its messages, as people write it. */
export const unitOf = ({ unit = '' }: Panel, ofMessages: string): string =>
  unit === '' ? unitText(ofMessages) : unit;

import { unitText } from '../../../../schemas/messages/units.ts';
import type { Alarm } from '../client/call.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { numberWriter } from '../ui/number.ts';

const writeNumber = numberWriter(6);

/** Series with their values at one moment. */
export function Values({ values }: { values: Alarm['began_values'] }) {
  if (values.length === 0) return <span class="muted">{alarmsTexts.noValues}</span>;
  return (
    <ul class="values">
      {values.map(({ name, value, unit }) => (
        <li key={name} title={`${name} ${measured(String(value), unit)}`}>
          <bdi class="muted cut">{name}</bdi>{' '}
          <bdi class="value cut">
            {measured(typeof value === 'number' ? writeNumber(value) : String(value), unit)}
          </bdi>
        </li>
      ))}
    </ul>
  );
}

const measured = (value: string, unit = ''): string => `${value} ${unitText(unit)}`.trimEnd();

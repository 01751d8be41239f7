import { useRef } from 'preact/hooks';
import type { Alarm } from '../client/call.ts';
import { goTo } from '../router.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Lasting, ShortAt } from '../ui/time.tsx';
import type { Act } from './acting.tsx';
import { useListKeys } from './keys.ts';
import { AlarmState, Severity } from './severity.tsx';
import { Values } from './values.tsx';

const words = alarmsTexts;

type TableProps = {
  alarms: readonly Alarm[];
  /** Whether one may acknowledge and silence alarms of a group. */
  mayAct: (groupId: string) => boolean;
  act: (act: Act) => void;
};

/** Alarms to work through: by the mouse, or by keys alone. */
export function AlarmTable({ alarms, mayAct, act }: TableProps) {
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const before = known.current;
  known.current = new Set([...(before ?? []), ...alarms.map(({ id }) => id)]);
  const actOn = (kind: Act['kind']) => (id: string) => {
    const alarm = alarms.find((one) => one.id === id);
    if (alarm !== undefined && mayAct(alarm.group_id)) act({ kind, alarm });
  };
  const list = useListKeys({ a: actOn('acknowledge'), s: actOn('silence') });
  return (
    <div ref={list.ref} onFocusIn={list.onFocusIn}>
      <table class="table fixed alarms">
        <thead>
          <tr>
            <th scope="col" class="rank">
              {words.severity}
            </th>
            <th scope="col">{words.alarm}</th>
            <th scope="col" class="read">
              {words.values}
            </th>
            <th scope="col" class="spell">
              {words.since}
            </th>
            <th scope="col" class="stands">
              {words.state}
            </th>
            <th scope="col" class="acts">
              <span class="hidden">{partsTexts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {alarms.map((alarm) => (
            <Row
              key={alarm.id}
              alarm={alarm}
              isNew={before !== undefined && !before.has(alarm.id)}
              act={mayAct(alarm.group_id) ? act : undefined}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: { alarm: Alarm; isNew: boolean; act: ((act: Act) => void) | undefined }) {
  const { alarm, isNew, act } = props;
  const { id, rule_name: rule, thing_name: thing, severity, began_at: began } = alarm;
  return (
    <tr data-link data-new={isNew} data-severity={severity} onClick={() => goTo(`/alarms/${id}`)}>
      <td class="rank">
        <Severity severity={severity} />
      </td>
      <th scope="row">
        <a href={`#/alarms/${id}`} data-row={id}>
          <bdi class="cut" title={rule}>
            {rule}
          </bdi>
        </a>
        <bdi class="cut small muted" title={thing}>
          {thing}
        </bdi>
      </th>
      <td class="read">
        <Values values={alarm.began_values} />
      </td>
      <td class="spell">
        <ShortAt time={began} />
        <div class="small muted">
          <Lasting from={began} to={alarm.ended_at} />
        </div>
      </td>
      <td class="stands">
        <AlarmState state={alarm.state} isSeen={alarm.acknowledged_at !== undefined} />
        <Seen alarm={alarm} />
      </td>
      <td class="acts">
        {act !== undefined && (
          // A click on a button is none on the row.
          <span class="row" onClick={(event) => event.stopPropagation()}>
            <Button
              kind="quiet"
              icon="check"
              label={words.acknowledgeOf(rule, thing)}
              onClick={() => act({ kind: 'acknowledge', alarm })}
            />
            <Button
              kind="quiet"
              icon="silence"
              label={words.silenceOf(rule, thing)}
              onClick={() => act({ kind: 'silence', alarm })}
            />
          </span>
        )}
      </td>
    </tr>
  );
}

/** Who acknowledged it, and what they noted. */
function Seen({
  alarm: { acknowledged_at: at, acknowledged_by_email: email = '', note },
}: {
  alarm: Alarm;
}) {
  if (at === undefined) return null;
  const by = words.acknowledgedBy(email);
  return (
    <span class="seen small muted" title={note === undefined ? by : `${by}: ${note}`}>
      <Icon name="check" />
      <bdi class="cut">{note ?? email}</bdi>
    </span>
  );
}

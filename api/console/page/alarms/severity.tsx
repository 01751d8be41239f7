import type { Alarm } from '../client/call.ts';
import { alarmStatesTexts } from '../texts/alarm-states.ts';
import { Badge, type Tone } from '../ui/page.tsx';
import { Icon } from '../ui/icons.tsx';

/** How bad it is: a drawing of its own shape, and a word. */
export function Severity({ severity }: { severity: Alarm['severity'] }) {
  return (
    <span class="severity" data-severity={severity}>
      <Icon name={severity} />
      <span>{alarmStatesTexts.severities[severity]}</span>
    </span>
  );
}

const tones: Readonly<Record<Alarm['state'], Tone>> = {
  firing: 'bad',
  clearing: 'warn',
  ended: 'plain',
};

/** In a word, and loud only as long as nobody has seen to it. */
export function AlarmState({ state, isSeen }: { state: Alarm['state']; isSeen: boolean }) {
  return (
    <span title={alarmStatesTexts.statesMean[state]}>
      <Badge tone={isSeen ? 'plain' : tones[state]}>{alarmStatesTexts.states[state]}</Badge>
    </span>
  );
}

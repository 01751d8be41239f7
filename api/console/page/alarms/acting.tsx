import { tellAlarmNews } from '../client/alarm-news.ts';
import { type Alarm, call } from '../client/call.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { say } from '../ui/toasts.tsx';

const words = alarmsTexts;

/** Something that is done with an alarm. */
export type Act = { kind: 'acknowledge' | 'silence'; alarm: Alarm };

/** Asks what belongs to it, and does it. */
export function Acting({
  act: { kind, alarm },
  onDone,
  onClose,
}: {
  act: Act;
  onDone: () => void;
  onClose: () => void;
}) {
  const done = (text: string) => {
    say(text);
    tellAlarmNews();
    onDone();
  };
  return kind === 'acknowledge' ? (
    <Acknowledging alarm={alarm} onDone={() => done(words.acknowledged)} onClose={onClose} />
  ) : (
    <Silencing alarm={alarm} onDone={() => done(words.silenced)} onClose={onClose} />
  );
}

type Props = { alarm: Alarm; onDone: () => void; onClose: () => void };

function Which({ alarm }: { alarm: Alarm }) {
  return (
    <p class="which">
      <bdi class="cut">{alarm.rule_name}</bdi>
      <bdi class="cut muted small">{alarm.thing_name}</bdi>
    </p>
  );
}

function Acknowledging({ alarm, onDone, onClose }: Props) {
  const submit = async (form: FormData) => {
    const note = fieldOf(form, 'note').trim();
    const body = note === '' ? {} : { note };
    await call('acknowledgeAlarm', { path: { id: alarm.id }, body });
    onDone();
  };
  return (
    <FormDialog
      title={words.acknowledge}
      action={words.acknowledge}
      submit={submit}
      onClose={onClose}
    >
      <Which alarm={alarm} />
      <p class="muted small">{words.acknowledgeText}</p>
      <Field label={words.note} hint={words.noteHint}>
        <input
          class="input"
          name="note"
          autocomplete="off"
          maxLength={1024}
          autofocus
          defaultValue={alarm.note ?? ''}
        />
      </Field>
    </FormDialog>
  );
}

const whats = ['both', 'rule', 'thing', 'group'] as const;
const times = [3_600, 14_400, 86_400, 604_800, 2_592_000] as const;

function Silencing({ alarm, onDone, onClose }: Props) {
  const { rule_id: rule, thing_id: thing, group_id: group } = alarm;
  const submit = async (form: FormData) => {
    const what = fieldOf(form, 'what');
    const seconds = Number(fieldOf(form, 'for'));
    const body = {
      ...(what === 'both' || what === 'rule' ? { rule_id: rule } : {}),
      ...(what === 'both' || what === 'thing' ? { thing_id: thing } : {}),
      reason: fieldOf(form, 'reason').trim(),
      until: new Date(Date.now() + seconds * 1_000).toISOString(),
    };
    await call('createSilence', { path: { id: group }, body });
    onDone();
  };
  return (
    <FormDialog title={words.silence} action={words.silence} submit={submit} onClose={onClose}>
      <Which alarm={alarm} />
      <p class="muted small">{words.silenceText}</p>
      <Field label={words.reason} hint={words.reasonHint}>
        <input class="input" name="reason" autocomplete="off" required maxLength={1024} autofocus />
      </Field>
      <Field label={words.silenceWhat}>
        <select class="input" name="what">
          {whats.map((what) => (
            <option key={what} value={what}>
              {words.silenceWhats[what]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={words.silenceFor}>
        <select class="input" name="for">
          {times.map((seconds) => (
            <option key={seconds} value={seconds}>
              {words.silenceTimes[seconds]}
            </option>
          ))}
        </select>
      </Field>
    </FormDialog>
  );
}

import { useEffect, useState } from 'preact/hooks';
import { describeFault, findFaultInText } from '../../../../schemas/json/fault.ts';
import { call, type Command, type Thing } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { useRead } from '../client/use-read.ts';
import { isVisible } from '../client/visible.ts';
import { commandsTexts } from '../texts/commands.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog, Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Badge, Explained, Panel, type Tone } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';

const words = commandsTexts;

/** While some are under way, their states are read again so often. */
const readMs = 2_000;

/** The commands to a thing, with their states as they change; and what sends one. For editors. */
export function Commands({ thing: { id, name } }: { thing: Thing }) {
  const offset = pageOffset();
  const [isSending, setSending] = useState(false);
  const [withdrawn, setWithdrawn] = useState<Command>();
  const reading = useRead(`${id} ${offset}`, (signal) =>
    call('listThingCommands', { path: { id }, query: { offset, limit: pageLimit } }, signal),
  );
  const { again } = reading;
  const isLooking = isVisible.value;
  const isMoving = reading.value?.commands.some(({ state }) => isUnderWay(state)) === true;
  useEffect(() => {
    if (!isLooking || !isMoving || reading.isLoading) return undefined;
    const timer = setTimeout(again, readMs);
    return () => clearTimeout(timer);
  }, [isLooking, isMoving, reading.isLoading]);
  return (
    <Panel
      title={words.title}
      flush
      actions={
        <>
          <Button icon="plus" onClick={() => setSending(true)}>
            {words.send}
          </Button>
          <Button kind="quiet" icon="again" label={words.readAgain} onClick={again} />
        </>
      }
    >
      <PagedTable
        reading={reading}
        rowsOf={({ commands }) => commands}
        keyOf={(command) => command.id}
        columns={columnsOf(setWithdrawn)}
        none={{ title: words.none, text: words.noneText }}
      />
      {isSending && (
        <Sending id={id} name={name} onSent={again} onClose={() => setSending(false)} />
      )}
      {withdrawn !== undefined && (
        <Question
          operation="withdrawCommand"
          request={() => ({ path: { id: withdrawn.id } })}
          title={words.withdraw}
          text={words.withdrawText(withdrawn.command)}
          action={words.withdraw}
          onDone={() => {
            say(words.withdrawn);
            again();
          }}
          onClose={() => setWithdrawn(undefined)}
        />
      )}
    </Panel>
  );
}

const isUnderWay = (state: Command['state']): boolean =>
  state === 'queued' || state === 'delivered';

const tones: Readonly<Record<Command['state'], Tone>> = {
  queued: 'plain',
  delivered: 'accent',
  acknowledged: 'good',
  expired: 'bad',
};

const columnsOf = (withdraw: (command: Command) => void): readonly Column<Command>[] => [
  {
    head: words.command,
    kind: 'name',
    cell: ({ command, subtopic, params, batch_id: batch, created_at: time }) => (
      <>
        <bdi class="cut">{command}</bdi>
        {subtopic !== undefined && <div class="small muted mono">{subtopic}</div>}
        {params !== undefined && <div class="small mono cut">{JSON.stringify(params)}</div>}
        {batch !== undefined && <div class="small muted">{words.toGroup}</div>}
        <div class="phone-only small muted">
          <Ago time={time} />
        </div>
      </>
    ),
  },
  {
    head: words.state,
    cell: (command) => (
      <>
        <Explained by={[words.statesMean[command.state]]}>
          <Badge tone={tones[command.state]}>{words.states[command.state]}</Badge>
        </Explained>
        {command.state === 'queued' && (
          <Button kind="quiet" onClick={() => withdraw(command)}>
            {words.withdraw}
          </Button>
        )}
      </>
    ),
  },
  { head: words.sent, isExtra: true, cell: ({ created_at: time }) => <Ago time={time} /> },
  { head: words.expires, isExtra: true, cell: ({ expires_at: time }) => <Ago time={time} /> },
];

const lifetimes = [600, 3_600, 86_400, 604_800] as const;
const lifetimeUsual = 86_400;

function Sending({
  id,
  name,
  onSent,
  onClose,
}: {
  id: string;
  name: string;
  onSent: () => void;
  onClose: () => void;
}) {
  const send = async (form: FormData) => {
    const subtopic = fieldOf(form, 'subtopic');
    const params = paramsIn(fieldOf(form, 'params'));
    const body = {
      command: fieldOf(form, 'command'),
      ...(params === undefined ? {} : { params }),
      ...(subtopic === '' ? {} : { subtopic }),
      expires_in: Number(fieldOf(form, 'expires')),
    };
    await call('commandThing', { path: { id }, body });
    onSent();
  };
  return (
    <FormDialog title={words.send} action={words.sendAction} submit={send} onClose={onClose}>
      <p class="muted">
        {words.sendingTo} <bdi>{name}</bdi>
      </p>
      <Field label={words.command} hint={words.commandHint}>
        <input class="input" name="command" required maxLength={1024} />
      </Field>
      <Field label={words.params} hint={words.paramsHint}>
        <textarea class="input mono" name="params" rows={4} spellcheck={false} />
      </Field>
      <Field label={words.subtopic} hint={words.subtopicHint}>
        <input class="input" name="subtopic" maxLength={254} />
      </Field>
      <Field label={words.expires} hint={words.expiresHint}>
        <select class="input" name="expires">
          {lifetimes.map((seconds) => (
            <option key={seconds} value={seconds} selected={seconds === lifetimeUsual}>
              {words.lifetimes[seconds]}
            </option>
          ))}
        </select>
      </Field>
    </FormDialog>
  );
}

/** @throws FieldError that tells where the text is no JSON. */
function paramsIn(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const fault = findFaultInText(text);
    const place = fault === undefined ? '' : describeFault(fault, {}, 'element');
    throw new FieldError('params', words.noJson(place));
  }
}

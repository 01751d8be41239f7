import { useEffect, useState } from 'preact/hooks';
import { describeFault, findFaultInText } from '../../../../schemas/json/fault.ts';
import { call, type Command } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { useRead } from '../client/use-read.ts';
import { isVisible } from '../client/visible.ts';
import { linkTo } from '../router.ts';
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

/** The thing that commands are sent to, or the group, for each of its things. */
type Receiver = { kind: 'thing' | 'group'; id: string; name: string };

/** Commands, and the names of the things that they are for. */
type Sent = { total: number; commands: readonly Command[]; names: ReadonlyMap<string, string> };

async function readSent(
  { kind, id }: Receiver,
  offset: number,
  signal: AbortSignal,
): Promise<Sent> {
  const request = { path: { id }, query: { offset, limit: pageLimit } };
  if (kind === 'thing') {
    return { ...(await call('listThingCommands', request, signal)), names: new Map() };
  }
  const { total, commands } = await call('listGroupCommands', request, signal);
  const ids = [...new Set(commands.map(({ thing_id: thing }) => thing))];
  const things = await Promise.all(
    ids.map((thing) => call('viewThing', { path: { id: thing } }, signal).catch(() => undefined)),
  );
  const names = things.flatMap((thing) => (thing === undefined ? [] : [thing]));
  return { total, commands, names: new Map(names.map((one) => [one.id, one.name])) };
}

/** The commands to a thing or to a group, with their states as they change; and what sends one. For editors. */
export function Commands({ to }: { to: Receiver }) {
  const { kind, id } = to;
  const offset = pageOffset();
  const [isSending, setSending] = useState(false);
  const [withdrawn, setWithdrawn] = useState<Command>();
  const reading = useRead(`${id} ${offset}`, (signal) => readSent(to, offset, signal));
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
        columns={[
          ...(kind === 'group' ? [thingColumn(reading.value?.names)] : []),
          ...columnsOf(setWithdrawn),
        ]}
        none={{ title: words.none, text: words.noneText }}
      />
      {isSending && <Sending to={to} onSent={again} onClose={() => setSending(false)} />}
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

const thingColumn = (names: Sent['names'] | undefined): Column<Command> => ({
  head: words.thing,
  cell: ({ thing_id: thing }) => (
    <a class="cut" href={linkTo(`/things/${thing}`, { tab: 'commands' })}>
      <bdi>{names?.get(thing) ?? thing}</bdi>
    </a>
  ),
});

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

function Sending(props: { to: Receiver; onSent: () => void; onClose: () => void }) {
  const { to, onSent, onClose } = props;
  const { kind, id, name } = to;
  const send = async (form: FormData) => {
    const subtopic = fieldOf(form, 'subtopic');
    const params = paramsIn(fieldOf(form, 'params'));
    const body = {
      command: fieldOf(form, 'command'),
      ...(params === undefined ? {} : { params }),
      ...(subtopic === '' ? {} : { subtopic }),
      expires_in: Number(fieldOf(form, 'expires')),
    };
    if (kind === 'thing') await call('commandThing', { path: { id }, body });
    else {
      const made = await call('commandGroup', { path: { id }, body });
      say(words.waitsForEach(made.commands, made.left_out));
    }
    onSent();
  };
  return (
    <FormDialog title={words.send} action={words.sendAction} submit={send} onClose={onClose}>
      <p class="muted">
        {words.sendingTo[kind]} <bdi>{name}</bdi>
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

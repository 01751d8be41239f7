import { useState } from 'preact/hooks';
import { type ApiKey, call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { youTexts } from '../texts/you.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Dialog, FormDialog, Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';

const words = youTexts;

/** The API's own kind of key that a person may make for programs. */
const apiKey = 2;
const daySeconds = 86_400;

/** The columns of a key, whose value nobody sees again. */
const columnsOf = (revoke: (id: string) => void): Column<ApiKey>[] => [
  {
    head: words.keyId,
    kind: 'name',
    cell: ({ id }) => <span class="cut mono small">{id}</span>,
  },
  { head: partsTexts.created, isExtra: true, cell: ({ issued_at: time }) => <Ago time={time} /> },
  { head: words.ends, cell: ({ expires_at: time }) => <Ago time={time} /> },
  {
    head: words.change,
    cell: ({ id }) => (
      <Button kind="quiet" icon="close" label={words.revokeKey(id)} onClick={() => revoke(id)} />
    ),
  },
];

/** One's own API keys, whatever the org: a program that has one may do what its owner may. */
export function Keys() {
  const offset = pageOffset();
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const [revoked, setRevoked] = useState<string>();
  const reading = useRead(`${offset}`, (signal) =>
    call('listKeys', { query: { offset, limit: pageLimit } }, signal),
  );
  const make = async (form: FormData) => {
    const duration = Number(fieldOf(form, 'days')) * daySeconds;
    const { value } = await call('issueKey', { body: { type: apiKey, duration } });
    setMade(value);
    reading.again();
  };
  return (
    <div class="stack">
      <Panel
        title={words.tabs.keys}
        flush
        actions={
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {words.newKey}
          </Button>
        }
      >
        <PagedTable
          reading={reading}
          rowsOf={({ keys }) => keys}
          keyOf={({ id }) => id}
          none={{ title: words.noKeys, text: words.noKeysText }}
          columns={columnsOf(setRevoked)}
        />
      </Panel>
      {isMaking && <Making make={make} onClose={() => setMaking(false)} />}
      {revoked !== undefined && (
        <Question
          operation="revokeKey"
          request={() => ({ path: { id: revoked } })}
          title={words.revokeKey(revoked)}
          text={words.revokeKeyText}
          action={words.revokeAction}
          onDone={reading.again}
          onClose={() => setRevoked(undefined)}
        />
      )}
      {made !== undefined && (
        <Dialog title={words.keyMade} onClose={() => setMade(undefined)}>
          <p class="muted">{words.keyMadeText}</p>
          <Code text={made} label={words.keyMade} />
        </Dialog>
      )}
    </div>
  );
}

function Making({
  make,
  onClose,
}: {
  make: (form: FormData) => Promise<void>;
  onClose: () => void;
}) {
  return (
    <FormDialog title={words.newKey} action={words.newKey} submit={make} onClose={onClose}>
      <Field label={words.keyDays} hint={words.keyDaysHint}>
        <input class="input" name="days" type="number" min={0} max={36_500} defaultValue={90} />
      </Field>
    </FormDialog>
  );
}

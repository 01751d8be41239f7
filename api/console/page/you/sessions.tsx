import { useState } from 'preact/hooks';
import { call, type Session } from '../client/call.ts';
import { session as signedIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { sessionsTexts } from '../texts/sessions.ts';
import { youTexts } from '../texts/you.ts';
import { Button } from '../ui/button.tsx';
import { Question } from '../ui/dialog.tsx';
import { Panel } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';

const words = sessionsTexts;

const columnsOf = (end: (one: Session) => void): Column<Session>[] => [
  {
    head: words.browser,
    kind: 'name',
    cell: ({ user_agent: name, current }) => (
      <>
        <bdi class="cut" title={name}>
          {name || words.unnamed}
        </bdi>
        {current && <span class="small muted"> {words.current}</span>}
      </>
    ),
  },
  { head: words.address, cell: ({ address }) => <span class="mono small">{address}</span> },
  { head: words.lastUsed, cell: ({ last_used_at: time }) => <Ago time={time} /> },
  { head: words.since, isExtra: true, cell: ({ created_at: time }) => <Ago time={time} /> },
  { head: words.ends, isExtra: true, cell: ({ expires_at: time }) => <Ago time={time} /> },
  {
    head: youTexts.change,
    cell: (one) => (
      <Button
        kind="quiet"
        icon="close"
        label={words.end(one.user_agent || words.unnamed)}
        onClick={() => end(one)}
      />
    ),
  },
];

/** The browsers that one is signed in with, whatever the org. */
export function Sessions() {
  const offset = pageOffset();
  const [ending, setEnding] = useState<Session | 'all'>();
  const reading = useRead(`${offset}`, (signal) => {
    const query = { offset, limit: pageLimit, order: 'last_used_at' } as const;
    return call('listSessions', { query }, signal);
  });
  const signedOut = () => {
    signedIn.value = { kind: 'none' };
  };
  const onClose = () => setEnding(undefined);
  return (
    <Panel
      title={youTexts.tabs.sessions}
      flush
      actions={<Button onClick={() => setEnding('all')}>{words.endAll}</Button>}
    >
      <PagedTable
        reading={reading}
        rowsOf={({ sessions }) => sessions}
        keyOf={({ id }) => id}
        none={{ title: words.none, text: '' }}
        columns={columnsOf(setEnding)}
      />
      {ending === 'all' && (
        <Question
          operation="endAllSessions"
          request={() => ({})}
          title={words.endAll}
          text={words.endAllText}
          action={words.endAll}
          onDone={signedOut}
          onClose={onClose}
        />
      )}
      {ending !== undefined && ending !== 'all' && (
        <Question
          operation="endSession"
          request={() => ({ path: { id: ending.id } })}
          title={words.ending}
          text={words.endingText}
          action={words.ending}
          onDone={ending.current ? signedOut : reading.again}
          onClose={onClose}
        />
      )}
    </Panel>
  );
}

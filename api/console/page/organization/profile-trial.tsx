import { useEffect, useState } from 'preact/hooks';
import { type Exact, numberOf } from '../../../../schemas/json/exact.ts';
import { call, type NextMessage, type PreviewedProfile, type Thing } from '../client/call.ts';
import { callExactly } from '../client/call-exactly.ts';
import { useRead } from '../client/use-read.ts';
import { profileTexts } from '../texts/profile.ts';
import { Choice, Field, Search } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { Failed, Notice } from '../ui/states.tsx';
import { isWholeText, TakeNext } from './next-message.tsx';
import { type Config, keepsPart } from './profile-config.ts';

const words = profileTexts;

const thingsMax = 50;
const typedMs = 250;

const example = JSON.stringify({ at: '2026-11-21T10:00:00Z', data: { level: 3.2 } }, null, 2);

/** Shows what an edge would make of a message with this config, as both are typed. */
export function Trial(props: { groupId: string; config: Config; mayTakeNext: boolean }) {
  const { groupId, config, mayTakeNext } = props;
  const [text, setText] = useState(example);
  const [thing, setThing] = useState<Thing>();
  const [came, setCame] = useState<NextMessage>();
  const { value: taken, failure } = useRead(thing?.id, (signal) =>
    thing === undefined ? Promise.resolve(undefined) : newest(thing.id, signal),
  );
  useEffect(() => {
    if (taken !== undefined && came === undefined)
      setText(taken.kind === 'stored' ? taken.text : '');
  }, [taken]);
  const choose = (chosen: Thing | undefined) => {
    setThing(chosen);
    setCame(undefined);
  };
  const isSenml = config.content_type?.toLowerCase().startsWith('application/senml') === true;
  return (
    <Panel
      title={words.trial}
      actions={<Source groupId={groupId} thing={thing} onThing={choose} />}
    >
      <div class="stack">
        <p class="muted small">{words.trialText}</p>
        {thing !== undefined && mayTakeNext && (
          <TakeNext
            key={thing.id}
            thing={thing}
            came={came}
            onMessage={(message) => {
              setCame(message);
              setText(message.body);
            }}
          />
        )}
        <Field label={words.payload} hint={hintFor(thing, came ? cameNow : taken)}>
          <textarea
            class="input mono"
            rows={8}
            maxLength={65_536}
            spellcheck={false}
            value={text}
            onInput={(event) => {
              choose(undefined);
              setText(event.currentTarget.value);
            }}
          />
        </Field>
        {thing !== undefined && <Notice failure={failure} />}
        {isSenml && <p class="muted">{words.onlyJson}</p>}
        {!isSenml && text.trim() !== '' && (came === undefined || isWholeText(came)) && (
          <Outcome groupId={groupId} config={config} text={text} />
        )}
      </div>
    </Panel>
  );
}

/**
 * The newest record of a thing, where it is what the thing sent, or the reason why there is none; or its next message
 * came.
 */
type Taken = { kind: 'stored'; text: string } | { kind: 'none' | 'part' | 'came' };

const cameNow: Taken = { kind: 'came' };

const hintFor = (thing: Thing | undefined, taken: Taken | undefined): string =>
  thing === undefined || taken === undefined ? words.payloadHint : words.of[taken.kind];

/** Nothing keeps a message as it was sent: of one that lost members on the way, no trial would tell the truth. */
async function newest(id: string, signal: AbortSignal): Promise<Taken> {
  const query = { publisher: id, limit: 1 };
  const [{ messages }, profile] = await Promise.all([
    callExactly('readMessages_json', { query }, signal),
    call('viewThingProfile', { path: { id } }, signal),
  ]);
  const [message] = messages;
  if (message === undefined) return { kind: 'none' };
  return keepsPart(profile.config)
    ? { kind: 'part' }
    : { kind: 'stored', text: JSON.stringify(message.payload, null, 2) };
}

function Source(props: {
  groupId: string;
  thing: Thing | undefined;
  onThing: (thing: Thing | undefined) => void;
}) {
  const { groupId, thing, onThing } = props;
  const [name, setName] = useState('');
  const { value } = useRead(`${groupId} ${name}`, (signal) => {
    const query = { limit: thingsMax, order: 'name', dir: 'asc', name } as const;
    return call('listGroupThings', { path: { id: groupId }, query }, signal);
  });
  const { things = [], total = 0 } = value ?? {};
  const isListed = thing === undefined || things.some(({ id }) => id === thing.id);
  const offered = isListed ? things : [thing, ...things];
  return (
    <>
      {(name !== '' || total > things.length) && (
        <Search label={words.findThing(total)} value={name} onSearch={setName} />
      )}
      <Choice
        label={words.from}
        value={thing?.id ?? ''}
        options={[
          { value: '', text: words.pasted },
          ...offered.map((one) => ({ value: one.id, text: one.name.slice(0, 80) })),
        ]}
        onChoose={(chosen) => onThing(offered.find(({ id }) => id === chosen))}
      />
    </>
  );
}

function Outcome({ groupId, config, text }: { groupId: string; config: Config; text: string }) {
  const [asked, setAsked] = useState({ config, text });
  useEffect(() => {
    const timer = setTimeout(() => setAsked({ config, text }), typedMs);
    return () => clearTimeout(timer);
  }, [config, text]);
  const { value, failure } = useRead(JSON.stringify(asked), (signal) =>
    callExactly(
      'previewProfile',
      { path: { id: groupId }, body: { config: asked.config, payload: asked.text } },
      signal,
    ),
  );
  if (failure !== undefined) {
    return failure.status === 400 ? <Notice failure={failure} /> : <Failed failure={failure} />;
  }
  return (
    <div class="outcome" role="status">
      {value !== undefined && <Previewed previewed={value} />}
    </div>
  );
}

function Previewed({ previewed }: { previewed: Exact<PreviewedProfile> }) {
  const { refused, total, records } = previewed;
  if (refused !== undefined) {
    return (
      <p class="notice break">
        {words.refused}: {refused}
      </p>
    );
  }
  return (
    <>
      <h3>{words.becomes(numberOf(total))}</h3>
      <ul class="records">
        {records.map(({ time, payload }, at) => (
          <li key={at}>
            <time class="mono small muted">{time}</time>
            <pre class="mono small">{JSON.stringify(payload, null, 2)}</pre>
          </li>
        ))}
      </ul>
    </>
  );
}

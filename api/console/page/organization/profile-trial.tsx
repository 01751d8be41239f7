import { useEffect, useState } from 'preact/hooks';
import { call, type PreviewedProfile } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { profileTexts } from '../texts/profile.ts';
import { Choice, Field } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { Failed, Notice } from '../ui/states.tsx';
import type { Config } from './profile-config.ts';

const words = profileTexts;

const thingsMax = 50;
const typedMs = 250;

const example = JSON.stringify({ at: '2026-11-21T10:00:00Z', data: { level: 3.2 } }, null, 2);

/** Shows what an edge would make of a message with this config, as both are typed. */
export function Trial({ groupId, config }: { groupId: string; config: Config }) {
  const [text, setText] = useState(example);
  const [thingId, setThing] = useState('');
  const stored = useRead(thingId === '' ? undefined : thingId, (signal) => newest(thingId, signal));
  const { value: taken } = stored;
  useEffect(() => {
    if (taken !== undefined) setText(taken.text ?? '');
  }, [taken]);
  const isSenml = config.content_type?.toLowerCase().startsWith('application/senml') === true;
  return (
    <Panel
      title={words.trial}
      actions={<Source groupId={groupId} thingId={thingId} onThing={setThing} />}
    >
      <div class="stack">
        <p class="muted small">{words.trialText}</p>
        <Field
          label={words.payload}
          hint={thingId === '' ? words.payloadHint : words.storedHint}
          problem={taken !== undefined && taken.text === undefined ? words.none : undefined}
        >
          <textarea
            class="input mono"
            rows={8}
            maxLength={65_536}
            spellcheck={false}
            value={text}
            onInput={(event) => {
              setThing('');
              setText(event.currentTarget.value);
            }}
          />
        </Field>
        {isSenml ? (
          <p class="muted">{words.onlyJson}</p>
        ) : (
          <Outcome groupId={groupId} config={config} text={text} />
        )}
      </div>
    </Panel>
  );
}

/** The newest message of a thing that is stored as JSON. */
async function newest(publisher: string, signal: AbortSignal): Promise<{ text?: string }> {
  const query = { publisher, limit: 1 };
  const [message] = (await call('readMessages_json', { query }, signal)).messages;
  return message === undefined ? {} : { text: JSON.stringify(message.payload, null, 2) };
}

function Source(props: { groupId: string; thingId: string; onThing: (id: string) => void }) {
  const { groupId, thingId, onThing } = props;
  const { value } = useRead(groupId, (signal) => {
    const query = { limit: thingsMax, order: 'name', dir: 'asc' } as const;
    return call('listGroupThings', { path: { id: groupId }, query }, signal);
  });
  const things = value?.things ?? [];
  return (
    <Choice
      label={words.from}
      value={thingId}
      options={[
        { value: '', text: words.pasted },
        ...things.map(({ id, name }) => ({ value: id, text: name.slice(0, 80) })),
      ]}
      onChoose={onThing}
    />
  );
}

function Outcome({ groupId, config, text }: { groupId: string; config: Config; text: string }) {
  const [asked, setAsked] = useState({ config, text });
  useEffect(() => {
    const timer = setTimeout(() => setAsked({ config, text }), typedMs);
    return () => clearTimeout(timer);
  }, [config, text]);
  const { value, failure } = useRead(JSON.stringify(asked), (signal) =>
    call(
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

function Previewed({ previewed: { refused, total, records } }: { previewed: PreviewedProfile }) {
  if (refused !== undefined) {
    return (
      <p class="notice break">
        {words.refused}: {refused}
      </p>
    );
  }
  return (
    <>
      <h3>{words.becomes(total)}</h3>
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

import { useState } from 'preact/hooks';
import { urlOf } from '../client/url.ts';
import { call, type Thing } from '../client/call.ts';
import { shellTexts } from '../texts/shell.ts';
import { thingsTexts } from '../texts/things.ts';
import { Button } from '../ui/button.tsx';
import { Code, Copy, Secret } from '../ui/copy.tsx';
import { Dialog, FormDialog, Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';
import { type Language, languages, linesIn } from './lines.ts';
import { newKey } from './new-key.ts';

/** How a device becomes this thing: its keys, and its first message. */
export function Connect(props: { thing: Thing; isConnected: boolean; again: () => void }) {
  const { thing, isConnected, again } = props;
  return (
    <div class="stack">
      <p class="notice" data-tone={isConnected ? 'good' : 'warn'} role="status">
        {isConnected ? thingsTexts.connected : thingsTexts.waiting}
      </p>
      <FirstMessage thing={thing} />
      <Keys thing={thing} again={again} />
    </div>
  );
}

function FirstMessage({ thing }: { thing: Thing }) {
  const [language, setLanguage] = useState<Language>('curl');
  const things = thingsTexts;
  const lines = { url: urlOf('/http/messages'), key: thing.key ?? '<key>' };
  return (
    <Panel
      title={things.firstMessage}
      actions={languages.map((one) => (
        <Button key={one} kind="quiet" pressed={one === language} onClick={() => setLanguage(one)}>
          {things.languages[one]}
        </Button>
      ))}
    >
      <div class="stack">
        <p class="muted">{things.firstMessageText}</p>
        <Code
          label={things.languages[language]}
          text={linesIn[language](lines)}
          {...(thing.key === undefined ? {} : { secret: thing.key })}
        />
      </div>
    </Panel>
  );
}

type Asking = 'rotate' | 'external' | 'removeExternal';

function Keys({ thing, again }: { thing: Thing; again: () => void }) {
  const things = thingsTexts;
  const [asking, setAsking] = useState<Asking>();
  const [fresh, setFresh] = useState<string>();
  if (thing.key === undefined) {
    return (
      <Panel title={things.keys}>
        <p class="muted">{things.keysForEditors}</p>
      </Panel>
    );
  }
  return (
    <Panel title={things.keys}>
      <dl class="facts">
        <dt>{things.key}</dt>
        <dd class="row">
          <Secret value={thing.key} label={things.key} />
          <Button icon="again" onClick={() => setAsking('rotate')}>
            {things.rotate}
          </Button>
        </dd>
        <dt>{things.externalKey}</dt>
        <dd class="row">
          {thing.external_key === undefined ? (
            <span class="muted">{things.noExternalKey}</span>
          ) : (
            <Secret value={thing.external_key} label={things.externalKey} />
          )}
          <Button onClick={() => setAsking('external')}>{things.setExternalKey}</Button>
          {thing.external_key !== undefined && (
            <Button kind="danger" onClick={() => setAsking('removeExternal')}>
              {things.removeExternalKey}
            </Button>
          )}
        </dd>
      </dl>
      {asking !== undefined && (
        <KeyDialog
          thing={thing}
          asking={asking}
          onClose={() => setAsking(undefined)}
          onDone={again}
          onKey={setFresh}
        />
      )}
      {fresh !== undefined && <FreshKey value={fresh} onClose={() => setFresh(undefined)} />}
    </Panel>
  );
}

/** Shows a key that was just made. */
function FreshKey({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Dialog title={thingsTexts.freshKey} onClose={onClose}>
      <p class="muted">{thingsTexts.freshKeyText}</p>
      <p class="row">
        <code class="break">{value}</code>
        <Copy text={value} />
      </p>
      <div class="row">
        <Button kind="primary" onClick={onClose}>
          {shellTexts.close}
        </Button>
      </div>
    </Dialog>
  );
}

function KeyDialog(props: {
  thing: Thing;
  asking: Asking;
  onClose: () => void;
  onDone: () => void;
  onKey: (key: string) => void;
}) {
  const { thing, asking, onClose, onDone, onKey } = props;
  const { title, text, action } = thingsTexts.keyDialogs[asking];
  const path = { id: thing.id };
  const done = () => {
    say(thingsTexts.keyChanged);
    onDone();
  };
  if (asking === 'removeExternal') {
    const question = { title, text, action, onClose, onDone: done };
    return <Question operation="removeExternalKey" request={() => ({ path })} {...question} />;
  }
  const change = async (form: FormData) => {
    if (asking === 'external') {
      await call('setExternalKey', { path, body: { key: fieldOf(form, 'key') } });
      return;
    }
    const key = newKey();
    await call('updateThing', { path, body: { key } });
    onKey(key);
  };
  return (
    <FormDialog
      title={title}
      action={action}
      kind={asking === 'external' ? 'primary' : 'danger'}
      onClose={onClose}
      submit={async (form) => {
        await change(form);
        done();
      }}
    >
      <p>{text}</p>
      {asking === 'external' && (
        <Field label={thingsTexts.externalKey}>
          <input
            class="input"
            name="key"
            required
            minLength={5}
            maxLength={1024}
            autocomplete="off"
          />
        </Field>
      )}
    </FormDialog>
  );
}

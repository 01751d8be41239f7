import { useRef } from 'preact/hooks';
import { call, type Webhook } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { say } from '../ui/toasts.tsx';

const words = webhooksTexts;

/** Changes the webhook itself. */
export function Editing(props: { webhook: Webhook; again: () => void; onClose: () => void }) {
  const { webhook, again, onClose } = props;
  const { name, url, headers = {}, secret = '', messages } = webhook;
  const save = async (form: FormData) => {
    const typed = fieldOf(form, 'secret');
    const body = {
      name: fieldOf(form, 'name'),
      url: fieldOf(form, 'url'),
      headers: headersIn(fieldOf(form, 'headers')),
      messages: fieldOf(form, 'messages') === 'messages',
      // The same once more would be another one, after which the one before signs too.
      ...(typed === secret ? {} : { secret: typed === '' ? null : typed }),
    };
    await call('updateWebhook', { path: { id: webhook.id }, body });
    say(words.saved);
    again();
  };
  return (
    <FormDialog
      title={words.editing(name)}
      action={partsTexts.save}
      submit={save}
      onClose={onClose}
    >
      <Field label={words.name}>
        <input class="input" name="name" required maxLength={254} defaultValue={name} />
      </Field>
      <Field label={words.url} hint={words.urlHint}>
        <input class="input" name="url" type="url" required maxLength={2048} defaultValue={url} />
      </Field>
      <Field label={words.headers} hint={words.headersHint}>
        <textarea
          class="input mono"
          name="headers"
          rows={3}
          spellcheck={false}
          defaultValue={Object.entries(headers)
            .map(([header, value]) => `${header}: ${value}`)
            .join('\n')}
        />
      </Field>
      <SecretField hint={words.secretEditHint} secret={secret} />
      <GetsField messages={messages} />
    </FormDialog>
  );
}

/** Names and values, one a line. @throws FieldError */
function headersIn(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trim());
  const pairs = lines.flatMap((line, at): [string, string][] => {
    if (line === '') return [];
    const colon = line.indexOf(':');
    if (colon < 1) throw new FieldError('headers', words.headerWrong(at + 1));
    return [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
  });
  return Object.fromEntries(pairs);
}

/** A secret to sign with, and a button that makes one. */
export function SecretField({ hint, secret }: { hint: string; secret: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Field label={words.secret} hint={hint} of="secret">
        <input
          ref={input}
          class="input mono"
          name="secret"
          autocomplete="off"
          maxLength={256}
          defaultValue={secret}
        />
      </Field>
      <div class="row">
        <Button
          icon="again"
          onClick={() => {
            if (input.current !== null) input.current.value = newSecret();
          }}
        >
          {words.generate}
        </Button>
      </div>
    </>
  );
}

const secretBytes = 32;

/** In the form of Standard Webhooks. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

/** Whether it gets messages, or notices alone. */
export function GetsField({ messages = true }: { messages?: boolean | undefined }) {
  return (
    <Field label={words.gets}>
      <select class="input" name="messages">
        <option value="messages" selected={messages}>
          {words.getsMessages}
        </option>
        <option value="notices" selected={!messages}>
          {words.getsNotices}
        </option>
      </select>
    </Field>
  );
}

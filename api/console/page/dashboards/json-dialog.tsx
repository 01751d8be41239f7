import { FieldError } from '../client/failure.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { type Draft, draftIn } from './draft.ts';
import { useState } from 'preact/hooks';

const words = dashboardsTexts;

/** A dashboard as JSON, out and in. Without `onTake` it can only be taken out. */
export function JsonDialog({
  dashboard,
  onTake,
  onClose,
}: {
  dashboard: Draft;
  onTake?: (draft: Draft) => void;
  onClose: () => void;
}) {
  const [isTaking, setTaking] = useState(false);
  const { name, description, content } = dashboard;
  const text = JSON.stringify({ name, description, content }, null, 2);
  if (isTaking && onTake !== undefined) {
    return (
      <FormDialog
        title={words.takeJson}
        action={words.take}
        submit={async (form) => {
          const given = draftIn(fieldOf(form, 'json'));
          if (given === undefined) throw new FieldError('json', words.notJson);
          onTake({ name, description, ...given });
        }}
        onClose={onClose}
      >
        <p class="muted">{words.takeJsonText}</p>
        <Field label={words.json}>
          <textarea class="input mono" name="json" rows={14} required spellcheck={false}>
            {text}
          </textarea>
        </Field>
      </FormDialog>
    );
  }
  return (
    <Dialog title={words.json} onClose={onClose}>
      <div class="dashboard-json">
        <Code text={text} label={words.json} />
      </div>
      <div class="actions">
        <Button icon="download" onClick={() => save(name, text)}>
          {words.saveJson}
        </Button>
        {onTake !== undefined && <Button onClick={() => setTaking(true)}>{words.takeJson}</Button>}
      </div>
    </Dialog>
  );
}

/** Gives a text to the browser as a file, which asks no server. */
function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60)}.json`;
  link.click();
  // The browser has begun with it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

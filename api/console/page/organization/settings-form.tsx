import { objectIn } from '../client/json-text.ts';
import { organizationTexts } from '../texts/organization.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';

const words = organizationTexts;

/** The settings that an org and a group have alike. */
type Settings = {
  name: string;
  description: string;
  metadata: Record<string, unknown>;
  retention_days?: number;
};

/** The name of an org or a group, and how long it keeps messages. */
export function SettingsForm({
  of,
  keepsHint,
  isFixed,
  save,
}: {
  of: Settings;
  keepsHint: string;
  isFixed: boolean;
  save: (
    change: Pick<Settings, 'name' | 'description' | 'metadata'> & { retention_days: number | null },
  ) => Promise<unknown>;
}) {
  const submit = async (form: FormData) => {
    const days = fieldOf(form, 'retention_days');
    await save({
      name: fieldOf(form, 'name'),
      description: fieldOf(form, 'description'),
      metadata: objectIn(fieldOf(form, 'metadata'), 'metadata'),
      retention_days: days === '' ? null : Number(days),
    });
    say(words.saved);
  };
  return (
    <Panel title={words.tabs.about}>
      <Form
        look="form narrow-form"
        submit={submit}
        buttons={(isBusy) =>
          !isFixed && (
            <div class="row">
              <Button kind="primary" submits disabled={isBusy}>
                {partsTexts.save}
              </Button>
            </div>
          )
        }
      >
        <Fields of={of} keepsHint={keepsHint} isFixed={isFixed} />
      </Form>
    </Panel>
  );
}

function Fields(props: { of: Settings; keepsHint: string; isFixed: boolean }) {
  const { of, keepsHint, isFixed } = props;
  const metadata = JSON.stringify(of.metadata, null, 2);
  return (
    <>
      <Field label={words.name}>
        <input
          class="input"
          name="name"
          required
          maxLength={254}
          defaultValue={of.name}
          readOnly={isFixed}
        />
      </Field>
      <Field label={words.description}>
        <input
          class="input"
          name="description"
          maxLength={1024}
          defaultValue={of.description}
          readOnly={isFixed}
        />
      </Field>
      <Field label={words.keepsDays} hint={keepsHint}>
        <input
          class="input"
          name="retention_days"
          type="number"
          min={1}
          max={36_500}
          readOnly={isFixed}
          defaultValue={of.retention_days ?? ''}
        />
      </Field>
      <Field label={words.metadata} hint={words.metadataHint}>
        <textarea
          class="input mono"
          name="metadata"
          rows={Math.min(12, metadata.split('\n').length + 1)}
          spellcheck={false}
          readOnly={isFixed}
          defaultValue={metadata}
        />
      </Field>
    </>
  );
}

import { organizationTexts } from '../texts/organization.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';

const words = organizationTexts;

/** The settings that an org and a group have alike. */
type Settings = { name: string; description: string; retention_days?: number };

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
    change: Pick<Settings, 'name' | 'description'> & { retention_days: number | null },
  ) => Promise<unknown>;
}) {
  const { failure, isBusy, run } = useAction();
  const submit = async (form: FormData) => {
    const days = fieldOf(form, 'days');
    await save({
      name: fieldOf(form, 'name'),
      description: fieldOf(form, 'description'),
      retention_days: days === '' ? null : Number(days),
    });
    say(words.saved);
  };
  return (
    <Panel title={words.tabs.about}>
      <form
        class="form narrow-form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void run(() => submit(form));
        }}
      >
        <Fields of={of} keepsHint={keepsHint} isFixed={isFixed} />
        <Notice failure={failure} />
        {!isFixed && (
          <div class="row">
            <Button kind="primary" submits disabled={isBusy}>
              {partsTexts.save}
            </Button>
          </div>
        )}
      </form>
    </Panel>
  );
}

function Fields(props: { of: Settings; keepsHint: string; isFixed: boolean }) {
  const { of, keepsHint, isFixed } = props;
  return (
    <>
      <Field label={words.name}>
        <input
          class="input"
          name="name"
          required
          maxLength={254}
          value={of.name}
          readOnly={isFixed}
        />
      </Field>
      <Field label={words.description}>
        <input
          class="input"
          name="description"
          maxLength={1024}
          value={of.description}
          readOnly={isFixed}
        />
      </Field>
      <Field label={words.keepsDays} hint={keepsHint}>
        <input
          class="input"
          name="days"
          type="number"
          min={1}
          max={36_500}
          readOnly={isFixed}
          value={of.retention_days ?? ''}
        />
      </Field>
    </>
  );
}

import { call, type Org } from '../../client/call.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../../ui/dialog.tsx';
import { Field, fieldOf } from '../../ui/field.tsx';
import { Panel } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { say } from '../../ui/toasts.tsx';
import type { May } from '../roles.ts';

const words = texts.organization;

/** The org's name, and how long it keeps messages. */
export function About({ org, may, again }: { org: Org; may: May; again: () => void }) {
  const { failure, isBusy, run } = useAction();
  const isFixed = !may('updateOrg');
  const save = async (form: FormData) => {
    const days = fieldOf(form, 'days');
    const body = {
      name: fieldOf(form, 'name'),
      description: fieldOf(form, 'description'),
      retention_days: days === '' ? null : Number(days),
    };
    await call('updateOrg', { path: { id: org.id }, body });
    say(words.saved);
    again();
  };
  return (
    <Panel title={words.tabs.about}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void run(() => save(form));
        }}
      >
        <Fields org={org} isFixed={isFixed} />
        <Notice failure={failure} />
        {!isFixed && (
          <div class="row">
            <Button kind="primary" submits disabled={isBusy}>
              {texts.parts.save}
            </Button>
          </div>
        )}
      </form>
    </Panel>
  );
}

function Fields({ org, isFixed }: { org: Org; isFixed: boolean }) {
  return (
    <>
      <Field label={words.name}>
        <input
          class="input"
          name="name"
          required
          maxLength={254}
          value={org.name}
          readOnly={isFixed}
        />
      </Field>
      <Field label={words.description}>
        <input
          class="input"
          name="description"
          maxLength={1024}
          value={org.description}
          readOnly={isFixed}
        />
      </Field>
      <Field label={words.keepsDays} hint={words.keepsHint}>
        <input
          class="input"
          name="days"
          type="number"
          min={1}
          max={36_500}
          readOnly={isFixed}
          value={org.retention_days ?? ''}
        />
      </Field>
    </>
  );
}

import { call } from '../client/call.ts';
import { goTo } from '../router.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { GetsField, SecretField } from './editing.tsx';

const operations = {
  org: 'createOrgWebhooks',
  group: 'createGroupWebhooks',
  thing: 'createWebhooks',
} as const;

/** Makes a webhook of a place, and leads to its page. */
export function Adding({
  place,
  onClose,
}: {
  place: { of: keyof typeof operations; id: string; name: string };
  onClose: () => void;
}) {
  const add = async (form: FormData) => {
    const secret = fieldOf(form, 'secret');
    const body = [
      {
        name: fieldOf(form, 'name'),
        url: fieldOf(form, 'url'),
        messages: fieldOf(form, 'messages') === 'messages',
        ...(secret === '' ? {} : { secret }),
      },
    ];
    const made = await call(operations[place.of], { path: { id: place.id }, body });
    const [webhook] = Array.isArray(made) ? made : made.webhooks;
    if (webhook !== undefined) goTo(`/webhooks/${webhook.id}`);
  };
  return (
    <FormDialog title={webhooksTexts.add} action={webhooksTexts.add} submit={add} onClose={onClose}>
      <p class="muted">
        {webhooksTexts.addingTo[place.of]} <bdi>{place.name}</bdi>
      </p>
      <Field label={webhooksTexts.name}>
        <input class="input" name="name" required maxLength={254} />
      </Field>
      <Field label={webhooksTexts.url} hint={webhooksTexts.urlHint}>
        <input class="input" name="url" type="url" required maxLength={2048} />
      </Field>
      <SecretField hint={webhooksTexts.secretHint} secret="" />
      <GetsField />
    </FormDialog>
  );
}

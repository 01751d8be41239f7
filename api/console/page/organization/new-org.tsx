import { call } from '../client/call.ts';
import { goTo } from '../router.ts';
import { orgsTexts } from '../texts/orgs.ts';
import { organizationTexts } from '../texts/organization.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';

const words = orgsTexts;

/** Makes an org, which its maker owns, and leads to its groups. */
export function NewOrg({ again, onClose }: { again: () => void; onClose: () => void }) {
  const make = async (form: FormData) => {
    const name = fieldOf(form, 'name');
    await call('createOrg', { body: { name, description: fieldOf(form, 'description') } });
    const query = { name, order: 'created_at', dir: 'desc' } as const;
    const { orgs } = await call('listOrgs', { query });
    again();
    goTo('/organization', { org: orgs.find((org) => org.name === name)?.id, tab: 'groups' });
  };
  return (
    <FormDialog title={words.make} action={words.make} submit={make} onClose={onClose}>
      <p class="muted">{words.makeText}</p>
      <Field label={organizationTexts.name}>
        <input class="input" name="name" required maxLength={254} autofocus autocomplete="off" />
      </Field>
      <Field label={organizationTexts.description}>
        <input class="input" name="description" maxLength={1024} />
      </Field>
    </FormDialog>
  );
}

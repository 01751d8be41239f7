import { call, type Org } from '../client/call.ts';
import { organizationTexts } from '../texts/organization.ts';
import type { May } from '../roles.ts';
import { Deleting } from './deleting.tsx';
import { SettingsForm } from './settings-form.tsx';

/** The org's name, and how long it keeps messages. */
export function About({ org, may, again }: { org: Org; may: May; again: () => void }) {
  return (
    <div class="stack">
      <SettingsForm
        of={org}
        keepsHint={organizationTexts.keepsHint}
        isFixed={!may('updateOrg')}
        save={async (body) => {
          await call('updateOrg', { path: { id: org.id }, body });
          again();
        }}
      />
      {may('deleteOrg') && <Deleting of={{ kind: 'org', ...org }} again={again} />}
    </div>
  );
}

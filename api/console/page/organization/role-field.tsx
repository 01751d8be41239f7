import { givenRoles } from '../roles.ts';
import { organizationTexts } from '../texts/organization.ts';
import { Field } from '../ui/field.tsx';

const words = organizationTexts;

/** The role that somebody is to have. */
export function RoleField({ hint }: { hint?: string }) {
  return (
    <Field label={words.role} {...(hint === undefined ? {} : { hint })}>
      <select class="input" name="role">
        {givenRoles.map((role) => (
          <option key={role} value={role}>
            {words.roles[role]}
          </option>
        ))}
      </select>
    </Field>
  );
}

import { Type } from 'typebox';
import { ApiKey } from '../../schemas/api-key.ts';
import { Certificate } from '../../schemas/certificate.ts';
import { Group } from '../../schemas/group.ts';
import { Invite } from '../../schemas/invite.ts';
import { GroupMembership, OrgMembership } from '../../schemas/membership.ts';
import { Org } from '../../schemas/org.ts';
import { Profile } from '../../schemas/profile.ts';
import { Thing } from '../../schemas/thing.ts';
import { User } from '../../schemas/user.ts';
import { Webhook } from '../../schemas/webhook.ts';

/** The body of every failure. */
export const ErrorBody = Type.Object({ error: Type.String() });

/** What has a name of its own in the document; a schema with a `$id` has that. */
export const namedSchemas: Readonly<Record<string, object>> = {
  Error: ErrorBody,
  User,
  ApiKey,
  Org,
  OrgMembership,
  GroupMembership,
  Invite,
  Group,
  Profile,
  Thing,
  Certificate,
  Webhook,
};

/** Puts references in the place of what stands among the components of this kind. */
export function refer(
  root: unknown,
  kind: 'schemas' | 'responses',
  components: Readonly<Record<string, unknown>> = {},
): void {
  const names = new Map(
    Object.entries(components).map(([name, component]) => [JSON.stringify(component), name]),
  );
  const left: unknown[] = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, inner] of Object.entries(node)) {
      const name = names.get(JSON.stringify(inner));
      if (name === undefined) left.push(inner);
      else Reflect.set(node, key, { $ref: `#/components/${kind}/${name}` });
    }
  }
}

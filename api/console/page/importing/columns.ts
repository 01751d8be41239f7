/** The members of a thing, and its place, that a column may give. */
export const fields = [
  'name',
  'type',
  'external_key',
  'key',
  'id',
  'profile',
  'group',
  'metadata',
] as const;

/** Where a column of the file goes. Of metadata, to the member of its name. */
export type Target = 'none' | (typeof fields)[number] | `metadata.${string}`;

/** Other names that people give to columns. */
const known: Readonly<Record<string, Target>> = {
  thing: 'name',
  device: 'name',
  'device name': 'name',
  'thing name': 'name',
  kind: 'type',
  externalkey: 'external_key',
  'external key': 'external_key',
  'external id': 'external_key',
  'thing id': 'id',
  thing_id: 'id',
  profile_id: 'profile',
  'profile name': 'profile',
  group_id: 'group',
  'group name': 'group',
};

/** Columns of exports that no thing can be given. */
const others: ReadonlySet<string> = new Set(['', 'last_seen', 'org_id', 'why', 'line']);

/** Where each column goes by its name, until somebody says otherwise. No field is given twice. */
export function targetsOf(head: readonly string[]): Target[] {
  const taken = new Set<Target>();
  return head.map((given) => {
    const target = targetOf(given);
    if (target === 'none' || !taken.has(target)) {
      taken.add(target);
      return target;
    }
    return 'none';
  });
}

function targetOf(given: string): Target {
  const name = given.trim();
  const low = name.toLowerCase();
  if (others.has(low)) return 'none';
  const field = fields.find((one) => one === low) ?? known[low];
  if (field !== undefined) return field;
  const member = /^(?:metadata|meta)[.:](.+)$/i.exec(name)?.[1] ?? name;
  return `metadata.${member}`;
}

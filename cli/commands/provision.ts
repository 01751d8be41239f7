import type { AddCommands } from '../invocation/command.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'things <file> [profile_id|token] [token]',
    'Create the things of a .json or .csv file',
    async (call) => {
      const [{ provision }, { things }] = await Promise.all([
        import('../provision/provision.ts'),
        import('../provision/things.ts'),
      ]);
      await provision(call, things);
    },
    {
      examples: [
        'provision things things.csv $PROFILE -o csv > made.csv',
        'provision things things.json',
      ],
    },
  );
  add(
    group,
    'profiles <file> [group_id|token] [token]',
    'Create the profiles of a .json or .csv file',
    async (call) => {
      const [{ provision }, { profiles }] = await Promise.all([
        import('../provision/provision.ts'),
        import('../provision/profiles.ts'),
      ]);
      await provision(call, profiles);
    },
    { examples: ['provision profiles profiles.csv $GROUP'] },
  );
};

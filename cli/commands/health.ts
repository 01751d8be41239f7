import type { AddCommands } from '../invocation/command.ts';

/** The one group that is a command itself. It fails if the server cannot do its job. */
export const addCommands: AddCommands = (group, _add, act) => {
  act(
    group,
    async (call) => {
      const health = await call.anonymous().call('viewHealth', {});
      await call.output.show(health);
      if (health.status === 'fail') process.exitCode = 1;
    },
    { examples: ['health'] },
  );
};

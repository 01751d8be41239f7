import type { AddCommands } from '../../invocation/command.ts';
import { takeAway } from '../../invocation/removal.ts';
import { pageFlags } from '../../input/flags.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'get [token]',
    'List the browsers that you are signed in with at the console',
    async (call) => {
      const { urls, page } = call.settings;
      await call.output.show(await call.as(urls.auth).users.sessions(page));
    },
    { uses: pageFlags },
  );
  add(
    group,
    'revoke <session_id> [token]',
    'Sign out one browser',
    async (call) => {
      const { users } = call.as(call.settings.urls.auth);
      const id = call.id('session_id');
      await takeAway(call, 'revoke', `the session ${id}`, () => users.endSession(id));
    },
    { removes: true, examples: ['sessions revoke $SESSION --yes'] },
  );
  add(
    group,
    'revoke-all [token]',
    'Sign out everywhere: end all sessions and tokens, the one of this command too',
    async (call) => {
      const { users } = call.as(call.settings.urls.auth);
      const what = 'all your sessions and tokens, also that of this command; API keys stay';
      await takeAway(call, 'revoke', what, () => users.endAllSessions());
    },
    { removes: true },
  );
};

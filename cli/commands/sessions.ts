import type { AddCommands } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { pageFlags } from '../input/flags.ts';
import { of, show } from './ordinary.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'get [token]',
    'List the browsers that you are signed in with at the console',
    show('listSessions', (call) => ({ query: call.settings.page })),
    { uses: pageFlags },
  );
  add(
    group,
    'revoke <session_id> [token]',
    'Sign out one browser',
    async (call) => {
      const request = of('session_id')(call);
      await askFirst(call, 'revoke', `the session ${request.path.id}`, () =>
        call.ask('endSession', request),
      );
    },
    { removes: true, examples: ['sessions revoke $SESSION --yes'] },
  );
  add(
    group,
    'revoke-all [token]',
    'Sign out everywhere: end all sessions and tokens, the one of this command too',
    async (call) => {
      const what = 'all your sessions and tokens, also that of this command; API keys stay';
      await askFirst(call, 'revoke', what, () => call.ask('endAllSessions', {}));
    },
    { removes: true },
  );
};

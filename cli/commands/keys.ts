import type { AddCommands } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { pageFlags } from '../input/flags.ts';
import { of, show } from './ordinary.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'issue <duration> [token]',
    'Issue an API key: seconds (3600) or a duration (10h); 0 never ends',
    async (call) => {
      const body = { type: 2, duration: call.seconds('duration') } as const;
      const issued = await call.ask('issueKey', { body });
      await call.output.created([issued.value], issued);
    },
    { examples: ['keys issue 10h', 'keys issue 0 --raw > key.txt'] },
  );
  add(
    group,
    'revoke <key_id> [token]',
    'Revoke an API key',
    async (call) => {
      const request = of('key_id')(call);
      const { id, issued_at: issuedAt } = await call.ask('viewKey', request);
      await askFirst(call, 'revoke', `the API key ${id}, issued at ${issuedAt}`, () =>
        call.ask('revokeKey', request),
      );
    },
    { removes: true },
  );
  const view = show('viewKey', of('key_id'));
  add(group, 'retrieve <key_id> [token]', 'Show an API key, without its value', view);
  const get = add(group, 'get <key_id> [token]', 'Show one API key, or list them', view);
  add(
    get,
    'all [token]',
    'List your API keys',
    show('listKeys', (call) => ({ query: call.settings.page })),
    { uses: pageFlags },
  );
};

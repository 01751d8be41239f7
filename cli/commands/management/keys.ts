import type { Call } from '../../invocation/call.ts';
import type { AddCommands } from '../../invocation/command.ts';
import { takeAway } from '../../invocation/removal.ts';
import { pageFlags } from '../../input/flags.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'issue <duration> [token]',
    'Issue an API key: seconds (3600) or a duration (10h); 0 never ends',
    async (call) => {
      const { keys } = call.as(call.settings.urls.auth);
      const issued = await keys.issue(call.seconds('duration'));
      await call.output.created([issued.value], issued);
    },
    { examples: ['keys issue 10h', 'keys issue 0 --raw > key.txt'] },
  );
  add(
    group,
    'revoke <key_id> [token]',
    'Revoke an API key',
    async (call) => {
      const { keys } = call.as(call.settings.urls.auth);
      const { id, issued_at: issuedAt } = await keys.view(call.id('key_id'));
      await takeAway(call, 'revoke', `the API key ${id}, issued at ${issuedAt}`, () =>
        keys.revoke(id),
      );
    },
    { removes: true },
  );

  const view = async (call: Call) => {
    await call.output.show(await call.as(call.settings.urls.auth).keys.view(call.id('key_id')));
  };
  add(group, 'retrieve <key_id> [token]', 'Show an API key, without its value', view);
  const get = add(group, 'get <key_id> [token]', 'Show one API key, or list them', view);
  add(
    get,
    'all [token]',
    'List your API keys',
    async (call) => {
      const { urls, page } = call.settings;
      await call.output.show(await call.as(urls.auth).keys.list(page));
    },
    { uses: pageFlags },
  );
};

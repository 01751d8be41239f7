import { text } from '../../input/fields.ts';
import type { AddCommands } from '../../invocation/command.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'operations [token]',
    'Show how the installation is: its processes, rates, latency, lag, disks, store and queues',
    async (call) => {
      await call.output.show(await call.as(call.settings.urls.auth).operations(call.query()));
    },
    {
      fields: { range: text('--range <range>', 'and how it was: 1h, 6h, 24h or 7d') },
      examples: ['admin operations', 'admin operations --range 24h'],
    },
  );
};

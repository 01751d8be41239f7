import type { NewSilence } from '../../schemas/client/client.ts';
import { having } from '../../schemas/client/shape.ts';
import { type Fields, type ListFilters, sorting, text, timeAhead } from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import type { AddCommands } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { listedOf, make, of, show } from './ordinary.ts';

const newSilence: Fields<NewSilence> = {
  rule_id: text('--rule <id>', 'only alarms of this rule'),
  thing_id: text('--thing <id>', 'only alarms of this thing'),
  reason: text('--reason <text>', 'why'),
  until: timeAhead('--until <time>', 'when it ends: a time, or how long from now, such as 2h'),
};

const filters: ListFilters<'listSilences'> = {
  ...sorting,
  order: { ...sorting.order, about: 'what they are sorted by: id, until or created_at' },
  state: text('--state <state>', 'live or ended'),
  rule_id: text('--rule <id>', 'of this rule'),
  thing_id: text('--thing <id>', 'of this thing'),
};

/** Until their end, nobody is told of some alarms. */
export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> <group_id> [token]',
    'Tell nobody of the alarms of a group until a time; of a rule or a thing alone, by its flag',
    make('createSilence', (call) => ({
      ...of('group_id')(call),
      body: call.object('JSON', having<NewSilence>('reason', 'until')),
    })),
    {
      fields: newSilence,
      parent: { argument: 'group_id', flags: '--group <id>' },
      examples: [
        'silences create $GROUP --reason maintenance --until 2h',
        'silences create $GROUP --thing $THING --reason "new filter" --until 30m',
      ],
    },
  );
  add(
    group,
    'list <group_id> [token]',
    'List the silences of a group',
    show('listSilences', listedOf('group_id')),
    { fields: filters, uses: pageFlags, examples: ['silences list $GROUP --state live'] },
  );
  add(
    group,
    'delete <silence_id> [token]',
    'End a silence now',
    async (call) => {
      const request = of('silence_id')(call);
      await askFirst(call, 'remove', 'the silence', () => call.ask('endSilence', request));
    },
    { removes: true },
  );
};

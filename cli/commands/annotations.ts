import type { Command } from 'commander';
import type { AnnotationChange, NewAnnotation } from '../../schemas/client/client.ts';
import { having } from '../../schemas/client/shape.ts';
import { type Fields, type ListFilters, sorting, text, time } from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { listedOf, make, of, show } from './ordinary.ts';

const times = {
  from: time('--from <time>', 'when it begins, or the moment that it is about'),
  to: time('--to <time>', 'when it ends; without it, it is about a moment'),
};

const newAnnotation: Fields<NewAnnotation> = {
  text: text('--text <text>', 'what is to be known'),
  ...times,
  thing_id: text('--thing <id>', 'the thing of the group that it is about'),
};

const annotationChange: Fields<AnnotationChange> = {
  text: text('--text <text>', 'what is to be known'),
  ...times,
};

const filters: ListFilters<'listGroupAnnotations'> = {
  ...sorting,
  order: { ...sorting.order, about: 'what they are sorted by: from, id or created_at' },
  from: time('--from <time>', 'those that went on then or later'),
  to: time('--to <time>', 'those that had begun by then'),
};

/** Notes of people on a moment or a time. */
export const addCommands: AddCommands = (group, add) => {
  addMaking(group, add);
  addReading(group, add);
  addChanges(group, add);
};

function addMaking(group: Command, add: Add): void {
  add(
    group,
    'create <JSON> <group_id> [token]',
    'Annotate a moment or a time of a group; of a thing alone, by its flag',
    make('createAnnotation', (call) => ({
      ...of('group_id')(call),
      body: call.object('JSON', having<NewAnnotation>('text', 'from')),
    })),
    {
      fields: newAnnotation,
      parent: { argument: 'group_id', flags: '--group <id>' },
      examples: [
        'annotations create $GROUP --text "New filter" --from now',
        'annotations create $GROUP --thing $THING --text "Door was open" --from -2h --to -1h',
      ],
    },
  );
}

function addReading(group: Command, add: Add): void {
  const extras = { fields: filters, uses: pageFlags };
  const list = add(
    group,
    'list <group_id> [token]',
    'List the annotations of a group and of its things',
    show('listGroupAnnotations', listedOf('group_id')),
    { ...extras, examples: ['annotations list $GROUP --from -7d'] },
  );
  add(
    list,
    'by-thing <thing_id> [token]',
    'List the annotations of a thing, and those of its whole group',
    show('listThingAnnotations', listedOf('thing_id')),
    extras,
  );
  add(
    group,
    'get <annotation_id> [token]',
    'Show an annotation',
    show('viewAnnotation', of('annotation_id')),
  ).alias('show');
}

function addChanges(group: Command, add: Add): void {
  add(
    group,
    'update <JSON> <annotation_id> [token]',
    'Replace the text and the times of an annotation',
    show('updateAnnotation', (call) => ({
      ...of('annotation_id')(call),
      body: call.object('JSON', having<AnnotationChange>('text', 'from')),
    })),
    {
      fields: annotationChange,
      examples: ['annotations update $ANNOTATION --text "New filter, size M" --from -2h'],
    },
  );
  add(
    group,
    'delete <annotation_id> [token]',
    'Delete an annotation',
    async (call) => {
      const request = of('annotation_id')(call);
      await askFirst(call, 'remove', 'the annotation', () => call.ask('deleteAnnotation', request));
    },
    { removes: true },
  );
}

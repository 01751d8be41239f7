import { call } from '../client/call.ts';
import { leafAt } from '../../../../schemas/json/leaf.ts';
import { leafPaths, valueIn } from './leaves.ts';
import { written } from '../chart/written.ts';
import type { Series } from './view.ts';
import { unitText } from '../../../../schemas/messages/units.ts';

const seriesMax = 500;

/** The series of a thing that can be drawn, each with its last value. */
export type Offer = Series & { value: string };

/** The names of a thing's values, with their last ones. */
export async function readOffers(thing: string, signal: AbortSignal): Promise<Offer[]> {
  const query = { publisher: thing, latest: true, limit: seriesMax };
  const [senml, json] = await Promise.all([
    call('readMessages_senml', { query }, signal),
    call('readMessages_json', { query }, signal),
  ]);
  const paths = new Map(
    json.messages.flatMap(({ payload }) =>
      leafPaths(payload).map((path) => [path, leafAt(payload, path)] as const),
    ),
  );
  return [
    ...senml.messages.flatMap((message): Offer[] => {
      const { name = '', unit = '' } = message;
      const value = valueIn(message);
      return value === null
        ? []
        : [{ format: 'senml', thing, name, value: `${written(value)} ${unitText(unit)}` }];
    }),
    ...[...paths].map(
      ([name, value]): Offer => ({ format: 'json', thing, name, value: written(value) }),
    ),
  ];
}

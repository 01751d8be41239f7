import type { DashboardContent, Variable } from '../../../../schemas/dashboards/content.ts';
import { seriesOfPanelMax } from '../../../../schemas/dashboards/members.ts';
import type { VariableThings } from '../../../../schemas/dashboards/questions.ts';
import { call } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { address, choose } from '../router.ts';
import { noteNames } from './labels.ts';

/** A variable stands in the address under its name. */
const parameterOf = ({ name }: Variable) => `var-${name}`;

/** The id that a variable has: that in the address, or its default. */
export const valueOf = (variable: Variable): string =>
  address.value.query[parameterOf(variable)] ?? variable.default ?? '';

export const chooseValue = (variable: Variable, id: string) =>
  choose({ [parameterOf(variable)]: id === variable.default ? undefined : id }, 'replace');

/** The things that the variables stand for now. */
export function useVariableThings({ variables = [] }: DashboardContent): Reading<VariableThings> {
  const values = variables.map((one) => ({ ...one, value: valueOf(one) }));
  return useRead(JSON.stringify(values), async (signal) =>
    Object.fromEntries(
      await Promise.all(
        values.map(async ({ name, kind, value }): Promise<[string, string[]]> => {
          if (value === '') return [name, []];
          return [name, kind === 'thing' ? [value] : await thingsOf(value, signal)];
        }),
      ),
    ),
  );
}

/** The first things of a group, by name; none where it is not for this reader. */
async function thingsOf(id: string, signal: AbortSignal): Promise<string[]> {
  const query = { limit: seriesOfPanelMax, order: 'name', dir: 'asc' } as const;
  try {
    const { things } = await call('listGroupThings', { path: { id }, query }, signal);
    noteNames(things);
    return things.map((thing) => thing.id);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && error.name === 'ConnectionError') throw error;
    return [];
  }
}

import type { DashboardContent, Variable } from '../../../../schemas/dashboards/content.ts';
import type { Dashboard } from '../client/call.ts';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { address, choose } from '../router.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Choice } from '../ui/field.tsx';
import { chooseValue, valueOf } from './use-variables.ts';

const words = dashboardsTexts;
export const lastRanges = ['15m', '1h', '6h', '24h', '7d', '30d', '365d'];

/** The range of all panels: that in the address, or that which the dashboard was saved with. */
export function chosenRange({ range }: DashboardContent): DashboardContent['range'] {
  const last = address.value.query['range'];
  return last !== undefined && /^[1-9]\d{0,3}[mhdw]$/.test(last) ? { last } : range;
}

export function RangeChoice({ content }: { content: DashboardContent }) {
  const own = content.range.last ?? '';
  const value = chosenRange(content).last ?? '';
  const offered = [...new Set([...lastRanges, own, value])].filter((text) => text !== '');
  return (
    <Choice
      label={words.range}
      value={value}
      options={[
        ...(own === '' ? [{ value: '', text: words.fixed }] : []),
        ...offered.map((text) => ({ value: text, text: words.last(text) })),
      ]}
      onChoose={(text) => choose({ range: text === own ? undefined : text }, 'replace')}
    />
  );
}

/** A choice for each variable: of the groups, or of the things, that there are where the dashboard is. */
export function VariableChoices({
  of,
  variables,
}: {
  of: Dashboard;
  variables: readonly Variable[];
}) {
  return variables.map((variable) => (
    <VariableChoice key={variable.name} of={of} variable={variable} />
  ));
}

const offeredMax = 200;

function VariableChoice({ of, variable }: { of: Dashboard; variable: Variable }) {
  const { org_id: orgId, group_id: groupId } = of;
  const { value: offers = [] } = useRead(`${variable.kind} ${orgId} ${groupId}`, async (signal) =>
    offersFor(variable.kind, of, signal),
  );
  const value = valueOf(variable);
  const isOffered = offers.some(({ id }) => id === value);
  return (
    <label class="row small variable">
      <bdi class="muted">{variable.name}</bdi>
      <Choice
        label={words.choose(variable.name)}
        value={value}
        options={[
          ...(value === '' ? [{ value: '', text: words.notChosen }] : []),
          ...(value !== '' && !isOffered ? [{ value, text: words.gone(value) }] : []),
          ...offers.map(({ id, name }) => ({ value: id, text: name })),
        ]}
        onChoose={(id) => chooseValue(variable, id)}
      />
    </label>
  );
}

/** The groups, or the things, of the place that a dashboard is of. */
export async function offersFor(
  kind: Variable['kind'],
  { org_id: orgId = '', group_id: groupId }: { org_id?: string; group_id?: string },
  signal: AbortSignal,
  name = '',
): Promise<{ id: string; name: string }[]> {
  const query = { limit: offeredMax, order: 'name', dir: 'asc', name } as const;
  if (kind === 'group') {
    if (groupId !== undefined) return [await call('viewGroup', { path: { id: groupId } }, signal)];
    return (await call('listOrgGroups', { path: { id: orgId }, query }, signal)).groups;
  }
  const { things } =
    groupId === undefined
      ? await call('listOrgThings', { path: { id: orgId }, query }, signal)
      : await call('listGroupThings', { path: { id: groupId }, query }, signal);
  return things;
}

import { useState } from 'preact/hooks';
import type { DashboardContent, Variable } from '../../../../schemas/dashboards/content.ts';
import { rangeEnds } from '../../../../schemas/dashboards/questions.ts';
import type { Dashboard } from '../client/call.ts';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { RangeDialog } from '../explore/range-dialog.tsx';
import { address, choose } from '../router.ts';
import { ownTimeZone } from '../time-zone.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/field.tsx';
import { ShortAt } from '../ui/time.tsx';
import { chooseValue, valueOf } from './use-variables.ts';

const words = dashboardsTexts;
export const lastRanges = ['15m', '1h', '6h', '24h', '7d', '30d', '365d'];

/** The range of all panels: that in the address, or that which the dashboard was saved with. */
export function chosenRange({ range }: DashboardContent): DashboardContent['range'] {
  const { range: last, from = '', to = '' } = address.value.query;
  if (last !== undefined && /^[1-9]\d{0,3}[mhdw]$/.test(last)) return { last };
  return Date.parse(from) < Date.parse(to) ? { from, to } : range;
}

/** Stands for the range between two moments of one's own. */
const between = 'between';

export function RangeChoice({ content }: { content: DashboardContent }) {
  const [isOpen, setOpen] = useState(false);
  const saved = content.range.last ?? '';
  const range = chosenRange(content);
  const isOwn = range.last === undefined && range !== content.range;
  const value = isOwn ? between : (range.last ?? '');
  const offered = [...new Set([...lastRanges, saved, range.last ?? ''])].filter(Boolean);
  const ends = rangeEnds(range, Date.now());
  return (
    <>
      <Choice
        label={words.range}
        value={value}
        options={[
          ...(saved === '' ? [{ value: '', text: words.fixed }] : []),
          ...offered.map((text) => ({ value: text, text: words.last(text) })),
          { value: between, text: words.between },
        ]}
        onChoose={(text) => {
          if (text === between) setOpen(true);
          else chooseRange({ range: text === saved ? undefined : text });
        }}
      />
      {range.last === undefined && (
        <span class="row small">
          <span>
            <ShortAt time={instant(ends.from)} /> – <ShortAt time={instant(ends.to)} />
          </span>
          <Button
            kind="quiet"
            icon="edit"
            label={words.changeRange}
            onClick={() => setOpen(true)}
          />
        </span>
      )}
      {isOpen && (
        <RangeDialog
          ends={ends}
          timeZone={ownTimeZone}
          onRange={({ from, to }) => chooseRange({ from: instant(from), to: instant(to) })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

const instant = (ms: number) => new Date(ms).toISOString();

type ChosenRange = { range?: string | undefined; from?: string; to?: string };

const chooseRange = ({ range, from, to }: ChosenRange) => choose({ range, from, to }, 'replace');

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

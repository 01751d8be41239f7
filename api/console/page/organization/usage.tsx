import { useState } from 'preact/hooks';
import { call, type Org, type Quota, type QuotaChange, type Usage } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { organizationTexts } from '../texts/organization.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Meter } from './meter.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import type { May } from '../roles.ts';

const words = organizationTexts.usage;

/** The usage of an org beside its limits, which platform admins change. */
export function UsageTab({ org, may }: { org: Org; may: May }) {
  const [isChanging, setChanging] = useState(false);
  const reading = useRead(org.id, (signal) =>
    call('viewOrgUsage', { path: { id: org.id } }, signal),
  );
  return (
    <Panel
      title={words.title}
      actions={
        may('setOrgQuota') && <Button onClick={() => setChanging(true)}>{words.change}</Button>
      }
    >
      <Loaded reading={reading}>
        {(usage) => (
          <>
            <Meters usage={usage} />
            {isChanging && (
              <Changing
                org={org}
                quota={usage.quota}
                again={reading.again}
                onClose={() => setChanging(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Meters({ usage }: { usage: Usage }) {
  const { quota } = usage;
  const month = words.month(usage.month);
  return (
    <div class="meters">
      <Meter
        label={words.messages}
        about={month}
        value={usage.messages}
        limit={quota.messages_per_month}
      />
      <Meter label={words.things} about={words.now} value={usage.things} limit={quota.things} />
      <Meter
        label={words.webhooks}
        about={words.now}
        value={usage.webhooks}
        limit={quota.webhooks}
      />
      <Meter label={words.rules} about={words.now} value={usage.rules} limit={quota.rules} />
      <dl class="figures">
        <div>
          <dt>{words.records}</dt>
          <dd>{words.number(usage.records)}</dd>
          <dd class="muted small">{month}</dd>
        </div>
        <div>
          <dt>{words.stored}</dt>
          <dd>{words.number(usage.stored_records)}</dd>
          <dd class="muted small">{words.now}</dd>
        </div>
        <div>
          <dt>{words.rate}</dt>
          <dd>{words.limit(quota.records_per_second)}</dd>
          <dd class="muted small">{words.rateText}</dd>
        </div>
        <div>
          <dt>{words.days}</dt>
          <dd>{words.limit(quota.storage_days)}</dd>
          <dd class="muted small">{words.daysText}</dd>
        </div>
      </dl>
    </div>
  );
}

const limits = [
  { name: 'messages_per_month', min: 0, max: 1_000_000_000_000 },
  { name: 'things', min: 0, max: 1_000_000_000 },
  { name: 'webhooks', min: 0, max: 1_000_000_000 },
  { name: 'rules', min: 0, max: 1_000_000_000 },
  { name: 'records_per_second', min: 1, max: 1_000_000_000 },
  { name: 'storage_days', min: 1, max: 36_500 },
] as const;

function Changing({
  org,
  quota,
  again,
  onClose,
}: {
  org: Org;
  quota: Quota;
  again: () => void;
  onClose: () => void;
}) {
  const change = async (form: FormData) => {
    const given = (name: (typeof limits)[number]['name']) => {
      const text = fieldOf(form, name);
      return text === '' ? null : Number(text);
    };
    const body: QuotaChange = {};
    for (const { name } of limits) body[name] = given(name);
    await call('setOrgQuota', { path: { id: org.id }, body });
    say(organizationTexts.saved);
    again();
  };
  return (
    <FormDialog
      title={words.changing(org.name)}
      action={partsTexts.save}
      submit={change}
      onClose={onClose}
    >
      <p class="muted">{words.changeText}</p>
      {limits.map(({ name, min, max }) => (
        <Field key={name} label={words.limits[name]}>
          <input
            class="input"
            name={name}
            type="number"
            min={min}
            max={max}
            defaultValue={quota[name] ?? ''}
          />
        </Field>
      ))}
    </FormDialog>
  );
}

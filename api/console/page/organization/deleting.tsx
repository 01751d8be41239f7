import { useState } from 'preact/hooks';
import { call, type Group, type Org } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { useRead } from '../client/use-read.ts';
import { goTo, workIn } from '../router.ts';
import { organizationTexts } from '../texts/organization.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';

const words = organizationTexts;

type Container = ({ kind: 'org' } & Org) | ({ kind: 'group' } & Group);

/** Deletes an org or a group with all in it, after its name was typed. */
export function Deleting({ of, again }: { of: Container; again?: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const isOrg = of.kind === 'org';
  const title = isOrg ? words.deleteOrg : words.deleteGroup;
  const request = (form: FormData) => {
    if (fieldOf(form, 'name') !== of.name) throw new FieldError('name', partsTexts.otherName);
    return { path: { id: of.id } };
  };
  const dialog = {
    request,
    title: `${title}?`,
    text: isOrg ? words.deleteOrgText : words.deleteGroupText,
    action: partsTexts.delete,
    onDone: () => {
      say(words.deleted(of.name));
      again?.();
      workIn(of.kind === 'org' ? {} : { org: of.org_id });
      goTo('/organization', of.kind === 'org' ? {} : { org: of.org_id, tab: 'groups' });
    },
    onClose: () => setAsking(false),
  };
  const fields = (
    <>
      <GoesWith of={of} />
      <Field label={partsTexts.typeName(of.name)}>
        <input class="input" name="name" autocomplete="off" required />
      </Field>
    </>
  );
  return (
    <Panel title={title}>
      <div class="row spread">
        <p class="muted">{isOrg ? words.deleteOrgText : words.deleteGroupText}</p>
        <Button kind="danger" onClick={() => setAsking(true)}>
          {title}
        </Button>
      </div>
      {isAsking &&
        (isOrg ? (
          <Question operation="deleteOrg" {...dialog}>
            {fields}
          </Question>
        ) : (
          <Question operation="deleteGroup" {...dialog}>
            {fields}
          </Question>
        ))}
    </Panel>
  );
}

/** Counts what goes with an org or a group. */
function GoesWith({ of }: { of: Container }) {
  const { value } = useRead(`${of.kind} ${of.id}`, (signal) =>
    of.kind === 'org' ? countsOfOrg(of.id, signal) : countsOfGroup(of.id, signal),
  );
  if (value === undefined) return null;
  return (
    <div class="going">
      {words.goesWith}
      <ul>
        {value.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

const { going } = words;

async function countsOfOrg(id: string, signal: AbortSignal): Promise<string[]> {
  const request = { path: { id }, query: { limit: 1 } };
  const [usage, groups, profiles, members] = await Promise.all([
    call('viewOrgUsage', { path: { id } }, signal),
    call('listOrgGroups', request, signal),
    call('listOrgProfiles', request, signal),
    call('listOrgMembers', request, signal),
  ]);
  return [
    going.groups(groups.total),
    going.things(usage.things),
    going.profiles(profiles.total),
    going.rules(usage.rules),
    going.webhooks(usage.webhooks),
    going.records(usage.stored_records),
    going.members(members.total),
  ];
}

async function countsOfGroup(id: string, signal: AbortSignal): Promise<string[]> {
  const request = { path: { id }, query: { limit: 1 } };
  const [things, profiles, rules, webhooks] = await Promise.all([
    call('listGroupThings', request, signal),
    call('listGroupProfiles', request, signal),
    call('listGroupRules', request, signal),
    call('listGroupWebhooks', request, signal),
  ]);
  return [
    going.things(things.total),
    going.profiles(profiles.total),
    going.rules(rules.total),
    going.webhooks(webhooks.total),
    words.allMessages,
  ];
}

import { useState } from 'preact/hooks';
import { describeFault, findFaultInText } from '../../../../schemas/json/fault.ts';
import { call, type Group, type Profile } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { useRead } from '../client/use-read.ts';
import { choose, address } from '../router.ts';
import { groupsTexts } from '../texts/groups.ts';
import { thingsTexts } from '../texts/things.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf, Search } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import type { May } from '../roles.ts';

const words = groupsTexts;

const columnsOf = (show: (profile: Profile) => void): readonly Column<Profile>[] => [
  { head: thingsTexts.name, kind: 'name', cell: ({ name }) => <bdi class="cut">{name}</bdi> },
  { head: words.reads, isExtra: true, cell: ({ config }) => readsOf(config) },
  { head: words.stores, cell: ({ config }) => (config['write'] === false ? words.no : words.yes) },
  {
    head: words.settings,
    cell: (profile) => (
      <Button
        kind="quiet"
        icon="eye"
        label={words.settingsOf(profile.name)}
        onClick={() => show(profile)}
      />
    ),
  },
];

function readsOf({ content_type: type, transformer }: Profile['config']): string {
  const told = typeof type === 'string' && type !== '' ? type : words.asSent;
  return transformer === undefined ? told : words.transformed(told);
}

/** The profiles of the group: what is done with the messages of their things. */
export function Profiles({ group, may }: { group: Group; may: May }) {
  const { name = '' } = address.value.query;
  const offset = pageOffset();
  const [shown, setShown] = useState<Profile | 'new'>();
  const reading = useRead(`${group.id} ${name} ${offset}`, (signal) => {
    const query = { name, offset, limit: pageLimit, order: 'name', dir: 'asc' } as const;
    return call('listGroupProfiles', { path: { id: group.id }, query }, signal);
  });
  return (
    <Panel flush>
      <header class="filters">
        <Search
          label={thingsTexts.search}
          value={name}
          onSearch={(text) => choose({ name: text, offset: undefined }, 'replace')}
        />
        {may('createProfiles') && (
          <Button kind="primary" icon="plus" onClick={() => setShown('new')}>
            {words.newProfile}
          </Button>
        )}
      </header>
      <p class="explained small muted">{words.profilesText}</p>
      <PagedTable
        reading={reading}
        rowsOf={({ profiles }) => profiles}
        keyOf={({ id }) => id}
        columns={columnsOf(setShown)}
        none={name === '' ? { title: words.noProfiles } : { title: words.noSuchProfile }}
      />
      {shown !== undefined && (
        <Settings
          group={group}
          {...(shown === 'new' ? {} : { profile: shown })}
          isFixed={!may(shown === 'new' ? 'createProfiles' : 'updateProfile')}
          again={reading.again}
          onClose={() => setShown(undefined)}
        />
      )}
    </Panel>
  );
}

/** A new profile, or one that is there. */
function Settings({
  group,
  profile,
  isFixed,
  again,
  onClose,
}: {
  group: Group;
  profile?: Profile;
  isFixed: boolean;
  again: () => void;
  onClose: () => void;
}) {
  const save = async (form: FormData) => {
    const body = { name: fieldOf(form, 'name'), config: configIn(fieldOf(form, 'config')) };
    await (profile === undefined
      ? call('createProfiles', { path: { id: group.id }, body: [body] })
      : call('updateProfile', { path: { id: profile.id }, body }));
    again();
  };
  return (
    <FormDialog
      title={profile === undefined ? words.newProfile : words.profile}
      action={profile === undefined ? words.newProfile : partsTexts.save}
      isFixed={isFixed}
      submit={save}
      onClose={onClose}
    >
      <Field label={thingsTexts.name}>
        <input
          class="input"
          name="name"
          required
          maxLength={1024}
          autocomplete="off"
          readOnly={isFixed}
          value={profile?.name ?? ''}
        />
      </Field>
      <Field label={words.config} hint={words.configHint}>
        <textarea class="input" name="config" rows={8} spellcheck={false} readOnly={isFixed}>
          {JSON.stringify(profile?.config ?? {}, null, 2)}
        </textarea>
      </Field>
    </FormDialog>
  );
}

/** @throws FieldError where it is no JSON, with the place: the API says what else is wrong with it */
function configIn(text: string) {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    const fault = findFaultInText(text);
    throw new FieldError('config', words.noJson(fault === undefined ? '' : describeFault(fault)));
  }
}

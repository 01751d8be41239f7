import { useState } from 'preact/hooks';
import { AnswerError } from '../../../../schemas/client/errors.ts';
import { call, type Profile } from '../client/call.ts';
import { failureOf } from '../client/failure.ts';
import { objectIn } from '../client/json-text.ts';
import { useRead } from '../client/use-read.ts';
import { address, goTo, linkTo, type PageProps } from '../router.ts';
import { useMay } from '../roles.ts';
import { groupsTexts } from '../texts/groups.ts';
import { partsTexts } from '../texts/parts.ts';
import { profileTexts } from '../texts/profile.ts';
import { sentence } from '../texts/state.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import { type Config, configIn, wrongMemberOf } from './profile-config.ts';
import { ConfigFields } from './profile-fields.tsx';
import { Trial } from './profile-trial.tsx';

const words = profileTexts;

/** A profile that is there, or a new one of a group, which may begin as the copy of another. */
export default function ProfilePage({ parameters: { id = '' } }: PageProps) {
  const { group = '', copy = '' } = address.value.query;
  const isNew = id === 'new';
  const from = isNew ? copy : id;
  const reading = useRead(`${id} ${from}`, async (signal) => ({
    profile: from === '' ? undefined : await call('viewProfile', { path: { id: from } }, signal),
  }));
  return (
    <Loaded reading={reading} isPage>
      {({ profile }) => (
        <Editor
          key={`${id} ${from}`}
          groupId={isNew ? group : (profile?.group_id ?? '')}
          profile={isNew ? undefined : profile}
          begin={isNew && profile !== undefined ? copyOf(profile) : (profile ?? blank)}
          again={reading.again}
        />
      )}
    </Loaded>
  );
}

type Begin = Pick<Profile, 'name' | 'config' | 'metadata'>;

const blank: Begin = { name: '', config: {}, metadata: {} };

const copyOf = ({ name, config, metadata }: Profile): Begin => ({
  name: words.copyOf(name),
  config,
  metadata,
});

function Editor(props: {
  groupId: string;
  profile: Profile | undefined;
  begin: Begin;
  again: () => void;
}) {
  const { groupId, profile, begin, again } = props;
  const may = useMay({ of: 'group', id: groupId });
  const isFixed = !may(profile === undefined ? 'createProfiles' : 'updateProfile');
  const [config, setConfig] = useState<Config>(
    wrongMemberOf(begin.config) === undefined ? begin.config : {},
  );
  const group = useRead(groupId, (signal) => call('viewGroup', { path: { id: groupId } }, signal));
  const save = async (form: FormData) => {
    const metadata = objectIn(fieldOf(form, 'metadata'), 'metadata');
    const body = {
      name: fieldOf(form, 'name'),
      config: configIn(fieldOf(form, 'config'), 'config'),
      metadata,
    };
    if (profile !== undefined) {
      await call('updateProfile', { path: { id: profile.id }, body });
      say(words.saved);
      return again();
    }
    const made = await call('createProfiles', { path: { id: groupId }, body: [body] });
    const [one] = made.profiles;
    if (one === undefined) throw new AnswerError(location.origin, 'without the profile');
    say(words.made);
    return goTo(`/profiles/${one.id}`);
  };
  const trail =
    group.value === undefined
      ? []
      : [{ text: group.value.name, href: linkTo(`/groups/${groupId}`) }];
  return (
    <>
      <PageHead title={profile?.name ?? words.make} trail={trail}>
        {profile !== undefined && <Actions profile={profile} may={may} />}
      </PageHead>
      <div class="rule">
        <Form look="stack" submit={save} buttons={(isBusy) => !isFixed && <Save isBusy={isBusy} />}>
          <Panel title={words.settings}>
            <Fields begin={begin} config={config} isFixed={isFixed} onConfig={setConfig} />
          </Panel>
        </Form>
        <div class="beside">
          <Trial groupId={groupId} config={config} mayTakeNext={may('awaitNextMessage')} />
        </div>
      </div>
    </>
  );
}

function Save({ isBusy }: { isBusy: boolean }) {
  return (
    <div class="row">
      <Button kind="primary" submits disabled={isBusy}>
        {partsTexts.save}
      </Button>
    </div>
  );
}

/** The fields, and the same as JSON: a change of one of them shows in the other. */
function Fields(props: {
  begin: Begin;
  config: Config;
  isFixed: boolean;
  onConfig: (config: Config) => void;
}) {
  const { begin, config, isFixed, onConfig } = props;
  const [text, setText] = useState(() => JSON.stringify(begin.config, null, 2));
  const [edits, setEdits] = useState(0);
  const [problem, setProblem] = useState(() => wrongMemberOf(begin.config));
  const readJson = (typed: string) => {
    setText(typed);
    try {
      onConfig(configIn(typed, 'config'));
      setProblem(undefined);
      setEdits(edits + 1);
    } catch (error) {
      setProblem(failureOf(error).message);
    }
  };
  return (
    <div class="form">
      <Field label={words.name}>
        <input
          class="input"
          name="name"
          required
          maxLength={1024}
          autocomplete="off"
          readOnly={isFixed}
          defaultValue={begin.name}
        />
      </Field>
      <ConfigFields
        key={edits}
        config={config}
        isFixed={isFixed}
        onChange={(changed) => {
          onConfig(changed);
          setText(JSON.stringify(changed, null, 2));
          setProblem(undefined);
        }}
      />
      <Field label={words.json} problem={problem && `${sentence(problem)} ${words.jsonWrong}`}>
        <textarea
          class="input mono"
          name="config"
          rows={8}
          spellcheck={false}
          readOnly={isFixed}
          value={text}
          onInput={(event) => readJson(event.currentTarget.value)}
        />
      </Field>
      <MetadataField metadata={begin.metadata} isFixed={isFixed} />
    </div>
  );
}

function MetadataField(props: { metadata: Begin['metadata']; isFixed: boolean }) {
  return (
    <Field label={words.metadata} hint={words.metadataHint}>
      <textarea
        class="input mono"
        name="metadata"
        rows={3}
        spellcheck={false}
        readOnly={props.isFixed}
        defaultValue={JSON.stringify(props.metadata, null, 2)}
      />
    </Field>
  );
}

function Actions({ profile, may }: { profile: Profile; may: ReturnType<typeof useMay> }) {
  const [isAsking, setAsking] = useState(false);
  const { id, group_id: group } = profile;
  return (
    <>
      {may('createProfiles') && (
        <ButtonLink icon="copy" href={linkTo('/profiles/new', { group, copy: id })}>
          {words.copy}
        </ButtonLink>
      )}
      {may('deleteProfile') && (
        <Button kind="danger" onClick={() => setAsking(true)}>
          {words.delete}
        </Button>
      )}
      {isAsking && (
        <Question
          operation="deleteProfile"
          request={() => ({ path: { id } })}
          title={words.deleting}
          text={words.deletingText}
          action={words.delete}
          onDone={() => {
            say(groupsTexts.deletedProfile(profile.name));
            goTo(`/groups/${group}`);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

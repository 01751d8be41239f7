import { useState } from 'preact/hooks';
import { call, type Thing } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { type May } from '../roles.ts';
import { goTo } from '../router.ts';
import { thingsTexts } from '../texts/things.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { FormDialog, Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { say } from '../ui/toasts.tsx';
import { TypeField, typeOf } from './new-thing.tsx';
import { ProfileField, useChosenProfile } from './profile-field.tsx';

const words = thingsTexts.changing;

type ChangeProps = { thing: Thing; onClose: () => void; onDone: () => void };

/** The buttons that change a thing or end it, each for whom it is. */
export function ThingActions({ thing, may, again }: { thing: Thing; may: May; again: () => void }) {
  const [asking, setAsking] = useState<'edit' | 'move' | 'delete'>();
  const dialog = { thing, onClose: () => setAsking(undefined), onDone: again };
  return (
    <>
      {may('updateThing') && <Button onClick={() => setAsking('edit')}>{words.edit}</Button>}
      {may('moveThing') && <Button onClick={() => setAsking('move')}>{words.move}</Button>}
      {may('deleteThing') && (
        <Button kind="danger" onClick={() => setAsking('delete')}>
          {words.delete}
        </Button>
      )}
      {asking === 'edit' && <Editing {...dialog} />}
      {asking === 'move' && <Moving {...dialog} />}
      {asking === 'delete' && <Deleting {...dialog} />}
    </>
  );
}

function Editing({ thing, onClose, onDone }: ChangeProps) {
  return (
    <FormDialog
      title={words.editTitle}
      action={words.save}
      onClose={onClose}
      submit={async (form) => {
        const body = { name: fieldOf(form, 'name'), type: typeOf(form) };
        await call('updateThing', { path: { id: thing.id }, body });
        say(words.saved);
        onDone();
      }}
    >
      <Field label={thingsTexts.name} hint={words.nameHint}>
        <input
          class="input"
          name="name"
          defaultValue={thing.name}
          required
          maxLength={1024}
          autofocus
          autocomplete="off"
        />
      </Field>
      <TypeField type={thing.type} />
    </FormDialog>
  );
}

/** Gives it another profile, which stands in a group: in another one, it says what comes along. */
function Moving({ thing, onClose, onDone }: ChangeProps) {
  const profiles = useChosenProfile({ id: thing.profile_id });
  const { chosen, reading } = profiles;
  const isElsewhere = chosen !== undefined && chosen.groupId !== thing.group_id;
  return (
    <FormDialog
      title={words.moveTitle}
      action={isElsewhere ? words.moveAction : words.profileAction}
      onClose={onClose}
      submit={async () => {
        if (chosen === undefined) throw new Error(thingsTexts.noSuchProfile);
        await call('moveThing', { path: { id: thing.id }, body: { profile_id: chosen.id } });
        say(isElsewhere ? words.moved(chosen.under) : words.saved);
        onDone();
      }}
    >
      {reading.value !== undefined && (
        <ProfileField label={thingsTexts.profile} hint={words.moveHint} {...profiles} />
      )}
      {isElsewhere && (
        <ul class="muted small">
          {words.movesAlong(chosen.under).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}

/** Asks by the name, so that no other thing is deleted. */
function Deleting({ thing, onClose }: ChangeProps) {
  return (
    <Question
      operation="deleteThing"
      request={(form) => {
        if (fieldOf(form, 'name').trim() !== thing.name.trim()) {
          throw new FieldError('name', words.otherName);
        }
        return { path: { id: thing.id } };
      }}
      title={words.deleteTitle}
      text={words.deleteText}
      action={words.deleteAction}
      onDone={() => {
        say(words.deleted);
        goTo('/things');
      }}
      onClose={onClose}
    >
      <p class="row">
        <bdi class="cut">{thing.name}</bdi>
        <Copy text={thing.name} />
      </p>
      <Field label={words.typeName}>
        <input class="input" name="name" required autofocus autocomplete="off" />
      </Field>
    </Question>
  );
}

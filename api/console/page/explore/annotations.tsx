import { useState } from 'preact/hooks';
import { type Annotation, call, type Requests } from '../client/call.ts';
import { useMayIn } from '../roles.ts';
import { exploreTexts } from '../texts/explore.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog, Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { exactIn } from '../ui/time.tsx';
import type { KnownThing } from './use-names.ts';
import { instantOf, wallTime } from './wall-time.ts';

const texts = exploreTexts.notes;
const textMax = 1_024;

type Change = Requests['updateAnnotation']['body'];

/** The annotations that the chart marks, each with its text; editors change and delete them here. */
export function AnnotationList(props: {
  annotations: readonly Annotation[];
  things: readonly KnownThing[];
  timeZone: string;
  onChange: () => void;
}) {
  const { annotations, things, timeZone, onChange } = props;
  const [changed, setChanged] = useState<Annotation>();
  const [removed, setRemoved] = useState<Annotation>();
  const may = useMayIn(annotations.map(({ group_id: group }) => group));
  if (annotations.length === 0) return null;
  return (
    <Panel flush title={texts.title(annotations.length)}>
      <ul class="annotations">
        {annotations.map((one) => (
          <Row
            key={one.id}
            annotation={one}
            about={subjectOf(one, things)}
            timeZone={timeZone}
            onEdit={may(one.group_id, 'updateAnnotation') ? () => setChanged(one) : undefined}
            onRemove={may(one.group_id, 'deleteAnnotation') ? () => setRemoved(one) : undefined}
          />
        ))}
      </ul>
      {changed !== undefined && (
        <AnnotationForm
          title={texts.edit}
          given={{ ...changed, from: Date.parse(changed.from), to: timeOf(changed.to) }}
          timeZone={timeZone}
          save={async (body) => {
            await call('updateAnnotation', { path: { id: changed.id }, body });
            onChange();
          }}
          onClose={() => setChanged(undefined)}
        />
      )}
      {removed !== undefined && (
        <Question
          operation="deleteAnnotation"
          request={() => ({ path: { id: removed.id } })}
          title={texts.remove}
          text={texts.removeText(removed.text)}
          action={texts.delete}
          onDone={onChange}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Panel>
  );
}

/** The thing of an annotation; until its name is known, the begin of its id. */
function subjectOf({ thing_id: thing }: Annotation, things: readonly KnownThing[]): string {
  if (thing === undefined) return texts.group;
  return things.find(({ id }) => id === thing)?.name ?? thing.slice(0, 8);
}

const timeOf = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));

function Row(props: {
  annotation: Annotation;
  about: string;
  timeZone: string;
  onEdit: (() => void) | undefined;
  onRemove: (() => void) | undefined;
}) {
  const { annotation, about, timeZone, onEdit, onRemove } = props;
  const { text, from, to, made_by_email: maker } = annotation;
  const format = exactIn(timeZone);
  const written = [from, to].flatMap((time) =>
    time === undefined ? [] : [format.format(Date.parse(time))],
  );
  return (
    <li>
      <span class="when">{written.join(' – ')}</span>
      <span class="what">
        <bdi class="break">{text}</bdi>
        <span class="muted small">
          <bdi>{about}</bdi>
          {maker !== undefined && <bdi> · {maker}</bdi>}
        </span>
      </span>
      <span class="tools">
        {onEdit !== undefined && (
          <Button kind="quiet" icon="edit" label={texts.editOne(text)} onClick={onEdit} />
        )}
        {onRemove !== undefined && (
          <Button kind="quiet" icon="close" label={texts.removeOne(text)} onClick={onRemove} />
        )}
      </span>
    </li>
  );
}

/** Makes an annotation of a thing of the chart, or of the group of one. */
export function NewAnnotation(props: {
  things: readonly KnownThing[];
  from: number;
  timeZone: string;
  onDone: () => void;
  onClose: () => void;
}) {
  const { things, from, timeZone, onDone, onClose } = props;
  const groups = [...new Set(things.map(({ group }) => group))];
  const abouts = [
    ...things.map(({ id, name, group }) => ({ text: name, group, thing: id })),
    ...groups.map((group) => {
      const names = things.flatMap((thing) => (thing.group === group ? [thing.name] : []));
      return { text: texts.groupOf(names[0] ?? ''), group, thing: undefined };
    }),
  ];
  return (
    <AnnotationForm
      title={texts.annotate}
      given={{ text: '', from, to: undefined }}
      timeZone={timeZone}
      abouts={abouts.map(({ text }) => text)}
      save={async (body, at) => {
        const about = abouts[at];
        if (about === undefined) return;
        const thing = about.thing === undefined ? {} : { thing_id: about.thing };
        await call('createAnnotation', { path: { id: about.group }, body: { ...body, ...thing } });
        onDone();
      }}
      onClose={onClose}
    />
  );
}

/** Text and times, in the zone of the chart. */
function AnnotationForm(props: {
  title: string;
  given: { text: string; from: number; to: number | undefined };
  timeZone: string;
  /** Its subjects, of which one is chosen. */
  abouts?: readonly string[];
  save: (body: Change, about: number) => Promise<void>;
  onClose: () => void;
}) {
  const { title, given, timeZone, abouts = [], save, onClose } = props;
  const submit = async (form: FormData) => {
    const from = readTime(form, 'from', given.from, timeZone);
    if (from === undefined) throw new RangeError(texts.noFrom);
    const to = readTime(form, 'to', given.to, timeZone);
    if (to !== undefined && to < from) throw new RangeError(exploreTexts.wrongRange);
    const ends = to === undefined ? {} : { to: new Date(to).toISOString() };
    const body = { text: fieldOf(form, 'text'), from: new Date(from).toISOString(), ...ends };
    await save(body, Number(fieldOf(form, 'about')));
  };
  return (
    <FormDialog title={title} action={texts.save} submit={submit} onClose={onClose}>
      <Field label={texts.text}>
        <textarea
          class="input"
          name="text"
          rows={3}
          required
          maxLength={textMax}
          defaultValue={given.text}
        />
      </Field>
      {abouts.length > 0 && (
        <Field label={texts.about}>
          <select class="input" name="about">
            {abouts.map((text, i) => (
              <option key={text} value={String(i)}>
                {text}
              </option>
            ))}
          </select>
        </Field>
      )}
      <p class="muted">{exploreTexts.zoneHint(timeZone)}</p>
      <TimeField name="from" label={exploreTexts.from} time={given.from} timeZone={timeZone} />
      <TimeField name="to" label={texts.to} time={given.to} timeZone={timeZone} />
    </FormDialog>
  );
}

function TimeField(props: {
  name: 'from' | 'to';
  label: string;
  time: number | undefined;
  timeZone: string;
}) {
  const { name, label, time, timeZone } = props;
  return (
    <Field label={label}>
      <input
        class="input"
        type="datetime-local"
        name={name}
        step="1"
        required={name === 'from'}
        defaultValue={time === undefined ? '' : wallTime(time, timeZone)}
      />
    </Field>
  );
}

/** A time that was not changed keeps its milliseconds. */
function readTime(form: FormData, name: string, given: number | undefined, timeZone: string) {
  const text = fieldOf(form, name);
  if (text === '') return undefined;
  if (given !== undefined && text === wallTime(given, timeZone)) return given;
  const time = instantOf(text, timeZone);
  return Number.isNaN(time) ? undefined : time;
}

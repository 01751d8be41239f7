import { useEffect, useState } from 'preact/hooks';
import { call, type Thing } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { useRead } from '../client/use-read.ts';
import { useMay } from '../roles.ts';
import { deletingMessagesTexts } from '../texts/deleting-messages.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { say } from '../ui/toasts.tsx';
import { instantOf } from '../explore/wall-time.ts';
import { ownTimeZone } from '../time-zone.ts';

const words = deletingMessagesTexts;

const formats = ['senml', 'json'] as const;

type Format = (typeof formats)[number];

/** Filters as they are typed: times are those of the browser's zone. */
type Typed = { name: string; from: string; to: string };

const typedMs = 250;

/** The button that leads to it, for admins of the thing's group. */
export function DeleteMessages({ thing, again }: { thing: Thing; again: () => void }) {
  const may = useMay({ of: 'group', id: thing.group_id });
  const [isAsking, setAsking] = useState(false);
  // The operation says of itself only that users and things may ask for it: it is for those who may delete the thing.
  if (!may('deleteThing')) return null;
  return (
    <>
      <span class="end">
        <Button onClick={() => setAsking(true)}>{words.action}</Button>
      </span>
      {isAsking && (
        <DeletingMessages thing={thing} onDone={again} onClose={() => setAsking(false)} />
      )}
    </>
  );
}

/** Deletes the messages of a thing that fit some filters, counted first, after its name was typed. */
function DeletingMessages(props: { thing: Thing; onDone: () => void; onClose: () => void }) {
  const { thing, onDone, onClose } = props;
  const [format, setFormat] = useState<Format>('senml');
  const [typed, setTyped] = useState<Typed>({ name: '', from: '', to: '' });
  const request = (form: FormData) => {
    if (fieldOf(form, 'confirmed') !== thing.name) {
      throw new FieldError('confirmed', partsTexts.otherName);
    }
    return { path: { publisher: thing.id }, query: filtersOf(typed) };
  };
  const dialog = {
    request,
    title: words.title(thing.name),
    text: words.text,
    action: words.action,
    onDone: () => {
      say(words.done);
      onDone();
    },
    onClose,
  };
  const fields = (
    <>
      <Filters
        format={format}
        typed={typed}
        onFormat={(chosen) => {
          setFormat(chosen);
          setTyped({ ...typed, name: '' });
        }}
        onType={setTyped}
      />
      <Count thingId={thing.id} format={format} typed={typed} />
      <Field label={partsTexts.typeName(thing.name)}>
        <input class="input" name="confirmed" autocomplete="off" required />
      </Field>
    </>
  );
  return format === 'senml' ? (
    <Question key="dialog" operation="deleteMessagesOfThing_senml" {...dialog}>
      {fields}
    </Question>
  ) : (
    <Question key="dialog" operation="deleteMessagesOfThing_json" {...dialog}>
      {fields}
    </Question>
  );
}

function filtersOf({ name, from, to }: Typed) {
  const at = (text: string) => new Date(instantOf(text, ownTimeZone)).toISOString();
  return {
    ...(name === '' ? {} : { name }),
    ...(from === '' ? {} : { from: at(from) }),
    ...(to === '' ? {} : { to: at(to) }),
  };
}

function Filters(props: {
  format: Format;
  typed: Typed;
  onFormat: (format: Format) => void;
  onType: (typed: Typed) => void;
}) {
  const { format, typed, onFormat, onType } = props;
  return (
    <>
      <Field label={words.format}>
        <select
          class="input"
          name="format"
          value={format}
          onChange={(event) => onFormat(formats[event.currentTarget.selectedIndex] ?? 'senml')}
        >
          {formats.map((one) => (
            <option key={one} value={one}>
              {words.formats[one]}
            </option>
          ))}
        </select>
      </Field>
      {format === 'senml' && (
        <Field label={words.name} hint={words.nameHint}>
          <input
            class="input"
            name="name"
            maxLength={1024}
            value={typed.name}
            onInput={(event) => onType({ ...typed, name: event.currentTarget.value })}
          />
        </Field>
      )}
      {(['from', 'to'] as const).map((end) => (
        <Field key={end} label={words[end]} hint={end === 'to' ? words.timeHint : undefined}>
          <input
            class="input"
            name={end}
            type="datetime-local"
            value={typed[end]}
            onInput={(event) => onType({ ...typed, [end]: event.currentTarget.value })}
          />
        </Field>
      ))}
    </>
  );
}

/** How many records fit, as the filters are typed. */
function Count({ thingId, format, typed }: { thingId: string; format: Format; typed: Typed }) {
  const wanted = JSON.stringify(filtersOf(typed));
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), typedMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { value, isLoading } = useRead(`${thingId} ${format} ${asked}`, async (signal) => {
    const query = { ...filtersOf(typed), publisher: thingId, limit: 1 };
    return format === 'senml'
      ? (await call('readMessages_senml', { query }, signal)).total
      : (await call('readMessages_json', { query }, signal)).total;
  });
  return (
    <p role="status">
      {value === undefined || isLoading || asked !== wanted ? words.counting : words.fits(value)}
    </p>
  );
}

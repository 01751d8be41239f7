import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { NamedField } from '../../../../schemas/client/errors.ts';
import { type Failure, failureOf } from '../client/failure.ts';
import { problemInWords } from '../texts/state.ts';
import { Notice } from './states.tsx';

/** The fields of a form: which of them are shown, and what was refused. */
type Fields = {
  show: (name: string) => () => void;
  problemOf: (name: string) => string | undefined;
};

const FormFields = createContext<Fields | undefined>(undefined);

/**
 * A form of fields. `submit` rejects with what the API refused: that stands under the field that it names, as far as one
 * is shown under that name, and else above the buttons.
 */
export function Form({
  submit,
  buttons,
  look,
  children,
}: {
  submit: (form: FormData) => Promise<unknown>;
  buttons: (isBusy: boolean) => ComponentChildren;
  look?: string;
  children: ComponentChildren;
}) {
  const { failure, isBusy, run } = useAction();
  const [shown, setShown] = useState<readonly string[]>([]);
  const refused = failure?.field && fieldAmong(shown, failure.field);
  const fields = useMemo(
    (): Fields => ({
      show: (name) => {
        setShown((before) => [...before, name]);
        return () => setShown((before) => before.toSpliced(before.indexOf(name), 1));
      },
      problemOf: (name) =>
        refused !== undefined && name === refused.name ? refused.problem : undefined,
    }),
    [failure, refused?.name],
  );
  return (
    <FormFields.Provider value={fields}>
      <form
        class={look}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void run(() => submit(form));
        }}
      >
        {children}
        {refused === undefined && <Notice failure={failure} />}
        {buttons(isBusy)}
      </form>
    </FormFields.Provider>
  );
}

/**
 * The shown field that a refusal leads to, or into, with what is wrong with it. Of the elements of a list, a form shows
 * the one that it makes.
 */
function fieldAmong(
  shown: readonly string[],
  { path, problem }: NamedField,
): { name: string; problem: string } | undefined {
  for (const within of [path, path.replace(/^.*\.\d+\./, '')]) {
    const [name] = shown
      .filter((one) => within === one || within.startsWith(`${one}.`))
      .toSorted((one, other) => other.length - one.length);
    if (name !== undefined) {
      const part = within.slice(name.length + 1);
      const words = problemInWords(problem);
      // Of a part of the field's value, its name stands before what is wrong with it.
      return { name, problem: /^\d*$/.test(part) ? words : `${part}: ${words}` };
    }
  }
  return undefined;
}

/** The refusal of a field, under the name that the API has for it. */
export function useRefused(name: string | undefined): string | undefined {
  const fields = useContext(FormFields);
  const show = fields?.show;
  useEffect(() => (name === undefined ? undefined : show?.(name)), [name]);
  return name === undefined ? undefined : fields?.problemOf(name);
}

/** Something that is done once at a time, and may fail. `run` tells whether it was done. */
export function useAction() {
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const run = async (action: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await action();
      return true;
    } catch (error) {
      setFailure(failureOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { failure, isBusy, run };
}

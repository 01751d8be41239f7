import { type ComponentChildren, toChildArray } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useRefused } from './form.tsx';
import { Icon } from './icons.tsx';

/** A control with its label, and a hint. What the API refuses of it stands in the hint's place. */
export function Field({
  label,
  hint,
  problem,
  of,
  children,
}: {
  label: string;
  hint?: string | undefined;
  /** Says what is wrong with it, in the place of the hint. */
  problem?: string | undefined;
  /** The member that the API knows it by, as a path; that is the control's own name unless told. */
  of?: string;
  children: ComponentChildren;
}) {
  const name = of ?? nameIn(children);
  const refused = useRefused(name);
  // The page knows what stands there now; a refusal is of what was sent.
  const wrong = problem ?? refused;
  const whole = useRef<HTMLLabelElement>(null);
  useLayoutEffect(
    () => (wrong === undefined ? undefined : markWrong(whole.current, refused !== undefined)),
    [wrong, refused],
  );
  return (
    <label class="field" ref={whole}>
      <span>{label}</span>
      {children}
      {wrong !== undefined && (
        <small class="problem" role="alert">
          {wrong}
        </small>
      )}
      {wrong === undefined && hint !== undefined && <small>{hint}</small>}
    </label>
  );
}

/** The name of the control that a field holds, where it holds the control itself. */
function nameIn(children: ComponentChildren): string | undefined {
  for (const child of toChildArray(children)) {
    const name: unknown =
      typeof child === 'object' && 'name' in child.props ? child.props.name : undefined;
    if (typeof name === 'string') return name;
  }
  return undefined;
}

/** Marks a control as wrong, until it is no longer. */
function markWrong(field: HTMLElement | null, isRefused: boolean): (() => void) | undefined {
  const control = field?.querySelector<HTMLElement>('input, select, textarea');
  if (control === null || control === undefined) return undefined;
  control.setAttribute('aria-invalid', 'true');
  // Nobody sees what is wrong in a closed part.
  if (isRefused) control.closest('details')?.setAttribute('open', '');
  if (isRefused) control.focus();
  return () => control.removeAttribute('aria-invalid');
}

/** The text of a field of a form that is submitted. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

const typedMs = 250;

/** A search that is told once the typing pauses. `/` leads to it. */
export function Search({
  label,
  placeholder = label,
  value,
  onSearch,
}: {
  label: string;
  placeholder?: string;
  value: string;
  onSearch: (text: string) => void;
}) {
  const id = useId();
  const [text, setText] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    // Chosen elsewhere: a link, a step back.
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === told.current) return undefined;
    const timer = setTimeout(() => {
      told.current = text;
      onSearch(text);
    }, typedMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="search" role="search" aria-labelledby={id}>
      <Icon name="search" />
      <input
        id={id}
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={1024}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </div>
  );
}

type ChoiceOption<Value extends string> = {
  value: Value;
  text: string;
  /** The head that it stands under, together with those next to it that have the same one. */
  under?: string;
};

/** One of several. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: Value;
  options: readonly ChoiceOption<Value>[];
  onChoose: (value: Value) => void;
}) {
  // Hundreds of time zones are not compared again with each message of live mode.
  const shown = useMemo(() => underHeads(options), [options]);
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = options[event.currentTarget.selectedIndex];
        if (chosen !== undefined) onChoose(chosen.value);
      }}
    >
      {shown}
    </select>
  );
}

function underHeads(options: readonly ChoiceOption<string>[]) {
  const heads = [...new Set(options.map(({ under }) => under))];
  return heads.map((head) => {
    const list = options
      .filter(({ under }) => under === head)
      .map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ));
    return head === undefined ? (
      list
    ) : (
      <optgroup key={head} label={head}>
        {list}
      </optgroup>
    );
  });
}

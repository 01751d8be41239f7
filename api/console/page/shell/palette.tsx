import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { goTo } from '../router.ts';
import { paletteTexts } from '../texts/palette.ts';
import { type Command, commandsFor, matching } from './commands.ts';

/** Things that are offered at most. */
const thingsMax = 8;
const typedMs = 150;

/** Finds pages, actions and things by name: by keyboard alone, or by mouse. */
export function Palette({ user, onClose }: { user: User; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const offers = [...matching(commandsFor(user), typed), ...useThings(typed)];
  const current = Math.min(at, offers.length - 1);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    dialog.current?.close();
    command.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((current + step + offers.length) % Math.max(1, offers.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(offers[current]);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={paletteTexts.label}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <input
        role="combobox"
        aria-label={paletteTexts.label}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={offers.length > 0 ? `offer-${current}` : undefined}
        placeholder={paletteTexts.placeholder}
        maxLength={254}
        autofocus
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <Offers offers={offers} current={current} run={run} />
    </dialog>
  );
}

function Offers(props: {
  offers: readonly Command[];
  current: number;
  run: (command: Command) => void;
}) {
  const { offers, current, run } = props;
  return (
    <>
      <ul id="palette-list" role="listbox" aria-label={paletteTexts.label}>
        {offers.map((offer, i) => (
          <li
            key={`${offer.kind} ${offer.text} ${i}`}
            id={`offer-${i}`}
            role="option"
            aria-selected={i === current}
            onClick={() => run(offer)}
          >
            <bdi class="cut">{offer.text}</bdi>
            <span class="row muted small">
              {offer.kind}
              {offer.keys?.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {offers.length === 0 && <p role="status">{paletteTexts.none}</p>}
    </>
  );
}

/** Things whose name has what was typed, once the typing pauses. */
function useThings(typed: string): Command[] {
  const [name, setName] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setName(typed.trim()), typedMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const { value } = useRead(name === '' ? undefined : name, (signal) =>
    call('listThings', { query: { name, limit: thingsMax, order: 'name', dir: 'asc' } }, signal),
  );
  if (name === '' || typed.trim() === '') return [];
  return (value?.things ?? []).map((thing) => ({
    text: thing.name,
    kind: paletteTexts.thing,
    run: () => goTo(`/things/${thing.id}`),
  }));
}

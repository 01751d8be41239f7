import { useEffect, useRef, useState } from 'preact/hooks';

/** One of what a finder offers. */
export type Offer = {
  key: string;
  text: string;
  /** Says what it is, after its name. */
  kind: string;
  /** The keys that lead to it without the finder, with a space between two. */
  keys?: string;
  /** Stands under the one before. */
  isInner?: boolean;
  run: () => void;
};

/** A dialog in which one types a part of a name, and takes one of what is offered: by keyboard alone, or by mouse. */
export function Finder({
  label,
  placeholder,
  none,
  typed,
  onType,
  offers,
  onClose,
}: {
  label: string;
  placeholder: string;
  /** Stands there while nothing is offered. */
  none: string;
  typed: string;
  onType: (text: string) => void;
  offers: readonly Offer[];
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [at, setAt] = useState(0);
  const current = Math.min(at, offers.length - 1);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const run = (offer: Offer | undefined) => {
    if (offer === undefined) return;
    dialog.current?.close();
    offer.run();
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
      class="finder"
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <input
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls="finder-list"
        aria-activedescendant={offers.length > 0 ? `offer-${current}` : undefined}
        placeholder={placeholder}
        maxLength={254}
        autofocus
        value={typed}
        onInput={(event) => {
          onType(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <Offers label={label} offers={offers} current={current} run={run} />
      {offers.length === 0 && <p role="status">{none}</p>}
    </dialog>
  );
}

function Offers(props: {
  label: string;
  offers: readonly Offer[];
  current: number;
  run: (offer: Offer) => void;
}) {
  const { label, offers, current, run } = props;
  return (
    <ul id="finder-list" role="listbox" aria-label={label}>
      {offers.map((offer, i) => (
        <li
          key={offer.key}
          id={`offer-${i}`}
          role="option"
          aria-selected={i === current}
          data-inner={offer.isInner}
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
  );
}

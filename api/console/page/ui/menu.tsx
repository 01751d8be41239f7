import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { ButtonKind } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';

/** One of what a menu offers: a link, or something that is done. `rule`: a line before it. */
type MenuEntry = { text: string; icon?: IconName; rule?: true } & (
  | { kind: 'link'; href: string; download?: string }
  | { kind: 'action' | 'danger'; onChoose: () => void }
);

/** Entries under a heading, with a line before it. */
type MenuGroup = { kind: 'group'; text: string; entries: readonly MenuEntry[] };

const gapPx = 4;

/**
 * A button with a menu. Arrow keys, Home, End and letters move in it; Escape, Tab and a click beside it close it, and the
 * focus returns. It stands above all else, so that no table cuts it off.
 */
export function Menu({
  label,
  icon,
  kind = 'plain',
  className = 'button',
  entries,
  children,
}: {
  /** Names the button, where its text does not. */
  label?: string;
  icon?: IconName;
  kind?: ButtonKind;
  className?: string;
  entries: readonly (MenuEntry | MenuGroup)[];
  children?: ComponentChildren;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const open = () => {
    list.current?.showPopover();
    if (button.current !== null && list.current !== null) place(list.current, button.current);
    itemsOf(list.current)[0]?.focus();
  };
  const toggled = (event: { newState: string }) => {
    button.current?.setAttribute('aria-expanded', String(event.newState === 'open'));
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={className}
        data-kind={kind}
        data-icon={children === undefined ? 'only' : undefined}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded="false"
        onClick={(event) => {
          event.stopPropagation();
          open();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          open();
        }}
      >
        {icon !== undefined && <Icon name={icon} />}
        {children}
      </button>
      <ul
        ref={list}
        class="menu"
        role="menu"
        popover="auto"
        aria-label={label}
        onToggle={toggled}
        onKeyDown={(event) => press(event, list.current)}
        onClick={(event) => {
          event.stopPropagation();
          list.current?.hidePopover();
        }}
      >
        {entries.map((entry) =>
          entry.kind === 'group' ? (
            <Group key={entry.text} group={entry} />
          ) : (
            <Row key={entry.text} entry={entry} />
          ),
        )}
      </ul>
    </>
  );
}

function Group({ group: { text, entries } }: { group: MenuGroup }) {
  return (
    <li role="none" data-rule="true">
      <span class="head" aria-hidden="true">
        {text}
      </span>
      <ul role="group" aria-label={text}>
        {entries.map((entry) => (
          <Row key={entry.text} entry={entry} />
        ))}
      </ul>
    </li>
  );
}

const Row = ({ entry }: { entry: MenuEntry }) => (
  <li role="none" data-rule={entry.rule}>
    <Entry entry={entry} />
  </li>
);

function Entry({ entry }: { entry: MenuEntry }) {
  const content = (
    <>
      {entry.icon !== undefined && <Icon name={entry.icon} />}
      {entry.text}
    </>
  );
  const common = { role: 'menuitem', tabIndex: -1, 'data-kind': entry.kind } as const;
  if (entry.kind === 'link') {
    return (
      <a {...common} href={entry.href} download={entry.download}>
        {content}
      </a>
    );
  }
  return (
    <button type="button" {...common} onClick={entry.onChoose}>
      {content}
    </button>
  );
}

const itemsOf = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
];

function press(event: KeyboardEvent, list: HTMLElement | null): void {
  const items = itemsOf(list);
  const at = items.findIndex((item) => item === document.activeElement);
  const to = targetOf(event.key, at, items);
  if (event.key === 'Tab') list?.hidePopover();
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  items[to]?.focus();
}

/** The number of the item that a key leads to. */
function targetOf(key: string, at: number, items: readonly HTMLElement[]): number | undefined {
  const count = items.length;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key.length !== 1) return undefined;
  const begins = ({ textContent }: HTMLElement) =>
    textContent.toLowerCase().startsWith(key.toLowerCase());
  const next = items.findIndex((item, i) => i > at && begins(item));
  const found = next === -1 ? items.findIndex(begins) : next;
  return found === -1 ? undefined : found;
}

/** Under the button, or above it where there is no room; within the window. */
function place(list: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const fitsUnder = at.bottom + gapPx + height <= innerHeight;
  const top = fitsUnder ? at.bottom + gapPx : Math.max(gapPx, at.top - gapPx - height);
  const left = Math.min(at.left, innerWidth - width - gapPx);
  list.style.top = `${top}px`;
  list.style.left = `${Math.max(gapPx, left)}px`;
}

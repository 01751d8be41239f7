import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { product } from '../texts/shell.ts';

/** The head of a page: its title, which is the window's as well, where it stands, and what can be done. */
export function PageHead({
  title,
  trail = [],
  children,
}: {
  title: string;
  /** The pages above this one. */
  trail?: { text: string; href: string }[];
  children?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} – ${product}`;
  }, [title]);
  return (
    <div class="page-head">
      {trail.length > 0 && (
        <div class="trail">
          {trail.map(({ text, href }) => (
            <span key={href}>
              <a href={href}>{text}</a> /
            </span>
          ))}
        </div>
      )}
      <div class="row spread">
        <h1 title={title}>
          <bdi>{title}</bdi>
        </h1>
        {children !== undefined && <div class="row">{children}</div>}
      </div>
    </div>
  );
}

/** A part of a page with a head of its own. */
export function Panel({
  title,
  actions,
  children,
  flush = false,
}: {
  title?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
  /** For what reaches the edges, such as a table. */
  flush?: boolean;
}) {
  return (
    <section class="panel">
      {(title !== undefined || isThere(actions)) && (
        <header>
          {title !== undefined && <h2>{title}</h2>}
          {isThere(actions) && <div class="row">{actions}</div>}
        </header>
      )}
      {flush ? children : <div class="inside">{children}</div>}
    </section>
  );
}

const isThere = (content: ComponentChildren) => content !== undefined && content !== false;

/** Views of one page, each with an address. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: { id: string; text: string; href: string }[];
  current: string;
}) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone it may be out of sight.
    const shown = nav.current?.querySelector('[aria-current]');
    shown?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ id, text, href }) => (
        <a key={id} href={href} aria-current={id === current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

/** A state in a word. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

/** A word that is explained where it stands: to the pointer, to who reaches it by keys, and to screen readers. */
export function Explained({
  by,
  children,
}: {
  by: readonly string[];
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <span class="explained-word" tabIndex={0} aria-describedby={id}>
      {children}
      <span class="tip" role="tooltip" id={id}>
        {by.map((sentence) => (
          <span key={sentence}>{sentence} </span>
        ))}
      </span>
    </span>
  );
}

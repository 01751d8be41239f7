import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

export type ButtonKind = 'primary' | 'plain' | 'danger' | 'quiet';

type Look = {
  kind?: ButtonKind;
  icon?: IconName;
  /** The button's purpose, where its text does not say it all. */
  label?: string;
  children?: ComponentChildren;
};

type ButtonProps = Look & {
  onClick?: (event: MouseEvent) => void;
  submits?: boolean;
  disabled?: boolean;
  pressed?: boolean;
};

export function Button({ submits, disabled, pressed, onClick, ...look }: ButtonProps) {
  return (
    <button
      type={submits === true ? 'submit' : 'button'}
      disabled={disabled}
      aria-pressed={pressed}
      onClick={onClick}
      {...shown(look)}
    >
      <Content {...look} />
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  href,
  download,
  ...look
}: Look & { href: string; download?: string }) {
  return (
    <a href={href} download={download} {...shown(look)}>
      <Content {...look} />
    </a>
  );
}

function shown({ kind = 'plain', label, children }: Look) {
  return {
    class: 'button',
    'data-kind': kind,
    'data-icon': children === undefined ? 'only' : undefined,
    'aria-label': label,
    title: label,
  };
}

function Content({ icon, children }: Look) {
  return (
    <>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </>
  );
}

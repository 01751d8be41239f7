import { signal } from '@preact/signals';

/** Light or dark; `auto` is as the system has it. */
type Theme = 'auto' | 'light' | 'dark';

export const themes: readonly Theme[] = ['auto', 'light', 'dark'];
/** The page reads it before anything is drawn: see index.html. */
const name = 'millrace-theme';

const stored = themes.find((theme) => theme === localStorage.getItem(name));

export const theme = signal<Theme>(stored ?? 'auto');

export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === 'auto') {
    localStorage.removeItem(name);
    delete document.documentElement.dataset['theme'];
    return;
  }
  localStorage.setItem(name, next);
  document.documentElement.dataset['theme'] = next;
}

export const nextTheme = (): void =>
  setTheme(themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'auto');

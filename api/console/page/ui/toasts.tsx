import { signal } from '@preact/signals';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';

type Toast = { id: number; text: string; tone: 'good' | 'bad' };

const toasts = signal<readonly Toast[]>([]);
const shownMs = 6_000;
let lastId = 0;

/** Says for a while that something was done, or was not. */
export function say(text: string, tone: 'good' | 'bad' = 'good'): void {
  const id = ++lastId;
  toasts.value = [...toasts.value, { id, text, tone }];
  setTimeout(() => remove(id), shownMs);
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, tone }) => (
        <div key={id} class="toast" data-tone={tone}>
          <span>{text}</span>
          <Button kind="quiet" icon="close" label={shellTexts.close} onClick={() => remove(id)} />
        </div>
      ))}
    </div>
  );
}

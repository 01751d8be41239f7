import { signal } from '@preact/signals';

/**
 * Whether the page is looked at. A browser opens few connections to one place, and each live stream holds one: those
 * of tabs that nobody looks at would keep the others from reading.
 */
export const isVisible = signal(!document.hidden);

document.addEventListener('visibilitychange', () => {
  isVisible.value = !document.hidden;
});

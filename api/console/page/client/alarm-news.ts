import { signal } from '@preact/signals';

/** Grows with each sign that alarms have changed: who shows how many there are counts again. */
export const alarmNews = signal(0);

export function tellAlarmNews(): void {
  alarmNews.value += 1;
}

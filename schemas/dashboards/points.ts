import { leafAt, type Value } from '../json/leaf.ts';
import type { PanelLine } from './questions.ts';

/** A value at a time, in seconds; null stands in an interval without messages. */
export type PanelPoint = readonly [time: number, value: Value | null];

/** A message as either format answers it. */
type Message = {
  time?: number;
  created?: number;
  unit?: string;
  payload?: unknown;
  value?: number | null;
  string_value?: string;
  bool_value?: boolean;
};
/** An answer of the reader, or why there is none. */
export type Answered = { messages: readonly Message[]; error?: string };

/** Points of one series of a panel, and its newest. */
export type LinePoints = { unit: string; points: readonly PanelPoint[]; newest?: PanelPoint };

/** The answers to the questions of one series, as they are drawn. */
export function pointsOf(
  line: PanelLine,
  questions: readonly { is: 'values' | 'newest' }[],
  answers: readonly Answered[],
): LinePoints {
  const answerTo = (wanted: 'values' | 'newest') =>
    pointsIn(line, answers[questions.findIndex(({ is }) => is === wanted)]);
  const [newest] = answerTo('newest');
  const unit = answers
    .flatMap(({ messages }) => messages)
    .findLast((message) => message.unit !== undefined)?.unit;
  return {
    unit: unit ?? '',
    // The newest come first where there are states, which nothing thins out.
    points: answerTo('values').toSorted(([a], [b]) => a - b),
    ...(newest === undefined ? {} : { newest }),
  };
}

function pointsIn({ format, name }: PanelLine, answered: Answered | undefined): PanelPoint[] {
  return (answered?.messages ?? []).map((message) =>
    format === 'senml'
      ? [message.time ?? 0, message.value ?? message.string_value ?? message.bool_value ?? null]
      : [(message.created ?? 0) / 1e9, leafAt(message.payload, name)],
  );
}

/** Words for each line of a panel that tell it from the others. */
export function labelsOf(lines: readonly PanelLine[], nameOf: (thing: string) => string): string[] {
  const areSame = (of: (line: PanelLine) => string) => new Set(lines.map(of)).size === 1;
  const isOneThing = areSame(({ thing }) => thing);
  const isOneName = areSame(({ name }) => name);
  return lines.map(({ thing, name, label }) => {
    if (label !== undefined && label !== '') return label;
    if (isOneThing && !isOneName) return name;
    return isOneName && !isOneThing ? nameOf(thing) : `${nameOf(thing)} · ${name}`;
  });
}

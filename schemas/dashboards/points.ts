import { leafAt, type Value } from '../json/leaf.ts';
import type { PanelLine, QuestionKind } from './questions.ts';

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
/** An answer of the reader, or why there is none. `next`: the cursor of what follows. */
export type Answered = {
  messages: readonly Message[];
  total: number;
  next?: string | undefined;
  error?: string;
};

/** Pages of one question as one answer. */
export function joined([first, ...rest]: readonly [Answered, ...Answered[]]): Answered {
  const error = [first, ...rest].find((page) => page.error !== undefined)?.error;
  return {
    messages: [first, ...rest].flatMap(({ messages }) => messages),
    total: first.total,
    ...(error === undefined ? {} : { error }),
  };
}

/** Points of one series of a panel, and its newest. `of`: the number of messages, where only the newest of them are points. */
export type LinePoints = {
  unit: string;
  points: readonly PanelPoint[];
  newest?: PanelPoint;
  of?: number;
};

/** The answers to the questions of one series, as they are drawn. */
export function pointsOf(
  line: PanelLine,
  questions: readonly { is: QuestionKind }[],
  answers: readonly Answered[],
): LinePoints {
  const answerTo = (wanted: QuestionKind) =>
    answers[questions.findIndex(({ is }) => is === wanted)];
  const [newest] = pointsIn(line, answerTo('newest'));
  const states = answerTo('states');
  const isCut = states !== undefined && states.messages.length < states.total;
  const unit = answers
    .flatMap(({ messages }) => messages)
    .findLast((message) => message.unit !== undefined)?.unit;
  return {
    unit: unit ?? '',
    // The newest come first where there are states, which nothing thins out.
    points: pointsIn(line, states ?? answerTo('values')).toSorted(([a], [b]) => a - b),
    ...(newest === undefined ? {} : { newest }),
    ...(isCut ? { of: states.total } : {}),
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

import { leafAt, type Value } from '../json/leaf.ts';
import { pointsOfSpans, type Span } from '../messages/state-pages.ts';
import type { PanelLine, QuestionKind } from './questions.ts';

/** A value at a time, in seconds; null stands in an interval without messages, and where a state is not known any more. */
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
  until?: number;
};
/** An answer of the reader, or why there is none. `next`: the cursor of what follows. */
export type Answered = {
  messages: readonly Message[];
  total: number;
  usual_step?: number | undefined;
  next?: string | undefined;
  error?: string;
  code?: string;
};

/** Pages of one question as one answer. */
export function joined([first, ...rest]: readonly [Answered, ...Answered[]]): Answered {
  const { error, code } = [first, ...rest].find((page) => page.error !== undefined) ?? {};
  return {
    messages: [first, ...rest].flatMap(({ messages }) => messages),
    total: first.total,
    usual_step: first.usual_step,
    ...(error === undefined ? {} : { error }),
    ...(code === undefined ? {} : { code }),
  };
}

/** Points of one series of a panel, and its newest. `cut`: the number of changes that are drawn, and of all, where it is another. */
export type LinePoints = {
  unit: string;
  points: readonly PanelPoint[];
  newest?: PanelPoint;
  cut?: { drawn: number; of: number };
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
  const unit = answers
    .flatMap(({ messages }) => messages)
    .findLast((message) => message.unit !== undefined)?.unit;
  return {
    unit: unit ?? '',
    points: states === undefined ? pointsIn(line, answerTo('values')) : statesIn(line, states),
    ...(newest === undefined ? {} : { newest }),
    ...cutOf(states),
  };
}

function cutOf(states: Answered | undefined): Pick<LinePoints, 'cut'> {
  if (states === undefined || states.messages.length >= states.total) return {};
  return { cut: { drawn: states.messages.length, of: states.total } };
}

const pointsIn = (line: PanelLine, answered: Answered | undefined): PanelPoint[] =>
  spansIn(line, answered?.messages ?? []).map(({ time, value }) => [time, value]);

/** The newest changes come first. */
const statesIn = (line: PanelLine, { messages, usual_step: usualStep = 0 }: Answered) =>
  pointsOfSpans(spansIn(line, messages).toReversed(), usualStep);

/** Messages that are no changes end where they begin. */
function spansIn({ format, name }: PanelLine, messages: readonly Message[]): Span[] {
  return messages.map((message) => {
    if (format === 'senml') {
      const { time = 0, until = time, value, string_value: text, bool_value: is } = message;
      return { time, until, value: value ?? text ?? is ?? null };
    }
    const { created = 0, until = created, payload } = message;
    return { time: created / 1e9, until: until / 1e9, value: leafAt(payload, name) };
  });
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

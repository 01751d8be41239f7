import { number } from './words.ts';

export const stateTexts = {
  loading: 'Loading …',
  again: 'Try again',
  asksAgain: 'This page asks again by itself.',
  away: 'The service does not answer',
  awayText: 'It may be starting, or the network is away.',
  forbidden: 'This is not for you',
  notFound: 'It is not there',
  tooMany: 'Too much at once',
  tooManyText: 'The service asked to wait a moment.',
  failed: 'That did not work',
  exists: 'It exists already, or its state does not allow this.',
  unsaid: 'The service did not say why.',
  requestId: (id: string) => `Request ${id}`,
};

/** The API's words for what is wrong with a member, and ours for the same. */
const problems: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [
    /^(?:is missing|must NOT have fewer than 1 (?:characters|items|properties))$/,
    () => 'Is needed.',
  ],
  [
    /^must NOT have fewer than (\d+) (characters|items|properties)$/,
    (least, what) => `Has at least ${least} ${what}.`,
  ],
  [
    /^must NOT have more than (\d+) (characters|items|properties)$/,
    (most, what) => `Has at most ${number.format(Number(most))} ${what}.`,
  ],
  [/^must be >= (\S+)$/, (least) => `Is ${number.format(Number(least))} or more.`],
  [/^must be <= (\S+)$/, (most) => `Is ${number.format(Number(most))} or less.`],
  [/^must match (?:pattern|format)/, () => 'Is not written as it must be.'],
];

/** The fault of a field, as a sentence under it. Nothing is said of what exists already. */
export function problemInWords(problem: string): string {
  if (problem === '') return 'Exists already.';
  for (const [pattern, say] of problems) {
    const found = pattern.exec(problem);
    if (found !== null) return say(...found.slice(1));
  }
  return sentence(problem);
}

/** Words of the API's, which begin small and end without a stop. */
export function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** The path of a member that the page does not show, as the beginning of a sentence. */
export const memberInWords = (path: string) => path.replaceAll('_', ' ').replaceAll('.', ' → ');

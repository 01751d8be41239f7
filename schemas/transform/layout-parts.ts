/** The parts of Go's reference layouts: finding them in a layout, and reading them from a text. */

/** The text before a part, and the part; no part at the end. */
export type LayoutToken = { literal: string; part: string | undefined };

export type ParsedParts = {
  year: number;
  month: number | undefined;
  day: number | undefined;
  yearDay: number | undefined;
  hour: number;
  minute: number;
  second: number;
  nanos: number;
  half: 'am' | 'pm' | undefined;
  /** Seconds east of UTC. */
  offset: number | undefined;
  zoneName: string | undefined;
};

/**
 * In the order in which Go tries them. Names of months and days only count where no lower-case letter
 * follows; a fraction only where no digit follows.
 */
const partPattern = new RegExp(
  [
    'January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST',
    '002|01|02|03|04|05|06',
    '15|1|2006|2|__2|_2006|_2|3|4|5|PM|pm',
    '-070000|-07:00:00|-0700|-07:00|-07|Z070000|Z07:00:00|Z0700|Z07:00|Z07',
    '[.,](?:0+|9+)(?!\\d)',
  ].join('|'),
  'g',
);

const months =
  'January February March April May June July August September October November December';
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday';
const longMonths = months.split(' ');
const longDays = days.split(' ');
const shortMonths = longMonths.map((name) => name.slice(0, 3));
const shortDays = longDays.map((name) => name.slice(0, 3));

/** Cuts a layout at its parts. */
export function tokenize(layout: string): LayoutToken[] {
  const tokens: LayoutToken[] = [];
  let at = 0;
  for (const match of layout.matchAll(partPattern)) {
    // `_2006` is an underscore and a year.
    const isUnderscoreYear = match[0] === '_2006';
    const part = isUnderscoreYear ? '2006' : match[0];
    const partAt = match.index + (isUnderscoreYear ? 1 : 0);
    tokens.push({ literal: layout.slice(at, partAt), part });
    at = partAt + part.length;
  }
  tokens.push({ literal: layout.slice(at), part: undefined });
  return tokens;
}

/** Reads a text by a layout; undefined when it does not match, or a part is out of its range. */
export function readParts(tokens: readonly LayoutToken[], text: string): ParsedParts | undefined {
  const parts: ParsedParts = {
    year: 0,
    month: undefined,
    day: undefined,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanos: 0,
    half: undefined,
    offset: undefined,
    zoneName: undefined,
  };
  let rest: string | undefined = text;
  for (const [i, { literal, part }] of tokens.entries()) {
    rest = skipLiteral(rest, literal);
    if (rest === undefined) return undefined;
    if (part === undefined) return rest === '' ? applyHalf(parts) : undefined;
    rest = readPart(part, rest, parts);
    if (rest === undefined) return undefined;
    if (part === '5' || part === '05') {
      const next = tokens[i + 1]?.part;
      const fractionFollows = next !== undefined && isFraction(next);
      if (!fractionFollows) rest = readFraction(rest, parts);
    }
  }
  return undefined;
}

/** Any run of spaces in the layout stands for any run, or none at the end, in the text. */
function skipLiteral(text: string, literal: string): string | undefined {
  let rest = text;
  for (let i = 0; i < literal.length; i++) {
    if (literal[i] === ' ') {
      if (rest !== '' && rest[0] !== ' ') return undefined;
      while (literal[i + 1] === ' ') i += 1;
      rest = rest.replace(/^ +/, '');
    } else {
      if (rest[0] !== literal[i]) return undefined;
      rest = rest.slice(1);
    }
  }
  return rest;
}

/** Reads one part from the start of `text` into `parts`; returns what follows it. */
function readPart(part: string, text: string, parts: ParsedParts): string | undefined {
  switch (part) {
    case '2006':
      return take(text, /^\d{4}/, (year) => (parts.year = Number(year)));
    case '06':
      return take(text, /^\d\d/, (year) => {
        parts.year = Number(year) + (Number(year) >= 69 ? 1900 : 2000);
      });
    case 'January':
      return takeName(text, longMonths, (index) => (parts.month = index + 1));
    case 'Jan':
      return takeName(text, shortMonths, (index) => (parts.month = index + 1));
    case '1':
    case '01':
      return takeNumber(text, part, 1, 12, (month) => (parts.month = month));
    case 'Monday':
      return takeName(text, longDays, () => undefined);
    case 'Mon':
      return takeName(text, shortDays, () => undefined);
    case '2':
    case '_2':
    case '02':
      return takeNumber(spaceFor(part, text, 1), part, 0, 99, (day) => (parts.day = day));
    case '002':
    case '__2':
      return take(spaceFor(part, text, 2), part === '002' ? /^\d{3}/ : /^\d{1,3}/, (yearDay) => {
        parts.yearDay = Number(yearDay);
      });
    case '15':
      return takeNumber(text, part, 0, 23, (hour) => (parts.hour = hour));
    case '3':
    case '03':
      return takeNumber(text, part, 0, 12, (hour) => (parts.hour = hour));
    case '4':
    case '04':
      return takeNumber(text, part, 0, 59, (minute) => (parts.minute = minute));
    case '5':
    case '05':
      return takeNumber(text, part, 0, 59, (second) => (parts.second = second));
    case 'PM':
      return take(text, /^[AP]M/, (half) => (parts.half = half === 'PM' ? 'pm' : 'am'));
    case 'pm':
      return take(text, /^[ap]m/, (half) => (parts.half = half === 'pm' ? 'pm' : 'am'));
    case 'MST':
      return readZoneName(text, parts);
    default:
      return isFraction(part)
        ? readLayoutFraction(part, text, parts)
        : readOffset(part, text, parts);
  }
}

function take(text: string, pattern: RegExp, use: (taken: string) => void): string | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  use(match[0]);
  return text.slice(match[0].length);
}

function takeName(
  text: string,
  names: readonly string[],
  use: (index: number) => void,
): string | undefined {
  const index = names.findIndex(
    (name) => text.slice(0, name.length).toLowerCase() === name.toLowerCase(),
  );
  if (index === -1) return undefined;
  use(index);
  return text.slice(names[index]?.length);
}

/** One or two digits; two where the part is written with two. `15` takes one as well, as in Go. */
function takeNumber(
  text: string,
  part: string,
  min: number,
  max: number,
  use: (value: number) => void,
): string | undefined {
  const match = (part.startsWith('0') ? /^\d\d/ : /^\d\d?/).exec(text);
  if (match === null || Number(match[0]) < min || Number(match[0]) > max) return undefined;
  use(Number(match[0]));
  return text.slice(match[0].length);
}

/** `_2` and `__2` let spaces stand for leading digits. */
function spaceFor(part: string, text: string, spacesMax: number): string {
  if (!part.startsWith('_')) return text;
  let spaces = 0;
  while (spaces < spacesMax && text[spaces] === ' ') spaces += 1;
  return text.slice(spaces);
}

const isFraction = (part: string): boolean => part.startsWith('.') || part.startsWith(',');

/** A fraction that the text has after the seconds, whatever the layout says. */
function readFraction(text: string, parts: ParsedParts): string {
  const match = /^[.,](\d+)/.exec(text);
  if (match === null) return text;
  parts.nanos = nanosOf(match[1] ?? '');
  return text.slice(match[0].length);
}

/** `.000` must have as many digits; `.999` may have any, or be absent. */
function readLayoutFraction(part: string, text: string, parts: ParsedParts): string | undefined {
  if (part.endsWith('9')) return readFraction(text, parts);
  const digits = text.slice(1, part.length);
  if (!/^[.,]/.test(text) || digits.length !== part.length - 1 || !/^\d+$/.test(digits)) {
    return undefined;
  }
  parts.nanos = nanosOf(digits);
  return text.slice(part.length);
}

const nanosOf = (digits: string): number => Number(digits.slice(0, 9).padEnd(9, '0'));

/** `-07:00` and its kind; those with `Z` take a `Z` as UTC. */
function readOffset(part: string, text: string, parts: ParsedParts): string | undefined {
  // Go reads Z only for the forms without seconds.
  if (/^Z(?:07|0700|07:00)$/.test(part) && text.startsWith('Z')) {
    parts.offset = 0;
    return text.slice(1);
  }
  const colon = part.includes(':') ? ':' : '';
  const groups = part.replaceAll(/\D/g, '').length / 2;
  const smaller = `${colon}(\\d\\d)`.repeat(groups - 1);
  const pattern = new RegExp(`^([+-])(\\d\\d)${smaller}`);
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [whole, sign, hours, minutes = '0', seconds = '0'] = match;
  if (Number(hours) > 24 || Number(minutes) > 60 || Number(seconds) > 60) return undefined;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  parts.offset = sign === '-' ? -size : size;
  return text.slice(whole.length);
}

/** An abbreviation, by the same guesses as Go's: three capitals, four or five that end in T, `GMT+3`. */
function readZoneName(text: string, parts: ParsedParts): string | undefined {
  if (text.startsWith('UTC')) {
    parts.offset = 0;
    return text.slice(3);
  }
  const match =
    /^(?:ChST|MeST|GMT(?:[+-](?:0*(?:1\d|2[0-3]|\d))(?!\d))?|[+-]0*(?:1\d|2[0-3]|\d)(?!\d)|WITA(?![A-Z])|[A-Z]{3,4}T(?![A-Z])|[A-Z]{3}(?![A-Z]))/.exec(
      text,
    );
  if (match === null) return undefined;
  parts.zoneName = match[0];
  return text.slice(match[0].length);
}

function applyHalf(parts: ParsedParts): ParsedParts {
  if (parts.half === 'pm' && parts.hour < 12) parts.hour += 12;
  else if (parts.half === 'am' && parts.hour === 12) parts.hour = 0;
  return parts;
}

import { InvalidArgumentError } from 'commander';

/** Parsers of flag values. Commander adds the flag's name to their errors. */

export function toCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a whole number.');
}

export function toNumber(text: string): number {
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('It is not a number.');
}

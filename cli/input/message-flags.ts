import { Option } from 'commander';
import {
  aggregationParameters,
  exportParameters,
  filterParameters,
  type ParameterValues,
  readParameters,
  timeParameters,
} from '../../schemas/messages/query.ts';
import { attributeOf, isGlobal, toCount, toNumber } from './flags.ts';
import { parseTime, UsageError } from './usage.ts';

/** The flags of the reader's query, made from its schema. */

/** The parts of a parameter that a flag is made from. */
type Parameter = {
  type?: string | readonly string[];
  format?: string;
  enum?: readonly string[];
  description: string;
};

/** Flags that have other names in the platform's client. */
const renamed: Readonly<Record<string, string>> = {
  name: 'senml-name',
  v: 'senml-value',
  vb: 'bool-value',
  vs: 'string-value',
  vd: 'data-value',
};

const flagOf = (name: string) => `--${renamed[name] ?? name.replaceAll('_', '-')}`;

/** The parameters of the reader without the flags of all commands. */
const parameters: Readonly<Record<string, Parameter>> = Object.fromEntries(
  Object.entries({ ...exportParameters, ...readParameters }).filter(
    ([name]) => !isGlobal(flagOf(name)),
  ),
);

/** The flags of the parameters, and the `--no-` flags of switches. */
export function messageOptions(): Option[] {
  return Object.entries(parameters).flatMap(([name, parameter]) => optionsOf(name, parameter));
}

function optionsOf(name: string, { type, format, enum: values, description }: Parameter): Option[] {
  const flag = flagOf(name);
  // Parameters in the text become flags.
  const about = description.replaceAll(/`([^`]+)`/g, (_all, code: string) =>
    Object.hasOwn(parameters, code) ? flagOf(code) : code,
  );
  const taking = (what: string) => new Option(`${flag} <${what}>`, about);
  if (type === 'boolean') {
    const no = flag.replace('--', '--no-');
    return [new Option(flag, `${about} False: ${no}.`), new Option(no).hideHelp()];
  }
  if (values !== undefined) return [taking(name.split('_').at(-1) ?? name).choices(values)];
  if (type === 'number') return [taking('n').argParser(toNumber)];
  if (type === 'integer') return [taking('n').argParser(toCount)];
  if (type === 'string') return [taking(format === 'uuid' ? 'id' : 'text')];
  if (Array.isArray(type)) return [taking('time')];
  return [
    new Option(`${flag} <list>`, `${about} Several stand between commas.`).argParser((text) =>
      text.split(','),
    ),
  ];
}

/** A query with these parameters, from the flags of one invocation. @throws UsageError */
export function readMessageFlags<Query extends Readonly<Record<string, Parameter>>>(
  query: Query,
  flags: Readonly<Record<string, unknown>>,
): ParameterValues<Query> {
  const { tz } = flags;
  const all = Object.keys(query).map((name): [string, unknown] => {
    const given = flags[flagNameOf(name)];
    // Read here, once for all requests of the invocation: `-24h` would move on from one to the next.
    return timeParameters.has(name) && typeof given === 'string'
      ? [name, parseTime(flagOf(name), given, typeof tz === 'string' ? tz : undefined)]
      : [name, given];
  });
  const values = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  if (isOf(query, values)) return values;
  // The parser has checked all other flags.
  const { order } = query;
  throw new UsageError(`--order of messages is ${order?.enum?.join(' or ') ?? 'not known'}`);
}

function isOf<Query extends Readonly<Record<string, Parameter>>>(
  query: Query,
  values: Readonly<Record<string, unknown>>,
): values is ParameterValues<Query> {
  return Object.entries(values).every(([name, value]) => {
    const { type, enum: allowed } = query[name] ?? {};
    if (allowed !== undefined) return allowed.includes(String(value));
    if (type === 'number' || type === 'integer') return typeof value === 'number';
    if (type === 'boolean') return typeof value === 'boolean';
    return typeof value === 'string' || Array.isArray(value);
  });
}

const flagNameOf = (name: string) => attributeOf(flagOf(name));

/** Names of flags, as Commander has them: filters, aggregation and points, and all flags of messages. */
export const filterFlags = ['name', ...Object.keys(filterParameters).map(flagNameOf)];
export const pictureFlags = [
  'latest',
  'changes',
  'points',
  ...Object.keys(aggregationParameters).map(flagNameOf),
];
export const exportFlags = ['name', ...Object.keys(exportParameters).map(flagNameOf)];
export const messageFlags = Object.keys(parameters).map(flagNameOf);

import { DomainError } from '../../../schemas/http/errors.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { limits } from '../../limits.ts';

export const senmlNames = [
  'subtopic',
  'publisher',
  'protocol',
  'name',
  'unit',
  'value',
  'string_value',
  'bool_value',
  'data_value',
  'sum',
  'time',
  'update_time',
  'thing_name',
] as const;

/** The columns of a SenML record; the name of its thing is none of its own. */
type SenmlName = (typeof senmlNames)[number];

const jsonNames = [
  'created',
  'subtopic',
  'publisher',
  'protocol',
  'payload',
  'thing_name',
] as const;

/** The columns of a JSON message that are no member of its payload. */
type JsonName = (typeof jsonNames)[number];

/** A column that was asked for by its name: one of its format, or a member of a payload by its dotted path. */
export type ChosenColumn =
  | { kind: 'senml'; name: SenmlName }
  | { kind: 'json'; name: JsonName }
  | { kind: 'path'; name: string; path: string };

/** `fields` are those of an aggregate, which has no others. `isFile`: an export, which knows the names of things. */
type Choice = { fields?: readonly string[] | undefined; isFile: boolean };

/**
 * The columns that `columns` names, in its order; undefined where it is not given.
 *
 * @throws DomainError `malformed` naming a column that there is not, or that is there twice.
 */
export function chosenColumns(
  format: MessageFormat,
  given: string | undefined,
  choice: Choice,
): readonly ChosenColumn[] | undefined {
  if (given === undefined) return undefined;
  const names = given.split(',').map((name) => name.trim());
  if (names.length > limits.chosenColumnsMax) {
    throw new DomainError('malformed', `columns: more than ${limits.chosenColumnsMax}`);
  }
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new DomainError('malformed', `columns: ${twice} is named twice`);
  return names.map((name) => chosen(format, name, choice));
}

function chosen(format: MessageFormat, name: string, { fields, isFile }: Choice): ChosenColumn {
  if (name === '') throw new DomainError('malformed', 'columns: a name is empty');
  if (name === 'thing_name' && !isFile) {
    throw new DomainError('malformed', 'columns: only exports have thing_name');
  }
  if (format === 'senml') {
    const known = senmlNames.find((one) => one === name);
    if (known === undefined) throw unknown(name, senmlNames);
    return { kind: 'senml', name: known };
  }
  const known = jsonNames.find((one) => one === name);
  if (known !== undefined) return { kind: 'json', name: known };
  const path = pathOf(name);
  if (fields !== undefined && !fields.includes(path)) {
    throw unknown(name, [...jsonNames, ...fields]);
  }
  return { kind: 'path', name, path };
}

function unknown(name: string, known: readonly string[]): DomainError {
  return new DomainError('malformed', `columns: ${name} is none of ${known.join(', ')}`);
}

/** The path of a member that has the name of another column is called `payload.` and its path, as in a CSV. */
function pathOf(name: string): string {
  const last = name.replace(/^(?:payload\.)+/, '');
  const isRenamed = last !== name && jsonNames.some((one) => one === last);
  return isRenamed ? name.slice('payload.'.length) : name;
}

import type { Call } from '../../invocation/call.ts';
import type { MessageFormat } from '../../../schemas/client/live.ts';
import { cell, harmless } from '../../terminal/output/cell.ts';
import { stringify } from '../../terminal/output/stringify.ts';
import { readable } from '../../terminal/output/readable.ts';
import { RowWriter } from '../../terminal/output/row-writer.ts';
import { UsageError } from '../../input/usage.ts';
import { ThingNames } from './things.ts';

/** CSV needs to know its columns before the first row. */
const columns = {
  senml: 'time,publisher,subtopic,name,unit,value,string_value,bool_value,data_value,sum'.split(
    ',',
  ),
  json: 'created,publisher,subtopic,protocol,payload'.split(','),
};

/** Shows messages as they come: a line for each on a terminal, elsewhere one JSON object to a line. */
export async function tail(call: Call, format: MessageFormat): Promise<void> {
  const { settings, output, context } = call;
  if (settings.output === 'json') {
    throw new UsageError('a list without an end is no JSON: use -o ndjson');
  }
  const writer = new RowWriter(output, columns[format]);
  const names = new ThingNames(call);
  const live = call.as('reader').follow(format, settings.filters, {
    onLost: (_error, waitMs) =>
      context.stderr.write(`connection lost: again in ${Math.ceil(waitMs / 1_000)} s\n`),
  });
  for await (const message of live) {
    if (output.format === 'table') {
      await output.write(`${lineOf(await names.name({ ...message }))}\n`);
    } else if (output.format === 'csv') await writer.write({ ...message });
    else await output.write(`${stringify(message)}\n`);
  }
}

/** A message on one line of a terminal. */
export function lineOf(message: Record<string, unknown>): string {
  const { thing, publisher, subtopic, name, unit, payload } = message;
  const what = name === undefined ? [cell(payload)] : [cell(name), valueOf(message), cell(unit)];
  const time = readable(message, message['time'] === undefined ? 'created' : 'time');
  return [time, cell(thing ?? publisher), cell(subtopic), ...what]
    .filter((text) => text !== '')
    .map(harmless)
    .join('  ');
}

function valueOf(message: Record<string, unknown>): string {
  const { value, string_value, bool_value, data_value, sum } = message;
  return cell(value ?? string_value ?? bool_value ?? data_value ?? sum);
}

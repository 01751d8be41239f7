import { pipeline, type Readable } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';
import type { Budgets } from '../../budgets/budgets.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import type { Database } from '../../stores/database.ts';
import { callerOf } from '../../access/caller.ts';
import { mustTake } from '../../http/connections/pace.ts';
import { handle } from '../../http/handle.ts';
import { withTimes } from '../../http/query/time.ts';
import type { Api } from '../../http/schemas.ts';
import { aggregationOf } from '../aggregates/aggregation.ts';
import { noteMessages } from '../audit.ts';
import { chosenColumns } from '../columns/chosen.ts';
import { findThingNames, namesOfThings } from '../columns/thing-names.ts';
import { reader } from '../operations.ts';
import { whereOf } from '../query/conditions.ts';
import type { TimeFormat } from '../query/times.ts';
import { type Reach, type ReachDependencies, reachOf } from '../reach/reach.ts';
import { openStore, type StoreDependencies, takeTurnFor } from '../store/store.ts';
import { exportFile } from './export.ts';
import { attachment, fileNameOf } from './file-name.ts';
import { fileTypeIn, fileTypes } from './file-type.ts';
import { wideFile } from './wide/file.ts';

export type ExportDependencies = ReachDependencies & StoreDependencies & { budgets: Budgets };

export function exportRoutes(
  api: Api,
  format: MessageFormat,
  dependencies: ExportDependencies,
): void {
  handle(api, reader[format].exportMessages, async (request, reply) => {
    const { signal } = request;
    const query = withTimes(request.query);
    const caller = callerOf(request);
    const type = query.convert ?? fileTypeIn(request.headers.accept);
    if (query.bom === true && type !== 'csv') {
      throw new DomainError('malformed', 'bom: only CSV has one');
    }
    const aggregation = aggregationOf(format, query);
    const columns = chosenColumns(format, query.columns, {
      fields: aggregation?.fields,
      isFile: true,
    });
    await takeTurnFor(reply.raw, dependencies.budgets.exports, caller, signal);
    const reach = await reachOf(dependencies, caller, query.publisher, 'viewer');
    const where = whereOf(format, query, reach);
    const times: TimeFormat = query.time_format?.toLowerCase() === 'rfc3339' ? 'rfc3339' : 'unix';
    const store = openStore(dependencies, signal);
    await noteMessages(dependencies.db, 'export', { format, ...query, convert: type }, reach);
    const names = columns?.some(({ name }) => name === 'thing_name')
      ? await findThingNames(dependencies.db, store, format, where)
      : undefined;
    const asked = { ...query, type, times, columns, names };
    const fileName = fileNameOf(format, await onlyThing(dependencies.db, reach), query);
    const file =
      query.shape === 'wide'
        ? await wideFile({ db: dependencies.db, store }, format, where, asked, aggregation)
        : await exportFile(store, format, where, asked, aggregation);
    mustTake(reply.raw);
    const { contentType, extension } = fileTypes[type];
    const encoding = encodingOf(request.headers['accept-encoding']);
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return reply
      .type(contentType)
      .header('vary', 'accept, accept-encoding')
      .header('content-disposition', attachment(`${fileName}.${extension}`))
      .send(compress(file, encoding));
  });
}

/** The name of the only thing in reach; undefined if there may be several, or it has none. */
async function onlyThing(db: Database, reach: Reach): Promise<string | undefined> {
  if (reach.kind !== 'publishers' || reach.publishers.length !== 1) return undefined;
  return (await namesOfThings(db, reach.publishers)).values().next().value;
}

type Encoding = 'gzip' | 'zstd';

/** The compression that an `Accept-Encoding` names; none for one that takes anything. */
export function encodingOf(acceptEncoding: string | string[] | undefined): Encoding | undefined {
  const named = String(acceptEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, quality]) => quality === undefined || !/^q=0(\.0*)?$/.test(quality))
    .map(([name]) => name);
  if (named.includes('zstd')) return 'zstd';
  return named.includes('gzip') ? 'gzip' : undefined;
}

/** A failure of the file destroys the compressed stream, and vice versa. */
export function compress(file: Readable, encoding: Encoding | undefined): Readable {
  if (encoding === undefined) return file;
  const compressor = encoding === 'gzip' ? createGzip({ level: 1 }) : createZstdCompress();
  return pipeline(file, compressor, () => undefined);
}

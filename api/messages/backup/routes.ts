import { Type } from 'typebox';
import { about } from '../../../schemas/http/common.ts';
import type { Budgets } from '../../../infra/runtime/budgets/budgets.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Api, Empty } from '../../http/schemas.ts';
import { callerOf } from '../../access/caller.ts';
import { mustTake } from '../../http/connections/pace.ts';
import { noteBackup } from '../audit.ts';
import { takeTurnFor } from '../store/store.ts';
import { type BackupDependencies, startBackup } from './backup.ts';
import { restore } from './restore/restore.ts';
import { spoolUpload } from './spool.ts';

/** The content shows which of the two it is. */
const Files = {
  content: {
    'application/octet-stream': {
      schema: {
        type: 'string',
        format: 'binary',
        description: 'A file that the backup gave.',
      },
    },
    'application/json': {
      schema: Type.Object({
        json_messages: about(Type.Array(Type.Object({})), 'JSON messages.', []),
        senml_messages: about(Type.Array(Type.Object({})), 'SenML messages.', []),
      }),
    },
  },
};

/** How many messages of a file were not restored, because the things that sent them are gone. */
const leftOutHeader = 'millrace-messages-left-out';

const Restored = Type.Unsafe<undefined>({
  ...Empty,
  headers: {
    [leftOutHeader]: {
      type: 'integer',
      description: 'Messages of things that are gone, which were not restored',
    },
  },
});

export type BackupRouteDependencies = BackupDependencies & {
  budgets: Budgets;
  /** Where uploads are kept while they are read. */
  spoolDir: string;
  log: Logger;
};

export function backupRoutes(api: Api, dependencies: BackupRouteDependencies): void {
  api.route({
    method: 'GET',
    url: '/reader/backup',
    // It would run the whole backup and send none of it.
    exposeHeadRoute: false,
    config: { operation: 'backupMessages' },
    handler: async (request, reply) => {
      const { budgets } = dependencies;
      await takeTurnFor(reply.raw, budgets.exports, callerOf(request), request.signal);
      const file = await startBackup(dependencies);
      try {
        await noteBackup(dependencies.db);
      } catch (error) {
        file.destroy();
        throw error;
      }
      mustTake(reply.raw);
      // The client left while the backup was prepared.
      if (reply.raw.destroyed) file.destroy();
      const day = new Date().toISOString().slice(0, 10);
      return reply
        .type('application/octet-stream')
        .header('content-disposition', `attachment; filename="messages-${day}.backup"`)
        .send(file);
    },
  });

  api.register(async (files: Api) => {
    files.removeAllContentTypeParsers();
    // Read by the handler, after the caller is known, and never held in memory.
    files.addContentTypeParser(
      ['application/octet-stream', 'application/json'],
      (_request, _body, done) => done(null),
    );
    files.route({
      method: 'POST',
      url: '/reader/restore',
      schema: { body: Files, response: { 201: Restored } },
      // The schema is for the document alone; the file is checked while it is spooled.
      validatorCompiler: () => () => true,
      config: { operation: 'restoreMessages', anyLength: true },
      handler: async (request, reply) => {
        const file = await spoolUpload(dependencies.spoolDir, request.raw);
        let leftOut: number;
        try {
          leftOut = await restore(dependencies, file);
        } finally {
          await file.close();
        }
        if (leftOut > 0) {
          dependencies.log.warn(
            { messages: leftOut },
            'a restore left out messages of things that are gone',
          );
        }
        return reply.status(201).header(leftOutHeader, leftOut).send();
      },
    });
  });
}

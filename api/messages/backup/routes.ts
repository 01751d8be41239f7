import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Budgets } from '../../../infra/runtime/budgets/budgets.ts';
import type { Database } from '../../stores/database.ts';
import type { ClickHouseClients } from '../../stores/clickhouse.ts';
import { Type } from 'typebox';
import { about } from '../../../schemas/http/common.ts';
import { type Api, Empty } from '../../http/schemas.ts';
import { callerOf } from '../../access/caller.ts';
import { mustTake } from '../../http/connections/pace.ts';
import { takeTurnFor } from '../store/turn.ts';
import { startBackup } from './backup.ts';
import { restore } from './restore/restore.ts';
import { receive } from './spool.ts';

/** Both are looked at for what they are. */
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

export function backupRoutes(
  api: Api,
  parts: {
    db: Database;
    clickhouse: ClickHouseClients;
    announceKeyChanges: () => void;
    spoolDir: string;
    log: Logger;
    budgets: Budgets;
  },
): void {
  api.route({
    method: 'GET',
    url: '/reader/backup',
    // It would run the whole backup, for nobody.
    exposeHeadRoute: false,
    config: { operation: 'backupMessages' },
    handler: async (request, reply) => {
      const { budgets } = parts;
      await takeTurnFor(reply.raw, budgets.exports, callerOf(request), request.signal);
      const file = await startBackup(parts);
      mustTake(reply.raw);
      // Whoever left while it was prepared.
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
    // Not read before it is known who sends it, and never held.
    files.addContentTypeParser(
      ['application/octet-stream', 'application/json'],
      (_request, _body, done) => done(null),
    );
    files.route({
      method: 'POST',
      url: '/reader/restore',
      schema: { body: Files, response: { 201: Restored } },
      // Said to those who read the document; the file is looked at where it is received.
      validatorCompiler: () => () => true,
      config: { operation: 'restoreMessages', anyLength: true },
      handler: async (request, reply) => {
        const file = await receive(parts.spoolDir, request.raw);
        let leftOut: number;
        try {
          leftOut = await restore(parts, file);
        } finally {
          await file.close();
        }
        if (leftOut > 0) {
          parts.log.warn(
            { messages: leftOut },
            'a restore left out messages of things that are gone',
          );
        }
        return reply.status(201).header(leftOutHeader, leftOut).send();
      },
    });
  });
}

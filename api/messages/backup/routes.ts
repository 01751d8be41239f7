import type { Budgets } from '../../budgets/budgets.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { callerOf } from '../../access/caller.ts';
import { mustTake } from '../../http/connections/pace.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import { noteBackup } from '../audit.ts';
import { backups, leftOutHeader } from '../operations.ts';
import { takeTurnFor } from '../store/store.ts';
import { type BackupDependencies, startBackup } from './backup.ts';
import { restore } from './restore/restore.ts';
import { spoolUpload } from './spool.ts';

type BackupRouteDependencies = BackupDependencies & {
  budgets: Budgets;
  /** Where uploads are kept while they are read. */
  spoolDir: string;
  logger: Logger;
};

export function backupRoutes(api: Api, dependencies: BackupRouteDependencies): void {
  handle(api, backups.backupMessages, async (request, reply) => {
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
  });

  api.register(async (files: Api) => {
    files.removeAllContentTypeParsers();
    // Read by the handler, after the caller is known, and never held in memory.
    files.addContentTypeParser(
      ['application/octet-stream', 'application/json'],
      (_request, _body, done) => done(null),
    );
    handle(
      files,
      backups.restoreMessages,
      async (request, reply) => {
        const file = await spoolUpload(dependencies.spoolDir, request.raw);
        let leftOut: number;
        try {
          leftOut = await restore(dependencies, file);
        } finally {
          await file.close();
        }
        if (leftOut > 0) {
          dependencies.logger.warn(
            { messages: leftOut },
            'a restore left out messages of things that are gone',
          );
        }
        return reply.status(201).header(leftOutHeader, leftOut).send();
      },
      // The schema is for the document alone; the file is checked while it is spooled.
      { validatorCompiler: () => () => true },
    );
  });
}

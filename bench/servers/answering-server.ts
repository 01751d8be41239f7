/** The edge's HTTP layer alone: it reads a message to its end and answers 202, and stores nothing. */
import { readClientAddress } from '../../infra/runtime/network/client-address.ts';
import { Connections } from '../../infra/runtime/network/connections.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { Answered } from '../../ingest/http/answered.ts';
import { serve } from '../../ingest/http/server.ts';

const server = await serve(
  {
    message: (exchange) => {
      exchange.onBody = () => exchange.accept();
    },
    streams: undefined,
    operations: new Map(),
    connections: new Connections(
      { max: 10_000, perNetworkMax: 10_000 },
      () => false,
      createLog('answering', 'warn'),
    ),
  },
  {
    bodyBytesMax: 1024 ** 2,
    bufferedBytesMax: 1024 ** 2,
    chunkStallMsMax: 5_000,
    clientAddress: readClientAddress({ TRUST_PROXY: '' }),
    answered: new Answered(),
    cors: undefined,
    accessLog: { takesNext: () => false, write: () => undefined },
  },
  { host: '127.0.0.1', port: 0, processes: 1, certificateProxies: undefined, tls: undefined },
);
process.stdout.write(`${JSON.stringify({ msg: 'ready', port: server.port })}\n`);

process.on('disconnect', () => process.exit());

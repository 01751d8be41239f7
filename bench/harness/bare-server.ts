/** The upper limit for an edge on this HTTP server: it drains the body and answers 202. */
import { App, us_socket_local_port } from 'uWebSockets.js';

App()
  .post('/http/messages', (response) => {
    response.onAborted(() => undefined);
    response.onData((_chunk, isLast) => {
      if (isLast) response.writeStatus('202 Accepted').end();
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port');
    process.stdout.write(
      `${JSON.stringify({ msg: 'ready', port: us_socket_local_port(socket) })}\n`,
    );
  });

process.on('disconnect', () => process.exit());

import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { influxVersion } from '../../../schemas/messages/points.ts';
import type { AnswerStyle } from '../http/answer-style.ts';
import type { Exchange } from '../http/exchange.ts';
import { influxPaths } from '../http/routes.ts';
import { version1, version2 } from './answers.ts';
import type { InfluxWrites } from './writes.ts';

type Handler = (response: HttpResponse, request: HttpRequest) => void;

/** How the server takes requests. */
type Taking = {
  /** A write, if nothing is wrong with its head; otherwise it is answered. */
  begin(response: HttpResponse, request: HttpRequest, style: AnswerStyle): Exchange | undefined;
  /** A request whose body is not read. */
  bodiless(response: HttpResponse, request: HttpRequest): Exchange;
  /** Refuses a method; these are taken. */
  refuseMethod(methods: string): Handler;
};

/** Serves where InfluxDB's clients write, and what they ask before. */
export function addInflux(app: TemplatedApp, writes: InfluxWrites, taking: Taking): void {
  const styles = { [influxPaths.write]: version1, [influxPaths.writeOf2]: version2 };
  for (const [path, style] of Object.entries(styles)) {
    app.post(path, (response, request) => {
      const query = request.getQuery();
      const exchange = taking.begin(response, request, style);
      if (exchange === undefined) return;
      exchange.receive();
      writes.write(exchange, path, query);
    });
    app.any(path, taking.refuseMethod('POST'));
  }
  const ping: Handler = (response, request) => {
    const isVerbose = new URLSearchParams(request.getQuery()).get('verbose') === 'true';
    const exchange = taking.bodiless(response, request);
    exchange.headers = [
      ['X-Influxdb-Version', influxVersion],
      ['X-Influxdb-Build', 'OSS'],
    ];
    if (isVerbose) exchange.reply(200, JSON.stringify({ version: influxVersion }));
    else exchange.reply(204, '');
  };
  app.get(influxPaths.ping, ping).head(influxPaths.ping, ping).post(influxPaths.ping, ping);
  app.any(influxPaths.ping, taking.refuseMethod('GET, HEAD, POST'));
}

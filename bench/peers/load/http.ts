import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { runScript } from '../../harness/load/wrk.ts';
import { loadPacks, type Pack, placeholderSecond, publishers } from '../points.ts';
import type { Form } from './form.ts';

const senders = 4;

/** Points posted to a path, in a format of the system's own. */
export function overHttp(options: {
  url: string;
  path: string;
  format: (pack: Pack) => { headers: Record<string, string>; body: string };
}): Form {
  const { url, path, format } = options;
  return {
    prepare(requestsPath, pointsEach) {
      const { host } = new URL(url);
      const file = openSync(requestsPath, 'w');
      for (const pack of loadPacks(pointsEach)) {
        const { headers, body } = format(pack);
        const head = Object.entries({ Host: host, ...headers, 'Content-Length': body.length })
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('');
        const text = `POST ${path} HTTP/1.1\r\n${head}\r\n${body}`;
        writeSync(file, `${text.length}\n${text}`);
      }
      closeSync(file);
    },

    load({ requestsPath, firstSecond, connections, seconds }) {
      const script = join(import.meta.dirname, 'load.lua');
      const numbers = [placeholderSecond, firstSecond, publishers].map(String);
      return runScript(script, { url, connections, seconds }, [requestsPath, ...numbers]);
    },

    async fill(packs) {
      const agent = new Agent({ connections: senders });
      const sender = async (): Promise<void> => {
        // All senders take from the same packs.
        for (const pack of packs) {
          const { headers, body: text } = format(pack);
          const post = { method: 'POST', headers, body: text, dispatcher: agent } as const;
          const { statusCode, body } = await request(url + path, post);
          await body.dump();
          if (statusCode >= 300) throw new Error(`${url}${path} answered ${statusCode}`);
        }
      };
      await Promise.all(Array.from({ length: senders }, sender));
      await agent.close();
    },
  };
}

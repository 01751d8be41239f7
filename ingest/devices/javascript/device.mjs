// Sends a reading to Millrace, and tries again where it is asked to. Needs Node 18 or later, and no packages.
//
//     MILLRACE_EDGE=http://localhost:8081 MILLRACE_KEY=<key of the thing> node device.mjs

const triesMax = 8;
const waitSecondsMax = 60;
const timeoutMs = 15_000;

/** As long as the server asks for, and otherwise longer after each try; not all devices at once. */
function msToWait(attempt, retryAfter) {
  const asked = retryAfter === null ? Number.NaN : Number(retryAfter);
  const seconds = Number.isFinite(asked) ? asked : 2 ** attempt;
  return Math.min(seconds, waitSecondsMax) * 1_000 * (1 + Math.random() / 4);
}

/** Resolves once the records are on the server's disk. Rejects with what the server refuses for good. */
export async function send(edge, key, records) {
  const body = JSON.stringify(records);
  for (let attempt = 0; attempt < triesMax; attempt++) {
    let retryAfter = null;
    let answer;
    try {
      answer = await fetch(`${edge}/http/messages`, {
        method: 'POST',
        headers: { authorization: `Thing ${key}`, 'content-type': 'application/senml+json' },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch {
      // No answer: it may have arrived. The same time makes a second copy easy to tell.
    }
    if (answer !== undefined) {
      const text = await answer.text();
      if (answer.status === 202) return;
      if (answer.status !== 429 && answer.status !== 503) {
        throw new Error(`refused: ${answer.status} ${text}`);
      }
      retryAfter = answer.headers.get('retry-after');
    }
    await new Promise((resolve) => setTimeout(resolve, msToWait(attempt, retryAfter)));
  }
  throw new Error(`not sent after ${triesMax} tries`);
}

const { MILLRACE_EDGE: edge, MILLRACE_KEY: key } = process.env;
await send(edge, key, [{ n: 'temperature', u: 'Cel', t: Date.now() / 1_000, v: 21.5 }]);
process.stdout.write('202\n');

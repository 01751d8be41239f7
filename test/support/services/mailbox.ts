import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** `later`, `never`: refused for now, for good. `hang`: taken whole, and never answered. */
type Manner = 'take' | 'later' | 'never' | 'hang';

/** A real SMTP server that keeps what it is sent, and lets in one user. */
export type Mailbox = {
  /** With the user and the password. */
  url: string;
  /** What was taken for a receiver, as it came. */
  mailsTo(address: string): string[];
  /** How many times something was sent to a receiver. */
  triesFor(address: string): number;
  /** What happens to mails for a receiver, by the number of the try, from 1. */
  treat(address: string, manner: (nthTry: number) => Manner): void;
  close(): Promise<void>;
};

/** A mail as its reader sees it: words of its head, soft line breaks and bytes are no longer quoted. */
export const plain = (mail: string): string => {
  const unfolded = mail
    .replaceAll(/\?=\r?\n =\?UTF-8\?Q\?/g, '')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/g, (_quoted, words: string) => words.replaceAll('_', ' '))
    .replaceAll(/=\r?\n/g, '');
  const bytes = unfolded.replaceAll(/=([\dA-F]{2})/g, (_quoted, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
};

export async function openMailbox(password: string): Promise<Mailbox> {
  const taken = new Map<string, string[]>();
  const tries = new Map<string, number>();
  const manners = new Map<string, (nthTry: number) => Manner>();

  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth(auth, _session, callback) {
      if (auth.password === password) callback(null, { user: auth.username ?? '' });
      else callback(new Error('wrong password'));
    },
    onData(stream, session, callback) {
      const address = session.envelope.rcptTo[0]?.address ?? '';
      const answer = (mail: string) => {
        const nthTry = (tries.get(address) ?? 0) + 1;
        tries.set(address, nthTry);
        const manner = manners.get(address)?.(nthTry) ?? 'take';
        if (manner === 'hang') return;
        if (manner === 'take') taken.set(address, [...(taken.get(address) ?? []), mail]);
        const responseCode = manner === 'later' ? 451 : 550;
        callback(manner === 'take' ? null : Object.assign(new Error('no'), { responseCode }));
      };
      // Who breaks off has sent nothing.
      text(stream).then(answer, () => undefined);
    },
  });
  server.on('error', () => undefined);
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `smtp://millrace:${password}@127.0.0.1:${address.port}`,
    mailsTo: (receiver) => taken.get(receiver) ?? [],
    triesFor: (receiver) => tries.get(receiver) ?? 0,
    treat: (receiver, manner) => void manners.set(receiver, manner),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

import type { Terminal } from './child.ts';
import { renderLine } from './lines.ts';

/** Errors of output into a file: its lines are lost, and later ones may find room again. */
const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Prints on standard output. `onGone` is told when nobody can read it any more. */
export function openTerminal(onGone: () => void): Terminal {
  const stream = process.stdout;
  let gone = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (noRoom.has(error.code ?? '')) return;
    if (!gone) onGone();
    gone = true;
  });
  const line: Terminal['line'] = (name, text) => {
    if (!gone) stream.write(`${renderLine(name, text, Date.now(), stream)}\n`);
  };
  return {
    line,
    say: (name, level, message) => line(name, { timeMs: Date.now(), level, message, fields: {} }),
  };
}

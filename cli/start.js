// Starts main.ts. Node strips the types of a file each time it runs, which takes longer than all the
// rest of a short command: here it is done once, and what comes out is kept, named by the hash of what
// it came from. Plain JavaScript, because this is what runs before there are no types.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { enableCompileCache, registerHooks, stripTypeScriptTypes } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const directory = openCache();
if (directory !== undefined) {
  enableCompileCache(join(directory, 'compiled'));
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
      const source = readFileSync(fileURLToPath(url), 'utf8');
      return { format: 'module', source: stripped(directory, source), shortCircuit: true };
    },
  });
}
await import('./main.ts');

/** Where it is kept: undefined where nobody but this user may be kept from writing there. */
function openCache() {
  const at = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace');
  try {
    mkdirSync(at, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(at);
    return uid === process.getuid?.() && (mode & 0o022) === 0 ? at : undefined;
  } catch {
    return undefined;
  }
}

function stripped(cache, source) {
  const hash = createHash('sha256').update(process.version).update(source).digest('hex');
  const at = join(cache, `${hash}.js`);
  try {
    return readFileSync(at, 'utf8');
  } catch {
    const text = stripTypeScriptTypes(source);
    try {
      writeFileSync(`${at}.${process.pid}`, text, { mode: 0o600 });
      renameSync(`${at}.${process.pid}`, at);
    } catch {
      // A full disk makes it slower, not wrong.
    }
    return text;
  }
}

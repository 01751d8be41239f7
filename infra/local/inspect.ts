import { readRun } from './installation/run-file.ts';

/*
 * `npm run inspect api [DATA_DIR]`: opens the debugger's port of one process of a running `npm start`: `ingest`,
 * `api` or `workers`. Node listens at 127.0.0.1:9229 from then on, until that process is restarted; the port is one
 * for all, so it is one process at a time.
 */

const [name = 'api', dataDir = './data'] = process.argv.slice(2);
const children = readRun(dataDir)?.children ?? {};
const child = children[name];
if (child === undefined) {
  const running = Object.keys(children).join(', ') || 'nothing';
  process.stderr.write(`no ${name} runs on ${dataDir}: there is ${running}\n`);
  process.exit(1);
}
// Node's own signal: it starts the inspector of a process that was started without one.
process.kill(child.pid, 'SIGUSR1');
process.stdout.write(`${name}, pid ${child.pid}: debuggers attach at 127.0.0.1:9229\n`);

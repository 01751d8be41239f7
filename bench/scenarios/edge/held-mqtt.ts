import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

type Held = {
  port: number;
  over?: 'tcp' | 'tls';
  count: number;
  credentials: readonly string[];
};

/** Idle connections of MQTT to an edge, by a process of their own. Waits until all are open. */
export async function holdMqtt({ port, over = 'tcp', count, credentials }: Held) {
  const script = join(import.meta.dirname, 'idle-mqtt.ts');
  const args = [script, String(port), over, String(count), ...credentials];
  const holder = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit');
  const open = async () => {
    const [said] = await Promise.race([once(holder.stdout, 'data'), ended]);
    if (String(said) !== 'open\n') throw new Error('the holder of connections has ended');
  };
  await open();
  return {
    /** Resolves once those that were lost are open again. To be asked while they are not. */
    openAgain: open,
    async close(): Promise<void> {
      holder.stdin.end();
      await ended;
    },
  };
}

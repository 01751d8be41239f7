import { type ChildProcess, execFileSync, spawn } from 'node:child_process';

/** A network of hosts on this machine: a namespace for each, all on one switch. Needs root and iproute2. */
export class Network {
  readonly #prefix: string;
  readonly #subnet: string;
  readonly #names: string[] = [];

  constructor() {
    this.#prefix = `mr${process.pid}`;
    // Of the networks that are kept for tests of networks (RFC 2544).
    this.#subnet = `198.18.${process.pid % 250}`;
    const hub = this.#namespace('hub');
    ip('netns', 'add', hub);
    ip('-n', hub, 'link', 'add', 'switch', 'type', 'bridge');
    ip('-n', hub, 'link', 'set', 'switch', 'up');
    // This process is a host too.
    const uplink = this.#namespace('me');
    ip('link', 'add', uplink, 'type', 'veth', 'peer', 'name', 'me', 'netns', hub);
    ip('address', 'add', `${this.address}/24`, 'dev', uplink);
    ip('link', 'set', uplink, 'up');
    this.#plugIn('me');
  }

  /** Of this process. */
  get address(): string {
    return `${this.#subnet}.1`;
  }

  /** Adds a host, and gives its address. */
  add(name: string): string {
    const hub = this.#namespace('hub');
    const host = this.#namespace(name);
    this.#names.push(name);
    const address = `${this.#subnet}.${this.#names.length + 1}`;
    ip('netns', 'add', host);
    ip('-n', host, 'link', 'set', 'lo', 'up');
    ip('-n', hub, 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', host);
    ip('-n', host, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', host, 'link', 'set', 'eth0', 'up');
    this.#plugIn(name);
    return address;
  }

  /** Nothing reaches this host any more, and nothing leaves it. No connection is told. */
  cut(name: string): void {
    ip('-n', this.#namespace('hub'), 'link', 'set', name, 'down');
  }

  mend(name: string): void {
    ip('-n', this.#namespace('hub'), 'link', 'set', name, 'up');
  }

  /** Starts a command on a host, with this environment and no other. */
  run(
    name: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    stdout: 'inherit' | 'pipe' = 'inherit',
  ): ChildProcess {
    return spawn('nsenter', [`--net=/run/netns/${this.#namespace(name)}`, command, ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', stdout, 'inherit'],
    });
  }

  /** Connections from outside reach what listens on this port of the host's own loopback alone. */
  open(name: string, port: number): void {
    const inside = (...command: string[]) => ip('netns', 'exec', this.#namespace(name), ...command);
    inside('sysctl', '-q', '-w', 'net.ipv4.conf.all.route_localnet=1');
    const to = ['-j', 'DNAT', '--to-destination', `127.0.0.1:${port}`];
    inside('iptables', '-t', 'nat', '-A', 'PREROUTING', '-p', 'tcp', '--dport', `${port}`, ...to);
  }

  /** Its processes must have ended. */
  close(): void {
    for (const name of [...this.#names, 'hub']) ip('netns', 'del', this.#namespace(name));
  }

  #plugIn(name: string): void {
    const hub = this.#namespace('hub');
    ip('-n', hub, 'link', 'set', name, 'master', 'switch');
    ip('-n', hub, 'link', 'set', name, 'up');
  }

  #namespace(name: string): string {
    return `${this.#prefix}-${name}`;
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

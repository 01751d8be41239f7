import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { certificateHeaders } from '../../ingest/doors/http/certificate-proxies.ts';
import { IssuedCertificate } from '../../schemas/resources/certificate.ts';
import { pickPortsInRow } from '../../infra/local/installation/ports.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { connectMqtt, endMqttClients } from '../support/messages/mqtt.ts';
import { Line } from '../cli/running/line.ts';
import { OpenSsl } from '../support/services/openssl.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';

/*
 * The files under infra/deploy/proxies, run by the proxies themselves. Only addresses and paths are other ones here. A
 * proxy that is not installed is not tried, and the test says so:
 * `apt-get install nginx libnginx-mod-stream haproxy caddy`.
 */

type Proxy = {
  file: string;
  command: string;
  args: (file: string, directory: string) => string[];
  /** Where in the file it listens; `443` stands for the port. */
  listens: string;
  /** Where it listens to MQTT, if it passes TCP on. */
  listensToMqtt?: string;
  header: (typeof certificateHeaders)[number];
  /** What it finds out by itself about the clients that it serves, where it passes that on. */
  findings?: (directory: string) => Promise<Record<string, string>>;
};

/** A module of nginx that Debian has in a package of its own. */
const streamModule = join(
  process.env['NGINX_MODULES'] ?? '/usr/lib/nginx/modules',
  'ngx_stream_module.so',
);
const hasStreams = existsSync(streamModule);

const all: Proxy[] = [
  {
    file: 'nginx.conf',
    command: 'nginx',
    args: (file, directory) =>
      ['-c', file, '-p', directory, '-e', 'stderr'].concat(
        '-g',
        `daemon off; pid ${directory}/nginx.pid;`,
      ),
    listens: 'listen 443 ssl;',
    ...(hasStreams ? { listensToMqtt: 'listen 8883 ssl;' } : {}),
    header: 'x-ssl-client-cert',
  },
  {
    file: 'haproxy.cfg',
    command: 'haproxy',
    args: (file, directory) => ['-db', '-f', file, '-f', join(directory, 'stats.cfg')],
    listens: 'bind :443 ssl',
    listensToMqtt: 'bind :8883 ssl',
    header: 'client-cert',
    findings: askHaproxy,
  },
  {
    file: 'Caddyfile',
    command: 'caddy',
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
    listens: 'https://:443 {',
    header: 'client-cert',
  },
];

/** The state of each server, and how its last check ended. */
async function askHaproxy(directory: string): Promise<Record<string, string>> {
  const socket = connect(join(directory, 'stats'));
  socket.end('show stat\n');
  const [names = [], ...rows] = (await text(socket)).split('\n').map((row) => row.split(','));
  const at = (row: string[], name: string) => row[names.indexOf(name)] ?? '';
  const servers = rows.filter((row) => ['edge', 'api', 'mqtt'].includes(at(row, 'svname')));
  return Object.fromEntries(
    servers.map((row) => [at(row, 'svname'), `${at(row, 'status')} ${at(row, 'check_status')}`]),
  );
}

const isInstalled = ({ command }: Proxy) =>
  spawnSync(command, [command === 'caddy' ? 'version' : '-v']).status === 0;
const tried = all.filter(isInstalled);
const commandsOf = (proxies: Proxy[]) => proxies.map(({ command }) => command).join(', ') || 'none';
process.stdout.write(
  `proxies tried: ${commandsOf(tried)}; not installed here: ${commandsOf(all.filter((one) => !tried.includes(one)))}\n`,
);

const read = (file: string) =>
  readFileSync(join(import.meta.dirname, '../../infra/deploy/proxies', file), 'utf8');

function textOf({ file }: Proxy): string {
  if (file !== 'nginx.conf' || !hasStreams) return read(file);
  return `load_module ${streamModule};\n${read(file)}\n${read('nginx-mqtt.conf')}`;
}

const addresses = { edge: '127.0.0.1:8081', api: '127.0.0.1:8080', files: '/etc/millrace/' };
const mqttAddress = '127.0.0.1:1883';
/** Of a health check. */
const edgePort = 'port 8081';

const good = '[{"n":"a","v":1}]';
/** Wrong keys that one address may send in a minute. */
const wrongKeys = 3;
const openSsl = new OpenSsl();
const server = openSsl.selfSigned('localhost');
const directory = mkdtempSync(join(tmpdir(), 'millrace-proxies-'));
let fleet: Fleet;
let thing: Thing;
/** The certificate of `thing`. */
let issued: IssuedCertificate;
const edges = new Map<string, OwnEdge>();
const lines: Line[] = [];

beforeAll(async () => {
  fleet = await Fleet.login(system());
  thing = await fleet.thing();
  const wanted = { thing_id: thing.id, ttl: '1h', key_type: 'ecdsa' };
  issued = Value.Parse(IssuedCertificate, (await fleet.call('POST', '/certs', wanted)).body);
  const readText = (path: string) => readFileSync(path, 'utf8');
  const write = (name: string, content: string) => writeFileSync(join(directory, name), content);
  write('server.pem', readText(server.certificate));
  write('server.key', readText(server.key));
  write('server-and-key.pem', readText(server.certificate) + readText(server.key));
  write('client-ca.pem', issued.issuing_ca);
  write('stats.cfg', `global\n    stats socket ${directory}/stats\n`);
  await Promise.all(
    certificateHeaders.map(async (header) => {
      const edge = await startOwnEdge({
        EDGE_CLIENT_CERT_PROXIES: '127.0.0.1',
        EDGE_CLIENT_CERT_HEADER: header,
        UNKNOWN_KEYS_PER_MINUTE_MAX: String(wrongKeys),
      });
      edges.set(header, edge);
    }),
  );
});

afterAll(async () => {
  await fleet.allStored();
  await fleet.close();
  await Promise.all([...edges.values()].map(stopOwnEdge));
  openSsl.close();
  rmSync(directory, { recursive: true });
});

it.each(all)('$file marks what to replace', (proxy) => {
  const content = textOf(proxy);
  const { listens, listensToMqtt } = proxy;
  const ofMqtt = listensToMqtt === undefined ? [] : [listensToMqtt, mqttAddress];
  for (const place of [...Object.values(addresses), listens, ...ofMqtt]) {
    expect(content).toContain(place);
  }
});

/** Starts one before the edge that reads certificates in this header. */
async function start(
  proxy: Proxy,
  header: Proxy['header'],
): Promise<{ url: string; mqttUrl: string; end: () => Promise<void> }> {
  const port = await pickPortsInRow(2);
  const mqttPort = port + 1;
  const { listens, listensToMqtt = '' } = proxy;
  const edge = edges.get(header);
  const content = textOf(proxy)
    .replaceAll(addresses.edge, `127.0.0.1:${edge?.port}`)
    .replace(edgePort, `port ${edge?.port}`)
    .replace(mqttAddress, `127.0.0.1:${edge?.mqttPort}`)
    .replaceAll(addresses.api, `127.0.0.1:${new URL(system().apiUrl).port}`)
    .replaceAll(addresses.files, `${directory}/`)
    .replace(listens, listens.replace('443', String(port)))
    .replace(listensToMqtt, listensToMqtt.replace('8883', String(mqttPort)));
  const file = join(directory, `${header}-${proxy.file}`);
  writeFileSync(file, content);
  const env = { ...process.env, HOME: directory, XDG_DATA_HOME: directory };
  const running = spawn(proxy.command, proxy.args(file, directory), { env });
  let said = '';
  for (const stream of [running.stdout, running.stderr]) {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      said += more;
    });
  }
  await eventually(async () => {
    const probe = connect(port, 'localhost');
    try {
      await once(probe, 'connect');
    } catch {
      throw new Error(said);
    } finally {
      probe.destroy();
    }
  });
  async function end(): Promise<void> {
    const ended = once(running, 'exit');
    // Asked politely, Caddy waits ten seconds for its clients.
    running.kill(proxy.command === 'caddy' ? 'SIGQUIT' : 'SIGTERM');
    await ended;
  }
  return { url: `https://localhost:${port}`, mqttUrl: `mqtts://localhost:${mqttPort}`, end };
}

type Pair = { cert?: string; key?: string };

function openLine(url: string, pair: Pair = {}, localAddress = '127.0.0.1'): Line {
  const ca = readFileSync(server.certificate);
  const line = Line.open(url, { ...pair, ca, servername: 'localhost' }, localAddress);
  lines.push(line);
  return line;
}

const length = `Content-Length: ${good.length}`;

function message(fields: string[], version = '1.1', path = '/http/messages'): string {
  return [
    `POST ${path} HTTP/${version}`,
    'Host: localhost',
    'Content-Type: application/senml+json',
    ...fields,
    '\r\n',
  ].join('\r\n');
}

/** Requests that pass a certificate on, by any of the headers that are known for it. */
function forgeries({ certificate }: IssuedCertificate): string[][] {
  const der = `:${certificate.replaceAll(/-----.*-----|\s/g, '')}:`;
  const escaped = encodeURIComponent(certificate);
  const nginx = [`X-SSL-Client-Cert: ${escaped}`, 'X-SSL-Client-Verify: SUCCESS'];
  return [
    [`Client-Cert: ${der}`],
    [`client-cert: ${der}`, `CLIENT-CERT: ${der}`],
    [`Client-Cert: ${der}`, `Client-Cert-Chain: ${der}`],
    nginx,
    nginx
      .map((field) => field.toLowerCase().replace(/:.*/, ''))
      .map((name, at) => `${name}:${nginx[at]?.replace(/^[^:]*:/, '')}`),
    [`X-Forwarded-Client-Cert: Cert="${escaped}"`],
    [`Client-Cert: ${der}`, ...nginx, `X-Forwarded-Client-Cert: Cert="${escaped}"`],
  ];
}

const mqttVersions = [4, 5] as const;

/** One message by each promise. */
async function sendWithMqtt({ client }: Awaited<ReturnType<typeof connectMqtt>>): Promise<void> {
  for (const qos of [1, 2] as const) await client.publishAsync('x', good, { qos });
}

const settings = tried.flatMap((proxy) => certificateHeaders.map((header) => ({ proxy, header })));

describe.each(settings)('through $proxy.command to an edge that reads $header', (setting) => {
  const { proxy, header } = setting;

  it('no client writes a certificate that it does not have, by any header', async () => {
    const { url, end } = await start(proxy, header);
    const own = await fleet.thing();
    const forged = forgeries(issued);
    const line = openLine(url);
    for (const [at, fields] of forged.entries()) {
      line.send(`${message([length, ...fields])}${good}`);
      await line.answers(at + 1);
    }
    expect(line.statuses()).toEqual(forged.map(() => 401));
    // Nor beside its own.
    const wanted = { thing_id: own.id, ttl: '1h', key_type: 'ecdsa' };
    const other = Value.Parse(IssuedCertificate, (await fleet.call('POST', '/certs', wanted)).body);
    const known = openLine(url, { cert: other.certificate, key: other.private_key });
    for (const [at, fields] of forged.entries()) {
      known.send(`${message([length, ...fields])}${good}`);
      await known.answers(at + 1);
    }
    const isRead = header === proxy.header;
    expect(known.statuses()).toEqual(forged.map(() => (isRead ? 202 : 401)));
    await eventually(async () => {
      expect(await fleet.stored(own.id)).toBe(isRead ? forged.length : 0);
    });
    for (const one of [line, known]) one.end();
    await end();
  });
});

describe.each(tried)('through $command', (proxy) => {
  let url: string;
  let mqttUrl: string;
  let end: () => Promise<void>;

  beforeAll(async () => {
    ({ url, mqttUrl, end } = await start(proxy, proxy.header));
  });

  afterAll(async () => {
    endMqttClients();
    for (const line of lines) line.end();
    await end();
  });

  const open = (pair?: Pair, localAddress?: string) => openLine(url, pair, localAddress);

  it('devices send what the edge alone refuses', async () => {
    const own = await fleet.thing();
    const key = `Authorization: Thing ${own.key}`;
    const line = open();
    line.send(`${message([key, length])}${good}\r\n`);
    await line.answers(1);
    line.send(`${message([key, length])}${good}`);
    await line.answers(2);
    line.send(`${message([key, 'Transfer-Encoding: chunked'])}11;a=1\r\n${good}\r\n0;b=2\r\n\r\n`);
    await line.answers(3);
    const old = open();
    old.send(`${message([key, length], '1.0')}${good}`);
    await old.closed();
    expect([...line.statuses(), ...old.statuses()]).toEqual([202, 202, 202, 202]);
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(4));
  });

  it('a device is known by its certificate', async () => {
    const line = open({ cert: issued.certificate, key: issued.private_key });
    const paths = ['/http/messages', '/http/messages/a', '/messages', '/messages/a?limit=1'];
    for (const [at, path] of paths.entries()) {
      line.send(`${message([length], '1.1', path)}${good}`);
      await line.answers(at + 1);
    }
    expect(line.statuses()).toEqual([202, 202, 202, 202]);
  });

  it('devices keep a stream', async () => {
    const own = await fleet.thing();
    const socket = new WebSocket(`${url.replace('https', 'wss')}/http/messages/stream`, {
      ca: readFileSync(server.certificate),
      headers: { Authorization: `Thing ${own.key}` },
    });
    await once(socket, 'open');
    socket.send(good);
    const [answer] = await once(socket, 'message');
    expect(JSON.parse(String(answer))).toEqual({ ack: 1 });
    socket.close();
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(1));
  });

  it.each(mqttVersions)('devices speak MQTT over a WebSocket (version %i)', async (version) => {
    const own = await fleet.thing();
    const at = { url: `${url.replace('https', 'wss')}/mqtt` };
    const ca = readFileSync(server.certificate);
    const byKey = await connectMqtt(own.key, version, { ...at, wsOptions: { ca } });
    await sendWithMqtt(byKey);
    const pair = { ca, cert: issued.certificate, key: issued.private_key };
    const known = { ...at, username: '', wsOptions: pair };
    const byCertificate = await connectMqtt('', version, known);
    await sendWithMqtt(byCertificate);
    const wrong = connectMqtt('', version, { ...known, wsOptions: { ca } });
    await expect(wrong).rejects.toMatchObject({ code: version === 5 ? 0x86 : 4 });
    await Promise.all([byKey.end(), byCertificate.end()]);
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(2));
  });

  it.runIf(proxy.listensToMqtt !== undefined).each(mqttVersions)(
    'devices speak MQTT over TLS (version %i)',
    async (version) => {
      const own = await fleet.thing();
      const options = { url: mqttUrl, ca: readFileSync(server.certificate) };
      const device = await connectMqtt(own.key, version, options);
      await sendWithMqtt(device);
      await device.end();
      await eventually(async () => expect(await fleet.stored(own.id)).toBe(2));
    },
  );

  it('what is for operators is not there', async () => {
    const line = open();
    const paths = [
      '/metrics',
      '/metrics?x',
      '/metrics/',
      '/%6detrics',
      '/svcthings/metrics',
    ].concat('//metrics', '/bench/results', '/bench/%72esults?x=1');
    for (const [at, path] of paths.entries()) {
      line.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await line.answers(at + 1);
    }
    expect(line.statuses()).toEqual(paths.map(() => 404));
  });

  it('the edge counts wrong keys by the address of the client', async () => {
    const wrong = async (from: string) => {
      const line = open({}, from);
      line.send(`${message([length, 'Authorization: Thing wrong'])}${good}`);
      await line.answers(1);
      line.end();
      return line.statuses()[0];
    };
    // Of this proxy alone: two of them may be before one edge.
    const [guesser, other] = ['127.0.1', '127.0.2'].map(
      (net) => `${net}.${all.indexOf(proxy) + 1}`,
    );
    const statuses: unknown[] = [];
    for (let at = 0; at <= wrongKeys; at++) {
      statuses.push(await wrong(String(guesser)));
    }
    expect(statuses.at(0)).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    expect(await wrong(String(other))).toBe(401);
  });

  it.each([proxy.findings ?? []].flat())('its health checks pass', async (ask) => {
    const well = { edge: 'UP L7OK', api: 'UP L7OK', mqtt: 'UP L7OK' };
    await eventually(async () => expect(await ask(directory)).toEqual(well));
  });

  it('users follow messages live', async () => {
    const own = await fleet.thing();
    const line = open();
    line.send(
      `GET /reader/senml/live?publisher=${own.id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${fleet.token}\r\n\r\n`,
    );
    await line.answers(1);
    expect(line.statuses()).toEqual([200]);
    expect(await fleet.publish(own.key, good)).toMatchObject({ status: 202 });
    await eventually(async () => expect(await line.answers(1)).toContain(own.id));
  });
});

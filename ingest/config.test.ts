import { describe, expect, it } from 'vitest';
import { readIngestConfig } from './config.ts';

const env = {
  DATABASE_URL: 'postgres://127.0.0.1',
  REDIS_URL: 'redis://127.0.0.1',
  CLICKHOUSE_URL: 'http://127.0.0.1:1',
  SECRET_KEY: 'a secret of some length',
};

describe('the settings of an edge', () => {
  it('trust no proxy with certificates by default, and open no port with TLS', () => {
    const { listen } = readIngestConfig(env);
    expect([listen.certificateProxies, listen.tls]).toEqual([undefined, undefined]);
  });

  it('give each edge that shares a port one of its own for operators', () => {
    expect(readIngestConfig(env)).toMatchObject({
      operatorPort: undefined,
      listen: { processes: 1 },
    });
    const second = { ...env, INGEST_PROCESSES: '2', INGEST_INDEX: '1' };
    expect(readIngestConfig(second)).toMatchObject({
      operatorPort: 8091,
      listen: { processes: 2 },
    });
    expect(readIngestConfig({ ...second, INGEST_OPERATOR_PORT: '0' }).operatorPort).toBe(0);
  });

  it('are refused together, by their names', () => {
    const wrong = { ...env, SECRET_KEY: 'short', LOG_MAX_BYTES: '1' };
    expect(() => readIngestConfig(wrong)).toThrow(/SECRET_KEY[^]*LOG_MAX_BYTES/);
  });

  it.each([
    'nonsense',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.1-10.0.0.9',
    '::/129',
    '10.0.0.0/8,',
    '10/8',
  ])('name the networks of proxies, and %j is none', (text) => {
    expect(() => readIngestConfig({ ...env, EDGE_CLIENT_CERT_PROXIES: text })).toThrow(
      /EDGE_CLIENT_CERT_PROXIES/,
    );
  });

  it('name the header that the proxies write: none is taken for granted', () => {
    const proxies = { ...env, EDGE_CLIENT_CERT_PROXIES: '127.0.0.1' };
    expect(() => readIngestConfig(proxies)).toThrow(/EDGE_CLIENT_CERT_HEADER: is missing/);
    expect(() => readIngestConfig({ ...proxies, EDGE_CLIENT_CERT_HEADER: '' })).toThrow(
      /EDGE_CLIENT_CERT_HEADER: is missing/,
    );
    expect(() => readIngestConfig({ ...proxies, EDGE_CLIENT_CERT_PROXIES: 'x' })).toThrow(
      /EDGE_CLIENT_CERT_PROXIES: [^]*EDGE_CLIENT_CERT_HEADER: /,
    );
    const named = readIngestConfig({ ...proxies, EDGE_CLIENT_CERT_HEADER: 'client-cert' });
    expect(named.listen.certificateProxies).toBeDefined();
  });

  it('are refused where TLS lacks one, by its name', () => {
    const port = { ...env, EDGE_TLS_PORT: '8443' };
    expect(() => readIngestConfig(port)).toThrow(/EDGE_TLS_CERT and EDGE_TLS_KEY/);
    const files = { EDGE_TLS_CERT: import.meta.filename, EDGE_TLS_KEY: '/nowhere' };
    expect(() => readIngestConfig({ ...env, ...files })).toThrow(/needs EDGE_TLS_PORT/);
    expect(() => readIngestConfig({ ...port, ...files })).toThrow(/EDGE_TLS_KEY: \/nowhere/);
    expect(() => readIngestConfig({ ...env, EDGE_CLIENT_CERT_HEADER: 'x-cert' })).toThrow(
      /EDGE_CLIENT_CERT_HEADER/,
    );
  });

  it('bound connections, and those that stay open, by the descriptors that there are', () => {
    const { connections, thingConnections } = readIngestConfig(env, 1_024);
    expect(connections).toEqual({ max: 768, perNetworkMax: 192 });
    expect(thingConnections).toEqual({
      max: 576,
      perNetworkMax: 192,
      perOrgMax: 288,
      perThingMax: { mqtt: 64, ws: 16 },
    });
    const own = { EDGE_CONNECTIONS_PER_NETWORK_MAX: '500', EDGE_STREAMS_PER_ORG_MAX: '300' };
    const raised = readIngestConfig({ ...env, ...own }, 1_024);
    expect([raised.connections.perNetworkMax, raised.thingConnections.perOrgMax]).toEqual([
      500, 300,
    ]);
    expect(() => readIngestConfig(env, 200)).toThrow(/200 files and sockets open, and needs 320/);
  });
});

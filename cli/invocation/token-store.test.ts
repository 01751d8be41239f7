import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TokenStore, TokenStoreError } from './token-store.ts';

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-store-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'millrace');
}

describe('stored logins', () => {
  it('are one for each server, and independent', () => {
    const store = new TokenStore(newDirectory());
    store.keep('http://localhost:8080/svcusers', { email: 'a@x', token: 'ta' });
    store.keep('https://mill.example', { email: 'b@x', token: 'tb' });
    expect(store.find('http://localhost:8080')?.token).toBe('ta');
    expect(store.find('http://localhost:8081')).toBeUndefined();
    expect(store.find('http://mill.example')).toBeUndefined();
    expect(store.forget('http://localhost:8080')).toBe(true);
    expect(store.forget('http://localhost:8080')).toBe(false);
    expect(store.find('https://mill.example/x')?.token).toBe('tb');
  });

  it('can be read by their owner only, whatever mode the file had', () => {
    const directory = newDirectory();
    const store = new TokenStore(directory);
    store.keep('http://a', { email: 'a', token: 't' });
    chmodSync(join(directory, 'logins.json'), 0o644);
    store.keep('http://b', { email: 'b', token: 't' });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'logins.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['logins.json']);
  });

  it('in a damaged file are reported, with what to do', () => {
    const directory = newDirectory();
    const store = new TokenStore(directory);
    store.keep('http://a', { email: 'a', token: 't' });
    writeFileSync(join(directory, 'logins.json'), '{');
    expect(() => store.find('http://a')).toThrow(TokenStoreError);
    expect(() => store.find('http://a')).toThrow(/delete it, and log in again/);
  });
});

import { describe, expect, it } from 'vitest';
import { withoutLogin } from './sealing.ts';

const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;

describe('a webhook from before headers were sealed', () => {
  it('logs in by a header as it did by its URL', () => {
    const url = 'https://mill%20er:pa%3Ass@receiver.example:8443/path?a=b';
    expect(withoutLogin({ url, headers: { 'X-A': 'b' } })).toEqual({
      url: 'https://receiver.example:8443/path?a=b',
      headers: { 'X-A': 'b', Authorization: basic('mill er:pa:ss') },
    });
    const headers = { authorization: 'Bearer own' };
    expect(withoutLogin({ url, headers }).headers).toEqual(headers);
    expect(withoutLogin({ url: 'https://%E0%A4@a.example/', headers: {} })).toEqual({
      url: 'https://a.example/',
      headers: { Authorization: basic('%E0%A4:') },
    });
  });

  it('keeps its URL as it was written, and loses headers that were never sent', () => {
    const url = 'http://EXAMPLE.com/a b?c';
    const headers = { 'content-type': 'a/b', 'Webhook-Id': '1', 'Proxy-X': '', 'X-Own': 'own' };
    expect(withoutLogin({ url, headers })).toEqual({ url, headers: { 'X-Own': 'own' } });
  });
});

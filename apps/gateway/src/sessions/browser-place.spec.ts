import { describe, expect, test } from 'vitest';
import { isFromLoopback } from '../http/loopback-request.js';
import { BrowserPlaces, LOOPBACK_COOKIE, SECURE_COOKIE } from './browser-place.js';

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
  isFromLoopback({ headers: { host: '127.0.0.1:7070', ...headers }, raw: { socket: { remoteAddress } } } as never);

test('a request is from this machine only if its peer and its host are loopback and no proxy forwarded it', () => {
  for (const peer of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) expect(from(peer)).toBe(true);
  for (const peer of ['10.0.0.5', '::ffff:10.0.0.5', undefined]) expect(from(peer)).toBe(false);
  expect(from('127.0.0.1', { host: 'gw.example' })).toBe(false);
  expect(from('127.0.0.1', { host: '127.0.0.1.evil.example' })).toBe(false);
  expect(from('127.0.0.1', { 'x-forwarded-for': '10.0.0.5' })).toBe(false);
});

describe('places of browsers', () => {
  const secure = { origin: 'https://gw.example', cookie: SECURE_COOKIE };
  const local = { origin: 'http://127.0.0.1:7070', cookie: LOOPBACK_COOKIE };

  test('without a public https URL only http on loopback has sessions', () => {
    for (const places of [new BrowserPlaces(undefined), new BrowserPlaces('http://gw.example')]) {
      expect(places.of({ host: '127.0.0.1:7070' })).toEqual([local]);
      for (const host of ['gw.example', '10.0.0.5:7070', 'localhost.evil.example', '127.0.0.2:7070', '127.0.0.1:99999', undefined])
        expect(places.of({ host })).toEqual([]);
      expect(places.ofSignIn({ host: 'gw.example', origin: 'http://gw.example' })).toBeUndefined();
    }
    expect(new BrowserPlaces(undefined).of({ host: '[::1]:7070' })[0]?.origin).toBe('http://[::1]:7070');
    expect(new BrowserPlaces(undefined).of({ host: 'LOCALHOST:7070' })[0]?.origin).toBe('http://localhost:7070');
  });

  test('with a public https URL its origin has sessions, whatever host a proxy sends; loopback has its own', () => {
    const places = new BrowserPlaces('https://gw.example/base');
    expect(places.of({ host: 'internal:80' })).toEqual([secure]);
    expect(places.ofSignIn({ host: '127.0.0.1:7070', origin: 'https://gw.example' })).toEqual(secure);
    expect(places.ofSignIn({ host: '127.0.0.1:7070', origin: 'http://127.0.0.1:7070' })).toEqual(local);
    expect(places.ofSignIn({ host: '127.0.0.1:7070' })).toEqual(secure);
    for (const origin of ['null', 'https://evil.example', 'http://gw.example', 'https://gw.example:8443'])
      expect(places.ofSignIn({ host: 'gw.example', origin })).toBeUndefined();
  });
});

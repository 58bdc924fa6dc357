import { describe, expect, test } from 'vitest';
import { Proxies, proxySettings } from './proxies.js';

const URLS = ['https://api.example.com/x', 'http://api.example.com/x', 'https://other.test:8443/'];
const taken = (setting: string | undefined, environment: Record<string, string> = {}) =>
  URLS.map((url) => Proxies.of(setting, environment).proxyFor(new URL(url))?.href);
const both = { HTTPS_PROXY: 'http://secure:3128', HTTP_PROXY: 'http://plain:3128' };

describe('the proxy for outbound requests', () => {
  test('is unset unless the operator sets one, whatever the environment contains', () => {
    expect(taken(undefined, both)).toEqual([undefined, undefined, undefined]);
    expect(taken('', both)).toEqual([undefined, undefined, undefined]);
  });

  test('is the one that the operator names, whatever the environment contains', () => {
    expect(taken('http://own:3128', { ...both, NO_PROXY: '*' })).toEqual(Array(3).fill('http://own:3128/'));
  });

  test('is that of the environment if the operator selects it, lower case first', () => {
    expect(taken('environment', both)).toEqual(['http://secure:3128/', 'http://plain:3128/', 'http://secure:3128/']);
    expect(taken('environment', { ...both, https_proxy: 'http://small:1' })[0]).toBe('http://small:1/');
    expect(taken('environment', {})).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ['*', [true, true, true]],
    ['example.com', [true, true, false]],
    ['.example.com', [true, true, false]],
    ['*.example.com other.test:8443', [true, true, true]],
    ['ample.com,test:443', [false, false, false]],
    ['API.EXAMPLE.COM:443', [true, false, false]],
  ])('NO_PROXY=%s: such hosts are reached directly', (no_proxy, direct) => {
    expect(taken('environment', { ...both, NO_PROXY: no_proxy }).map((proxy) => proxy === undefined)).toEqual(direct);
  });

  test('is refused at start if it is not an http or https URL', () => {
    const set = (COUNTERSIGN_OUTBOUND_PROXY: string, more = {}) => proxySettings({ COUNTERSIGN_OUTBOUND_PROXY, ...more });
    for (const right of [proxySettings(both), set(''), set('http://p:1'), set('environment', both)])
      expect(right).toHaveProperty('proxies');
    for (const wrong of ['proxy:3128', 'socks5://p:1', 'yes', ' '])
      expect(set(wrong)).toEqual({ fault: expect.stringContaining('COUNTERSIGN_OUTBOUND_PROXY: ') });
    expect(set('environment', { https_proxy: 'proxy:3128' })).toEqual({ fault: expect.stringContaining('HTTPS_PROXY') });
  });
});

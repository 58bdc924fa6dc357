import { describe, expect, test } from 'vitest';
import { AddressRules } from './address-rules.js';

const NONE = new Set<string>();
/** Settings of every caller when the operator allows nothing private. */
const closed = {
  callbacks: AddressRules.forCallbacks(false),
  identity: AddressRules.forIdentity(false),
  tools: AddressRules.forTools(NONE),
  tool_endpoints: AddressRules.forToolEndpoints(NONE),
};
const all = Object.entries(closed);
const kindOf = (rules: AddressRules, url: string) => rules.fault(url)?.kind;

describe('an address is refused by the same rule for every caller', () => {
  test.each(all)('%s: names of the local network are refused before they are resolved', (_, rules) => {
    for (const host of [
      'localhost',
      'LOCALHOST.',
      'a.localhost..',
      'router',
      'printer.local',
      'idp.internal',
      'wiki.intranet',
      'x.home.arpa',
    ])
      expect([host, kindOf(rules, `https://${host}/`)]).toEqual([host, 'address']);
  });

  test.each(all)('%s: private addresses are refused in every spelling', (_, rules) => {
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '10.1.2.3',
      '100.64.0.1',
      '[::1]',
      '[fd00::1]',
      '[64:ff9b::7f00:1]',
    ])
      expect([host, kindOf(rules, `https://${host}/`)]).toEqual([host, 'address']);
  });

  test.each(all)('%s: other schemes, credentials in a URL and what is no URL are refused', (_, rules) => {
    expect(kindOf(rules, 'ftp://example.com/')).toBe('scheme');
    expect(kindOf(rules, 'file:///etc/passwd')).toBe('scheme');
    expect(kindOf(rules, 'https://user@example.com/')).toBe('credentials');
    expect(kindOf(rules, 'https://:pass@example.com/')).toBe('credentials');
    expect(kindOf(rules, 'example.com')).toBe('not_a_url');
  });

  test.each(all)('%s: a public name or address is taken', (_, rules) => {
    for (const host of ['idp.example.com', '93.184.216.34', '[2606:4700::1111]']) expect(rules.fault(`https://${host}/`)).toBeUndefined();
  });

  test.each(all)('%s: a name is refused where one of its addresses is, or it has none', (_, rules) => {
    const url = new URL('https://name.example/');
    expect(rules.answerFault(url, ['93.184.216.34', '2606:4700::1111'])).toBeUndefined();
    expect(rules.answerFault(url, ['93.184.216.34', '10.0.0.1'])).toBe('name.example is not a public address');
    expect(rules.answerFault(url, ['93.184.216.34', '169.254.169.254'])).toContain('metadata');
    expect(rules.answerFault(url, [])).toBe('name.example is not a public address');
  });
});

describe('exceptions that an operator may allow', () => {
  test('private addresses and local names, but never a metadata service', () => {
    for (const rules of [AddressRules.forCallbacks(true), AddressRules.forIdentity(true)]) {
      expect(rules.fault('http://10.0.0.1/')).toBeUndefined();
      expect(rules.fault('https://router/')).toBeUndefined();
      expect(kindOf(rules, 'https://169.254.169.254/')).toBe('address');
      expect(kindOf(rules, 'https://metadata.google.internal../')).toBe('address');
    }
  });

  test('one host of a tool, with and without its port, and no other', () => {
    const rules = AddressRules.forTools(new Set(['intranet.corp', '10.0.0.1:8080', 'localhost:443']));
    for (const url of ['http://intranet.corp:9/', 'http://10.0.0.1:8080/', 'https://LOCALHOST/']) expect(rules.fault(url)).toBeUndefined();
    for (const url of ['http://10.0.0.1/', 'http://10.0.0.2:8080/', 'http://localhost/'])
      expect([url, kindOf(rules, url)]).toEqual([url, 'address']);
    expect(rules.answerFault(new URL('http://intranet.corp/'), ['10.0.0.9'])).toBeUndefined();
    expect(rules.answerFault(new URL('http://intranet.corp/'), ['169.254.169.254'])).toContain('metadata');
    expect(rules.answerFault(new URL('http://other.corp/'), ['10.0.0.9'])).toBe('other.corp is not a public address');
  });
});

describe('plain http to an identity provider', () => {
  const open = AddressRules.forIdentity(true);

  test('is refused unless private addresses are allowed', () => {
    expect(closed.identity.fault('http://idp.example.com/')).toEqual({ kind: 'scheme', message: 'the URL must begin with https://' });
    expect(open.fault('http://idp.example.com/')).toBeUndefined();
  });

  test('sends no client secret to a public address, whether named or resolved', () => {
    expect(open.fault('http://93.184.216.34/')).toEqual({ kind: 'address', message: 'the URL must begin with https://' });
    expect(open.answerFault(new URL('http://idp.example.com/'), ['93.184.216.34'])).toBe(
      'idp.example.com is not a private address: use https',
    );
    expect(open.answerFault(new URL('http://idp.example.com/'), ['10.0.0.1'])).toBeUndefined();
    expect(open.answerFault(new URL('https://idp.example.com/'), ['93.184.216.34'])).toBeUndefined();
  });
});

test('an endpoint of a tool is https; plain http goes to listed hosts of private networks only', () => {
  const rules = AddressRules.forToolEndpoints(new Set(['127.0.0.1:8080', 'tools.internal']));
  for (const url of ['https://tools.example.com/', 'https://127.0.0.1:8080/', 'http://127.0.0.1:8080/', 'http://tools.internal/'])
    expect([url, kindOf(rules, url)]).toEqual([url, undefined]);
  expect(kindOf(rules, 'http://tools.example.com/')).toBe('scheme');
  expect(kindOf(rules, 'http://127.0.0.1:8081/')).toBe('scheme');
  expect(kindOf(rules, 'https://127.0.0.1:8081/')).toBe('address');
});

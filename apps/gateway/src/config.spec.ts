import { expect, test } from 'vitest';
import { defaultHttpLimits } from './bounds/http-limits.js';
import { parseGatewayConfig, publicUrl } from './config.js';

const platform = { lanes: ['shared'], data_dir: '/tmp' };

test.each([
  [{}, 'http://127.0.0.1:7070'],
  [{ COUNTERSIGN_HOST: 'gate.internal', COUNTERSIGN_PORT: '80' }, 'http://gate.internal:80'],
  [{ COUNTERSIGN_HOST: '0.0.0.0' }, 'http://127.0.0.1:7070'],
  [{ COUNTERSIGN_HOST: '::' }, 'http://127.0.0.1:7070'],
  [{ COUNTERSIGN_HOST: '::1' }, 'http://[::1]:7070'],
  [{ COUNTERSIGN_HOST: '0.0.0.0', COUNTERSIGN_PUBLIC_URL: 'https://gate.example' }, 'https://gate.example'],
  [{ COUNTERSIGN_PUBLIC_URL: 'https://gate.example/countersign/' }, 'https://gate.example/countersign'],
])('with %j links lead to %s', (env, url) => {
  const parsed = parseGatewayConfig(env, platform);
  if ('faults' in parsed) throw new Error(parsed.faults.join());
  expect(publicUrl(parsed.config)).toBe(url);
  expect(new URL(`${publicUrl(parsed.config)}/v1/decisions`).pathname).toMatch(/\/v1\/decisions$/);
});

test('HTTP connections and bodies have default limits', () => {
  const parsed = parseGatewayConfig({}, platform);
  expect('config' in parsed && parsed.config.http).toEqual(defaultHttpLimits);
  expect(defaultHttpLimits).toMatchObject({
    backlog: 4_096,
    headers_timeout_ms: 15_000,
    body_bytes_per_s_min: 16_000,
    trusted_proxies: [],
  });
});

test('an invalid proxy URL is reported beside the other faults', () => {
  const env = { COUNTERSIGN_OUTBOUND_PROXY: 'proxy:3128', COUNTERSIGN_PORT: 'x' };
  const parsed = parseGatewayConfig(env, platform);
  expect('faults' in parsed && parsed.faults).toEqual([
    expect.stringContaining('COUNTERSIGN_PORT'),
    expect.stringContaining('COUNTERSIGN_OUTBOUND_PROXY: must be'),
  ]);
});

test('limits below one large body, short metrics tokens and invalid proxy addresses are faults', () => {
  const parsed = parseGatewayConfig(
    {
      COUNTERSIGN_HTTP_BODY_BYTES_PER_TENANT_MAX: '1000',
      COUNTERSIGN_METRICS_TOKEN: 'short',
      COUNTERSIGN_TRUSTED_PROXIES: '10.0.0.0/8, proxy.internal',
    },
    platform,
  );
  expect('faults' in parsed && parsed.faults).toEqual([
    expect.stringContaining('COUNTERSIGN_HTTP_BODY_BYTES_PER_TENANT_MAX: must be a whole number of at least 1048576'),
    expect.stringContaining('COUNTERSIGN_TRUSTED_PROXIES: proxy.internal is not an address or a range'),
    expect.stringContaining('COUNTERSIGN_METRICS_TOKEN: '),
  ]);
});

import { expect, test } from '@jest/globals';
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

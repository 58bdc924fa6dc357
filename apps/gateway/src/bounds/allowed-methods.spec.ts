import { expect, test } from 'vitest';
import { AllowedMethods } from './allowed-methods.js';

const methods = new AllowedMethods();
methods.add('/v1/calls', 'POST');
methods.add('/v1/calls', ['GET', 'HEAD']);
methods.add('/v1/calls::batch', 'POST');
methods.add('/v1/calls/:call_id', 'GET');
methods.add('/v1/policies/active', 'PUT');
methods.add('/v1/policies/:version', 'GET');
methods.add('/v1/audit/tile/*', 'GET');

test.each([
  ['/v1/calls', ['GET', 'HEAD', 'POST']],
  ['/v1/%63alls', ['GET', 'HEAD', 'POST']],
  ['/v1/calls:batch', ['POST']],
  ['/v1/calls/x', ['GET']],
  ['/v1/calls/x%2Fy', ['GET']],
  ['/v1/calls/', []],
  ['/v1/calls/x/y', []],
  ['/v1/policies/active', ['PUT']],
  ['/v1/policies/%61ctive', ['PUT']],
  ['/v1/policies/7', ['GET']],
  ['/v1/audit/tile/8/data/000', ['GET']],
  ['/v1/audit/tile', []],
  ['/v1/%ZZ', []],
  ['/', []],
  ['*', []],
])('%s takes %j', (path, expected) => {
  expect(methods.of(path)).toEqual(expected);
});

test.each([
  ['/v1/policies/:version', '/v1/policies/active', true],
  ['/v1/policies/:version', '/v1/policies/%61ctive', true],
  ['/v1/policies/:version', '/v1/policies/actives', false],
  ['/v1/policies/active', '/v1/policies/active', false],
  ['/v1/audit/tile/*', '/v1/audit/tile/8', false],
])('the route %s is not for %s if a more specific route states that path: %s', (route, path, expected) => {
  expect(methods.isOfAnother(route, path)).toBe(expected);
});

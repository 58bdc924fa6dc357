import { expect, test } from 'vitest';
import { emptyImport, importFault, importRequest } from './import-request.js';

const form = { ...emptyImport('shop'), document: { name: 'a.json', bytes: 2, body: { document: '{}' } } };

test('an empty field is not sent: the import before it keeps its value', () => {
  expect(importRequest(form)).toEqual({ name: 'shop', document: '{}' });
  expect(importRequest({ ...form, source: 'url', url: ' https://api.example.com/a.json ' })).toEqual({
    name: 'shop',
    url: 'https://api.example.com/a.json',
  });
});

test('options are lines and JSON', () => {
  const more = {
    base_url: 'https://eu.example.com',
    server_variables: 'region = eu\nversion=v1',
    auth_as: 'header',
    auth_name: 'X-Key',
    only: 'GET /orders/{a,b}\ntag:Orders\n',
    operations: '{"createOrder": {"effect_class": "commit_low"}}',
  };
  expect(importRequest({ ...form, ...more })).toMatchObject({
    base_url: 'https://eu.example.com',
    server_variables: { region: 'eu', version: 'v1' },
    auth: { as: 'header', name: 'X-Key', secret: 'credential' },
    only: ['GET /orders/{a,b}', 'tag:Orders'],
    operations: { createOrder: { effect_class: 'commit_low' } },
  });
});

test('a form that cannot be sent says where', () => {
  const faults = (more: object) => Object.keys(importFault({ ...form, ...more }) ?? {});
  expect(faults({})).toEqual([]);
  expect(faults({ name: 'Shop' })).toEqual(['/name']);
  expect(faults({ document: undefined })).toEqual(['/document']);
  expect(faults({ source: 'url' })).toEqual(['/url']);
  expect(faults({ operations: '[1]' })).toEqual(['/operations']);
  expect(faults({ operations: '{' })).toEqual(['/operations']);
});

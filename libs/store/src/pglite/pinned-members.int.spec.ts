import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, expect, test } from 'vitest';
import { FrontendMessages } from '../wire/frontend.js';

/** An upgrade that changes one of these members breaks the backend: check each (README.md), then raise the version here. */
const VERSION = '0.5.16';

const db = await PGlite.create('memory://');
afterAll(() => db.close());

test('this is the version whose private members were checked', () => {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(path.join(path.dirname(main), '..', 'package.json'), 'utf8')) as { version: string };
  expect(version).toBe(VERSION);
});

test('the members that the backend overrides or wraps exist', () => {
  expect(typeof PGlite.prototype._initArrayTypes).toBe('function');
  expect(PGlite.defaultStartParams).toEqual(expect.arrayContaining([expect.any(String)]));
  const module = db.Module as unknown as {
    _PostgresMainLoopOnce: unknown;
    FS: { lookupPath(path: string): { node: { node_ops: { mknod: unknown } } } };
  };
  expect(typeof module._PostgresMainLoopOnce).toBe('function');
  expect(typeof module.FS.lookupPath('/pglite/data').node.node_ops.mknod).toBe('function');
});

test('a request has its response before its promise is returned', () => {
  const request = new FrontendMessages();
  request.simple('SELECT 1');
  const parts: Uint8Array[] = [];
  void db.execProtocolRawStream(request.take(), { syncToFs: false, onRawData: (part) => void parts.push(part) });
  expect(parts.length).toBeGreaterThan(0);
});

test('an ordinary error of a statement is thrown internally with status 100', () => {
  const module = db.Module as unknown as { _PostgresMainLoopOnce: () => void };
  const step = module._PostgresMainLoopOnce;
  const seen: unknown[] = [];
  module._PostgresMainLoopOnce = () => {
    try {
      step();
    } catch (error) {
      seen.push((error as { status?: number }).status);
      throw error;
    }
  };
  const request = new FrontendMessages();
  request.simple('SELECT nothing_of_this_name');
  void db.execProtocolRawStream(request.take(), { syncToFs: false, onRawData: () => undefined });
  module._PostgresMainLoopOnce = step;
  expect(seen).toEqual([100]);
});

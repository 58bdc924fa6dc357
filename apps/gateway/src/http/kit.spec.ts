import { Readable, Refusal } from '@countersign/calls';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FeatureApp } from '../testing/feature-app.js';
import { Roles } from './access.decorator.js';
import { Answer } from './answer.decorator.js';
import { JsonText } from './json-text.js';
import { AsRecorded } from './sealed-fields.interceptor.js';

const note = z.object({ text: z.string(), late: z.int().optional() }).meta({ id: 'Note' });
const SEALED = '{ "text":"sealed:1" }';

@Controller('notes')
class NotesController {
  @Get('made') @Roles() @Answer(note) made() {
    return new JsonText({ text: SEALED });
  }
  @Get('pieces') @Roles() @Answer(note) pieces() {
    return new JsonText({ pieces: ['{"text":', '"sealed:2"', '}'] });
  }
  @Get('value') @Roles() @Answer(note) value() {
    return { late: 1, text: 'sealed:3' };
  }
  @Get('record') @Roles() @AsRecorded() @Answer(note) record() {
    return new JsonText({ text: SEALED });
  }
  @Get('undeclared') @Roles() @Answer(note) undeclared() {
    return { text: 'x', more: 1 };
  }
  @Get('undeclared-text') @Roles() @Answer(note) undeclaredText() {
    return new JsonText({ text: '{"text":1}' });
  }
  @Get('unstated') unstated() {
    return { text: 'x' };
  }
  @Post() @Roles('operator') @Answer(note, { status: 201 }) add(@Body({ schema: note }) body: z.infer<typeof note>) {
    return body.text === 'none' ? new Refusal('not-found', 'no such note') : body;
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

/** Decrypts `sealed:1` to `open:1`. */
class Opening extends Readable {
  constructor() {
    super(undefined, { state: undefined as never });
  }
  override uses(): boolean {
    return true;
  }
  override text(_tenant: string, text: string): string {
    return text.replaceAll('sealed:', 'open:');
  }
}

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open([NotesModule], [], new Opening());
});
afterAll(() => app.close());
const get = (path: string) => app.send('GET', `/notes/${path}`, { role: 'agent' });

describe('responses', () => {
  test('serialized JSON is sent unchanged, except for decrypted fields', async () => {
    const { status, text, headers } = await get('made');
    expect([status, text]).toEqual([200, '{ "text":"open:1" }']);
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  });

  test('also in chunks', async () => {
    const { text, headers } = await get('pieces');
    expect(text).toBe('{"text":"open:2"}');
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  });

  test('a value keeps the order of its members', async () => {
    expect((await get('value')).text).toBe('{"late":1,"text":"open:3"}');
  });

  test('the record itself stays encrypted', async () => {
    const { text, headers } = await get('record');
    expect([text, headers['cache-control']]).toEqual([SEALED, undefined]);
  });

  test.each(['undeclared', 'undeclared-text'])('an undeclared response fails in strict mode: %s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 500, body: { code: 'UNKNOWN' } });
  });
});

describe('requests', () => {
  test('the guard requires a token and a role', async () => {
    expect((await app.send('POST', '/notes', { body: { text: 'x' } })).status).toBe(401);
    expect((await app.send('POST', '/notes', { role: 'agent', body: { text: 'x' } })).status).toBe(403);
    expect(await app.send('POST', '/notes', { role: 'operator', body: { text: 'x' } })).toMatchObject({ status: 201, body: { text: 'x' } });
  });

  test('a route without @Roles() or @Public() is refused', async () => {
    expect((await app.send('GET', '/notes/unstated', { role: 'admin' })).status).toBe(500);
  });

  test('an invalid body and a refusal are problem documents', async () => {
    const wrong = await app.send('POST', '/notes', { role: 'operator', body: { text: 1 } });
    expect(wrong).toMatchObject({ status: 400, body: { validation: { issues: [{ path: '/text' }] } } });
    expect(wrong.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect((await app.send('POST', '/notes', { role: 'operator', body: { text: 'none' } })).status).toBe(404);
  });
});

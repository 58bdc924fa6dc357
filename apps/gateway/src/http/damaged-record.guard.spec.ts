import { RecordGuard, Refusal } from '@countersign/calls';
import { Body, Controller, Get, Module, Param, Post, type Provider } from '@nestjs/common';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { FeatureApp } from '../testing/feature-app.js';
import { Roles } from './access.decorator.js';
import { Answer } from './answer.decorator.js';
import { AllowedWhileDamaged } from './damaged-record.guard.js';

const note = z.object({ text: z.string(), at: z.int().optional() });
const noteId = z.string().regex(/^n\d+$/, 'is not the id of a note');

@Controller('notes')
class NotesController {
  @Get()
  @Roles('auditor')
  @Answer(note)
  opened() {
    return { text: 'sealed' };
  }

  @Post(':note_id')
  @Roles('auditor')
  @Answer(note, { status: 201 })
  write(@Param('note_id', { schema: noteId }) _id: string, @Body({ schema: note }) body: z.infer<typeof note>) {
    return body;
  }

  @Post(':note_id/mend')
  @Roles('auditor')
  @AllowedWhileDamaged()
  @Answer(note)
  mend() {
    return new Refusal('conflict', 'there is nothing to mend');
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

let app: FeatureApp | undefined;
afterEach(() => app?.close());
const opened = async (providers: Provider[] = []) => {
  app = await FeatureApp.open(NotesModule, providers);
  return app;
};

test('requests without a token or a role are refused, and an invalid body is refused with its path', async () => {
  const { send } = bound(await opened());
  expect((await send('GET', '/notes')).status).toBe(401);
  expect((await send('GET', '/notes', { role: 'operator' })).status).toBe(403);
  const parameter = await send('POST', '/notes/x', { role: 'auditor', body: { text: 'a' } });
  expect([parameter.status, parameter.body.detail]).toEqual([400, '/note_id: is not the id of a note']);
  const body = await send('POST', '/notes/n1', { role: 'auditor', body: { text: 1 } });
  expect([body.status, body.body.validation.issues[0].path]).toEqual([400, '/text']);
  expect((await send('POST', '/notes/n1', { role: 'auditor', body: { text: 'a' } })).status).toBe(201);
});

test('while the record is damaged reads are served with a header, and only allowed changes are', async () => {
  const damaged = { refusal: () => new Refusal('record-damaged', 'the record is not what was signed') };
  const { send } = bound(await opened([{ provide: RecordGuard, useValue: damaged }]));
  const read = await send('GET', '/notes', { role: 'auditor' });
  expect([read.status, read.headers['countersign-record']]).toEqual([200, 'damaged']);
  const write = await send('POST', '/notes/n1', { role: 'auditor', body: { text: 'a' } });
  expect([write.status, write.body.type]).toEqual([409, 'urn:countersign:problem:record-damaged']);
  const mend = await send('POST', '/notes/n1/mend', { role: 'auditor' });
  expect([mend.status, mend.body.detail]).toEqual([409, 'there is nothing to mend']);
});

const bound = (one: FeatureApp) => ({ send: one.send.bind(one) });

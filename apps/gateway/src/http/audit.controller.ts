import { type Caller, Refusal, Views, viewsBehind } from '@countersign/calls';
import { parseTopic } from '@countersign/contracts';
import type { LogRecord } from '@countersign/event-log';
import { parseTilePath } from '@countersign/proofs';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { AuditRoom } from '../audit/audit-room.js';
import type { Role } from '../identity/authenticator.js';
import { parseBody } from '../requests/body-issues.js';
import { tooFar } from './audit-events.controller.js';
import { Face } from './face.js';
import { fromQuery, queryOf } from './from-query.js';
import { seenOf } from './positions.js';
import { type Answer, type HttpReply, type HttpRequest, ok, pathOf } from './reply.js';

const AUDITORS: readonly Role[] = ['auditor'];
const whole = (min: number) => fromQuery(z.number().int().min(min).max(Number.MAX_SAFE_INTEGER));

export const proofQuery = {
  event_id: z.uuid().optional(),
  topic: z.string().min(1).max(255).optional(),
  partition: whole(0).optional(),
  offset: whole(0).optional(),
};
const cosigned = z.enum(['true', 'false']).optional();
type ProofQuery = z.infer<z.ZodObject<typeof proofQuery>>;
export const checkpointQuery = { cosigned };
export const cosignatureRequest = z.strictObject({ note: z.string().min(1).max(100_000) });
export const bundleQuery = { cosigned, call_id: z.string().min(1).max(200).optional(), case_id: z.string().min(1).max(200).optional() };
export const consistencyQuery = { first: whole(1) };

const NO_HEADS_WITNESS =
  'no configured witness checks heads, so no checkpoint counts as cosigned: run countersign witness and mark its key in COUNTERSIGN_AUDIT_WITNESSES as heads:<vkey>';
const notCovered = (): Refusal => new Refusal('unavailable', 'no checkpoint covers that yet: one is written within a second, ask again');
const NO_WITNESSES =
  'this installation has no witnesses, so no checkpoint is ever cosigned: ask without cosigned=true, or have an operator set COUNTERSIGN_AUDIT_WITNESSES to the keys of the witnesses';
const notCosigned = (): Refusal =>
  new Refusal('unavailable', 'the witnesses have not all cosigned a checkpoint yet: ask again once each has looked');
const plain = (content: Buffer | string, type: string): Answer => ({ status: 200, raw: content, headers: { 'content-type': type } });

/** `/v1/audit`: checkpoints, tiles and proofs; each proof is checked before it is given. */
@Controller('v1/audit')
export class AuditController {
  constructor(
    private readonly face: Face,
    private readonly room: AuditRoom,
    private readonly views: Views,
  ) {}

  /** The newest checkpoint (with `cosigned=true`, the newest that all witnesses cosigned, one of which checks heads), a C2SP signed note; the log's key is in `Countersign-Vkey`. */
  @Get('checkpoint')
  checkpoint(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, AUDITORS, async () => {
      const query = queryOf(request, checkpointQuery);
      if (query instanceof Refusal) return query;
      const unseen = await this.unseen(query.cosigned);
      if (unseen) return unseen;
      const note = query.cosigned === 'true' ? (await this.room.cosigned.newest())?.note : await this.room.proofs.checkpoint();
      if (note === undefined) return notCovered();
      const { headers, ...answer } = plain(note, 'text/plain; charset=utf-8');
      return { ...answer, headers: { ...headers, 'countersign-vkey': this.room.vkey } };
    });
  }

  /** A witness says that it saw a checkpoint: the note with its line under it. */
  @Post('cosignatures')
  cosign(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, AUDITORS, async () => {
      const body = parseBody(cosignatureRequest, request.body);
      if (body instanceof Refusal) return body;
      const kept = await this.room.cosigned.add(body.note);
      return 'refused' in kept ? new Refusal('conflict', kept.refused) : ok(kept);
    });
  }

  /** A record of the caller's tenant as it stands on the log, and the proof that it does. */
  @Get('proof')
  proof(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, AUDITORS, async (caller) => {
      const query = queryOf(request, proofQuery);
      if (query instanceof Refusal) return query;
      const record = await this.recordOf(caller.tenant_id, query);
      if (record instanceof Refusal) return record;
      const answer = await this.room.proofs.prove(record);
      if (answer.kind === 'not_covered') return notCovered();
      if (answer.kind === 'broken') return new Refusal('internal', `the record cannot be proven: ${answer.reason}`);
      const { topic, partition, offset, timestamp_ms, key, headers, value } = record;
      await this.read(caller, 'proof', query, 1);
      const proven = ok({
        record: { topic, partition, offset, timestamp_ms, key, headers, value: value.toString('base64') },
        event_type: headers.event_type,
        stream: parseTopic(topic).topic,
        proof: answer.proof,
        vkey: this.room.vkey,
      });
      return { ...proven, as_recorded: true };
    });
  }

  /** Everything about one call, or one case, in one file that `countersign verify` checks offline. */
  @Get('bundle')
  bundle(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, AUDITORS, async (caller) => {
      const query = queryOf(request, bundleQuery);
      if (query instanceof Refusal) return query;
      const { call_id, case_id, cosigned } = query;
      if ((call_id === undefined) === (case_id === undefined)) return new Refusal('invalid-request', 'name a call_id or a case_id');
      const unseen = await this.unseen(cosigned);
      if (unseen) return unseen;
      if (!(await this.views.current(seenOf(request)))) return viewsBehind();
      const made = await this.room.bundle(
        caller.tenant_id,
        call_id !== undefined ? { call_id } : { case_id: case_id as string },
        cosigned === 'true',
      );
      if (made === undefined) return new Refusal('not-found', 'there is no such call or case, or it has no calls');
      if (made === 'too_large') return new Refusal('invalid-request', 'a bundle holds at most 500 calls: ask for them one by one');
      if (made.kind === 'not_covered') return notCovered();
      if (made.kind === 'dropped')
        return new Refusal('erased', `records of ${made.call_id} were dropped by retention: bundles made before still verify`);
      if (made.kind === 'broken') return new Refusal('internal', `it cannot be proven: ${made.reason}`);
      await this.read(caller, 'bundle', query, made.bundle.records.length);
      return { ...ok(made.bundle), as_recorded: true };
    });
  }

  /** That the newest checkpoint only appended to an earlier one, of which the size is named. */
  @Get('consistency')
  consistency(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, AUDITORS, async () => {
      const query = queryOf(request, consistencyQuery);
      if (query instanceof Refusal) return query;
      const found = await this.room.proofs.consistency(query.first);
      if (typeof found === 'string') return new Refusal('internal', `it cannot be proven: ${found}`);
      return found ? ok({ first: query.first, ...found }) : new Refusal('not-found', `there is no checkpoint of size ${query.first}`);
    });
  }

  /**
   * `/v1/audit/tile/checkpoints/<tile>` and `/v1/audit/tile/<topic>/<partition>/<tile>`, tiles as C2SP tlog-tiles names them. A later
   * generation of a tree is `<topic>/<partition>%232`.
   */
  @Get('tile/*')
  tile(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, AUDITORS, async () => {
      const path = decodeURIComponent(pathOf(request.url)).split('/v1/audit/tile/')[1] ?? '';
      const [, tree, rest] = /^(checkpoints|[A-Za-z0-9._-]+\/\d+(?:#\d+)?)\/(.+)$/.exec(path) ?? [];
      const tile = rest === undefined ? undefined : parseTilePath(rest);
      const hashes = tree !== undefined && tile ? await this.room.tile(tree, tile) : undefined;
      return hashes ? plain(hashes, 'application/octet-stream') : new Refusal('not-found', `there is no tile ${path.slice(0, 200)}`);
    });
  }

  /** Why there is no cosigned checkpoint for a request that wants one. */
  private async unseen(cosigned: string | undefined): Promise<Refusal | undefined> {
    if (cosigned !== 'true') return undefined;
    if (!this.room.cosigned.asks)
      return new Refusal('conflict', NO_WITNESSES, { issues: [{ path: '/cosigned', code: 'no_witnesses', message: NO_WITNESSES }] });
    if (!this.room.cosigned.checksHeads)
      return new Refusal('conflict', NO_HEADS_WITNESS, {
        issues: [{ path: '/cosigned', code: 'no_heads_witness', message: NO_HEADS_WITNESS }],
      });
    return (await this.room.cosigned.newest()) ? undefined : notCosigned();
  }

  /** The record that is asked for by its event, or by its place. */
  private async recordOf(tenant_id: string, { event_id, topic, partition, offset }: ProofQuery): Promise<LogRecord | Refusal> {
    const isPlace = topic !== undefined && partition !== undefined && offset !== undefined;
    const named = [event_id, topic, partition, offset].filter((part) => part !== undefined).length;
    if (named !== (isPlace ? 3 : 1) || (!isPlace && event_id === undefined))
      return new Refusal('invalid-request', 'name an event_id, or a topic, partition and offset');
    const found = isPlace
      ? await this.room.record(tenant_id, { topic, partition, offset })
      : await this.room.events.find(tenant_id, event_id as string);
    if (found === 'too_far') return tooFar();
    const what = isPlace ? `record of yours at ${topic}/${partition}/${offset}` : 'event of this id';
    return found ?? new Refusal('not-found', `there is no ${what}`);
  }

  private read({ tenant_id, principal }: Caller, what: string, query: Record<string, unknown>, items: number): Promise<void> {
    return this.room.reads.record({ tenant_id, by: principal, what, query, items });
  }
}

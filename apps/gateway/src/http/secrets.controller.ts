import { type Caller, Refusal } from '@countersign/calls';
import { type SecretFact, type SecretPlace, type SecretScope, type SecretTerms, Vault } from '@countersign/store';
import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { preconditionOf } from '../configuration/precondition.js';
import { DEFAULT_TENANT } from '../identity/tenants.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
const SCOPES: readonly string[] = ['user', 'workspace', 'org'];

export const secretRequest = z.strictObject({
  value: z.string().min(8, 'at least 8 characters: a shorter one cannot be masked').max(65_536),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});

const ROUNDS_MAX = 20;
const etagOf = ({ tag }: SecretFact): string => `"${tag}"`;
const changedTooOften = (): Refusal =>
  new Refusal('conflict', `others changed it ${ROUNDS_MAX} times while this change was made: nothing was changed, try again`);
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function secretFace(fact: SecretFact, now_ms: number): Record<string, unknown> {
  const { name, scope, owner, version, created_at_ms, changed_at_ms, expires_at_ms } = fact;
  const times = { created_at: iso(created_at_ms), changed_at: iso(changed_at_ms), expires_at: iso(expires_at_ms) };
  return {
    name,
    scope,
    user_id: scope === 'user' ? owner : null,
    version,
    ...times,
    expired: expires_at_ms !== null && expires_at_ms <= now_ms,
  };
}

/** `/v1/secrets`: what tools authenticate with, of a user, of the workspace (tenant) or of the installation. A value goes in and never comes out. */
@Controller()
export class SecretsController {
  constructor(
    private readonly face: Face,
    private readonly room: ConfigurationRoom,
    private readonly vault: Vault,
  ) {}

  @Get('v1/secrets')
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const facts = await this.visible(caller);
      const now_ms = this.room.clock.now_ms();
      return ok(
        pageOf(
          facts,
          page,
          ({ name, scope, owner }) => `${name}/${scope}/${owner}`,
          (fact) => ({ ...secretFace(fact, now_ms), etag: etagOf(fact) }),
        ),
      );
    });
  }

  /** Which of the secrets of this name a call by the caller would get. */
  @Get('v1/secrets/:name')
  resolved(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const { name } = request.params as { name: string };
      const facts = (await this.visible(caller)).filter(
        (fact) => fact.name === name && (fact.scope !== 'user' || fact.owner === caller.principal.id),
      );
      const found = SCOPES.map((scope) => facts.find((fact) => fact.scope === scope)).find((fact) => fact !== undefined);
      if (!found) return new Refusal('not-found', 'there is no secret of this name');
      const warning = found.scope === 'org' ? { warning: 'of the whole installation: set a narrower one for this workspace' } : {};
      return ok({ ...secretFace(found, this.room.clock.now_ms()), ...warning }, { etag: etagOf(found) });
    });
  }

  @Put('v1/secrets/:scope/:name')
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => this.write(request, caller, 'set'));
  }

  @Post('v1/secrets/:scope/:name/rotate')
  @HttpCode(200)
  rotate(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => this.write(request, caller, 'rotated'));
  }

  @Delete('v1/secrets/:scope/:name')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const place = placeOf(request, caller);
      if (place instanceof Refusal) return place;
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const before = await this.vault.fact(place);
        if (!before) return new Refusal('not-found', 'there is no such secret');
        const { fault } = preconditionOf(request, etagOf(before), true);
        if (fault) return fault;
        if (!(await this.vault.remove(place, before.tag))) continue;
        await this.note(caller, place, before.version, 'deleted');
        return { status: 204 };
      }
      return changedTooOften();
    });
  }

  // A double colon is a literal one in Fastify's routes.
  @Post('v1/secrets::rotate-keys')
  @HttpCode(200)
  rotateKeys(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      if (caller.tenant_id !== DEFAULT_TENANT) return new Refusal('forbidden', `keys are rotated by admins of tenant ${DEFAULT_TENANT}`);
      return ok(await this.vault.rotate());
    });
  }

  /** A user's own, the workspace's and the installation's; an admin sees the names of all users'. */
  private async visible(caller: Caller): Promise<SecretFact[]> {
    const [own, org] = await Promise.all([this.vault.list(caller.tenant_id), this.vault.list('')]);
    const admin = caller.principal.roles.includes('admin');
    return [...own.filter(({ scope, owner }) => admin || scope !== 'user' || owner === caller.principal.id), ...org];
  }

  private async write(request: HttpRequest, caller: Caller, change: 'set' | 'rotated'): Promise<Answer | Refusal> {
    const body = parseBody(secretRequest, request.body);
    if (body instanceof Refusal) return body;
    const place = placeOf(request, caller);
    if (place instanceof Refusal) return place;
    const now_ms = this.room.clock.now_ms();
    const expires_at_ms = body.expires_at === undefined ? null : Date.parse(body.expires_at);
    if (expires_at_ms !== null && expires_at_ms <= now_ms)
      return new Refusal('invalid-request', 'expires_at is in the past', {
        issues: [{ path: '/expires_at', code: 'past', message: 'is in the past' }],
      });
    const fact = await this.replaced(request, place, { value: body.value, now_ms, expires_at_ms, must_exist: change === 'rotated' });
    if (fact instanceof Refusal) return fact;
    await this.note(caller, place, fact.version, change);
    const headers = { 'cache-control': 'no-store', etag: etagOf(fact) };
    return { status: fact.version === 1 ? 201 : 200, body: secretFace(fact, now_ms), headers };
  }

  /** The row of the vault decides between writers, of this gateway or of others. */
  private async replaced(
    request: HttpRequest,
    place: SecretPlace,
    { value, ...terms }: Omit<SecretTerms, 'over'> & { value: string },
  ): Promise<SecretFact | Refusal> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = await this.vault.fact(place);
      if (!before && terms.must_exist) return new Refusal('not-found', 'there is no such secret: set it first');
      const { fault } = preconditionOf(request, before ? etagOf(before) : '', before !== undefined);
      if (fault) return fault;
      const fact = await this.vault.set(place, value, { ...terms, over: before?.tag ?? null });
      if (fact) return fact;
    }
    return changedTooOften();
  }

  private async note(caller: Caller, place: SecretPlace, version: number, change: 'set' | 'rotated' | 'deleted'): Promise<void> {
    const { name, scope, owner } = place;
    const changed_at_ms = this.room.clock.now_ms();
    await this.room.writer.set(caller.tenant_id, 'secret_changed', {
      name,
      scope,
      owner,
      version,
      change,
      by: caller.principal,
      changed_at_ms,
    });
  }
}

/** Where a secret of the caller stands, or why it may not touch it: everyone sets its own, admins the workspace's, those of `default` the installation's. */
function placeOf(request: HttpRequest, caller: Caller): SecretPlace | Refusal {
  const { scope, name } = request.params as { scope: string; name: string };
  const admin = caller.principal.roles.includes('admin');
  if (!NAME.test(name) || !SCOPES.includes(scope))
    return new Refusal('invalid-request', 'a secret is at user, workspace or org, under a name of letters, digits, _ . -');
  if (scope === 'user') return { tenant_id: caller.tenant_id, scope, owner: caller.principal.id, name };
  const mayWrite = admin && (scope === 'workspace' || caller.tenant_id === DEFAULT_TENANT);
  if (!mayWrite) return new Refusal('forbidden', scope === 'org' ? `needs an admin of tenant ${DEFAULT_TENANT}` : 'needs the role admin');
  return { tenant_id: scope === 'org' ? '' : caller.tenant_id, scope: scope as SecretScope, owner: '', name };
}

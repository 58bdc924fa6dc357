import { type Caller, Refusal } from '@countersign/calls';
import { type SecretFact, type SecretPlace, type SecretTerms, Vault } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { isoOf } from '../answers/shared-schemas.js';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { type ConditionalRequest, preconditionOf } from '../configuration/precondition.js';
import { expiryOf } from '../identity/expiry.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { SCOPES, secretPlace } from './secret-place.js';
import type { ResolvedSecret, SecretAnswer, SecretRequest } from './secrets.schemas.js';

type NewValue = Omit<SecretTerms, 'over'> & { value: string };
/** The parts of the path. */
export interface SecretPlaceName {
  scope: string;
  name: string;
}

type Change = 'set' | 'rotated' | 'deleted';

const ROUNDS_MAX = 20;
const etagOf = ({ tag }: SecretFact): string => `"${tag}"`;
const changedTooOften = (): Refusal =>
  new Refusal('conflict', `others changed it ${ROUNDS_MAX} times while this change was made: nothing was changed, try again`, {
    reason: 'changed_concurrently',
  });

function answerOf({ name, scope, owner, version, ...at }: SecretFact, now_ms: number): SecretAnswer {
  return {
    name,
    scope,
    user_id: scope === 'user' ? owner : null,
    version,
    created_at: new Date(at.created_at_ms).toISOString(),
    changed_at: new Date(at.changed_at_ms).toISOString(),
    expires_at: isoOf(at.expires_at_ms),
    expired: at.expires_at_ms !== null && at.expires_at_ms <= now_ms,
  };
}

/** Secrets that tools authenticate with: of a user, of the workspace (tenant) or of the installation. Values are write-only. */
@Injectable()
export class SecretsService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly vault: Vault,
  ) {}

  async list(caller: Caller, query: PageQuery): Promise<Page<SecretAnswer & { etag: string }>> {
    const facts = await this.visible(caller);
    const now_ms = this.configuration.now_ms();
    return pageOf(
      facts,
      placeOf(query),
      ({ name, scope, owner }) => `${name}/${scope}/${owner}`,
      (fact) => ({ ...answerOf(fact, now_ms), etag: etagOf(fact) }),
    );
  }

  /** The secret of this name that a call by the caller would get. */
  async resolve(caller: Caller, name: string): Promise<WithHeaders<ResolvedSecret> | Refusal> {
    const named = (await this.visible(caller)).filter((fact) => fact.name === name);
    const own = named.filter(({ scope, owner }) => scope !== 'user' || owner === caller.principal.id);
    const found = SCOPES.flatMap((scope) => own.find((fact) => fact.scope === scope) ?? [])[0];
    if (!found) return new Refusal('not-found', 'no secret has this name', { reason: 'secret_not_found' });
    const warning =
      found.scope === 'org' ? { warning: 'this secret applies to the whole installation: set one for this workspace to limit access' } : {};
    return { body: { ...answerOf(found, this.configuration.now_ms()), ...warning }, headers: { etag: etagOf(found) } };
  }

  set(
    caller: Caller,
    place: SecretPlaceName,
    body: SecretRequest,
    request: ConditionalRequest,
  ): Promise<WithHeaders<SecretAnswer> | Refusal> {
    return this.write(caller, place, { body, change: 'set' }, request);
  }

  /** Replaces the value of an existing secret. */
  rotate(
    caller: Caller,
    place: SecretPlaceName,
    body: SecretRequest,
    request: ConditionalRequest,
  ): Promise<WithHeaders<SecretAnswer> | Refusal> {
    return this.write(caller, place, { body, change: 'rotated' }, request);
  }

  async remove(caller: Caller, { scope, name }: SecretPlaceName, request: ConditionalRequest): Promise<Refusal | undefined> {
    const place = secretPlace(caller, scope, name);
    if (place instanceof Refusal) return place;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = await this.vault.fact(place);
      if (!before) return new Refusal('not-found', 'the secret does not exist', { reason: 'secret_not_found' });
      const { fault } = preconditionOf(request, etagOf(before), true);
      if (fault) return fault;
      if (!(await this.vault.remove(place, before.tag))) continue;
      await this.record(caller, place, before.version, 'deleted');
      return undefined;
    }
    return changedTooOften();
  }

  /** Rewraps all secrets with a new key. */
  rotateKeys(): Promise<{ key_id: string; rewrapped: number }> {
    return this.vault.rotate();
  }

  /** The secrets of the user, the workspace and the installation; an admin sees the names of all users' secrets. */
  private async visible({ tenant_id, principal }: Caller): Promise<SecretFact[]> {
    const [own, org] = await Promise.all([this.vault.list(tenant_id), this.vault.list('')]);
    const admin = principal.roles.includes('admin');
    return [...own.filter(({ scope, owner }) => admin || scope !== 'user' || owner === principal.id), ...org];
  }

  private async write(
    caller: Caller,
    { scope, name }: SecretPlaceName,
    { body, change }: { body: SecretRequest; change: Change },
    request: ConditionalRequest,
  ): Promise<WithHeaders<SecretAnswer> | Refusal> {
    const place = secretPlace(caller, scope, name);
    if (place instanceof Refusal) return place;
    const now_ms = this.configuration.now_ms();
    const expires_at_ms = expiryOf(body.expires_at, now_ms);
    if (expires_at_ms instanceof Refusal) return expires_at_ms;
    const value = { value: body.value, now_ms, expires_at_ms, must_exist: change === 'rotated' };
    const fact = await this.replaced(place, value, request);
    if (fact instanceof Refusal) return fact;
    await this.record(caller, place, fact.version, change);
    return { body: answerOf(fact, now_ms), headers: { 'cache-control': 'no-store', etag: etagOf(fact) } };
  }

  /** The row of the vault resolves conflicts between writers, of this gateway or of others. */
  private async replaced(place: SecretPlace, { value, ...terms }: NewValue, request: ConditionalRequest): Promise<SecretFact | Refusal> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = await this.vault.fact(place);
      if (!before && terms.must_exist)
        return new Refusal('not-found', 'the secret does not exist: set it first', { reason: 'secret_not_found' });
      const { fault } = preconditionOf(request, before ? etagOf(before) : '', before !== undefined);
      if (fault) return fault;
      const fact = await this.vault.set(place, value, { ...terms, over: before?.tag ?? null });
      if (fact) return fact;
    }
    return changedTooOften();
  }

  private async record({ tenant_id, principal: by }: Caller, place: SecretPlace, version: number, change: Change): Promise<void> {
    const { name, scope, owner } = place;
    const event = { name, scope, owner, version, change, by, changed_at_ms: this.configuration.now_ms() };
    await this.configuration.writer.set(tenant_id, 'secret_changed', event);
  }
}

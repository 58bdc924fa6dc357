import { type Caller, Refusal } from '@countersign/calls';
import { producerTopics } from '@countersign/contracts';
import { type ApiKey, itemNames, producerKeyId, producerOf, producersOf, tenantOf } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { isoOf } from '../answers/shared-schemas.js';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { expiryOf } from '../identity/expiry.js';
import { mayManage, stateOf } from '../identity/keys.service.js';
import { confusablePrincipal, skeletonOf } from '../identity/look-alike.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { ProducerTopicsMaker } from './producer-topics-maker.js';
import type { ProducerAnswer, ProducerRequest } from './producers.schemas.js';

/** Each producer has two topics that remain when it is revoked. */
const PRODUCERS_MAX = 50;

/** Registers and revokes producers. Like API keys, they are credentials in the configuration; their topics take the place of a secret. */
@Injectable()
export class ProducersService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly topics: ProducerTopicsMaker,
  ) {}

  list(tenant_id: string, query: PageQuery): Page<ProducerAnswer> {
    const now_ms = this.configuration.now_ms();
    const { state } = this.configuration;
    return pageOf(
      producersOf(state, tenant_id),
      placeOf(query),
      (producer_id) => producer_id,
      (producer_id) => answerOf(producer_id, producerOf(state, producer_id) as ApiKey, now_ms),
    );
  }

  read(caller: Caller, producer_id: string): ProducerAnswer | Refusal {
    const found = this.find(caller, producer_id);
    return found instanceof Refusal ? found : answerOf(producer_id, found, this.configuration.now_ms());
  }

  async register(caller: Caller, body: ProducerRequest, request: EditRequest): Promise<WithHeaders<ProducerAnswer> | Refusal> {
    const { tenant_id = caller.tenant_id, producer_id } = body;
    if (!mayManage(caller, tenant_id) || !tenantOf(this.configuration.state, tenant_id))
      return new Refusal('not-found', 'no tenant has this id', { reason: 'tenant_not_found' });
    const refused = this.refusal(tenant_id, producer_id);
    if (refused) return refused;
    const expires_at_ms = expiryOf(body.expires_at, this.configuration.now_ms());
    if (expires_at_ms instanceof Refusal) return expires_at_ms;
    const missing = await this.topics.ensure(producer_id);
    if (missing) return missing;
    const { principal, scopes, clearances, purposes = null, owner = null, name = null } = body;
    const rights = { principal, scopes, clearances, purposes, owner, name, skeleton: skeletonOf(principal.id) };
    const created = { created_at_ms: this.configuration.now_ms(), by: caller.principal };
    const looks = [rights.skeleton, ...(owner === null ? [] : [skeletonOf(owner)])].map((look) => itemNames.principal_look(look));
    const edited = await this.configuration.editEverywhere(
      { headers: { prefer: request.headers.prefer } },
      {
        tenant_id,
        type: 'producer_set',
        item: itemNames.producer(producer_id),
        against: () => looks,
        draft: () =>
          this.refusal(tenant_id, producer_id) ??
          confusablePrincipal(this.configuration.state, tenant_id, body) ?? { producer_id, ...rights, expires_at_ms, ...created },
      },
    );
    if (edited instanceof Refusal) return edited;
    const answer = this.read(caller, producer_id);
    return answer instanceof Refusal ? answer : { body: answer, headers: { location: `/v1/producers/${producer_id}` } };
  }

  async revoke(caller: Caller, producer_id: string, request: EditRequest): Promise<Refusal | undefined> {
    const found = this.find(caller, producer_id);
    if (found instanceof Refusal) return found;
    if (found.revoked_at_ms !== null) return undefined;
    const revoked = { key_id: producerKeyId(producer_id), by: caller.principal, revoked_at_ms: this.configuration.now_ms() };
    await this.configuration.setEverywhere(request, found.tenant_id, 'api_key_revoked', revoked);
    return undefined;
  }

  private refusal(tenant_id: string, producer_id: string): Refusal | undefined {
    const { state } = this.configuration;
    if (!this.topics.is_possible)
      return new Refusal('conflict', 'producers write to Kafka, and this installation has the embedded log', {
        reason: 'producers_need_kafka',
      });
    if (state.producers.has(producer_id))
      return new Refusal('conflict', 'a producer of this installation has this id: choose another', { reason: 'producer_exists' });
    if (producersOf(state, tenant_id).length >= PRODUCERS_MAX)
      return new Refusal('conflict', `a tenant may have ${PRODUCERS_MAX} producers, revoked ones included`, {
        reason: 'too_many_producers',
      });
    return undefined;
  }

  private find(caller: Caller, producer_id: string): ApiKey | Refusal {
    const found = producerOf(this.configuration.state, producer_id);
    if (found && mayManage(caller, found.tenant_id)) return found;
    return new Refusal('not-found', 'no producer has this id', { reason: 'producer_not_found' });
  }
}

function answerOf(producer_id: string, credential: ApiKey, now_ms: number): ProducerAnswer {
  const { tenant_id, name, principal, owner, scopes, clearances, purposes, created_by } = credential;
  const { requests, answers } = producerTopics(producer_id);
  return {
    producer_id,
    tenant_id,
    name,
    state: stateOf(credential, now_ms),
    request_topic: requests,
    answer_topic: answers,
    principal,
    owner,
    scopes,
    clearances,
    purposes,
    created_by,
    created_at: new Date(credential.created_at_ms).toISOString(),
    expires_at: isoOf(credential.expires_at_ms),
    revoked_at: isoOf(credential.revoked_at_ms),
  };
}

import { type Caller, Refusal } from '@countersign/calls';
import { itemNames, type TokenExchange } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { NAME, type TokenExchangeAnswer, type TokenExchangeRequest } from './token-exchanges.schemas.js';

const answerOf = ({ changed_at_ms, ...exchange }: TokenExchange): TokenExchangeAnswer => ({
  ...exchange,
  changed_at: new Date(changed_at_ms).toISOString(),
});

/** The credentials of tools that come from an exchange of the user's token (RFC 8693), and their endpoints. */
@Injectable()
export class TokenExchangesService {
  constructor(private readonly configuration: ConfigurationService) {}

  list(tenant_id: string, query: PageQuery): Page<TokenExchangeAnswer & { etag: string }> {
    return pageOf(
      [...this.exchanges(tenant_id).values()],
      placeOf(query),
      ({ name }) => name,
      (one) => ({ ...answerOf(one), etag: this.configuration.etag(tenant_id, itemNames.token_exchange(one.name)) }),
    );
  }

  async set(
    caller: Caller,
    name: string,
    body: TokenExchangeRequest,
    request: EditRequest,
  ): Promise<WithHeaders<TokenExchangeAnswer> | Refusal> {
    const fault = this.fault(name, body);
    if (fault) return new Refusal('invalid-request', fault, { issues: [{ path: '/token_endpoint', code: 'refused', message: fault }] });
    const by = caller.principal;
    const draft = () => ({ ...body, name, changed_at_ms: this.configuration.now_ms(), removed: false, by });
    const edited = await this.edit(caller, name, request, draft);
    if (edited instanceof Refusal) return edited;
    const { removed: _removed, by: _by, ...fields } = edited.fields;
    return { body: answerOf(fields), headers: { etag: edited.etag } };
  }

  async remove(caller: Caller, name: string, request: EditRequest): Promise<Refusal | undefined> {
    const draft = () => {
      const known = this.exchanges(caller.tenant_id).get(name);
      if (!known) return new Refusal('not-found', 'no token exchange has this name', { reason: 'token_exchange_not_found' });
      return { ...known, by: caller.principal, changed_at_ms: this.configuration.now_ms(), removed: true };
    };
    const edited = await this.edit(caller, name, request, draft);
    return edited instanceof Refusal ? edited : undefined;
  }

  private fault(name: string, { token_endpoint }: TokenExchangeRequest): string | undefined {
    if (!NAME.test(name)) return 'a name consists of letters, digits, _ . -';
    return this.configuration.identity_addresses.fault(token_endpoint)?.message;
  }

  private exchanges(tenant_id: string): ReadonlyMap<string, TokenExchange> {
    return this.configuration.state.by_tenant.get(tenant_id)?.token_exchanges ?? new Map();
  }

  private edit({ tenant_id }: Caller, name: string, request: EditRequest, draft: () => ChangeFields<'token_exchange_set'> | Refusal) {
    const item = itemNames.token_exchange(name);
    return this.configuration.editEverywhere(request, { tenant_id, type: 'token_exchange_set', item, draft });
  }
}

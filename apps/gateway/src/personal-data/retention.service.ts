import { type Caller, type Refusal } from '@countersign/calls';
import { itemNames, RETENTION_FLOOR_MONTHS, type RetentionCutoff, type RetentionTerms, retentionOf } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { always } from '../configuration/configuration-edits.js';
import type { ConditionalRequest } from '../configuration/precondition.js';
import { KeyRetention } from './key-retention.js';
import type { RetentionAnswer, RetentionRequest } from './retention.schemas.js';

/** The retention of a tenant with its ETag. */
export interface TaggedRetention {
  retention: RetentionAnswer;
  etag: string;
}

function answerOf(terms: RetentionTerms | undefined): RetentionAnswer {
  if (!terms) return { version: 0, floor_months: RETENTION_FLOOR_MONTHS, rules: [], by: null, changed_at: null };
  const { by, changed_at_ms, ...rest } = terms;
  return { ...rest, by: by.id, changed_at: new Date(changed_at_ms).toISOString() };
}

/** Retention of encrypted data, by its markings. */
@Injectable()
export class RetentionService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly keys: KeyRetention,
  ) {}

  read(tenant_id: string): TaggedRetention {
    return {
      retention: answerOf(this.terms(tenant_id)),
      etag: this.configuration.edits.etag(tenant_id, itemNames.retention),
    };
  }

  async set({ tenant_id, principal }: Caller, body: RetentionRequest, request: ConditionalRequest): Promise<TaggedRetention | Refusal> {
    const { edits, clock } = this.configuration;
    const draft = (): RetentionTerms => {
      const version = (this.terms(tenant_id)?.version ?? 0) + 1;
      return { ...body, version, by: principal, changed_at_ms: clock.now_ms() };
    };
    const edited = await edits.edit(request, { tenant_id, type: 'retention_set', item: itemNames.retention, exists: always, draft });
    return 'fields' in edited ? { retention: answerOf(edited.fields), etag: edited.etag } : edited;
  }

  /** @returns the cutoffs that are destroyed, or would be. */
  run({ tenant_id, principal }: Caller, dry_run: boolean): Promise<RetentionCutoff[]> {
    return dry_run ? this.keys.due(tenant_id) : this.keys.apply(tenant_id, principal);
  }

  private terms(tenant_id: string): RetentionTerms | undefined {
    return retentionOf(this.configuration.state, tenant_id)?.terms;
  }
}

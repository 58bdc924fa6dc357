import { type Caller, Refusal } from '@countersign/calls';
import { itemNames, type PersonalRule, personalRule, personalRules } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { ConditionalRequest } from '../configuration/precondition.js';
import { pageOf } from '../lists/lists.js';
import type { Page, PageQuery } from '../lists/page-query.js';
import { PolicyService } from '../policies/policy.service.js';
import type { PatientRequest } from '../requests/preferences.js';
import type { PersonalDataRequest, PersonalRuleAnswer } from './personal-data.schemas.js';

type NextRule = Omit<PersonalRule, 'version' | 'by' | 'changed_at_ms'>;
type EditRequest = ConditionalRequest & PatientRequest;

/** A rule with its ETag. */
export interface TaggedRule {
  rule: PersonalRuleAnswer;
  etag: string;
}

const noSuchRule = (): Refusal => new Refusal('not-found', 'the rule does not exist', { reason: 'personal_data_rule_not_found' });

function answerOf({ by, changed_at_ms, removed: _removed, ...rest }: PersonalRule): PersonalRuleAnswer {
  return { ...rest, by: by.id, changed_at: new Date(changed_at_ms).toISOString() };
}

/** Rules that find personal data and its subjects in the calls of a tenant. They apply to later calls. */
@Injectable()
export class PersonalDataService {
  constructor(private readonly policies: PolicyService) {}

  list(tenant_id: string, { limit, cursor }: PageQuery): Page<PersonalRuleAnswer & { etag: string }> {
    const page = { limit, ...(cursor ? { after: cursor } : {}) };
    const answered = (rule: PersonalRule) => ({ ...answerOf(rule), etag: this.etag(tenant_id, rule.rule_id) });
    return pageOf(personalRules(this.policies.configuration.state, tenant_id), page, ({ rule_id }) => rule_id, answered);
  }

  read(tenant_id: string, rule_id: string): TaggedRule | Refusal {
    const rule = this.find(tenant_id, rule_id);
    return rule ? { rule: answerOf(rule), etag: this.etag(tenant_id, rule_id) } : noSuchRule();
  }

  set(caller: Caller, rule_id: string, body: PersonalDataRequest, request: EditRequest): Promise<TaggedRule | Refusal> {
    return this.edit(caller, rule_id, request, () => ({ rule_id, removed: false, ...body }));
  }

  remove(caller: Caller, rule_id: string, request: EditRequest): Promise<TaggedRule | Refusal> {
    return this.edit(caller, rule_id, request, () => {
      const rule = this.find(caller.tenant_id, rule_id);
      return rule ? { ...rule, removed: true } : noSuchRule();
    });
  }

  private find(tenant_id: string, rule_id: string): PersonalRule | undefined {
    return personalRules(this.policies.configuration.state, tenant_id).find((rule) => rule.rule_id === rule_id);
  }

  private etag(tenant_id: string, rule_id: string): string {
    return this.policies.configuration.edits.etag(tenant_id, itemNames.personal_data(rule_id));
  }

  private async edit(
    { tenant_id, principal }: Caller,
    rule_id: string,
    request: EditRequest,
    next: () => NextRule | Refusal,
  ): Promise<TaggedRule | Refusal> {
    const { configuration } = this.policies;
    const draft = (): PersonalRule | Refusal => {
      const rule = next();
      if (rule instanceof Refusal) return rule;
      const version = (personalRule(configuration.state, tenant_id, rule_id)?.version ?? 0) + 1;
      return { ...rule, version, by: principal, changed_at_ms: configuration.clock.now_ms() };
    };
    const edit = { tenant_id, type: 'personal_data_set', item: itemNames.personal_data(rule_id), draft } as const;
    const edited = await this.policies.editEverywhere(request, edit);
    return edited instanceof Refusal ? edited : { rule: answerOf(edited.fields), etag: edited.etag };
  }
}

import { type Caller, Refusal } from '@countersign/calls';
import { itemNames, type PersonalRule, personalRule, personalRules } from '@countersign/domain';
import { Controller, Delete, Get, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const ID = /^[\w.-]{1,100}$/;
const pointer = z
  .string()
  .max(400)
  .regex(/^(\/[^/]*)*$/, 'is a JSON Pointer; * stands for every element');
const subject = z
  .string()
  .max(400)
  .regex(/^((\/[^/]*)+|(output|field):(\/[^/]*)*)$/, 'is a JSON Pointer into the inputs, or output:/… or field:/…');
const field = z.strictObject({
  path: pointer.describe('JSON Pointer; * stands for every element; empty: all of it'),
  subjects: z.array(subject).max(20).default([]).describe('where its subjects are named; absent: as the rule says'),
});
const globs = z.array(z.string().min(1).max(200)).max(200);

/** Body of `PUT /v1/personal-data/{rule_id}`. */
export const personalDataRequest = z.strictObject({
  tools: globs.default([]).describe('globs of the tools whose calls it is about; empty: all'),
  markings: z.array(z.string().min(1).max(100)).max(50).default([]).describe('calls with one of these; empty: whatever their markings'),
  subjects: z.array(subject).max(20).default([]).describe("where the subject's id stands, for example /customer_id"),
  inputs: z
    .array(field)
    .max(100)
    .default([{ path: '', subjects: [] }]),
  output: z
    .array(field)
    .max(100)
    .default([{ path: '', subjects: [] }]),
});

const none = (): Refusal => new Refusal('not-found', 'there is no such rule');
const idOf = (request: HttpRequest): string => (request.params as { rule_id: string }).rule_id;

type NextRule = Omit<PersonalRule, 'version' | 'by' | 'changed_at_ms'>;

function face({ by, changed_at_ms, removed: _removed, ...rest }: PersonalRule): Record<string, unknown> {
  return { ...rest, by: by.id, changed_at: new Date(changed_at_ms).toISOString() };
}

/** `/v1/personal-data`: what of a tenant's calls is personal, and whose it is. Calls are sealed by it from then on. */
@Controller('v1/personal-data')
export class PersonalDataController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const shown = (rule: PersonalRule) => ({ ...face(rule), etag: this.etag(tenant_id, rule.rule_id) });
      return ok(pageOf(personalRules(this.room.configuration.state, tenant_id), page, ({ rule_id }) => rule_id, shown));
    });
  }

  @Get(':rule_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const rule = this.find(tenant_id, idOf(request));
      return rule ? ok(face(rule), { etag: this.etag(tenant_id, rule.rule_id) }) : none();
    });
  }

  @Put(':rule_id')
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const rule_id = idOf(request);
      if (!ID.test(rule_id)) return new Refusal('invalid-request', 'a rule is named by 1 to 100 letters, digits, ".", "_" and "-"');
      const body = parseBody(personalDataRequest, request.body);
      return body instanceof Refusal ? body : this.edit(request, caller, () => ({ rule_id, removed: false, ...body }));
    });
  }

  @Delete(':rule_id')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const removed = await this.edit(request, caller, () => {
        const rule = this.find(caller.tenant_id, idOf(request));
        return rule ? { ...rule, removed: true } : none();
      });
      return removed instanceof Refusal ? removed : { status: 204 };
    });
  }

  private find(tenant_id: string, rule_id: string): PersonalRule | undefined {
    return personalRules(this.room.configuration.state, tenant_id).find((rule) => rule.rule_id === rule_id);
  }

  private etag(tenant_id: string, rule_id: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.personal_data(rule_id));
  }

  private async edit(request: HttpRequest, caller: Caller, next: () => NextRule | Refusal): Promise<Answer | Refusal> {
    const { tenant_id, principal } = caller;
    const draft = (): PersonalRule | Refusal => {
      const said = next();
      if (said instanceof Refusal) return said;
      const version = (personalRule(this.room.configuration.state, tenant_id, said.rule_id)?.version ?? 0) + 1;
      return { ...said, version, by: principal, changed_at_ms: this.room.configuration.clock.now_ms() };
    };
    const item = itemNames.personal_data(idOf(request));
    const edited = await this.room.editEverywhere(request, { tenant_id, type: 'personal_data_set', item, draft });
    return edited instanceof Refusal ? edited : ok(face(edited.fields), { etag: edited.etag });
  }
}

import { type Caller, Refusal, Views } from '@countersign/calls';
import { type Counter, itemNames, type Limit, limitsOf, limitVersions, MICRO, slotAt, usedAt } from '@countersign/domain';
import { defaultLimits } from '@countersign/policy';
import { type CounterRow, cursorText, readCounters } from '@countersign/store';
import { Controller, Delete, Get, Put, Req, Res } from '@nestjs/common';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { limitFault, limitRequest, nextVersion } from '../requests/limit-request.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const ID = /^[\w.-]{1,100}$/;
const none = (): Refusal => new Refusal('not-found', 'there is no such limit');
const idOf = (request: HttpRequest): string => (request.params as { limit_id: string }).limit_id;
const isDefault = ({ version }: Limit): boolean => version === 0;

type NewLimit = Omit<Limit, 'by' | 'changed_at_ms'>;

function limitFace(limit: Limit): Record<string, unknown> {
  const { by, changed_at_ms, ...rest } = limit;
  const set = isDefault(limit) ? { by: null, changed_at: null } : { by: by.id, changed_at: new Date(changed_at_ms).toISOString() };
  return { ...rest, default: isDefault(limit), ...set };
}

/** `/v1/limits`: the guard limits of a tenant, their versions and what they have counted. */
@Controller('v1/limits')
export class LimitsController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
    private readonly views: Views,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const page = listed(request);
      const limits = [...defaultLimits, ...limitsOf(this.room.configuration.state, tenant_id)];
      const shown = (limit: Limit) => ({ ...limitFace(limit), etag: this.etag(tenant_id, limit.limit_id) });
      return page instanceof Refusal ? page : ok(pageOf(limits, page, (limit) => limit.limit_id, shown));
    });
  }

  @Get(':limit_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const limit = this.find(caller, idOf(request));
      return limit ? ok(limitFace(limit), { etag: this.etag(caller.tenant_id, limit.limit_id) }) : none();
    });
  }

  @Put(':limit_id')
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const limit_id = idOf(request);
      if (!ID.test(limit_id) || limit_id.startsWith('default.') || limit_id.startsWith('context.'))
        return new Refusal(
          'invalid-request',
          'a limit is named by 1 to 100 letters, digits, ".", "_" and "-", and not default.… or context.…',
        );
      const body = parseBody(limitRequest, request.body);
      if (body instanceof Refusal) return body;
      return limitFault(body) ?? this.edit(request, caller, () => nextVersion(limit_id, body, this.newest(caller, limit_id)));
    });
  }

  @Delete(':limit_id')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const removed = await this.edit(request, caller, () => {
        const limit = this.find(caller, idOf(request));
        return !limit || isDefault(limit) ? none() : { ...limit, version: limit.version + 1, removed: true };
      });
      return removed instanceof Refusal ? removed : { status: 204 };
    });
  }

  @Get(':limit_id/versions')
  versions(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const versions = limitVersions(this.room.configuration.state, tenant_id, idOf(request));
      return versions.length === 0 ? none() : ok({ items: versions.map(limitFace), next_cursor: null });
    });
  }

  @Get(':limit_id/usage')
  usage(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async ({ tenant_id }) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const limit_id = idOf(request);
      const of = { tenant_id, limit_id, after: page.after?.id ?? '', limit: page.limit + 1 };
      const rows = await readCounters(this.views.store, of);
      const shown = rows.slice(0, page.limit);
      const last = rows.length > shown.length ? shown.at(-1) : undefined;
      const limit = this.find({ tenant_id }, limit_id);
      const items = shown.map((row) => this.counted(row, limit));
      return ok({ items, next_cursor: last ? cursorText({ at: 0, id: last.key }) : null });
    });
  }

  private counted({ subject, per, slots }: CounterRow, limit: Limit | undefined): Record<string, unknown> {
    const counter: Counter = { slots: JSON.parse(slots) as Counter['slots'] };
    const window_ms = limit?.window_ms ?? null;
    const used = usedAt(counter, slotAt(counter, this.room.configuration.clock.now_ms(), window_ms), window_ms) / MICRO;
    return { subject, per, used, max: limit?.max ?? null, window_ms };
  }

  private find({ tenant_id }: Pick<Caller, 'tenant_id'>, limit_id: string): Limit | undefined {
    return [...limitsOf(this.room.configuration.state, tenant_id), ...defaultLimits].find((limit) => limit.limit_id === limit_id);
  }

  private newest({ tenant_id }: Caller, limit_id: string): Limit | undefined {
    return limitVersions(this.room.configuration.state, tenant_id, limit_id)[0];
  }

  private etag(tenant_id: string, limit_id: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.limit(limit_id));
  }

  /** Answers once the running instances have it. */
  private async edit(request: HttpRequest, caller: Caller, version: () => NewLimit | Refusal): Promise<Answer | Refusal> {
    const { tenant_id, principal } = caller;
    const draft = (): Limit | Refusal => {
      const limit = version();
      return limit instanceof Refusal ? limit : { ...limit, by: principal, changed_at_ms: this.room.configuration.clock.now_ms() };
    };
    const item = itemNames.limit(idOf(request));
    const edited = await this.room.editEverywhere(request, { tenant_id, type: 'limit_set', item, draft });
    if (edited instanceof Refusal) return edited;
    return ok({ ...limitFace(edited.fields), ...edited.everywhere }, { etag: edited.etag });
  }
}

import { type Caller, Refusal } from '@countersign/calls';
import type { PersonIdentity } from '@countersign/contracts';
import { type Identity, itemNames, personKey, type RecordedLink } from '@countersign/domain';
import { Controller, Delete, Get, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import type { ChangeFields } from '../identity/configuration-writer.js';
import { principalId } from '../identity/principal-id.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { involvedProblem } from './person-link-rights.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

const LINK_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const LINKS_MAX = 1000;

const identity = z.strictObject({
  issuer: z
    .string()
    .min(1)
    .max(500)
    .describe('local for a person with a key of this installation, else the issuer of an identity provider'),
  subject: principalId,
});

export const personLinkRequest = z.strictObject({
  one: identity,
  other: identity,
  relation: z.enum(['same', 'different']).describe('same: the two are one person; different: two with one subject are two persons'),
  reason: z.string().trim().min(1).max(500),
});

const identityOf = ({ issuer, subject }: PersonIdentity): Identity => ({ issuer, id: subject });

function linkFace({ changed_at_ms, removed: _removed, by, ...link }: RecordedLink): Record<string, unknown> {
  return { ...link, changed_by: by.id, changed_at: new Date(changed_at_ms).toISOString() };
}

const invalid = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'refused', message }] });

/** `/v1/person-links`: which identities are one person, and which are two, wherever people are excluded. Rights never go by it. */
@Controller('v1/person-links')
export class PersonLinksController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'auditor'], (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      return ok(
        pageOf(
          [...this.inForce(caller).values()],
          page,
          ({ link_id }) => link_id,
          (one) => ({ ...linkFace(one), etag: this.etag(caller, one.link_id) }),
        ),
      );
    });
  }

  @Get(':link_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'auditor'], (caller) => {
      const { link_id } = request.params as { link_id: string };
      const known = this.inForce(caller).get(link_id);
      return known ? ok(linkFace(known), { etag: this.etag(caller, link_id) }) : noSuch();
    });
  }

  @Put(':link_id')
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const body = parseBody(personLinkRequest, request.body);
      if (body instanceof Refusal) return body;
      const { link_id } = request.params as { link_id: string };
      if (!LINK_ID.test(link_id))
        return invalid('/link_id', 'a link_id has letters, digits, _ . -, at most 128, and begins with one of the first two');
      const [one, other] = [identityOf(body.one), identityOf(body.other)];
      if (personKey(one) === personKey(other)) return invalid('/other', 'one and other are the same identity: name two');
      const draft = () => {
        const known = this.inForce(caller);
        if (!known.has(link_id) && known.size >= LINKS_MAX)
          return new Refusal('conflict', `a tenant has at most ${LINKS_MAX} person links`);
        return this.refused(caller, [one, other], link_id) ?? this.changed(caller, { ...body, link_id, removed: false });
      };
      const edited = await this.edit(request, caller, link_id, draft);
      if (edited instanceof Refusal) return edited;
      return ok(linkFace(edited.fields), { etag: edited.etag });
    });
  }

  @Delete(':link_id')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const { link_id } = request.params as { link_id: string };
      const draft = () => {
        const known = this.inForce(caller).get(link_id);
        if (!known) return noSuch();
        return this.refused(caller, [], link_id) ?? this.changed(caller, { ...known, removed: true });
      };
      const edited = await this.edit(request, caller, link_id, draft);
      return edited instanceof Refusal ? edited : { status: 204 };
    });
  }

  private inForce({ tenant_id }: Caller): ReadonlyMap<string, RecordedLink> {
    return this.room.configuration.state.by_tenant.get(tenant_id)?.person_links?.in_force ?? new Map();
  }

  /** Why this caller may not change a link: it is about the caller, as it is wanted or as it stands. */
  private refused(caller: Caller, wanted: readonly Identity[], link_id: string): Refusal | undefined {
    const known = this.inForce(caller).get(link_id);
    const concerned = [...wanted, ...(known ? [identityOf(known.one), identityOf(known.other)] : [])];
    return involvedProblem(this.room.configuration.state, caller, concerned);
  }

  private changed(
    caller: Caller,
    link: Pick<RecordedLink, 'link_id' | 'one' | 'other' | 'relation' | 'reason' | 'removed'>,
  ): ChangeFields<'person_link_set'> {
    return { ...link, by: caller.principal, changed_at_ms: this.room.configuration.clock.now_ms() };
  }

  private etag({ tenant_id }: Caller, link_id: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.person_link(link_id));
  }

  private edit(request: HttpRequest, { tenant_id }: Caller, link_id: string, draft: () => ChangeFields<'person_link_set'> | Refusal) {
    return this.room.editEverywhere(request, { tenant_id, type: 'person_link_set', item: itemNames.person_link(link_id), draft });
  }
}

const noSuch = (): Refusal => new Refusal('not-found', 'there is no person link of this id');

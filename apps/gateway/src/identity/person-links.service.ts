import { type Caller, Refusal } from '@countersign/calls';
import type { PersonIdentity } from '@countersign/contracts';
import { type Identity, itemNames, personKey, type RecordedLink } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { involvedProblem } from './person-link-rights.js';
import type { PersonLinkAnswer, PersonLinkRequest } from './person-links.schemas.js';

const LINK_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const LINKS_MAX = 1000;

type LinkFields = ChangeFields<'person_link_set'>;

const noSuchLink = (): Refusal => new Refusal('not-found', 'no person link has this id', { reason: 'person_link_not_found' });
const invalid = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'refused', message }] });
const identityOf = ({ issuer, subject }: PersonIdentity): Identity => ({ issuer, id: subject });

function answerOf({ changed_at_ms, removed: _removed, by, ...link }: RecordedLink): PersonLinkAnswer {
  return { ...link, changed_by: by.id, changed_at: new Date(changed_at_ms).toISOString() };
}

/** Person links: which identities belong to one person. They affect the exclusion of voters only, never rights. */
@Injectable()
export class PersonLinksService {
  constructor(private readonly configuration: ConfigurationService) {}

  list(tenant_id: string, query: PageQuery): Page<PersonLinkAnswer & { etag: string }> {
    return pageOf(
      [...this.inForce(tenant_id).values()],
      placeOf(query),
      ({ link_id }) => link_id,
      (one) => ({ ...answerOf(one), etag: this.etag(tenant_id, one.link_id) }),
    );
  }

  read(tenant_id: string, link_id: string): WithHeaders<PersonLinkAnswer> | Refusal {
    const link = this.inForce(tenant_id).get(link_id);
    return link ? { body: answerOf(link), headers: { etag: this.etag(tenant_id, link_id) } } : noSuchLink();
  }

  async set(
    caller: Caller,
    link_id: string,
    body: PersonLinkRequest,
    request: EditRequest,
  ): Promise<WithHeaders<PersonLinkAnswer> | Refusal> {
    if (!LINK_ID.test(link_id))
      return invalid('/link_id', 'a link_id has at most 128 letters, digits, _ . - and starts with a letter or digit');
    const [one, other] = [identityOf(body.one), identityOf(body.other)];
    if (personKey(one) === personKey(other)) return invalid('/other', '`one` and `other` are the same identity: send two different ones');
    const draft = () => {
      const links = this.inForce(caller.tenant_id);
      if (!links.has(link_id) && links.size >= LINKS_MAX)
        return new Refusal('conflict', `a tenant has at most ${LINKS_MAX} person links`, { reason: 'person_link_limit_reached' });
      return this.refused(caller, [one, other], link_id) ?? this.changed(caller, { ...body, link_id, removed: false });
    };
    const edited = await this.edit(caller, link_id, request, draft);
    if (edited instanceof Refusal) return edited;
    return { body: answerOf(edited.fields), headers: { etag: edited.etag } };
  }

  async remove(caller: Caller, link_id: string, request: EditRequest): Promise<Refusal | undefined> {
    const draft = () => {
      const link = this.inForce(caller.tenant_id).get(link_id);
      if (!link) return noSuchLink();
      return this.refused(caller, [], link_id) ?? this.changed(caller, { ...link, removed: true });
    };
    const edited = await this.edit(caller, link_id, request, draft);
    return edited instanceof Refusal ? edited : undefined;
  }

  private inForce(tenant_id: string): ReadonlyMap<string, RecordedLink> {
    return this.configuration.state.by_tenant.get(tenant_id)?.person_links?.in_force ?? new Map();
  }

  /** Why this caller may not change a link: its old or new state includes the caller. */
  private refused(caller: Caller, wanted: readonly Identity[], link_id: string): Refusal | undefined {
    const known = this.inForce(caller.tenant_id).get(link_id);
    const concerned = [...wanted, ...(known ? [identityOf(known.one), identityOf(known.other)] : [])];
    return involvedProblem(this.configuration.state, caller, concerned);
  }

  private changed({ principal }: Caller, link: Omit<LinkFields, 'by' | 'changed_at_ms'>): LinkFields {
    return { ...link, by: principal, changed_at_ms: this.configuration.now_ms() };
  }

  private etag(tenant_id: string, link_id: string): string {
    return this.configuration.etag(tenant_id, itemNames.person_link(link_id));
  }

  private edit({ tenant_id }: Caller, link_id: string, request: EditRequest, draft: () => LinkFields | Refusal) {
    const item = itemNames.person_link(link_id);
    return this.configuration.editEverywhere(request, { tenant_id, type: 'person_link_set', item, draft });
  }
}

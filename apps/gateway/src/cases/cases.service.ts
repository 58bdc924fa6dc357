import {
  type Caller,
  CallSealer,
  metadataJson,
  metadataOf,
  noSuchCase,
  ownTexts,
  pickedOf,
  Refusal,
  type Seen,
  Views,
  viewsBehind,
} from '@countersign/calls';
import { SEALED, uuidv7 } from '@countersign/contracts';
import { type CaseFact, caseIdOf, caseOf, itemNames } from '@countersign/domain';
import { CONFIGURATION_TOPIC } from '@countersign/process';
import { type CaseRow, type Cursor, caseHistory, listCases, readCase } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import type { Edited } from '../configuration/configuration-edits.js';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import type { ConditionalRequest } from '../configuration/precondition.js';
import { type Page, storeQuery } from '../lists/page-query.js';
import { type Searched, searchedPage } from '../lists/searched-page.js';
import { positionText } from '../positions/positions.js';
import { historyLine } from './case-history-line.js';
import type { CaseAnswer, CaseChange, CaseRequest, CasesQuery, HistoryQuery } from './cases.schemas.js';

/** A case with its response headers. */
export interface CaseWithHeaders {
  answer: CaseAnswer;
  headers: Readonly<Record<string, string>>;
  /** An equal case with this reference exists, so no case was opened. */
  was_open?: true;
}

function answerOf({ case_id, tenant_id, status, title, external_id, metadata, opened_at_ms, changed_at_ms }: CaseRow): CaseAnswer {
  const times = { opened_at: new Date(opened_at_ms).toISOString(), changed_at: new Date(changed_at_ms).toISOString() };
  return { case_id, tenant_id, status, title, external_id, metadata: metadataOf(metadata), ...times };
}

const referenceTaken = (case_id: string): Refusal =>
  new Refusal(
    'external-id-taken',
    `${case_id} has this external_id but another title or metadata: use that case, or choose another external_id`,
    {
      case_id,
    },
  );

/** Filters cases by text in titles that are not encrypted. */
function titled(text: string, read: Searched<CaseRow>['read']): Searched<CaseRow> {
  const wanted = text.toLowerCase();
  return {
    read,
    placeOf: ({ opened_at_ms: at, case_id: id }) => ({ at, id }),
    matches: ({ title }) => title !== null && !title.includes(SEALED) && title.toLowerCase().includes(wanted),
  };
}

/** Cases: groups of related calls. This service creates their ids. */
@Injectable()
export class CasesService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
    private readonly sealer: CallSealer,
  ) {}

  async open(caller: Caller, request: CaseRequest): Promise<CaseWithHeaders | Refusal> {
    const { tenant_id } = caller;
    if (request.external_id !== undefined) return this.openReferenced(caller, request, caseIdOf(tenant_id, request.external_id));
    const case_id = `case_${uuidv7(this.configuration.clock.now_ms())}`;
    const fields = await this.fields(caller, case_id, { ...request, state: 'open' });
    if (fields instanceof Refusal) return fields;
    const position = await this.configuration.writer.set(tenant_id, 'case_set', fields);
    return this.shown(tenant_id, { fields, position, etag: this.etag(tenant_id, case_id) });
  }

  /** Opens one case per reference. Of concurrent requests the log accepts one; the others return its case. */
  private async openReferenced(caller: Caller, request: CaseRequest, case_id: string): Promise<CaseWithHeaders | Refusal> {
    const { tenant_id } = caller;
    const known = () => caseOf(this.configuration.state, tenant_id, case_id);
    const draft = () => (known() ? referenceTaken(case_id) : this.fields(caller, case_id, { ...request, state: 'open' }));
    const edit = { tenant_id, type: 'case_set', item: itemNames.case(case_id), exists: () => known() !== undefined, draft } as const;
    const edited = await this.configuration.edits.edit({ headers: {} }, edit);
    if (!(edited instanceof Refusal)) return this.shown(tenant_id, edited);
    const found = known();
    return found && (await this.isEqual(tenant_id, found, request)) ? this.again(caller, found) : edited;
  }

  /** True if the request equals the case. An encrypted title is compared after decryption. */
  private async isEqual(tenant_id: string, found: CaseFact, { title, metadata }: CaseRequest): Promise<boolean> {
    if ((found.metadata_json ?? '{}') !== (metadataJson(metadata) ?? '{}')) return false;
    return JSON.parse(await this.views.readable.text(tenant_id, JSON.stringify(found.title))) === (title ?? null);
  }

  private again({ tenant_id, principal }: Caller, { opened_at_ms: _, ...found }: CaseFact): CaseWithHeaders {
    const position = { topic: CONFIGURATION_TOPIC, partition: 0, offset: this.configuration.state.config_offset };
    const etag = this.etag(tenant_id, found.case_id);
    return { ...this.shown(tenant_id, { fields: { ...found, by: principal }, position, etag }), was_open: true };
  }

  /** Closes or reopens. */
  async change(caller: Caller, case_id: string, change: CaseChange, request: ConditionalRequest): Promise<CaseWithHeaders | Refusal> {
    const { tenant_id } = caller;
    const exists = () => caseOf(this.configuration.state, tenant_id, case_id) !== undefined;
    const draft = () => (exists() ? this.fields(caller, case_id, change) : noSuchCase());
    const edit = { tenant_id, type: 'case_set', item: itemNames.case(case_id), exists, draft } as const;
    const edited = await this.configuration.edits.edit(request, edit);
    return edited instanceof Refusal ? edited : this.shown(tenant_id, edited);
  }

  async list(tenant_id: string, query: CasesQuery): Promise<Page<CaseAnswer>> {
    const { limit: _limit, cursor: _cursor, opened_after, opened_before, text, ...filters } = query;
    const times = {
      ...(opened_after !== undefined && { from_ms: opened_after }),
      ...(opened_before !== undefined && { before_ms: opened_before }),
    };
    const read = (limit: number, after: Cursor | undefined) =>
      listCases(this.views.store, { tenant_id, ...filters, ...times, limit, ...(after && { after }) });
    const { items, next_cursor } = await (text === undefined ? read(query.limit, query.cursor) : searchedPage(titled(text, read), query));
    return { items: items.map(answerOf), next_cursor };
  }

  async read(tenant_id: string, case_id: string, seen: Seen): Promise<CaseWithHeaders | Refusal> {
    const current = await this.views.current(seen);
    const row = await readCase(this.views.store, tenant_id, case_id);
    if (!row) return current ? noSuchCase() : viewsBehind();
    // If the row does not show the change yet, no ETag is sent: with it the reader could undo the change.
    return { answer: answerOf(row), headers: current ? { etag: this.etag(tenant_id, case_id) } : {} };
  }

  /** Undefined if the case exists; otherwise why it is missing or unknown. */
  async missing(tenant_id: string, case_id: string, seen: Seen): Promise<Refusal | undefined> {
    const current = await this.views.current(seen);
    if (await readCase(this.views.store, tenant_id, case_id)) return undefined;
    return current ? noSuchCase() : viewsBehind();
  }

  /** Its timeline, oldest first. */
  async history(caller: Caller, case_id: string, { fields, ...query }: HistoryQuery, seen: Seen): Promise<Page<object> | Refusal> {
    const { tenant_id } = caller;
    const missing = await this.missing(tenant_id, case_id, seen);
    if (missing) return missing;
    const { items, next_cursor } = await caseHistory(this.views.store, { tenant_id, case_id, ...storeQuery(query) });
    const picked = fields && new Map(fields.map((name) => [name, true as const]));
    return { items: items.map((row) => (picked ? pickedOf(historyLine(row, caller), picked) : historyLine(row, caller))), next_cursor };
  }

  private etag(tenant_id: string, case_id: string): string {
    return this.configuration.edits.etag(tenant_id, itemNames.case(case_id));
  }

  private async fields(
    caller: Caller,
    case_id: string,
    change: CaseChange & Pick<CaseRequest, 'external_id'>,
  ): Promise<ChangeFields<'case_set'> | Refusal> {
    // A title without subjects stays unencrypted: the list of cases needs it.
    const { state, subjects, title: given = null } = change;
    const title = subjects.length > 0 ? await this.sealer.about(caller.tenant_id, subjects, given) : given;
    if (title instanceof Refusal) return title;
    const forged = this.sealer.forged(caller.tenant_id, ownTexts(change).join('\n'));
    if (forged) return forged;
    const own = { external_id: change.external_id ?? null, metadata_json: metadataJson(change.metadata) };
    return { case_id, state, title, ...own, by: caller.principal, changed_at_ms: this.configuration.clock.now_ms() };
  }

  private shown(tenant_id: string, { fields, position, etag }: Edited<'case_set'>): CaseWithHeaders {
    const { case_id, state: status, changed_at_ms } = fields;
    this.views.answered.note(position);
    const known = caseOf(this.configuration.state, tenant_id, case_id);
    const own = {
      external_id: known?.external_id ?? fields.external_id ?? null,
      metadata: known?.metadata_json ?? fields.metadata_json ?? null,
    };
    const title = known?.title ?? fields.title;
    const row: CaseRow = { tenant_id, case_id, status, title, ...own, opened_at_ms: known?.opened_at_ms ?? changed_at_ms, changed_at_ms };
    return { answer: answerOf(row), headers: { location: `/v1/cases/${case_id}`, 'countersign-position': positionText(position), etag } };
  }
}

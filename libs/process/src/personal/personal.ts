import { createHmac } from 'node:crypto';
import { SEALED, SEALED_KEYS_MAX, type SealedKey, sealedKeyIds, sealedParts, type ToolCall } from '@countersign/contracts';
import type { PersonalRule } from '@countersign/domain';
import type { KeyPlace, SubjectKey, SubjectKeys } from '@countersign/store';
import type { TenantKeys } from '../tenant-keys.js';
import { CallSeal, type KeysBySubject, UNNAMED } from './call-seal.js';
import type { Erasures } from './erasures.js';
import { openedOrSealed, openedPlain, openedText } from './open-text.js';
import { slotsOf, subjectsOf } from './personal-fields.js';
import { type LoadedKey, openBytes } from './seal-value.js';

const REF_CHARS = 32;
const NO_KEYS: ReadonlyMap<string, Buffer> = new Map();

/** The properties of a call that determine the keys for its data. */
export interface CallToSeal {
  tenant_id: string;
  rules: readonly PersonalRule[];
  markings: readonly string[];
  inputs: unknown;
  /** Epoch ms: determines the month. */
  requested_at_ms: number;
}

/** The subjects of some data: by id, and by the reference that replaces an id on the record. */
export interface AboutSubjects {
  subjects: readonly string[];
  refs?: readonly string[];
}

/** A call with readable inputs and rationale, and the seal for everything written about it; undefined: a key is destroyed. */
export interface OpenedCall {
  call: ToolCall;
  seal: CallSeal;
}

/** Seals personal data under the keys of its subjects, and opens it while these keys exist. */
export class Personal {
  constructor(
    readonly keys: SubjectKeys,
    private readonly tenants: TenantKeys,
    private readonly now_ms: () => number,
    /** Absent only in tests that do not need it. */
    readonly erasures?: Pick<Erasures, 'has' | 'destroyed'>,
  ) {}

  /** The reference that replaces a subject's id wherever it must be named. */
  ref(tenant_id: string, subject: string): string {
    const key = this.tenants.tenantKey(tenant_id);
    return createHmac('sha256', key).update(`subject/${subject}`).digest('hex').slice(0, REF_CHARS);
  }

  /** JSON text (NDJSON, event-stream data) of a tenant as its readers may see it: opened, or `erased`. */
  async text(tenant_id: string, text: string): Promise<string> {
    return text.includes(SEALED) ? openedText(tenant_id, text, await this.loaded(tenant_id, text)) : text;
  }

  /** The same for text that is not JSON: CSV, mail, a page. */
  async plain(tenant_id: string, text: string): Promise<string> {
    return text.includes(SEALED) ? openedPlain(tenant_id, text, await this.loaded(tenant_id, text)) : text;
  }

  /** The same for a JSON value. */
  async value<T>(tenant_id: string, value: T): Promise<T> {
    const text = JSON.stringify(value);
    return text?.includes(SEALED) ? (JSON.parse(await this.text(tenant_id, text)) as T) : value;
  }

  /** JSON text for evaluation, decrypted. Values whose key is destroyed stay encrypted: the placeholder `erased` would pass for data. */
  async evaluable(tenant_id: string, text: string): Promise<string> {
    return text.includes(SEALED) ? openedOrSealed(tenant_id, text, await this.loaded(tenant_id, text)) : text;
  }

  /** Bytes of a blob; undefined: a key is destroyed. */
  async bytes(tenant_id: string, parts: NonNullable<ReturnType<typeof sealedParts>>): Promise<Buffer | undefined> {
    return openBytes(tenant_id, parts, await this.get(tenant_id, parts.key_ids));
  }

  /** Creates (or finds) the keys of a new call. */
  async sealing(call_to_seal: CallToSeal): Promise<{ seal: CallSeal; sealed: SealedKey[] }> {
    const { tenant_id, rules, inputs } = call_to_seal;
    const named = rules.flatMap((rule) => subjectsOf(rule.subjects, { inputs, output: undefined }));
    const { slots } = slotsOf(rules, 'inputs', { value: inputs, inputs, output: undefined });
    const own = [...new Set([...named, ...slots.flatMap(({ subjects }) => subjects)])];
    const keys = await this.current(call_to_seal, [...own, UNNAMED]);
    const about = own.length > 0 ? own : [UNNAMED];
    const mine = about.map((subject) => keys.get(subject) as LoadedKey);
    const sealed = mine.map(({ key_id }, at) => ({ subject: this.ref(tenant_id, about[at] as string), key_id }));
    return { seal: new CallSeal({ tenant_id, rules, inputs }, keys, mine), sealed };
  }

  /**
   * Seals data about subjects that belongs to no single call; without a subject, under the monthly key. @returns undefined if there are
   * too many subjects
   */
  async sealingAbout(tenant_id: string, about: AboutSubjects, at_ms: number): Promise<{ seal: CallSeal; sealed: SealedKey[] } | undefined> {
    const refs = [...new Set([...about.subjects.map((subject) => this.ref(tenant_id, subject)), ...(about.refs ?? [])])];
    if (refs.length > SEALED_KEYS_MAX) return undefined;
    const named = refs.length > 0 ? refs : [this.ref(tenant_id, UNNAMED)];
    const period = new Date(at_ms).toISOString().slice(0, 7);
    const places = named.map((subject) => ({ tenant_id, subject, markings: '', period }));
    const own: LoadedKey[] = await this.keysAt(places);
    const sealed = own.map(({ key_id }, at) => ({ subject: named[at] as string, key_id }));
    return { seal: new CallSeal({ tenant_id, rules: [], inputs: {} }, new Map(), own), sealed };
  }

  /** Opens a sealed call, in memory only, for services that decide on it or run it. */
  async open(tenant_id: string, call: ToolCall, rules: readonly PersonalRule[]): Promise<OpenedCall | undefined> {
    const { sealed, context } = call;
    const own = sealed ?? [];
    const { mapped } = call;
    const plain_text = `${call.inputs_json} ${context.rationale ?? ''} ${mapped?.inputs_json ?? ''} ${mapped?.warnings.join(' ') ?? ''}`;
    const ids = [...sealedKeyIds(plain_text), ...own.map(({ key_id }) => key_id)];
    const keys = await this.get(tenant_id, [...new Set(ids)]);
    if (ids.some((id) => !keys.has(id))) return undefined;
    const inputs_json = openedText(tenant_id, call.inputs_json, keys);
    const rationale = context.rationale === null ? null : openedPlain(tenant_id, context.rationale, keys);
    const inputs = JSON.parse(inputs_json) as unknown;
    const mine = own.map(({ key_id }) => ({ key_id, key: keys.get(key_id) as Buffer }));
    const named = await this.outputKeys(tenant_id, call, rules, { inputs, keys, own });
    const seal = new CallSeal({ tenant_id, rules: rules, inputs }, named, mine);
    const runs = mapped && {
      ...mapped,
      inputs_json: openedText(tenant_id, mapped.inputs_json, keys),
      warnings: mapped.warnings.map((warning) => openedPlain(tenant_id, warning, keys)),
    };
    return { call: { ...call, inputs_json, mapped: runs, context: { ...context, rationale } }, seal };
  }

  /** The same with the keys of subjects that its output names, which were unknown before it ran. */
  async sealOutput(tenant_id: string, opened: OpenedCall, rules: readonly PersonalRule[], output_json: string): Promise<CallSeal> {
    const { call } = opened;
    const [inputs, output] = [JSON.parse(call.inputs_json) as unknown, JSON.parse(output_json) as unknown];
    const { slots } = slotsOf(rules, 'output', { value: output, inputs, output });
    const subjects = [...new Set(slots.flatMap((slot) => slot.subjects))];
    return opened.seal.withKeys(await this.keysOf(tenant_id, call, subjects, new Map()));
  }

  /** Seals other inputs of the call, for all subjects that they name. */
  async sealInputs(tenant_id: string, { call }: OpenedCall, rules: readonly PersonalRule[], inputs_json: string): Promise<CallSeal> {
    const inputs = JSON.parse(inputs_json) as unknown;
    const { requested_at_ms, authority } = call;
    const call_to_seal = { tenant_id, rules, markings: authority?.markings ?? [], inputs, requested_at_ms };
    return (await this.sealing(call_to_seal)).seal;
  }

  private async outputKeys(
    tenant_id: string,
    call: ToolCall,
    rules: readonly PersonalRule[],
    known: { inputs: unknown; keys: ReadonlyMap<string, Buffer>; own: readonly SealedKey[] },
  ): Promise<KeysBySubject> {
    const { inputs } = known;
    const references = rules.flatMap((rule) => [...rule.subjects, ...rule.inputs.flatMap(({ subjects }) => subjects)]);
    const subjects = subjectsOf(references, { inputs, output: undefined });
    const own = new Map(known.own.map(({ subject, key_id }) => [subject, { key_id, key: known.keys.get(key_id) as Buffer }]));
    return this.keysOf(tenant_id, call, [...subjects, UNNAMED], own);
  }

  /** The call's own keys if it has them; other keys are current ones. */
  private async keysOf(
    tenant_id: string,
    call: ToolCall,
    subjects: readonly string[],
    own: ReadonlyMap<string, LoadedKey>,
  ): Promise<Map<string, LoadedKey>> {
    const found = new Map(subjects.map((subject) => [subject, own.get(this.ref(tenant_id, subject))]));
    const missing = [...found].filter(([, key]) => key === undefined).map(([subject]) => subject);
    const { requested_at_ms, authority } = call;
    const made = await this.current({ tenant_id, markings: authority?.markings ?? [], requested_at_ms }, missing);
    return new Map([...found].map(([subject, key]) => [subject, key ?? (made.get(subject) as LoadedKey)]));
  }

  private async current(
    of: Pick<CallToSeal, 'tenant_id' | 'markings' | 'requested_at_ms'>,
    subjects: readonly string[],
  ): Promise<Map<string, LoadedKey>> {
    if (subjects.length === 0) return new Map();
    const period = new Date(of.requested_at_ms).toISOString().slice(0, 7);
    const markings = [...of.markings].sort().join(',');
    const { tenant_id } = of;
    const places = subjects.map((subject) => ({ tenant_id, subject: this.ref(tenant_id, subject), markings, period }));
    const keys = await this.keysAt(places);
    return new Map(subjects.map((subject, at) => [subject, keys[at] as LoadedKey]));
  }

  /** The keys that are not destroyed. Keys of erased subjects are excluded, wherever they come from. */
  private get(tenant_id: string, key_ids: readonly string[]): Promise<Map<string, Buffer>> {
    return this.keys.get(
      tenant_id,
      key_ids.filter((key_id) => !this.erasures?.has(tenant_id, key_id)),
    );
  }

  private async keysAt(places: readonly KeyPlace[]): Promise<SubjectKey[]> {
    const keys = await this.keys.current(places, this.now_ms());
    const erased = keys.filter(({ tenant_id, key_id }) => this.erasures?.has(tenant_id, key_id));
    if (erased.length === 0) return keys;
    for (const { tenant_id, key_id } of erased) await this.keys.destroy(tenant_id, [key_id]);
    return this.keys.current(places, this.now_ms());
  }

  private loaded(tenant_id: string, text: string): Promise<ReadonlyMap<string, Buffer>> | ReadonlyMap<string, Buffer> {
    const ids = [...sealedKeyIds(text)];
    return ids.length === 0 ? NO_KEYS : this.get(tenant_id, ids);
  }
}

import { type EditedInputs, SEALED, sha256Hex, type ToolCall } from '@countersign/contracts';
import { hasPersonal, type PersonalRule } from '@countersign/domain';
import { type Clock, type Configuration, type Personal, rulesAbout } from '@countersign/process';
import { z } from 'zod';
import { Refusal } from '../refusal.js';
import type { AdmittedCall } from '../request/admitted-call.js';

type Seal = Awaited<ReturnType<Personal['sealing']>>['seal'];
const SUBJECTS_MAX = 255;
const NONE: readonly PersonalRule[] = [];
const noKeys = (): Refusal =>
  new Refusal('unavailable', 'the personal data of the call cannot be sealed now, so the call was not recorded', {
    reason: 'seal_unavailable',
  });

export const tooManySubjects = (): Refusal => new Refusal('invalid-request', `more than ${SUBJECTS_MAX} subjects are named`);

/** The data subjects of a text, as a request may name them. */
export const subjectsRequest = z
  .array(z.string().min(1).max(400))
  .max(50)
  .default([])
  .describe('data subjects of the text: it is sealed under their keys and becomes unreadable when one of them is erased');

/** Encrypts personal data before it is recorded: inputs and rationale of calls, and texts of people about them. */
export class CallSealer {
  constructor(
    private readonly personal: Personal | undefined,
    private readonly configuration: Configuration,
    private readonly clock: Pick<Clock, 'now_ms'>,
  ) {}

  /** The personal-data rules for a call. Most tenants have none, and then this is one lookup. */
  rules(tenant_id: string, tool: string, markings: readonly string[]): readonly PersonalRule[] {
    const { state } = this.configuration;
    return hasPersonal(state, tenant_id) ? rulesAbout(state, tenant_id, { tool, markings }) : NONE;
  }

  /** Callers may not send text that looks encrypted: it would be decrypted for any reader. */
  forged(tenant_id: string, text: string): Refusal | undefined {
    if (!hasPersonal(this.configuration.state, tenant_id) || !text.includes(SEALED)) return undefined;
    return new Refusal('invalid-request', `a text must not contain ${JSON.stringify(SEALED)}: it marks sealed values`);
  }

  /** Undefined: the call contains no personal data. */
  seal(admitted: AdmittedCall): Promise<AdmittedCall | Refusal> | undefined {
    return admitted.personal.length === 0 ? undefined : this.sealed(admitted);
  }

  private async sealed(admitted: AdmittedCall): Promise<AdmittedCall | Refusal> {
    const { meta, call, personal: rules } = admitted;
    if (!this.personal) return noKeys();
    const { tenant_id } = meta;
    const { context, requested_at_ms } = call;
    const inputs = JSON.parse(call.inputs_json) as unknown;
    const markings = call.authority?.markings ?? [];
    const { seal, sealed } = await this.personal.sealing({ tenant_id, rules, markings, inputs, requested_at_ms });
    if (sealed.length > SUBJECTS_MAX) return new Refusal('invalid-request', `the call names more than ${SUBJECTS_MAX} subjects`);
    const inputs_json = seal.inputs(call.inputs_json);
    const rationale = seal.textOrNull(context.rationale);
    const mapped = call.mapped && seal.mapped(call.mapped);
    return {
      ...admitted,
      call: { ...call, inputs_json, inputs_digest: sha256Hex(inputs_json), mapped, context: { ...context, rationale }, sealed },
    };
  }

  /** Encrypts a text about a recorded call. */
  async text(tenant_id: string, call: ToolCall | null, text: string | null): Promise<string | null | Refusal> {
    if (text === null) return null;
    const forged = this.forged(tenant_id, text);
    if (forged || !call?.sealed) return forged ?? text;
    const opened = await this.opened(tenant_id, call);
    return opened instanceof Refusal ? opened : opened.seal.text(text);
  }

  /** Encrypts a text about several recorded calls. It becomes unreadable when a data subject of one of them is erased. */
  async textAboutAll(tenant_id: string, calls: readonly ToolCall[], text: string): Promise<string | Refusal> {
    const [first] = calls.filter(({ sealed }) => sealed !== null);
    const keys = new Map(calls.flatMap(({ sealed }) => sealed ?? []).map((key) => [key.key_id, key]));
    if (keys.size > SUBJECTS_MAX) return tooManySubjects();
    return (await this.text(tenant_id, first ? { ...first, sealed: [...keys.values()] } : null, text)) as string | Refusal;
  }

  /** Encrypts a text about the named subjects. A tenant without rules for personal data keeps plain text and may name no subjects. */
  about(tenant_id: string, subjects: readonly string[], text: string | null): Promise<string | null | Refusal> {
    return this.sealedAbout(tenant_id, subjects, text, (seal, plain) => seal.text(plain));
  }

  /** As `about`, for JSON text: the result is JSON text too. */
  jsonAbout(tenant_id: string, subjects: readonly string[], json: string | null): Promise<string | null | Refusal> {
    return this.sealedAbout(tenant_id, subjects, json, (seal, plain) => seal.json(plain));
  }

  private async sealedAbout(
    tenant_id: string,
    subjects: readonly string[],
    text: string | null,
    sealed: (seal: Seal, plain: string) => string,
  ): Promise<string | null | Refusal> {
    if (!hasPersonal(this.configuration.state, tenant_id)) {
      if (subjects.length === 0) return text;
      return new Refusal(
        'invalid-request',
        'the tenant has no rules for personal data, so it cannot name subjects: PUT /v1/personal-data/{rule_id} first',
      );
    }
    if (text === null) return null;
    const forged = this.forged(tenant_id, text);
    if (forged || !this.personal) return forged ?? noKeys();
    const sealing = await this.personal.sealingAbout(tenant_id, { subjects }, this.clock.now_ms());
    return sealing ? sealed(sealing.seal, text) : tooManySubjects();
  }

  /** The inputs of a step of a saga, for its own record: encrypted as those of its call will be. */
  async ofStep(
    tenant_id: string,
    { tool, markings, inputs_json }: { tool: string; markings: readonly string[]; inputs_json: string },
  ): Promise<string | Refusal> {
    const forged = this.forged(tenant_id, inputs_json);
    const rules = this.rules(tenant_id, tool, markings);
    if (forged || rules.length === 0) return forged ?? inputs_json;
    if (!this.personal) return noKeys();
    const inputs = JSON.parse(inputs_json) as unknown;
    const { seal } = await this.personal.sealing({ tenant_id, rules, markings, inputs, requested_at_ms: this.clock.now_ms() });
    return seal.json(inputs_json);
  }

  /** Encrypts an output that a person supplies for a call. */
  async output(tenant_id: string, call: ToolCall | null, json: string | null): Promise<string | null | Refusal> {
    if (json === null) return null;
    const forged = this.forged(tenant_id, json);
    if (forged || !call?.sealed) return forged ?? json;
    const opened = await this.opened(tenant_id, call);
    if (opened instanceof Refusal) return opened;
    const rules = this.rules(tenant_id, call.tool, call.authority?.markings ?? []);
    const seal = await (this.personal as Personal).sealOutput(tenant_id, opened, rules, json);
    return seal.output(json);
  }

  /** Encrypts inputs that an approver edited. Unchanged inputs keep their original ciphertext. */
  async edited(tenant_id: string, call: ToolCall, edited: EditedInputs): Promise<EditedInputs | Refusal> {
    const forged = this.forged(tenant_id, edited.inputs_json);
    if (forged || !call.sealed) return forged ?? edited;
    const opened = await this.opened(tenant_id, call);
    if (opened instanceof Refusal) return opened;
    if (opened.call.inputs_json === edited.inputs_json)
      return { ...edited, inputs_json: call.inputs_json, inputs_digest: call.inputs_digest, mapped: call.mapped };
    const rules = this.rules(tenant_id, call.tool, call.authority?.markings ?? []);
    const seal = await (this.personal as Personal).sealInputs(tenant_id, opened, rules, edited.inputs_json);
    const inputs_json = seal.inputs(edited.inputs_json);
    return { ...edited, inputs_json, inputs_digest: sha256Hex(inputs_json), mapped: edited.mapped && seal.mapped(edited.mapped) };
  }

  private async opened(tenant_id: string, call: ToolCall) {
    if (!this.personal) return noKeys();
    const rules = this.rules(tenant_id, call.tool, call.authority?.markings ?? []);
    const opened = await this.personal.open(tenant_id, call, rules);
    return (
      opened ??
      new Refusal('conflict', 'the personal data of this call was erased: no reason, result or edit can be recorded for it', {
        reason: 'subject_erased',
      })
    );
  }
}

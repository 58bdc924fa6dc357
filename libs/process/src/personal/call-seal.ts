import {
  type CallError,
  canonicalText,
  ERASED,
  type MappedInputs,
  type Outcome,
  SEALED,
  SEALED_KEYS_MAX,
  sha256Hex,
} from '@countersign/contracts';
import type { PersonalRule } from '@countersign/domain';
import { slotsOf } from './personal-fields.js';
import { type LoadedKey, sealBytes, sealJson } from './seal-value.js';

/** Data without a known subject is sealed under a monthly key, which retention deletes. */
export const UNNAMED = '';

/** Keys by the id of their subject. */
export type KeysBySubject = ReadonlyMap<string, LoadedKey>;

export interface SealTerms {
  tenant_id: string;
  rules: readonly PersonalRule[];
  /** The call's decrypted inputs, for references into them. */
  inputs: unknown;
}

const token = (text: string): boolean => text.startsWith(SEALED);
/** External text that looks sealed must not be opened as if this platform had sealed it. */
const defused = (text: string): string => (text.includes(SEALED) ? text.replaceAll(SEALED, 'sealed_v1_') : text);

/** Seals what is written about one call while the call is in memory. Makes no requests. */
export class CallSeal {
  constructor(
    private readonly terms: SealTerms,
    /** Loaded keys: of the call's own subjects and of other subjects that its output names. */
    private readonly keys: KeysBySubject,
    /** The keys of the call's own subjects, which seal data about the call as a whole. */
    private readonly own: readonly LoadedKey[],
  ) {}

  /** Seals a text about the call as a whole; sealed parts stay as they are. */
  text(text: string): string {
    return token(text) ? text : sealJson(this.terms.tenant_id, this.own, JSON.stringify(text));
  }

  textOrNull(text: string | null): string | null {
    return text === null ? null : this.text(text);
  }

  /** Seals JSON text about the call as a whole. */
  json(json: string): string {
    return json.startsWith(`"${SEALED}`) ? json : JSON.stringify(sealJson(this.terms.tenant_id, this.own, json));
  }

  /** Seals the mapped form as a whole: no rule says where a mapping puts a personal field or how it transforms it. */
  mapped(mapped: MappedInputs): MappedInputs {
    const inputs_json = this.json(mapped.inputs_json);
    return {
      ...mapped,
      inputs_json,
      inputs_digest: sha256Hex(inputs_json),
      warnings: mapped.warnings.map((warning) => this.text(warning)),
    };
  }

  bytes(bytes: Buffer): ReturnType<typeof sealBytes> {
    return sealBytes(this.terms.tenant_id, this.own, bytes);
  }

  /** A copy with more subject keys. */
  withKeys(more: KeysBySubject): CallSeal {
    return new CallSeal(this.terms, new Map([...this.keys, ...more]), this.own);
  }

  inputs(json: string): string {
    const { inputs } = this.terms;
    return this.fields('inputs', JSON.parse(json), { inputs, output: undefined });
  }

  output(json: string): string {
    if (json.includes(SEALED)) return json.startsWith(`"${SEALED}`) ? json : this.output(defused(json));
    const output = JSON.parse(json) as unknown;
    return this.fields('output', output, { inputs: this.terms.inputs, output });
  }

  /** Seals everything in an outcome that may be personal. */
  outcome(outcome: Outcome): Outcome {
    const { output_json, error, warnings, extras } = outcome;
    return {
      ...outcome,
      output_json: output_json === null ? null : this.output(output_json),
      error: error && this.error(error),
      warnings: warnings.map((warning) => this.text(warning)),
      extras: extras && { ...extras, validation_json: extras.validation_json === null ? null : this.json(extras.validation_json) },
    };
  }

  error(error: CallError): CallError {
    const { message, details_json } = error;
    return { ...error, message: this.text(message), details_json: details_json === null ? null : this.json(details_json) };
  }

  private fields(of: 'inputs' | 'output', value: unknown, named: { inputs: unknown; output: unknown }): string {
    const { tenant_id, rules } = this.terms;
    // The rules at its admission no longer exist: all of it is sealed.
    if (rules.length === 0) return this.json(canonicalText(value));
    const { root, slots } = slotsOf(rules, of, { value, ...named });
    for (const slot of slots) slot.write(this.slot(tenant_id, slot.subjects, slot.value));
    return canonicalText(root.value);
  }

  private slot(tenant_id: string, subjects: readonly string[], value: unknown): string {
    if (subjects.length > SEALED_KEYS_MAX) return ERASED;
    const keys = (subjects.length > 0 ? subjects : [UNNAMED]).map((subject) => this.keys.get(subject));
    const known = keys.filter((key) => key !== undefined);
    // The key of a subject is unavailable: nothing about the subject is kept.
    return known.length < keys.length ? ERASED : sealJson(tenant_id, known, canonicalText(value));
  }
}

import { type CelInput, type CelMap, celList, celMap } from '@bufbuild/cel';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';

type Json = unknown;

/** A JSON value as a CEL value; numbers are doubles. */
export function celOf(value: Json): CelInput {
  if (Array.isArray(value)) return celList(value.map(celOf));
  if (value instanceof Map) return celMap(value);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, field]) => field !== undefined);
    return celMap(new Map(entries.map(([name, field]) => [name, celOf(field)])));
  }
  return value as CelInput;
}

/** A tenant's fact tables by name, with rows by key. */
export type FactTables = ReadonlyMap<string, { version: number; rows: ReadonlyMap<string, Json> }>;

/** The values that an expression is evaluated on. */
export interface Subject {
  /** The agent's inputs. */
  inputs: Json;
  /** The mapped inputs, which run; absent: the same as `inputs`. */
  mapped?: Json;
  /** JSON length of both forms: larger inputs reduce the number of turns. */
  inputs_chars: number;
  /** The call's context, with `case_id`. */
  context: object;
  principal: object;
  tool: object;
  facts: FactTables;
  /**
   * The history of earlier calls by scope (`history.case.calls`, `history.run.denied`, …) with the circuit of the tool, and trust (`trust.tool`). Unknown values are
   * absent: a condition that uses them fails, and so allows nothing.
   */
  history: Readonly<Record<string, Json>>;
  trust: Readonly<Record<string, Json>>;
  now_ms: number;
}

/** The variables of a subject; each is converted on first use. */
export class CelBindings {
  private readonly converted = new Map<string, CelInput>();

  constructor(private readonly subject: Subject) {}

  get inputs_chars(): number {
    return this.subject.inputs_chars;
  }

  get inputs(): CelInput {
    return this.once('inputs');
  }
  get mapped(): CelInput {
    const { inputs, mapped = inputs } = this.subject;
    return mapped === inputs ? this.inputs : this.once('mapped');
  }
  get context(): CelInput {
    return this.once('context');
  }
  get principal(): CelInput {
    return this.once('principal');
  }
  get tool(): CelInput {
    return this.once('tool');
  }
  get history(): CelInput {
    return this.once('history');
  }
  get trust(): CelInput {
    return this.once('trust');
  }

  get facts(): CelMap {
    const known = this.converted.get('facts');
    if (known) return known as CelMap;
    const facts = celMap(
      new Map([...this.subject.facts].map(([table, { rows }]) => [table, celMap(rows as ReadonlyMap<string, CelInput>)])),
    );
    this.converted.set('facts', facts);
    return facts;
  }

  get now(): CelInput {
    return timestampFromMs(this.subject.now_ms);
  }

  private once(name: 'inputs' | 'mapped' | 'context' | 'principal' | 'tool' | 'history' | 'trust'): CelInput {
    const known = this.converted.get(name);
    if (known !== undefined) return known;
    const value = celOf(this.subject[name]);
    this.converted.set(name, value);
    return value;
  }
}

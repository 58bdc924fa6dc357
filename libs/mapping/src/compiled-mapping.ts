import { CompiledSide, type Mapped, type Tables, type Unmapped } from './compiled-side.js';
import type { MappingDefinition, MappingMode } from './definition.js';
import { inverseOf } from './inverse.js';

/** One version of a mapping, compiled once and used for every call. Keeps no state between runs. */
export class CompiledMapping {
  private readonly inputs: CompiledSide;
  private readonly results: CompiledSide | undefined;
  private readonly tables: Tables;
  private readonly unmapped: Unmapped;

  /** `definition` must have no faults (`definitionFaults`); `mode` is the default for a definition that sets none. */
  constructor(definition: MappingDefinition, mode: MappingMode) {
    const { inputs, results, tables = {} } = definition;
    this.unmapped = (definition.mode ?? mode) === 'permissive' ? 'pass' : 'refuse';
    this.inputs = new CompiledSide(inputs);
    const back = results === 'inverse' ? inverseOf(inputs) : results;
    this.results = Array.isArray(back) ? new CompiledSide(back) : undefined;
    const turned = Object.entries(tables).map(([name, table]) => [name, turnedTable(table)] as const);
    this.tables = { forward: tables, back: Object.fromEntries(turned) };
  }

  /** Maps the agent's inputs to the form of the system. */
  toSystem(inputs: unknown): Promise<Mapped> {
    return this.inputs.map(inputs, this.unmapped, this.tables);
  }

  /**
   * Maps the result of the system for the agent; undefined: it passes unchanged. `happened`: the write took effect, so unmapped fields
   * are left out instead of refused.
   */
  toAgent(result: unknown, happened = false): Promise<Mapped> | undefined {
    return this.results?.map(result, happened && this.unmapped === 'refuse' ? 'leave_out' : this.unmapped, this.tables);
  }
}

/** Keys by their value, as JSON and as text: the JSON of a number is its text, that of a text has quotes. */
function turnedTable(table: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table).map(([key, value]) => [JSON.stringify(value), key]));
}

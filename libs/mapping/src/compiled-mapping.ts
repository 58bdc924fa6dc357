import { CompiledSide, type Mapped, type Tables, type Unmapped } from './compiled-side.js';
import type { MappingDefinition, MappingMode } from './definition.js';
import { inverseOf } from './inverse.js';

/** A mapping of one version, compiled once and used for every call. Nothing of a run is kept in it. */
export class CompiledMapping {
  private readonly inputs: CompiledSide;
  private readonly results: CompiledSide | undefined;
  private readonly tables: Tables;
  private readonly unmapped: Unmapped;

  /** `definition` has no faults (`definitionFaults`); `mode` is what holds where it says nothing itself. */
  constructor(definition: MappingDefinition, mode: MappingMode) {
    const { inputs, results, tables = {} } = definition;
    this.unmapped = (definition.mode ?? mode) === 'permissive' ? 'pass' : 'refuse';
    this.inputs = new CompiledSide(inputs);
    const back = results === 'inverse' ? inverseOf(inputs) : results;
    this.results = Array.isArray(back) ? new CompiledSide(back) : undefined;
    const turned = Object.entries(tables).map(
      ([name, table]) => [name, new Map(Object.entries(table).map(([key, value]) => [JSON.stringify(value), key]))] as const,
    );
    this.tables = { forward: tables, back: Object.fromEntries(turned) };
  }

  /** The system's form of the agent's inputs. */
  toSystem(inputs: unknown): Promise<Mapped> {
    return this.inputs.map(inputs, this.unmapped, this.tables);
  }

  /** What an agent gets for what the system answered; undefined: it gets it as it is. `happened`: there is nothing left to refuse. */
  toAgent(result: unknown, happened = false): Promise<Mapped> | undefined {
    return this.results?.map(result, happened && this.unmapped === 'refuse' ? 'leave_out' : this.unmapped, this.tables);
  }
}

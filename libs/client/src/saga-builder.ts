import type { SagaBlock, SagaDefinition, SagaStepOptions, SagaUse } from './saga-blocks.js';

/** How long a person may take, unless the options say otherwise: a week. */
const WAIT_MAX_MS = 7 * 86_400_000;

/** What of a definition is not its name, its version and its blocks. */
export interface SagaOptions {
  /** JSON Schema 2020-12 of the inputs of the saga. */
  input_schema?: Record<string, unknown>;
  /** The clock stands still while a person decides. */
  deadline_ms?: number;
  /** The longest that one wait for a person stops the clock; a week unless it is said. */
  wait_max_ms?: number;
}

/**
 * Blocks that run one after another. Each call returns a new builder. `Names` are the steps that surely ran before what is
 * added next: the compiler refuses a pointer to any other. The gateway checks everything else.
 */
export class SagaBuilder<Names extends string = never> {
  constructor(
    private readonly header: Omit<SagaDefinition, 'root'>,
    private readonly blocks: readonly SagaBlock[],
  ) {}

  step<Name extends string>(
    name: Name,
    use: SagaUse<Names>,
    options?: SagaStepOptions<Names, Name> & { when?: never },
  ): SagaBuilder<Names | Name>;
  /** A step with a condition may be skipped: later steps read it by an expression. */
  step<Name extends string>(name: Name, use: SagaUse<Names>, options: SagaStepOptions<Names, Name>): SagaBuilder<Names>;
  step(name: string, use: SagaUse, options: SagaStepOptions = {}): SagaBuilder<string> {
    return this.block<string>({ kind: 'step', name, use, ...options });
  }

  /** Any block. `Ran`: names of its steps that surely ran when it ends, where later steps read them. */
  block<Ran extends string = never>(block: SagaBlock): SagaBuilder<Names | Ran> {
    return new SagaBuilder(this.header, [...this.blocks, block]);
  }

  /** The definition as `PUT /v1/saga-definitions/{name}/versions/{version}` takes it. */
  build(): SagaDefinition {
    const [only, ...others] = this.blocks;
    const root: SagaBlock = only && others.length === 0 ? only : { kind: 'sequence', blocks: [...this.blocks] };
    return { ...this.header, root };
  }
}

/** Begins the definition of a saga. `version` is an exact semantic version. */
export function saga(name: string, version: string, options: SagaOptions = {}): SagaBuilder {
  return new SagaBuilder({ name, version, wait_max_ms: WAIT_MAX_MS, ...options }, []);
}

import type { FoundDamage } from '../damage/found-damage.js';

/** The records of a partition that differ from what was signed. */
export type BrokenPlace = Required<Pick<FoundDamage, 'topic' | 'partition' | 'first_offset' | 'last_offset' | 'generation'>>;

/**
 * The log differs from what a checkpoint signed: it was cut, or a record was changed. Nothing more is signed until a person has decided.
 */
export class BrokenRecord extends Error {
  /** `place`: the position on the log; absent if the checkpoints themselves are damaged. */
  constructor(
    message: string,
    readonly place?: BrokenPlace,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The separate findings, if several trees are broken at once. */
  get each(): readonly BrokenRecord[] {
    return [this];
  }
}

/** All trees that cannot be continued, so that one decision can cover all of them. */
export class BrokenTrees extends BrokenRecord {
  constructor(private readonly trees: readonly BrokenRecord[]) {
    super(trees.map(({ message }) => message).join('; '), trees[0]?.place);
  }

  override get each(): readonly BrokenRecord[] {
    return this.trees;
  }
}

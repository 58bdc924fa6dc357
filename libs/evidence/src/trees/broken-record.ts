import type { FoundDamage } from '../damage/found-damage.js';

/** Records of a partition that are not what was signed. */
export type BrokenPlace = Required<Pick<FoundDamage, 'topic' | 'partition' | 'first_offset' | 'last_offset' | 'generation'>>;

/** The log is not what a checkpoint signed: it was cut, or a record was changed. Nothing more is signed until a person has looked. */
export class BrokenRecord extends Error {
  /** `place`: where on the log; left out, it is the checkpoints themselves. */
  constructor(
    message: string,
    readonly place?: BrokenPlace,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Each of what was found, where several trees are broken at once. */
  get each(): readonly BrokenRecord[] {
    return [this];
  }
}

/** Trees that cannot be continued, all that there are, so that one decision can be about all of them. */
export class BrokenTrees extends BrokenRecord {
  constructor(private readonly trees: readonly BrokenRecord[]) {
    super(trees.map(({ message }) => message).join('; '), trees[0]?.place);
  }

  override get each(): readonly BrokenRecord[] {
    return this.trees;
  }
}

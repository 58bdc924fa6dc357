import {
  type Block,
  type Instance,
  instanceId,
  type MapBlock,
  type SagaDefinition,
  type StepBlock,
  sagaPlacesWithin,
  usesOf,
  withoutApproval,
} from '@countersign/domain';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import type { SagaScope } from '../evaluation/saga-scope.js';
import type { SagaScopes } from '../evaluation/saga-scopes.js';
import type { OpenSaga } from '../sagas/open-saga.js';

/** A fallback level of a step that may run. */
export interface LevelToPlan {
  at: Instance;
  block: StepBlock;
  level: number;
  only_if: readonly string[];
}

/** Steps that cannot be planned, because their number is not known. */
export interface Unplanned {
  step_id: string;
  why: string;
}

export interface StepsToPlan {
  levels: LevelToPlan[];
  unplanned: Unplanned[];
}

interface Place {
  indices: readonly number[];
  only_if: readonly string[];
}

/** More levels make a plan that nobody can read. */
const LEVELS_MAX = 200;

/** All levels that a definition may run, in the order of its blocks. */
export class PlannedSteps {
  private readonly found: StepsToPlan = { levels: [], unplanned: [] };

  constructor(
    private readonly saga: OpenSaga,
    private readonly scopes: SagaScopes,
  ) {}

  /** @returns undefined if there are too many */
  async of(definition: SagaDefinition): Promise<StepsToPlan | undefined> {
    const whole = await this.walk(withoutApproval(definition).root, { indices: [], only_if: [] });
    return whole ? this.found : undefined;
  }

  scope(at: Instance): SagaScope {
    return this.scopes.at(this.saga, at);
  }

  private async walk(block: Block, place: Place): Promise<boolean> {
    switch (block.kind) {
      case 'step':
        return this.step(block, place);
      case 'sequence':
        return this.all(block.blocks, place);
      case 'parallel':
        return this.all(block.branches, place);
      case 'branch': {
        for (const { when, block: inner } of block.choices)
          if (!(await this.walk(inner, { ...place, only_if: [...place.only_if, when] }))) return false;
        const none = `none of the conditions of ${block.name} is true`;
        return block.otherwise ? this.walk(block.otherwise, { ...place, only_if: [...place.only_if, none] }) : true;
      }
      case 'map':
        return this.map(block, place);
      default:
        return true;
    }
  }

  private async all(blocks: readonly Block[], place: Place): Promise<boolean> {
    for (const block of blocks) if (!(await this.walk(block, place))) return false;
    return true;
  }

  private async map(block: MapBlock, place: Place): Promise<boolean> {
    const list = await this.scope({ name: block.name, indices: place.indices }).listOf(block.over);
    if (list instanceof EvaluationFault) {
      const why = `the list of ${block.name} is not known yet`;
      for (const { name } of stepsIn(block)) this.found.unplanned.push({ step_id: instanceId(name, place.indices), why });
      return this.found.unplanned.length <= LEVELS_MAX;
    }
    for (const at of list.value.keys()) if (!(await this.walk(block.body, { ...place, indices: [...place.indices, at] }))) return false;
    return true;
  }

  private step(block: StepBlock, { indices, only_if }: Place): boolean {
    const own = block.when === undefined ? only_if : [...only_if, block.when];
    for (const level of usesOf(block).keys()) {
      const failed = level === 0 ? [] : [`level ${level - 1} of ${block.name} failed without an effect, or was skipped`];
      this.found.levels.push({
        at: { name: block.name, indices },
        block,
        level,
        only_if: [...own, ...failed].map((text) => text.slice(0, 4_000)),
      });
    }
    return this.found.levels.length <= LEVELS_MAX;
  }
}

const stepsIn = (map: MapBlock): StepBlock[] =>
  sagaPlacesWithin({ block: map, pointer: '' }).flatMap(({ block }) => (block.kind === 'step' ? [block] : []));

import { type Binding, type Instance, instanceId, type RunningSaga } from '@countersign/domain';
import { valueAt } from '@countersign/mapping/pointer';
import type { CompiledSaga } from '../definitions/compiled-saga.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { CallOutputs } from './call-outputs.js';
import { EvaluationFault, erasedFault } from './evaluation-fault.js';

/** The calls whose outputs a value was made of, and the markings of these outputs. */
export interface DerivedValue {
  value: unknown;
  call_ids: readonly string[];
  markings: readonly string[];
}

interface StepOutput {
  output: unknown;
  call_id: string | null;
  markings: readonly string[];
}

/** What the texts and pointers of one block instance may read: inputs, outputs of steps that ran, and the item of its map. */
export class SagaScope {
  private inputs: Promise<unknown> | undefined;
  private readonly outputs = new Map<string, Promise<StepOutput | undefined>>();

  constructor(
    private readonly saga: Pick<OpenSaga, 'tenant_id' | 'state'>,
    readonly compiled: CompiledSaga,
    private readonly at: Instance,
    private readonly calls: CallOutputs,
  ) {}

  private get state(): RunningSaga {
    return this.saga.state;
  }

  /** The value of a binding, or why it has none. @throws InfrastructureFault if an output cannot be read now. */
  async valueOf(binding: Binding): Promise<DerivedValue | EvaluationFault> {
    const found = await this.read(binding);
    if (found instanceof EvaluationFault || !('from' in binding)) return found;
    return this.hasErased(found.value) ? erasedFault(binding.from) : found;
  }

  /** A pointer may find erased data. An expression reads none: what it makes of it would not show that. */
  private async read(binding: Binding): Promise<DerivedValue | EvaluationFault> {
    if ('literal' in binding) return { value: binding.literal, call_ids: [], markings: [] };
    return 'from' in binding ? this.pointed(binding.from) : this.evaluated(binding.expression);
  }

  private hasErased(value: unknown): boolean {
    return this.calls.hasErased(this.saga.tenant_id, value);
  }

  /** Whether a CEL condition is true, or why it cannot be evaluated. @throws InfrastructureFault if an output cannot be read now. */
  async isTrue(text: string): Promise<boolean | EvaluationFault> {
    const subject = await this.subject(text);
    if (subject instanceof EvaluationFault) return subject;
    const { inputs, steps, item, index } = subject.read;
    const inputs_chars = JSON.stringify([inputs, steps, item ?? null]).length;
    const scope = { inputs, steps, inputs_chars, ...(index === undefined ? {} : { item, index }) };
    const outcome = this.compiled.condition(this.at.name, text).judge(scope);
    return typeof outcome === 'boolean' ? outcome : new EvaluationFault(`the condition of ${this.at.name} fails: ${outcome.error}`);
  }

  private async evaluated(text: string): Promise<DerivedValue | EvaluationFault> {
    const subject = await this.subject(text);
    if (subject instanceof EvaluationFault) return subject;
    try {
      const value = await this.compiled.expression(text).evaluate(subject.read, {});
      if (value === undefined) return new EvaluationFault(`an expression of ${this.at.name} returns nothing`);
      return { value, ...subject.from };
    } catch (fault) {
      return new EvaluationFault(`an expression of ${this.at.name}: ${(fault as Error).message}`);
    }
  }

  private async pointed(pointer: string): Promise<DerivedValue | EvaluationFault> {
    const [root, name, ...rest] = pointer.split('/').slice(1).map(unescaped);
    const below = name === undefined ? [] : [name, ...rest];
    if (root === 'inputs') return this.found(await this.sagaInputs(), pointer, below, NOTHING);
    if (root === 'item' || root === 'index') {
      const item = await this.item();
      if (item instanceof EvaluationFault) return item;
      return root === 'index' ? { value: item.index, ...item.from } : this.found(item.item, pointer, below, item.from);
    }
    const ran = root === 'steps' && name !== undefined ? await this.stepOutput(name) : undefined;
    if (ran instanceof EvaluationFault) return ran;
    if (!ran) return new EvaluationFault(`${pointer}: the step did not run or has no output`);
    return this.found(ran.output, pointer, rest.slice(1), fromCall(ran));
  }

  private found(
    whole: unknown,
    pointer: string,
    below: readonly string[],
    from: Pick<DerivedValue, 'call_ids' | 'markings'>,
  ): DerivedValue | EvaluationFault {
    const value = valueAt(whole, below);
    if (value !== undefined) return { value, ...from };
    return this.hasErased(whole) ? erasedFault(pointer) : new EvaluationFault(`${pointer}: there is no such value`);
  }

  /** Everything that a text of this block may read. */
  private async subject(text: string) {
    const inputs = await this.sagaInputs();
    if (this.hasErased(inputs)) return erasedFault('the inputs of the saga');
    const steps: Record<string, { output: unknown }> = {};
    const from: StepOutput[] = [];
    for (const name of this.compiled.readable(this.at.name, text)) {
      const ran = await this.stepOutput(name);
      if (ran instanceof EvaluationFault) return ran;
      if (!ran) continue;
      if (this.hasErased(ran.output)) return erasedFault(`the output of ${name}`);
      steps[name] = { output: ran.output };
      from.push(ran);
    }
    const item = this.at.indices.length > 0 ? await this.item() : undefined;
    if (item instanceof EvaluationFault) return item;
    if (this.hasErased(item?.item)) return erasedFault(`the item of ${this.at.name}`);
    const sources = { call_ids: from.flatMap(({ call_id }) => call_id ?? []), markings: from.flatMap(({ markings }) => markings) };
    const inMap = item ? { item: item.item, index: item.index } : {};
    const whole = item ? joined(sources, item.from) : sources;
    return { read: { inputs, steps, ...inMap } as { inputs: unknown; steps: typeof steps; item?: unknown; index?: number }, from: whole };
  }

  private sagaInputs(): Promise<unknown> {
    this.inputs ??= this.calls.evaluable(this.saga.tenant_id, this.state.inputs_json);
    return this.inputs;
  }

  /** The item of the innermost map, and its index. */
  private async item() {
    const maps = this.compiled.mapsAround(this.at.name);
    const map = maps.at(-1);
    const index = this.at.indices.at(-1);
    if (!map || index === undefined) return new EvaluationFault(`${this.at.name} is in no map: it has no item`);
    const outer = new SagaScope(this.saga, this.compiled, { name: map.name, indices: this.at.indices.slice(0, -1) }, this.calls);
    const list = await outer.listOf(map.over);
    if (list instanceof EvaluationFault) return list;
    const { call_ids, markings } = list;
    return { item: list.value[index], index, from: { call_ids, markings } };
  }

  /** The list of a map. */
  async listOf(over: Binding): Promise<(DerivedValue & { value: unknown[] }) | EvaluationFault> {
    const found = await this.read(over);
    if (found instanceof EvaluationFault) return found;
    if (!Array.isArray(found.value)) return new EvaluationFault(`the list of ${this.at.name} is not a list`);
    return { ...found, value: found.value };
  }

  /** The output of a step, or of the person who did it; undefined if it did not run. */
  private stepOutput(name: string): Promise<StepOutput | EvaluationFault | undefined> {
    const known = this.outputs.get(name);
    if (known) return known;
    const depth = this.compiled.mapsAround(name).length;
    const reading = this.readOutput(instanceId(name, this.at.indices.slice(0, depth)), name);
    this.outputs.set(name, reading as Promise<StepOutput | undefined>);
    return reading;
  }

  private async readOutput(id: string, name: string): Promise<StepOutput | EvaluationFault | undefined> {
    const { tenant_id } = this.saga;
    const answer = this.state.waits.get(id)?.end?.answer_json;
    if (answer != null) return { output: await this.calls.evaluable(tenant_id, answer), call_id: null, markings: [] };
    const ran = this.state.steps.get(id)?.runs.findLast(({ end }) => end?.status === 'succeeded');
    if (!ran) return undefined;
    const { output_json, truncated, markings } = await this.calls.of(tenant_id, ran.call_id);
    if (truncated) return new EvaluationFault(`the output of ${name} was too large and is not complete`);
    if (output_json === null) return undefined;
    return { output: await this.calls.evaluable(tenant_id, output_json), call_id: ran.call_id, markings };
  }
}

const NOTHING = { call_ids: [], markings: [] };

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

const fromCall = ({ call_id, markings }: StepOutput) => ({ call_ids: call_id === null ? [] : [call_id], markings });

type Sources = Pick<DerivedValue, 'call_ids' | 'markings'>;

const joined = (a: Sources, b: Sources): Sources => ({
  call_ids: [...a.call_ids, ...b.call_ids],
  markings: [...a.markings, ...b.markings],
});

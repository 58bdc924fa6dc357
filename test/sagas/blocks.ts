import type { Binding, Block, Join, SagaDefinition, StepBlock } from '@countersign/domain';

export const from = (pointer: string): Binding => ({ from: pointer });
export const literal = (value: unknown): Binding => ({ literal: value });

type More = Partial<Omit<StepBlock, 'kind' | 'name' | 'use'>>;

export const step = (name: string, tool: string, inputs: Record<string, Binding>, more: More = {}): StepBlock => ({
  kind: 'step',
  name,
  use: { tool, version: '^1.0.0', inputs },
  ...more,
});

/** Moves a file: an effect that can be undone. */
export const move = (name: string, source: string, destination: string, more: More = {}): StepBlock =>
  step(name, 'move_file', { source: literal(source), destination: literal(destination) }, more);

/** Reads a file: it fails where there is none. */
export const read = (name: string, path: string, more: More = {}): StepBlock => step(name, 'read_file', { path: literal(path) }, more);

export const sequence = (...blocks: Block[]): Block => ({ kind: 'sequence', blocks });
export const parallel = (join: Join, ...branches: Block[]): Block => ({ kind: 'parallel', join, branches });

export const saga = (root: Block, more: Partial<SagaDefinition> = {}): SagaDefinition => ({
  name: 'spec',
  version: '1.0.0',
  wait_max_ms: 60_000,
  root,
  ...more,
});

import { describe, expect, test } from 'vitest';
import { BOX_WIDTH, BOXES_MAX, type Box, layoutOf } from './layout.js';
import type { Block } from './saga.js';

const step = (name: string): Block => ({ kind: 'step', name, use: { tool: `tool_of_${name}`, version: '^1.0.0', inputs: {} } });
const sequence = (...blocks: Block[]): Block => ({ kind: 'sequence', blocks });
const parallel = (...branches: Block[]): Block => ({ kind: 'parallel', join: { kind: 'all' }, branches });
const map = (body: Block): Block => ({
  ...{ kind: 'map', name: 'each', over: { from: '/inputs/all' }, concurrency: 2 },
  ...{ join: { kind: 'quorum', count: 2 }, body },
});
const named = (boxes: readonly Box[], name: string): Box => boxes.find((box) => box.name === name) as Box;
const overlaps = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe('the graph of a definition', () => {
  const whole = sequence(
    step('a'),
    parallel(step('b'), sequence(step('c'), step('d'))),
    { kind: 'branch', name: 'size', choices: [{ when: 'inputs.n > 1', block: step('e') }] },
    map(step('f')),
  );
  const graph = layoutOf(whole);

  test('what comes later stands lower; what runs at once stands side by side', () => {
    const [a, b, c, d, e, f] = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => named(graph.boxes, name)) as [Box, Box, Box, Box, Box, Box];
    expect([a.y < b.y, b.y === c.y, c.y < d.y, d.y < e.y, e.y < f.y]).toEqual([true, true, true, true, true]);
    expect(b.x + BOX_WIDTH).toBeLessThanOrEqual(c.x);
  });

  test('no boxes overlap, except the frame of a map and what it contains', () => {
    const solid = graph.boxes.filter(({ kind }) => kind !== 'frame');
    for (const [at, box] of solid.entries())
      for (const other of solid.slice(at + 1)) expect([box.name, other.name, overlaps(box, other)]).toEqual([box.name, other.name, false]);
    const [frame, inner] = [named(graph.boxes, 'each'), named(graph.boxes, 'f')];
    expect([frame.x < inner.x, frame.y < inner.y, inner.x + inner.width < frame.x + frame.width]).toEqual([true, true, true]);
  });

  test('everything lies inside the graph, and each id is there once', () => {
    for (const { x, y, width, height } of graph.boxes) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect([x + width <= graph.width, y + height <= graph.height]).toEqual([true, true]);
    }
    expect(new Set(graph.boxes.map(({ id }) => id)).size).toBe(graph.boxes.length);
  });

  test('the ways of a branch carry their conditions, and one leads past it', () => {
    expect(graph.edges.flatMap(({ label }) => label ?? [])).toEqual(['inputs.n > 1', 'otherwise']);
  });
});

test('an empty definition is an empty graph', () => {
  expect(layoutOf(sequence())).toMatchObject({ boxes: [], edges: [], left_out: 0 });
  expect(layoutOf(parallel()).boxes).toHaveLength(1);
});

test('of a thousand steps the first ones are drawn, and the number of the others is known', () => {
  const graph = layoutOf(sequence(...Array.from({ length: 1000 }, (_, at) => step(`s${at}`))));
  expect([graph.boxes.length, graph.left_out]).toEqual([BOXES_MAX, 1000 - BOXES_MAX]);
});

test('of a thousand ways the first ones are drawn, and the others take no room', () => {
  const graph = layoutOf(parallel(...Array.from({ length: 1000 }, (_, at) => sequence(step(`s${at}`)))));
  expect(graph.left_out).toBe(1001 - BOXES_MAX);
  expect(graph.width).toBeLessThan(BOXES_MAX * (BOX_WIDTH + 30));
});

test('a way that is shorter than another one leads straight down to where they meet', () => {
  const { edges } = layoutOf(parallel(step('a'), sequence(step('b'), step('c'))));
  expect(edges.filter(({ from, to }) => from[0] === to[0] && to[1] > from[1])).toHaveLength(2);
});

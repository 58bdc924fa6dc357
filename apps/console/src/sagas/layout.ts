import type { Block } from './saga.js';

/** What a box of the graph is: a step or wait of the definition, the mark where ways part or meet, or the frame of a map. */
export interface Box {
  kind: 'step' | 'wait' | 'mark' | 'join' | 'frame';
  /** Unique in its graph. */
  id: string;
  name: string;
  /** The second line: a tool, a question, a condition. */
  about: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Edge {
  from: readonly [x: number, y: number];
  to: readonly [x: number, y: number];
  /** The condition of a choice. */
  label?: string;
}

export interface Graph {
  width: number;
  height: number;
  boxes: readonly Box[];
  edges: readonly Edge[];
  /** Boxes that were left out, because there are too many to be read. */
  left_out: number;
}

export const BOX_WIDTH = 208;
export const BOX_HEIGHT = 56;
const MARK_HEIGHT = 26;
const JOIN_SIZE = 8;
const GAP_X = 24;
const GAP_Y = 28;
const LABELLED_GAP_Y = 44;
const FRAME_PAD = 16;
const FRAME_HEAD = 30;
export const BOXES_MAX = 400;

/** A part of the graph with one way in at the top and one way out at the bottom, both in its middle. */
interface Part {
  width: number;
  height: number;
  boxes: Box[];
  edges: Edge[];
}

const EMPTY: Part = { width: BOX_WIDTH, height: 0, boxes: [], edges: [] };
/** What is left out, because there are too many boxes. */
const LEFT_OUT: Part = { ...EMPTY, width: 0 };

function moved({ boxes, edges, ...size }: Part, dx: number, dy: number): Part {
  const shift = ([x, y]: Edge['from']): Edge['from'] => [x + dx, y + dy];
  return {
    ...size,
    boxes: boxes.map((box) => ({ ...box, x: box.x + dx, y: box.y + dy })),
    edges: edges.map((edge) => ({ ...edge, from: shift(edge.from), to: shift(edge.to) })),
  };
}

/** Places the blocks of a definition in layers: what comes later stands lower, what runs at once stands side by side. */
class Layout {
  private count = 0;
  private joins = 0;
  left_out = 0;

  place(block: Block): Part {
    if (block.kind === 'sequence') return this.sequence(block.blocks.map((each) => this.place(each)));
    if (block.kind === 'parallel') {
      const mark = this.mark('together', joinText(block.join, block.branches.length));
      return this.fork(
        mark,
        block.branches.map((each) => ({ part: this.place(each) })),
      );
    }
    if (block.kind === 'branch') {
      const choices = block.choices.map(({ when, block: then }) => ({ part: this.place(then), label: when }));
      const otherwise = { part: block.otherwise ? this.place(block.otherwise) : EMPTY, label: 'otherwise' };
      return this.fork(this.mark(block.name, 'one of'), [...choices, otherwise]);
    }
    if (block.kind === 'map') return this.frame(block.name, joinText(block.join), this.place(block.body));
    if (block.kind === 'wait') return this.box('wait', block.name, block.subject ?? `a ${block.wait}`);
    return this.box('step', block.name, block.use.tool);
  }

  private box(kind: Box['kind'], name: string, about: string, [width, height] = [BOX_WIDTH, BOX_HEIGHT]): Part {
    this.count += 1;
    if (this.count > BOXES_MAX) {
      this.left_out += 1;
      return LEFT_OUT;
    }
    return { width, height, boxes: [{ kind, id: `${kind}-${this.count}`, name, about, x: 0, y: 0, width, height }], edges: [] };
  }

  private mark(name: string, about: string): Part {
    return this.box('mark', name, about, [BOX_WIDTH, MARK_HEIGHT]);
  }

  private sequence(all: readonly Part[]): Part {
    const parts = all.filter(({ boxes }) => boxes.length > 0);
    if (parts.length === 0) return all.includes(LEFT_OUT) ? LEFT_OUT : EMPTY;
    const width = Math.max(...parts.map((part) => part.width));
    const whole: Part = { width, height: 0, boxes: [], edges: [] };
    for (const [at, part] of parts.entries()) {
      const y = at === 0 ? 0 : whole.height + GAP_Y;
      if (at > 0) whole.edges.push({ from: [width / 2, whole.height], to: [width / 2, y] });
      add(whole, moved(part, (width - part.width) / 2, y));
      whole.height = y + part.height;
    }
    return whole;
  }

  /** Ways that part below a mark and meet again. */
  private fork(mark: Part, all: readonly { part: Part; label?: string }[]): Part {
    const ways = all.filter(({ part }) => part !== LEFT_OUT);
    if (ways.length === 0 || mark.boxes.length === 0) return mark;
    const gap = ways.some(({ label }) => label !== undefined) ? LABELLED_GAP_Y : GAP_Y;
    const width = ways.reduce((sum, { part }) => sum + part.width, GAP_X * (ways.length - 1));
    const top = mark.height + gap;
    const bottom = top + Math.max(...ways.map(({ part }) => part.height));
    const whole: Part = { width, height: bottom + GAP_Y + JOIN_SIZE, boxes: [], edges: [] };
    add(whole, moved(mark, (width - mark.width) / 2, 0));
    let x = 0;
    for (const { part, label } of ways) {
      const middle = x + part.width / 2;
      add(whole, moved(part, x, top));
      whole.edges.push({ from: [width / 2, mark.height], to: [middle, top], ...(label === undefined ? {} : { label }) });
      if (top + part.height < bottom) whole.edges.push({ from: [middle, top + part.height], to: [middle, bottom] });
      whole.edges.push({ from: [middle, bottom], to: [width / 2, bottom + GAP_Y] });
      x += part.width + GAP_X;
    }
    add(whole, moved(this.join(), (width - JOIN_SIZE) / 2, bottom + GAP_Y));
    return whole;
  }

  private join(): Part {
    this.joins += 1;
    const box: Box = { kind: 'join', id: `join-${this.joins}`, name: '', about: '', x: 0, y: 0, width: JOIN_SIZE, height: JOIN_SIZE };
    return { width: JOIN_SIZE, height: JOIN_SIZE, boxes: [box], edges: [] };
  }

  private frame(name: string, about: string, body: Part): Part {
    const size: [number, number] = [body.width + 2 * FRAME_PAD, body.height + FRAME_HEAD + FRAME_PAD];
    const frame = this.box('frame', name, `for each item, ${about}`, size);
    if (frame.boxes.length === 0) return body;
    add(frame, moved(body, FRAME_PAD, FRAME_HEAD));
    return frame;
  }
}

function add(whole: Part, part: Part): void {
  for (const box of part.boxes) whole.boxes.push(box);
  for (const edge of part.edges) whole.edges.push(edge);
}

type Join = Extract<Block, { kind: 'parallel' }>['join'];

function joinText(join: Join, of?: number): string {
  if (join.kind === 'first_success') return 'the first that succeeds';
  if (join.kind === 'quorum') return of === undefined ? `${join.count} must succeed` : `${join.count} of ${of} must succeed`;
  return of === undefined ? 'all must succeed' : `all ${of} must succeed`;
}

/** The graph of a definition: from top to bottom. */
export function layoutOf(root: Block): Graph {
  const layout = new Layout();
  const { width, height, boxes, edges } = layout.place(root);
  return { width, height, boxes, edges, left_out: layout.left_out };
}

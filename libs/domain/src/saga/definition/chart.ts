import type { Block, Join, SagaDefinition, StepBlock } from './definition.js';

/**
 * Escapes all characters except letters, digits, spaces and `_.-` as `#34;`, which Mermaid reads as a character, so that no text becomes
 * syntax.
 */
function label(text: string): string {
  const short = [...text.replace(/\s+/g, ' ')].slice(0, 80);
  return short.map((char) => (/[\p{L}\p{N} _.-]/u.test(char) ? char : `#${char.codePointAt(0)};`)).join('');
}

const joinText = (join: Join): string => (join.kind === 'quorum' ? `${join.count} of all` : join.kind.replaceAll('_', ' '));

/** Draws nodes n1, n2, … in order. Ids never contain text of the definition. */
class Chart {
  readonly lines: string[] = ['flowchart TD'];
  private nodes = 0;

  node(open: string, text: string, close: string): string {
    const id = `n${++this.nodes}`;
    this.lines.push(`  ${id}${open}"${label(text)}"${close}`);
    return id;
  }

  edges(from: readonly string[], to: string, text = ''): void {
    for (const id of from) this.lines.push(`  ${id} ${text === '' ? '-->' : `-->|"${label(text)}"|`} ${to}`);
  }

  /** Draws a block after the nodes `from`; returns its last nodes. */
  block(block: Block, from: readonly string[], text = ''): string[] {
    switch (block.kind) {
      case 'step':
        return this.step(block, from, text);
      case 'sequence':
        return block.blocks.reduce((ends: readonly string[], inner, at) => this.block(inner, ends, at === 0 ? text : ''), from) as string[];
      case 'branch': {
        const id = this.after(from, text, this.node('{', block.name, '}'));
        const ends = block.choices.flatMap((choice) => this.block(choice.block, [id], choice.when));
        return [...ends, ...(block.otherwise ? this.block(block.otherwise, [id], 'otherwise') : [id])];
      }
      case 'parallel': {
        const id = this.after(from, text, this.node('[/', 'side by side', '/]'));
        return this.join(
          block.join,
          block.branches.flatMap((branch) => this.block(branch, [id])),
        );
      }
      case 'map': {
        const id = this.after(from, text, this.node('[/', `${block.name}: each item, ${block.concurrency} at once`, '/]'));
        return this.join(block.join, this.block(block.body, [id]));
      }
      case 'wait':
        return [this.after(from, text, this.node('([', `${block.name}: ${block.wait} ${block.subject ?? ''}`, '])'))];
    }
  }

  private after(from: readonly string[], text: string, id: string): string {
    this.edges(from, id, text);
    return id;
  }

  private join(join: Join, ends: readonly string[]): string[] {
    return [this.after(ends, '', this.node('[\\', joinText(join), '\\]'))];
  }

  private step(step: StepBlock, from: readonly string[], text: string): string[] {
    const others = (step.fallbacks ?? []).map(({ tool }) => ` or ${tool}`).join('');
    const manual = step.manual === undefined ? '' : ' or by hand';
    const id = this.after(from, text, this.node('[', `${step.name}: ${step.use.tool}${others}${manual}`, ']'));
    if (step.compensation) this.lines.push(`  ${id} -.-> ${this.node('>', `undo: ${step.compensation.tool}`, ']')}`);
    return [id];
  }
}

/** The definition as a Mermaid flowchart. */
export function sagaChartOf(definition: SagaDefinition): string {
  const chart = new Chart();
  const ends = chart.block(definition.root, [chart.node('((', 'start', '))')]);
  chart.edges(ends, chart.node('((', 'end', '))'));
  return `${chart.lines.join('\n')}\n`;
}

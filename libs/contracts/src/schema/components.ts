/** The strongly connected component of each node of a graph (Tarjan): nodes that reach each other have the same number. */
export function components(size: number, next: (node: number) => Iterable<number>): number[] {
  const component = new Array<number>(size).fill(-1);
  const index = new Array<number>(size).fill(-1);
  const low = new Array<number>(size).fill(0);
  const stack: number[] = [];
  let counter = 0;
  let found = 0;
  for (let root = 0; root < size; root++) {
    if (index[root] !== -1) continue;
    const work: { node: number; edges: Iterator<number> }[] = [];
    const open = (node: number) => {
      index[node] = low[node] = counter++;
      stack.push(node);
      work.push({ node, edges: next(node)[Symbol.iterator]() });
    };
    open(root);
    for (let top = work.at(-1); top; top = work.at(-1)) {
      const { node, edges } = top;
      const step = edges.next();
      if (!step.done) {
        if (index[step.value] === -1) open(step.value);
        else if (component[step.value] === -1) low[node] = Math.min(low[node] as number, index[step.value] as number);
        continue;
      }
      work.pop();
      const parent = work.at(-1)?.node;
      if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[node] as number);
      if (low[node] === index[node]) {
        for (let member = stack.pop() as number; ; member = stack.pop() as number) {
          component[member] = found;
          if (member === node) break;
        }
        found++;
      }
    }
  }
  return component;
}

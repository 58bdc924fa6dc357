/** One purchase order of the fan-out. */
export interface WantedOrder {
  supplier: string;
  line_items: { product: string; quantity: number; unit_price: string }[];
  delivery_date: string;
}

const create = (id: string, order: WantedOrder) => ({ id, tool: 'create_purchase_order', inputs: { ...order } });
const literal = (inputs: object) => Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { literal: value }]));
const draft = (name: string, order: WantedOrder) => ({
  kind: 'step',
  name,
  use: { tool: 'create_purchase_order', version: '^1.0.0', inputs: literal(order) },
});

/** Drafts an order for each supplier; nothing is confirmed. */
export const draftsOnly = (orders: readonly WantedOrder[]) => ({
  name: 'po-fanout-drafts',
  version: '1.0.0',
  steps: orders.map((order, at) => create(`draft_${at}`, order)),
});

const confirm = {
  kind: 'step',
  name: 'confirm',
  use: { tool: 'confirm_purchase_order', version: '^1.0.0', inputs: { po_id: { from: '/steps/draft_0/output/po_id' } } },
};
const drafts = (orders: readonly WantedOrder[]) => ({
  kind: 'parallel',
  join: { kind: 'all' },
  branches: orders.map((order, at) => draft(`draft_${at}`, order)),
});

/**
 * The fan-out on an accepted quote: an order for each supplier as a draft, whose cancel is true; then confirm, which is the pivot, for the
 * first of them, and runs last.
 */
export const fanOut = (orders: readonly WantedOrder[]) => ({
  name: 'po-fanout-on-quote-acceptance',
  version: '1.0.0',
  wait_max_ms: 86_400_000,
  root: { kind: 'sequence', blocks: [drafts(orders), confirm] },
});

/** The same with what can be ordered only once the goods are: the freight, and then its insurance. A person approves a pivot that is not last. */
export const fanOutWithFreight = (orders: readonly WantedOrder[], freight: WantedOrder, insurance: WantedOrder) => ({
  name: 'po-fanout-with-freight',
  version: '1.0.0',
  wait_max_ms: 86_400_000,
  root: {
    kind: 'sequence',
    blocks: [drafts(orders), { ...confirm, asks: true }, draft('freight', freight), draft('insurance', insurance)],
  },
});

import type { Action, Kind } from '../hermes/port.js';

interface Move {
  from: readonly string[];
  to: string;
}

/** Which moves the ledger allows, as an ERP would. */
const MOVES: Partial<Record<Kind, Partial<Record<Action, Move>>>> = {
  sales_order: {
    quote: { from: ['draft'], to: 'quotation' },
    draft: { from: ['quotation', 'cancelled'], to: 'draft' },
    confirm: { from: ['draft', 'quotation'], to: 'confirmed' },
    process: { from: ['confirmed'], to: 'processing' },
    done: { from: ['processing'], to: 'done' },
    cancel: { from: ['draft', 'quotation'], to: 'cancelled' },
  },
  purchase_order: {
    quote: { from: ['draft'], to: 'quotation' },
    draft: { from: ['quotation', 'cancelled'], to: 'draft' },
    confirm: { from: ['draft', 'quotation'], to: 'processing' },
    done: { from: ['processing'], to: 'done' },
    cancel: { from: ['draft', 'quotation'], to: 'cancelled' },
  },
  production_order: {
    draft: { from: ['waiting', 'cancelled'], to: 'draft' },
    wait: { from: ['draft', 'assigned'], to: 'waiting' },
    assign: { from: ['waiting'], to: 'assigned' },
    run: { from: ['assigned'], to: 'running' },
    done: { from: ['running'], to: 'done' },
    cancel: { from: ['draft', 'waiting', 'assigned'], to: 'cancelled' },
  },
  proposal: {
    process: { from: ['proposed'], to: 'applying' },
    done: { from: ['applying'], to: 'applied' },
    draft: { from: ['applying'], to: 'proposed' },
    cancel: { from: ['proposed'], to: 'cancelled' },
  },
};

/** The state after a move; undefined: the state does not allow it. */
export function stateAfter(kind: Kind, action: Action, status: string): string | undefined {
  const move = MOVES[kind]?.[action];
  return move?.from.includes(status) ? move.to : undefined;
}

import { ToolError } from '@countersign/tool-kit';
import { z } from 'zod';

/** An order, an article, an account, or the key of an effect. */
export const reference = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/);
export const currency = z.enum(['EUR', 'USD', 'GBP']);
export const amountCents = z.int().min(1).max(100_000_000).meta({ 'x-grant': 'amount' });

/** What every tool of the ledger declares. The server is on this machine. */
export const ledgerTraits = { version: '1.0.0', category: 'ledger', network: ['127.0.0.1', 'localhost'], timeout_ms: 10_000 };

/** The ledger has no such thing, or not enough of it. Nothing changed. */
export const notFound = (message: string): ToolError => new ToolError('VALIDATION_ERROR', message, { class: 'not_found', effect: 'none' });
/** The state of the ledger does not allow it. Nothing changed. */
export const conflict = (message: string): ToolError => new ToolError('VALIDATION_ERROR', message, { class: 'semantic', effect: 'none' });

/** One key is one effect: its inputs never change. What the key did once stands, so nothing is promised about the effect. */
export const otherInputs = (): ToolError => new ToolError('VALIDATION_ERROR', 'the key was used with other inputs', { class: 'semantic' });

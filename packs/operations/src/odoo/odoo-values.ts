import { ToolError } from '@countersign/tool-kit';
import type { Kind, Values } from '../hermes/port.js';
import { conflict, refused } from '../hermes/refusal.js';
import { type OdooKind, odooKinds } from './odoo-kinds.js';

/** Ids of Odoo are numbers; another id names nothing. */
export const numberOf = (id: unknown): number => (/^\d{1,9}$/.test(String(id)) ? Number(id) : -1);

const isLink = (value: unknown): value is [number, string] => Array.isArray(value) && value.length === 2 && typeof value[1] === 'string';

/** Odoo writes `false` for what has no value, and a pair of id and name for a link. */
export function plain(record: Values): Record<string, unknown> {
  const valued = Object.entries(record).filter(([name, value]) => value !== false || name === 'active');
  return Object.fromEntries(valued.map(([name, value]) => [name, isLink(value) ? value[0] : value]));
}

/** The name of what a record links to. */
export function nameOf(value: unknown): string | undefined {
  return isLink(value) ? value[1] : undefined;
}

/** A text that matches itself alone in `=like`. */
export const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

/** The page of a record in Odoo's web client. */
export const pageOf = (url: URL, model: string, id: unknown): string => `${url.origin}/odoo/${model}/${String(id)}`;

/** @throws ToolError for a kind that the connector does not keep as records */
export function kindOf(kind: Kind): OdooKind {
  const known = odooKinds[kind];
  if (!known) throw notSupported(kind, 'reads');
  return known;
}

export function notSupported(kind: Kind, what: string): ToolError {
  return conflict('not_supported', `the connector of Odoo has no ${kind} that it ${what}`);
}

export function notShown(id: string): ToolError {
  return new ToolError('PROVIDER_ERROR', `Odoo does not show ${id} after the write`, { class: 'server' });
}

/** The id of a line by its number. @throws ToolError that names the input */
export function lineOf(record: Values, field: string, line: number): number {
  const ids = (record[field] ?? []) as number[];
  const id = ids[line - 1];
  if (id === undefined) throw refused('/line', 'not_found', `${line} does not exist: the order has ${ids.length} lines`);
  return id;
}

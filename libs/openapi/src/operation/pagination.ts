import { isNode } from '@countersign/contracts';
import type { PagesBinding } from '../binding.js';
import { type OpenApiDocument, OperationFault } from '../document.js';
import type { Operation } from './operations.js';
import type { Parameter } from './parameters.js';

const INPUTS = {
  cursor:
    'cursor page_token pagetoken next_token nexttoken continuation_token starting_after after page_cursor pagination_token marker'.split(
      ' ',
    ),
  page: 'page page_number pagenumber page_no'.split(' '),
  offset: 'offset skip start_index startindex'.split(' '),
};
const NEXT = 'next_cursor nextcursor next_page_token nextpagetoken next_token nexttoken continuation_token cursor next_page_cursor'.split(
  ' ',
);
const MORE = 'has_more hasmore more has_next_page hasnextpage'.split(' ');
const ITEMS = 'data items results values records entries'.split(' ');
const NESTED = 'meta metadata paging pagination response_metadata page_info pageinfo'.split(' ');

const lower = (name: string): string => name.toLowerCase();

/** How the list that a read returns continues; undefined: it shows no known kind of pagination. */
export function pagesOf(
  document: OpenApiDocument,
  operation: Operation,
  { parameters, body, follow_max }: { parameters: readonly Parameter[]; body: unknown; follow_max: number },
): PagesBinding | undefined {
  if (operation.method !== 'GET') return undefined;
  const queries = parameters.filter(({ binding }) => binding.in === 'query');
  const named = (names: readonly string[]) => queries.find(({ binding }) => names.includes(lower(binding.name)))?.binding.input;
  const shape = listShape(document, body);
  const { items, next, more } = shape;
  const page = named(INPUTS.page);
  const cursor = named(INPUTS.cursor);
  const offset = named(INPUTS.offset);
  const with_items = items === undefined ? {} : { items };
  if (hasLink(document, operation) && (page ?? cursor) !== undefined)
    return { kind: 'link', input: (page ?? cursor) as string, ...with_items, follow_max };
  if (cursor !== undefined && next !== undefined) return { kind: 'cursor', input: cursor, next, ...with_items, follow_max };
  if (cursor !== undefined && more !== undefined && items !== undefined && shape.has_id)
    return { kind: 'cursor', input: cursor, more, items, after: '/id', follow_max };
  if (items === undefined) return undefined;
  const with_more = more === undefined ? {} : { more };
  if (page !== undefined) return { kind: 'page', input: page, items, ...with_more, follow_max };
  return offset === undefined ? undefined : { kind: 'offset', input: offset, items, ...with_more, follow_max };
}

interface ListShape {
  items?: string;
  next?: string;
  more?: string;
  has_id: boolean;
}

/** Where a body has its items, and what says that more follow. A schema that cannot be followed shows nothing. */
function listShape(document: OpenApiDocument, schema: unknown): ListShape {
  const body = soft(document, schema);
  if (body.type === 'array') return { items: '', has_id: hasId(document, body.items) };
  const properties = isNode(body.properties) ? body.properties : {};
  const names = Object.keys(properties);
  const lists = names.filter((name) => soft(document, properties[name]).type === 'array');
  const list = lists.find((name) => ITEMS.includes(lower(name))) ?? (lists.length === 1 ? lists[0] : undefined);
  const next = pointerTo(document, properties, NEXT);
  const more = pointerTo(document, properties, MORE);
  return {
    ...(list === undefined ? {} : { items: `/${list}` }),
    ...(next === undefined ? {} : { next }),
    ...(more === undefined ? {} : { more }),
    has_id: list !== undefined && hasId(document, soft(document, properties[list]).items),
  };
}

function pointerTo(document: OpenApiDocument, properties: Record<string, unknown>, wanted: readonly string[]): string | undefined {
  const name = Object.keys(properties).find((each) => wanted.includes(lower(each)));
  if (name !== undefined) return `/${name}`;
  for (const outer of Object.keys(properties).filter((each) => NESTED.includes(lower(each)))) {
    const inner = soft(document, properties[outer]).properties;
    const found = Object.keys(isNode(inner) ? inner : {}).find((each) => wanted.includes(lower(each)));
    if (found !== undefined) return `/${outer}/${found}`;
  }
  return undefined;
}

const hasId = (document: OpenApiDocument, items: unknown): boolean => {
  const { properties, anyOf } = soft(document, items);
  if (isNode(properties)) return 'id' in properties;
  return Array.isArray(anyOf) && anyOf.length > 0 && anyOf.every((part) => hasId(document, part));
};

function hasLink(document: OpenApiDocument, { node }: Operation): boolean {
  const responses = isNode(node.responses) ? node.responses : {};
  return Object.entries(responses).some(([status, response]) => {
    const { headers } = soft(document, response);
    return status.startsWith('2') && isNode(headers) && Object.keys(headers).some((name) => lower(name) === 'link');
  });
}

function soft(document: OpenApiDocument, value: unknown): Record<string, unknown> {
  try {
    return isNode(value) ? document.object(value) : {};
  } catch (cause) {
    if (cause instanceof OperationFault) return {};
    throw cause;
  }
}

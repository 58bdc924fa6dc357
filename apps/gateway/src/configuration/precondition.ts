import { Refusal } from '@countersign/calls';

/** A request that may say which state its change is meant for. */
export interface ConditionalRequest {
  readonly headers: { readonly 'if-match'?: string | undefined; readonly 'if-none-match'?: string | undefined };
}

/** What `If-Match` and `If-None-Match` of a change say about the thing that it changes. */
export interface Precondition {
  /** The caller says what it has read. */
  is_sent: boolean;
  /** 412: the thing is not what the caller has read. */
  fault: Refusal | undefined;
}

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim());

/** `etag`: the current tag of the resource, also if it does not exist. RFC 9110, 13.1. */
export function preconditionOf({ headers }: ConditionalRequest, etag: string, exists: boolean): Precondition {
  const wanted = headers['if-match'];
  const unwanted = headers['if-none-match'];
  const is_sent = wanted !== undefined || unwanted !== undefined;
  const matches = (header: string): boolean => exists && (header.trim() === '*' || tagsOf(header).includes(etag));
  const differs = (wanted !== undefined && !matches(wanted)) || (unwanted !== undefined && matches(unwanted));
  return { is_sent, fault: differs ? changedMeanwhile(exists ? etag : null, wanted) : undefined };
}

/** What was found and what would be right: the tag as it is now, null where there is no such thing. */
export function changedMeanwhile(etag: string | null, wanted: string | undefined): Refusal {
  const found = etag === null ? 'it does not exist' : `its ETag is ${etag} now`;
  const detail =
    wanted === undefined
      ? `If-None-Match does not match: ${found}; read it, then send its ETag as If-Match`
      : `If-Match is ${wanted.slice(0, 200)}, but ${found}: read it again, apply the change to the new state and send that ETag`;
  return new Refusal('precondition-failed', detail, { if_match: wanted?.slice(0, 200) ?? null, etag });
}

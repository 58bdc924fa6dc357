import { Refusal } from '@countersign/calls';

/** A request with optional preconditions in its headers. */
export interface ConditionalRequest {
  readonly headers: { readonly 'if-match'?: string | undefined; readonly 'if-none-match'?: string | undefined };
}

/** Result of `If-Match` and `If-None-Match` for the resource that a change edits. */
export interface Precondition {
  /** The caller sent a precondition. */
  is_sent: boolean;
  /** 412: the resource is not the one that the caller has read. */
  fault: Refusal | undefined;
}

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim());

/** `etag`: the current ETag of the resource, also if it does not exist. RFC 9110, 13.1. */
export function preconditionOf({ headers }: ConditionalRequest, etag: string, exists: boolean): Precondition {
  const wanted = headers['if-match'];
  const unwanted = headers['if-none-match'];
  const is_sent = wanted !== undefined || unwanted !== undefined;
  const matches = (header: string): boolean => exists && (header.trim() === '*' || tagsOf(header).includes(etag));
  const differs = (wanted !== undefined && !matches(wanted)) || (unwanted !== undefined && matches(unwanted));
  return { is_sent, fault: differs ? changedMeanwhile(exists ? etag : null, wanted) : undefined };
}

/** The refusal with the current ETag; null if the resource does not exist. */
export function changedMeanwhile(etag: string | null, wanted: string | undefined): Refusal {
  const found = etag === null ? 'it does not exist' : `its ETag is ${etag} now`;
  const detail =
    wanted === undefined
      ? `If-None-Match does not match: ${found}; read it, then send its ETag as If-Match`
      : `If-Match is ${wanted.slice(0, 200)}, but ${found}: read it again, apply the change to the new state and send that ETag`;
  return new Refusal('precondition-failed', detail, { if_match: wanted?.slice(0, 200) ?? null, etag });
}

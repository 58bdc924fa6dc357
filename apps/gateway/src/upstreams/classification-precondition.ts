import { Refusal } from '@countersign/calls';
import type { EditRequest } from '../configuration/configuration.service.js';
import { preconditionOf } from '../configuration/precondition.js';
import type { ToolTags } from './upstream-tags.js';
import type { Classification } from './upstreams.schemas.js';

/** 412 if the tools, or one that is classified with its ETag, are not as the caller has read them. */
export function classificationFault(
  { headers }: EditRequest,
  classifications: readonly Classification[],
  tags: ToolTags,
): Refusal | undefined {
  const { fault } = preconditionOf({ headers: { 'if-match': headers['if-match'] } }, tags.all, true);
  if (fault) return fault;
  const issues = classifications.flatMap(({ tool, etag }, at) => {
    if (etag === undefined || tags.each.get(tool) === etag) return [];
    return [{ path: `/tools/${at}/etag`, code: 'changed', message: 'the tool has changed since you read it: read it again' }];
  });
  const [first] = issues;
  if (!first) return undefined;
  return new Refusal('precondition-failed', `${first.path}: ${first.message}`, { etag: tags.all, issues: issues.slice(0, 50) });
}

/** True if a classification must meet the tool as its caller has read it. */
export const isGuarded = ({ headers }: EditRequest, { etag }: Classification): boolean =>
  headers['if-match'] !== undefined || etag !== undefined;

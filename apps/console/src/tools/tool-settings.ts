import type { components } from '@countersign/client/generated/api';
import type { TypedApi } from '@countersign/client/typed-api';
import type { Sent } from '../gateway/answer.js';

type ListedTier = components['schemas']['ToolPolicyPage']['items'][number];
type ListedMapping = components['schemas']['MappingPage']['items'][number];
const LISTED_MAX = 500;

/** The tier that is set for a tool; none for most. Read from the list, where its absence is no error. */
export async function setTier(api: TypedApi, tool: string, signal: AbortSignal): Sent<{ set: ListedTier | undefined }> {
  const { data, ...rest } = await api.GET('/v1/policies/tools', { params: { query: { limit: LISTED_MAX } }, signal });
  return data ? { ...rest, data: { set: data.items.find((one) => one.tool === tool) } } : rest;
}

/** The mapping of a tool; none for most. */
export async function setMapping(api: TypedApi, tool: string, signal: AbortSignal): Sent<{ set: ListedMapping | undefined }> {
  const { data, ...rest } = await api.GET('/v1/mappings', { params: { query: { limit: LISTED_MAX } }, signal });
  return data ? { ...rest, data: { set: data.items.find((one) => one.tool === tool) } } : rest;
}

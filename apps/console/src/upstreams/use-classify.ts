import { useChange } from '../forms/use-change.js';
import type { Classification } from './classification.js';

/** Sends classifications of tools of an upstream; one fault refuses all. */
export const useClassify = (name: string) =>
  useChange((api, tools: Classification[]) =>
    api.POST('/v1/upstreams/{name}/classifications', { params: { path: { name } }, body: { tools } }),
  );

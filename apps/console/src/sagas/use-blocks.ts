import { useMemo } from 'preact/hooks';
import { useQuery } from '../gateway/use-query.js';
import { type Graph, layoutOf } from './layout.js';
import { recordedBlocks } from './recorded-blocks.js';
import type { SagaWithSteps } from './saga.js';

/** The graph of a saga. `is_recorded`: its definition is not published, so that only what began is known. */
export interface SagaGraph {
  layout: Graph;
  is_recorded: boolean;
}

/** The graph of the definition that a saga runs, or of what it did; undefined while the definition is read. */
export function useSagaGraph(saga: SagaWithSteps): SagaGraph | undefined {
  const { name = '', version = null } = saga.definition ?? {};
  const is_named = name !== '' && version !== null && saga.undoes === 0;
  const definition = useQuery({
    kind: 'configuration',
    key: ['saga-definition', name, version],
    enabled: is_named,
    read: (api, signal) =>
      api.GET('/v1/saga-definitions/{name}/versions/{version}', { params: { path: { name, version: version ?? '' } }, signal }),
  });
  // a saga may carry a definition of its own under a name that is published, too
  const published = definition.data?.digest === saga.definition_digest ? definition.data?.definition.root : undefined;
  const { steps, waits } = saga;
  const is_settled = !is_named || definition.data !== undefined || definition.problem !== undefined;
  return useMemo(() => {
    if (!is_settled) return undefined;
    return { layout: layoutOf(published ?? recordedBlocks({ steps, waits })), is_recorded: published === undefined };
  }, [is_settled, published, steps, waits]);
}

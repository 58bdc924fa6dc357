import { Button } from '../elements/button.js';
import { Panel } from '../elements/screen.js';
import { ProblemNote } from '../elements/states.js';
import { useChange } from '../forms/use-change.js';
import { useQuery } from '../gateway/use-query.js';
import { useChangeRefusal } from './rights.js';

export const useSimulationRequired = () =>
  useQuery({
    kind: 'configuration',
    key: ['policy-settings'],
    read: async (api, signal) => {
      const { data, response, ...rest } = await api.GET('/v1/policies/settings', { signal });
      return { ...rest, response, data: data && { ...data, etag: response.headers.get('etag') ?? '' } };
    },
  });

/** Whether drafts must be simulated before they are published. */
export function SimulationSetting() {
  const { data } = useSimulationRequired();
  const refused = useChangeRefusal();
  const changed = useChange((api, { etag, simulation_required }: { etag: string; simulation_required: boolean }) =>
    api.PUT('/v1/policies/settings', { params: { header: { 'If-Match': etag } }, body: { simulation_required } }),
  );
  if (!data) return null;
  const { simulation_required, etag } = data;
  return (
    <Panel title="Before publishing">
      <p>{simulation_required ? 'A simulation is required: who publishes has seen what would change.' : 'A simulation is not required.'}</p>
      <div>
        <Button
          disabled={refused !== undefined}
          title={refused}
          is_busy={changed.is_pending}
          onClick={() => changed.run({ etag, simulation_required: !simulation_required })}
        >
          {simulation_required ? 'Do not require it' : 'Require a simulation'}
        </Button>
      </div>
      {refused && <p class="soft">{refused}</p>}
      {changed.problem && <ProblemNote problem={changed.problem} />}
    </Panel>
  );
}

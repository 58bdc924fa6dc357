import { type Calls, newestRecords, Refusal, type Seen } from '@countersign/calls';
import { InfrastructureFault, laneTopic, parseCallId } from '@countersign/contracts';
import { type CallState, tenantOf } from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import type { Configuration } from '@countersign/process';
import { starterOf } from '../sagas/callers.js';
import type { OpenSaga } from '../sagas/open-saga.js';

const VIEWS_WAIT_MS = 5_000;

/** Finds calls of steps that an earlier attempt, or an earlier process, may have sent. */
export class SentCalls {
  constructor(
    private readonly calls: Pick<Calls, 'find'>,
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly log: Pick<EventLog, 'head' | 'first'>,
  ) {}

  /**
   * The recorded call; undefined if its request is not on the log. Views that lag behind the log do not know.
   * @throws InfrastructureFault while they cannot tell
   */
  async find(saga: OpenSaga, call_id: string): Promise<CallState | undefined> {
    const name = { caller: starterOf(saga), call_id };
    const known = await this.calls.find(name);
    if (!(known instanceof Refusal)) return known;
    const found = await this.calls.find({ ...name, seen: await this.requests(saga.tenant_id, call_id) });
    if (!(found instanceof Refusal)) return found;
    if (found.kind === 'not-found') return undefined;
    throw new InfrastructureFault(`call ${call_id} cannot be looked up now: ${found.detail}`);
  }

  /** All requests that are on the log of the call's partition by now. */
  private async requests(tenant_id: string, call_id: string): Promise<Seen> {
    const tenant = tenantOf(this.configuration.state, tenant_id);
    const partition = parseCallId(call_id)?.partition;
    if (!tenant || partition === undefined) throw new InfrastructureFault(`the partition of call ${call_id} is not known yet`);
    const positions = await newestRecords(this.log, [laneTopic('tool-call-requested', tenant.lane)], partition);
    return { positions, wait_ms: VIEWS_WAIT_MS };
  }
}

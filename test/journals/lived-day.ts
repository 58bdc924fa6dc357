import type { Api, Envelope } from '../journeys/api.js';
import { type JourneyWorld, order } from '../journeys/journey-world.js';

const WAIT = { prefer: 'wait=20' };
const NOW = { prefer: 'wait=0' };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Does work so many at a time. */
async function each<T>(items: readonly T[], at_once: number, work: (item: T, n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: at_once }, async () => {
      while (next < items.length) {
        const n = next++;
        await work(items[n] as T, n);
      }
    }),
  );
}

const numbers = (n: number): number[] => Array.from({ length: n }, (_, at) => at);

class LivedDay {
  constructor(
    private readonly at: JourneyWorld,
    private readonly agent: Api,
    private readonly name: string,
    private readonly case_id: string,
  ) {}

  call(tool: string, inputs: Record<string, unknown>, more: Record<string, unknown> = {}, wait = WAIT): Promise<Envelope> {
    return this.agent.call({ tool, inputs, case_id: this.case_id, ...more }, wait).then(({ body }) => body);
  }

  vote(approval_id: string | undefined, vote: Record<string, unknown>, by: Api = this.at.anna): Promise<unknown> {
    return by.request('POST', `/v1/approvals/${approval_id}/votes`, vote);
  }

  async plain(): Promise<void> {
    await each(numbers(260), 8, () => this.call('probe_http_effect', order()));
    await each(numbers(60), 8, () => this.call('probe_read', {}));
    const repeated = order();
    await each(numbers(12), 4, () => this.call('probe_http_effect', repeated));
    await each(numbers(8), 4, () => this.call('probe_fail', {}));
    await each(numbers(10), 4, (n) =>
      this.call('probe_http_effect', order(), { context: { safety_mode: n % 2 ? 'read_only' : 'ask_all' } }, NOW),
    );
  }

  async approvals(): Promise<void> {
    const bob = await this.at.admin.keyFor('user', 'bob', ['approver']);
    await each(numbers(60), 6, async (n) => {
      const inputs = order({ amount: 10 + n });
      const submitted = await this.call('probe_approval', inputs, {}, NOW);
      const id = submitted.approval?.approval_id;
      await this.at.anna.request('GET', `/v1/approvals/${id}`);
      if (n % 6 === 0) await this.vote(id, { vote: 'deny', reason: 'no' });
      else if (n % 6 === 1) await this.vote(id, { vote: 'edit', inputs: { ...inputs, amount: 5 } });
      else if (n % 6 === 2) await this.agent.request('POST', `/v1/calls/${submitted.call_id}/cancel`, { reason: 'not needed' });
      else if (n % 6 === 3) {
        await this.vote(id, { vote: 'delegate', to: 'bob' });
        await this.vote(id, { vote: 'approve' });
        await this.vote(id, { vote: 'approve' }, bob);
      } else await this.vote(id, { vote: 'approve' });
      if (n % 6 !== 2) await this.agent.callUntil(submitted.call_id, ({ status }) => status !== 'pending_approval' && status !== 'running');
    });
    const shared = order();
    const [one] = await Promise.all(numbers(3).map(() => this.call('probe_approval', shared, {}, NOW)));
    await this.vote(one?.approval?.approval_id, { vote: 'approve' });
  }

  async rules(): Promise<void> {
    const { admin } = this.at;
    const mine = `principal.id == "${this.name}"`;
    const approval = { approver_roles: ['approver'], quorum: 2, expires_after_ms: 1500 };
    const publish = async (rules: object[]) => {
      const { body } = await admin.request<{ version: string }>('POST', '/v1/policies', { rules });
      await admin.request('PUT', '/v1/policies/active', { version: body.version, shadow: null });
    };
    await admin.request('PUT', '/v1/facts/suppliers', { rows: ['alpha'] });
    await publish([
      { id: 'small', tools: 'probe_approval', when: `${mine} && inputs.amount < 50 && inputs.note in facts.suppliers`, effect: 'allow' },
      { id: 'two', tools: 'probe_approval', when: `${mine} && inputs.amount > 500`, effect: 'require_approval', approval },
      { id: 'never', tools: 'probe_http_effect', when: `${mine} && inputs.amount > 900`, effect: 'deny' },
    ]);
    await each(numbers(30), 6, (n) =>
      this.call('probe_approval', order({ amount: n % 2 ? 20 : 60, note: n % 3 ? 'alpha' : 'beta' }), {}, NOW),
    );
    await each(numbers(10), 4, (n) => this.call('probe_http_effect', order({ amount: 850 + n * 10 })));
    const expiring = await this.call('probe_approval', order({ amount: 501 }), {}, NOW);
    await this.vote(expiring.approval?.approval_id, { vote: 'approve' });
    await this.agent.callUntil(expiring.call_id, ({ status }) => status === 'expired');
    await admin.request('PUT', '/v1/policies/active', { version: null });
  }

  /** Approved by people, then refused before it fires: the policy became stricter while it waited for them. */
  async stricter(): Promise<void> {
    const { admin } = this.at;
    const waiting = await Promise.all(numbers(4).map(() => this.call('probe_approval', order({ amount: 666 }), {}, NOW)));
    const rules = [{ id: 'stricter', tools: 'probe_approval', when: 'inputs.amount == 666', effect: 'deny' }];
    const { body } = await admin.request<{ version: string }>('POST', '/v1/policies', { rules });
    await admin.request('PUT', '/v1/policies/active', { version: body.version, shadow: null });
    for (const { approval } of waiting) await this.vote(approval?.approval_id, { vote: 'approve' });
    await Promise.all(waiting.map(({ call_id }) => this.agent.callUntil(call_id, ({ status }) => status === 'denied')));
    await admin.request('PUT', '/v1/policies/active', { version: null });
  }

  async limits(): Promise<void> {
    const limit = (id: string, body: Record<string, unknown>) =>
      this.at.admin.request('PUT', `/v1/limits/${id}`, { scope: 'agent', subjects: [this.name], ...body });
    await limit('spend', { kind: 'cumulative', tools: ['probe_http_effect'], amount: 'inputs.amount', window_ms: 86_400_000, max: 300 });
    await limit('slowly', { kind: 'rate', tools: ['probe_read'], window_ms: 2000, max: 3, on_exceeded: 'defer', defer_timeout_ms: 20_000 });
    for (const n of numbers(20)) await this.call('probe_http_effect', order({ amount: 10 + n }));
    const reads = await Promise.all(numbers(5).map(() => this.call('probe_read', {}, {}, NOW)));
    await Promise.all(reads.map(({ call_id }) => this.agent.callUntil(call_id, ({ status }) => status === 'succeeded')));
    await this.at.admin.request('DELETE', '/v1/limits/spend');
    await this.at.admin.request('DELETE', '/v1/limits/slowly');
  }

  async doubts(): Promise<void> {
    const operator = await this.at.admin.keyFor('user', 'olga', ['operator']);
    for (const n of numbers(4)) {
      const blind = await this.call('probe_http_blind', order({ lose_answer: true }));
      if (blind.status !== 'in_doubt') continue;
      await this.call('probe_http_blind', order({ lose_answer: true }), {}, NOW);
      const resolution =
        n % 2 ? { resolution: 'happened', output: { ok: true, seq: n, key: 'k', amount: 7 } } : { resolution: 'did_not_happen' };
      await operator.request('POST', `/v1/calls/${blind.call_id}/resolve`, { ...resolution, reason: 'looked it up' });
    }
  }

  async dependents(): Promise<void> {
    const { call_id } = await this.call('probe_http_effect', order());
    await this.at.admin.request('POST', `/v1/calls/${call_id}/approval-mode`, { approval_mode: 'destructive', reason: 'it was' });
    for (const n of numbers(6)) {
      const first = await this.call('probe_http_effect', order({ delay_ms: n % 2 ? 300 : 0 }), {}, NOW);
      const next = await this.call('probe_read', {}, { context: { depends_on: [first.call_id] } }, NOW);
      await this.agent.callUntil(next.call_id, ({ status }) => status === 'succeeded');
    }
    const run_id = `run-${this.name}`;
    const messages = [{ role: 'user', content: 'how was the day' }];
    await this.agent.request('PUT', `/v1/runs/${run_id}/transcript`, { prompt: 'You tell of days.', messages });
    await each(numbers(30), 4, (n) => this.call('probe_read', {}, { context: { run_id, iteration: n % 12 } }));
  }
}

/** What operators say of calls that were answered, what users say of tools, and what is refused before it becomes a call. */
async function livedConversation(at: JourneyWorld, day: LivedDay, agent: Api): Promise<void> {
  const modes = ['delegated', 'network', 'local_write'];
  for (const n of numbers(6)) {
    const { call_id } = await day.call('probe_read', {});
    for (const approval_mode of modes.slice(0, 1 + (n % modes.length)))
      await at.admin.request('POST', `/v1/calls/${call_id}/approval-mode`, { approval_mode, reason: 'it is more than a read' });
  }
  for (const rating of [2, 4]) await agent.request('POST', '/v1/tools/probe_read/ratings', { rating });
  await each(numbers(12), 4, () => agent.request('GET', '/v1/keys'));
}

/** Lives through everything that calls can come to, at a pace that a small machine keeps. */
export async function liveThrough(at: JourneyWorld): Promise<void> {
  const name = 'agent-of-the-day';
  const agent = await at.admin.keyFor('agent', name, ['agent']);
  const opened = await agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'A day' });
  const day = new LivedDay(at, agent, name, opened.body.case_id);
  await day.plain();
  await day.approvals();
  await day.rules();
  await day.doubts();
  await day.dependents();
  await day.limits();
  await day.stricter();
  await livedConversation(at, day, agent);
  await pause(1000);
}

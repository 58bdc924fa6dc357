import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { components } from '@countersign/client';
import type { Api } from '../journeys/api.js';
import { order } from '../journeys/journey-world.js';
import type { ConsoleWorld } from './console-world.js';

type Saga = components['schemas']['SagaWithSteps'];

/** What an author of definitions writes to deceive those who answer. */
export const HOSTILE_QUESTION = 'Pay?<img src=x onerror="window.countersign_harmed=true">\u202egpj.exe\u001b[31m';

const literals = (inputs: object) => Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { literal: value }]));
const step = (name: string, tool: string, inputs: object, more: object = {}) => ({
  ...{ kind: 'step', name, use: { tool, version: '^1.0.0', inputs: literals(inputs) } },
  ...more,
});
const wait = (name: string, more: object) => ({ kind: 'wait', name, timeout_ms: 600_000, on_timeout: 'fail', ...more });
const move = (name: string, source: string, destination: string) => step(name, 'move_file', { source, destination });
const look = (name: string, file: string) => step(name, 'read_file', { path: file });
const sequence = (...blocks: object[]) => ({ kind: 'sequence', blocks });
const whole = (name: string, ...blocks: object[]) => ({ name, version: '1.0.0', wait_max_ms: 600_000, root: sequence(...blocks) });

const INPUT_SCHEMA = {
  type: 'object',
  required: ['files'],
  properties: { files: { type: 'array', items: { type: 'string' } } },
};

/** Sagas made through the API: each method brings one to where a person has something to see or to do. */
export class SagaStories {
  private files = 0;

  constructor(
    private readonly world: ConsoleWorld,
    private readonly agent: Api,
  ) {}

  /** A published definition with every kind of block; its saga waits for an approval. */
  async waiting(by = this.agent): Promise<string> {
    const source = this.file();
    const definition = whole(
      'order_with_everything',
      move('take', source, `${source}.taken`),
      { kind: 'parallel', join: { kind: 'all' }, branches: [look('stock', this.file()), look('credit', this.file())] },
      { kind: 'branch', name: 'size', choices: [{ when: 'size(inputs.files) > 9', block: look('freight', 'never') }] },
      {
        ...{ kind: 'map', name: 'each', over: { from: '/inputs/files' }, concurrency: 2, join: { kind: 'all' } },
        body: { kind: 'step', name: 'pack', use: { tool: 'read_file', version: '^1.0.0', inputs: { path: { from: '/item' } } } },
      },
      wait('ask', { wait: 'approval', subject: HOSTILE_QUESTION }),
      look('ship', this.file()),
    );
    const published = {
      ...definition,
      version: `1.0.${this.files}`,
      input_schema: INPUT_SCHEMA,
    };
    const { name, version } = published;
    const answer = await this.world.admin.request('PUT', `/v1/saga-definitions/${name}/versions/${version}`, published);
    if (answer.status !== 201) throw new Error(`the definition was refused: ${JSON.stringify(answer.body)}`);
    const saga_id = await this.start({ name, version }, { files: [this.file(), this.file(), this.file()] }, by);
    await this.until(saga_id, ({ status }) => status === 'awaiting_approval');
    return saga_id;
  }

  /** A step fails, and what took effect before it has been undone. */
  async compensated(): Promise<string> {
    const source = this.file();
    const saga_id = await this.start(whole('trip', move('take', source, `${source}.taken`), look('hotel', 'no-such-file')));
    await this.until(saga_id, ({ status }) => status === 'compensated');
    return saga_id;
  }

  /** A step cannot be undone, because something stands in the way. */
  async stuck(): Promise<string> {
    const source = this.file();
    const ask = wait('go', { wait: 'event', subject: 'parcel arrived' });
    const saga_id = await this.start(whole('parcel', move('take', source, `${source}.taken`), ask));
    await this.until(saga_id, ({ waits }) => waits.length === 1);
    writeFileSync(path.join(this.world.platform.workspace, source), 'in the way');
    await this.agent.request('POST', `/v1/sagas/${saga_id}/cancel`);
    await this.until(saga_id, ({ status }) => status === 'compensation_failed');
    return saga_id;
  }

  /** Nobody knows whether a call of it took effect. */
  async inDoubt(): Promise<string> {
    const saga_id = await this.start(whole('charge', step('pay', 'probe_http_blind', order({ lose_answer: true }))));
    await this.until(saga_id, ({ tickets }) => tickets.some(({ ticket }) => ticket === 'in_doubt'));
    return saga_id;
  }

  /** A person does the last level of a step. */
  async manual(): Promise<string> {
    const by_hand = step('look', 'read_file', { path: 'never-there' }, { manual: 'Read the meter' });
    const saga_id = await this.start(whole('meter', by_hand));
    await this.until(saga_id, ({ waits }) => waits.length === 1);
    return saga_id;
  }

  read = async (saga_id: string): Promise<Saga> => (await this.agent.request<Saga>('GET', `/v1/sagas/${saga_id}`)).body;

  async until(saga_id: string, met: (saga: Saga) => boolean): Promise<void> {
    for (const end = performance.now() + 30_000; ; ) {
      const saga = await this.read(saga_id);
      if (met(saga)) return;
      if (performance.now() > end) throw new Error(`saga ${saga_id} did not get there: ${JSON.stringify(saga)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  private file(): string {
    this.files += 1;
    const name = `saga-${this.files}.txt`;
    writeFileSync(path.join(this.world.platform.workspace, name), 'content');
    return name;
  }

  private async start(definition: object, inputs: object = {}, by = this.agent): Promise<string> {
    const { status, body } = await by.request<Saga>('POST', '/v1/sagas', { definition, inputs }, { prefer: 'wait=0' });
    if (status >= 300) throw new Error(`POST /v1/sagas answered ${status}: ${JSON.stringify(body)}`);
    return body.saga_id;
  }
}

import { CountersignClient, type TypedApi } from '@countersign/client';
import { answerTo } from './demo-fault.js';

const CALL_PATIENCE_MS = 20_000;

/** A principal of the demo. */
export interface Demonstrator {
  id: string;
  client: CountersignClient;
  api: TypedApi;
}

/** Everybody who takes part. Their keys are made by each run and are not kept. */
export interface DemoPeople {
  admin: Demonstrator;
  /** Owns the agents of the demo, so that four eyes bar her and not `you`. */
  olivia: Demonstrator;
  ben: Demonstrator;
  invoices: Demonstrator;
  travel: Demonstrator;
  support: Demonstrator;
  purchasing: Demonstrator;
  /** A key of `you`, made only if that person has none yet; undefined: the person signs in as before. */
  your_key: string | undefined;
}

type Kind = 'agent' | 'user';

/** Makes keys over the API with the key of an administrator. */
class KeyMaker {
  constructor(
    private readonly url: string,
    private readonly admin: TypedApi,
  ) {}

  async key(kind: Kind, id: string, roles: readonly string[], owner?: string): Promise<string> {
    const body = { principal: { kind, id, roles: [...roles] }, name: `demo: ${id}`, ...(owner === undefined ? {} : { owner }) };
    return (await answerTo(`key of ${id}`, this.admin.POST('/v1/keys', { body: body as never }))).key;
  }

  async make(kind: Kind, id: string, roles: readonly string[], owner?: string): Promise<Demonstrator> {
    return demonstrator(this.url, id, await this.key(kind, id, roles, owner));
  }
}

export function demonstrator(url: string, id: string, key: string): Demonstrator {
  const client = new CountersignClient({ url, key, patience_ms: CALL_PATIENCE_MS });
  return { id, client, api: client.api };
}

async function keyOfYou(maker: KeyMaker, admin: TypedApi): Promise<string | undefined> {
  const { items } = await answerTo('keys of you', admin.GET('/v1/keys', { params: { query: { principal: 'you' } } as never }));
  const isKnown = (items as { state: string }[]).some(({ state }) => state === 'active');
  return isKnown ? undefined : maker.key('user', 'you', ['approver', 'operator', 'policy_admin']);
}

/** Makes the people and the agents of the demo. The owner of the agents is a person other than `you`. */
export async function demoPeople(url: string, admin_key: string): Promise<DemoPeople> {
  const admin = demonstrator(url, 'admin', admin_key);
  const maker = new KeyMaker(url, admin.api);
  const olivia = await maker.make('user', 'olivia', ['approver']);
  const ben = await maker.make('user', 'ben', ['approver', 'operator', 'policy_admin']);
  return {
    admin,
    olivia,
    ben,
    invoices: await maker.make('agent', 'invoice-bot', ['agent'], 'olivia'),
    travel: await maker.make('agent', 'travel-bot', ['agent'], 'olivia'),
    support: await maker.make('agent', 'support-bot', ['agent'], 'olivia'),
    purchasing: await maker.make('agent', 'purchasing-bot', ['agent'], 'olivia'),
    your_key: await keyOfYou(maker, admin.api),
  };
}

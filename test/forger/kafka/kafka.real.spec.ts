import { afterAll, beforeAll, expect, test } from 'vitest';
import { DistributedPlatform } from '../../journeys/distributed-platform.js';
import { bundleOf, until } from '../product/honest-history.js';
import { Random } from '../random.js';
import { type KafkaAttack, kafkaAttacks } from './kafka-attacks.js';
import { OwnBroker } from './own-broker.js';

const ATTACKS = Number(process.env.COUNTERSIGN_TEST_FORGER_KAFKA ?? 4);
const FIRST = Number(process.env.COUNTERSIGN_TEST_FORGER_FIRST ?? 0);
/** Coprime with the number of classes. */
const STRIDE = 3;
/** Neighbouring seeds choose different partitions. */
const MIX = 7919;
const CALLS = 12;
const FOUND = '"event":"damage_found"';
let broker: OwnBroker;
let platform: DistributedPlatform;

/** An honest history, of which everything is signed; all services are stopped, the broker too. */
beforeAll(async () => {
  broker = await OwnBroker.start();
  platform = await DistributedPlatform.start({ COUNTERSIGN_KAFKA_BROKERS: broker.address });
  const admin = platform.admin();
  const auditor = await admin.keyFor('user', 'audra', ['auditor']);
  for (let n = 0; n < CALLS; n++) {
    const { status, body } = await admin.call({ tool: 'write_file', inputs: { path: `${n}.txt`, content: 'honest', mode: 'create' } });
    if (status !== 200) throw new Error(`the call was answered ${status}: ${JSON.stringify(body)}`);
    if (n % 4 === 3) await until('a checkpoint', () => bundleOf(auditor, body.call_id));
  }
  for (const name of ['gateway', 'orchestrator', 'executor', 'policy', 'projector']) await platform.member(name).stop();
  await platform.keepDatabase();
  await broker.kill();
  broker.keep();
}, 240_000);
afterAll(async () => {
  await platform?.close();
  await broker?.close();
}, 60_000);

const attackOf = (seed: number) => kafkaAttacks[(seed * STRIDE) % kafkaAttacks.length] as KafkaAttack;

/** Restores the honest history, forges it, and starts projector and gateway. */
async function attacked(seed: number): Promise<string> {
  await broker.restore();
  await platform.restoreDatabase();
  const what = attackOf(seed).forge({ dataDir: broker.dataDir, prefix: platform.prefix, random: new Random(seed * MIX) });
  await broker.startAgain();
  for (const name of ['projector', 'gateway']) {
    platform.member(name).output = '';
    platform.restart(name);
  }
  return what;
}

test('the files of a stopped broker are changed, with correct checksums: the services find it, and refuse writes', async () => {
  for (let seed = FIRST; seed < FIRST + ATTACKS; seed++) {
    const at = `seed ${seed}, ${attackOf(seed).name}: ${await attacked(seed)}`;
    const projector = platform.member('projector');
    try {
      await projector.until(at, async () => projector.output.includes(FOUND), 120_000);
      await platform.ready('gateway');
      const write = () => platform.admin().call({ tool: 'write_file', inputs: { path: 'after.txt', content: 'x', mode: 'create' } });
      await until(`${at}: writes are refused`, async () => ((await write()).status === 409 ? true : undefined));
      expect([at, await platform.readiness('projector')]).toEqual([at, 'tampered']);
      process.stdout.write(`${at}\n    ${reasonIn(projector.output)}\n`);
    } finally {
      for (const name of ['gateway', 'projector']) await platform.member(name).stop('SIGKILL');
      await broker.kill();
    }
  }
}, 600_000);

function reasonIn(output: string): string {
  const line = output.split('\n').find((each) => each.includes(FOUND)) as string;
  return (JSON.parse(line) as { reason: string }).reason;
}

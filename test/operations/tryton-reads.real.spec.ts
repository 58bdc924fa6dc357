import { pack } from '@countersign/pack-operations/erp-pack';
import { describeErpContracts } from './erp-contracts.js';
import { TrytonReads } from './tryton-reads.js';
import { TrytonWorld } from './tryton-world.js';

// Contract tests need their inputs when they are declared: what people did in Tryton is done before.
const tryton = new TrytonWorld();
const world = new TrytonReads(tryton.url, tryton.people());
await world.open();

describeErpContracts(
  world,
  pack.tools.filter(({ contract }) => !world.cleans(contract.name)),
);

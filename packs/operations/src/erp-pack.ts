import type { Pack, Tool } from '@countersign/tool-kit';
import { ERP_SECRET } from './erp/connection.js';
import { inTurn } from './erp/turns.js';
import { pack as onLedger } from './index.js';

/** A tool whose system is outside: its host is the one that the operator names for the tenant, its password a secret of the tenant. */
function outside(tool: Tool): Tool {
  const { contract } = tool;
  // A stage keeps its proposals in the folder of the tenant.
  if (contract.effect_class === 'stage') return tool;
  const effect_class = contract.effect_class === 'read_internal' ? 'read_external' : contract.effect_class;
  return { ...tool, contract: { ...contract, effect_class, network: ['*'], auth_requirements: [ERP_SECRET] } };
}

/** The 27 tools on a real ERP: `connection.json` in the folder of each tenant names it. */
export const pack: Pack = {
  name: 'operations-erp',
  version: '1.0.0',
  settings: onLedger.settings ?? {},
  folders: onLedger.folders ?? [],
  tools: onLedger.tools.map(inTurn).map(outside),
};

import type { ToolContract } from '@countersign/contracts';
import { type ConfigurationState, GRANT_MARK, limitsOf, type RequestedPart, rulingBundles } from '@countersign/domain';
import { compiledBundles, fieldsRead, type InputFields } from '@countersign/policy';

/** The fields of a tool's inputs that the tenant's active rules and its limits read. */
function fieldsInForce(config: ConfigurationState, tenant_id: string, contract: ToolContract): InputFields {
  const { active } = rulingBundles(config, tenant_id);
  return fieldsRead(active ? [compiledBundles.of(active)] : [], limitsOf(config, tenant_id), contract);
}

function schemaOf({ input_schema }: ToolContract, input: string): Record<string, unknown> {
  const properties = (input_schema as { properties?: Record<string, unknown> }).properties ?? {};
  return Object.hasOwn(properties, input) ? ((properties[input] ?? {}) as Record<string, unknown>) : {};
}

/**
 * Whether a rule accepts that the approvers of a saga do not see these inputs of a step: its author named them, or the tool marks them as
 * free and no rule or limit reads them. Amounts are always shown.
 */
export class OpenInputs {
  private readonly read: InputFields | undefined;

  constructor(
    private readonly contract: ToolContract,
    private readonly inputs: readonly string[],
    config: ConfigurationState,
    tenant_id: string,
  ) {
    this.read = inputs.length > 0 ? fieldsInForce(config, tenant_id, contract) : undefined;
  }

  areAcceptedBy(part: RequestedPart): boolean {
    return this.inputs.every((input) => this.isAccepted(input, part));
  }

  /** Without a mapping a rule may read the same input in either form. */
  private isRead(input: string): boolean {
    if (!this.read) return true;
    return [this.read.inputs, this.read.mapped].some((fields) => fields.has(input) || fields.has('*'));
  }

  private isAccepted(input: string, { requirement }: RequestedPart): boolean {
    const schema = schemaOf(this.contract, input);
    if (JSON.stringify(schema).includes(`"${GRANT_MARK}":"amount"`)) return false;
    if (requirement.saga_open_inputs?.includes(input)) return true;
    return schema[GRANT_MARK] === 'free' && !this.isRead(input);
  }
}

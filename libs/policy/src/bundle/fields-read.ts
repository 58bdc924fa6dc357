import type { ToolContract } from '@countersign/contracts';
import { compileExpression } from '../cel/compile.js';
import type { InputFields } from '../cel/input-uses.js';
import { fitsOne } from '../limits/glob.js';
import type { Limit } from '../limits/limited-call.js';
import type { BundleInForce } from './bundle-cache.js';

class Fields {
  readonly inputs = new Set<string>();
  readonly mapped = new Set<string>();

  add(uses: InputFields | undefined): void {
    for (const field of uses?.inputs ?? []) this.inputs.add(field);
    for (const field of uses?.mapped ?? []) this.mapped.add(field);
  }
  addCap(form: 'inputs' | 'mapped', pointer: string): void {
    this[form].add(pointer.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~') ?? '*');
  }
  /** An unreadable bundle or limit may read everything. */
  addAll(): void {
    this.inputs.add('*');
    this.mapped.add('*');
  }
}

/** The fields of a tool's inputs that rules, caps and limits read. */
export function fieldsRead(bundles: readonly BundleInForce[], limits: readonly Limit[], contract: ToolContract): InputFields {
  const fields = new Fields();
  for (const force of bundles) {
    if ('unusable' in force) {
      fields.addAll();
      continue;
    }
    for (const { condition, until_condition, obligations } of force.bundle.rules.about(contract)) {
      fields.add(condition?.uses.fields);
      fields.add(until_condition?.uses.fields);
      for (const one of obligations ?? []) if ('cap' in one) fields.addCap(one.cap.form ?? 'inputs', one.cap.path);
    }
  }
  for (const { tools, amount, per } of limits) {
    if (tools.length > 0 && !fitsOne(tools, contract.name)) continue;
    for (const text of [amount, per]) {
      if (text === null) continue;
      const program = compileExpression(text);
      if ('fault' in program) fields.addAll();
      else fields.add(program.expression.uses.fields);
    }
  }
  return fields;
}

import type { JsonSchema } from '@countersign/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const ajv = new Ajv2020({ strict: false, allErrors: false, ownProperties: true });
formats.default(ajv);

/** Compiles the schema of schemas, which takes 20 to 40 ms of the thread: at the start, so that no call waits for it. */
export function prepareSchemaChecks(): void {
  ajv.validateSchema({});
}

/** @throws if the schema cannot be compiled */
export function compiledSchema({ $id: _id, ...schema }: JsonSchema): ValidateFunction {
  try {
    return ajv.compile(schema);
  } finally {
    // Its cache would keep every schema that a tenant or an upstream ever named.
    ajv.removeSchema(schema);
  }
}

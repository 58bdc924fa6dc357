import { type JsonSchema, schemaFaults } from '@countersign/contracts';
import { type OpenApiDocument, OperationFault } from '../document.js';
import { type CopyLimits, type Direction, SchemaCopy, TooLarge } from './copy.js';

type Step = Pick<CopyLimits, 'depth_max' | 'text_max'> & { relaxed: boolean };

const EXACT_DEPTH = 32;
/** Tried in order until one fits: first texts become shorter, then deep values become anything. */
const INPUT_STEPS: readonly Step[] = [
  { depth_max: EXACT_DEPTH, text_max: 400, relaxed: false },
  { depth_max: EXACT_DEPTH, text_max: 100, relaxed: false },
  { depth_max: 8, text_max: 60, relaxed: true },
  { depth_max: 5, text_max: 60, relaxed: true },
  { depth_max: 4, text_max: 60, relaxed: true },
  { depth_max: 3, text_max: 60, relaxed: true },
  { depth_max: 2, text_max: 60, relaxed: true },
  { depth_max: 1, text_max: 60, relaxed: true },
  { depth_max: 1, text_max: 0, relaxed: true },
];
const OUTPUT_STEPS: readonly Step[] = [
  { depth_max: 4, text_max: 60, relaxed: true },
  { depth_max: 4, text_max: 0, relaxed: true },
  { depth_max: 3, text_max: 0, relaxed: true },
  { depth_max: 2, text_max: 0, relaxed: true },
  { depth_max: 1, text_max: 0, relaxed: true },
  { depth_max: -1, text_max: 0, relaxed: true },
];

/** A schema that fits, with its definitions. */
export interface Fitted {
  schema: JsonSchema;
  defs: Record<string, JsonSchema | boolean>;
  chars: number;
  /** Values deeper than this may be anything; undefined: the schema is complete. */
  cut_below: number | undefined;
}

/**
 * The most exact copy of a schema that has at most so many characters and that may be used for validation.
 * @param is_checked Whether hazards are looked for here; a contract is checked in any case
 * @throws OperationFault if none does
 */
export function fittedSchema(
  document: OpenApiDocument,
  source: unknown,
  { direction, chars_max, is_checked }: { direction: Direction; chars_max: number; is_checked: boolean },
): Fitted {
  let hazard = `has more than ${chars_max} characters`;
  for (const { relaxed, ...limits } of direction === 'input' ? INPUT_STEPS : OUTPUT_STEPS) {
    const copy = new SchemaCopy(document, direction, { ...limits, chars_max }, relaxed);
    try {
      const { schema, defs } = copy.copy(source);
      // A complete copy that left something out would refuse what its source takes.
      if (copy.cut && !relaxed) continue;
      const whole = { ...schema, ...(Object.keys(defs).length > 0 ? { $defs: defs } : {}) };
      const chars = JSON.stringify(whole).length;
      if (chars > chars_max) continue;
      const [fault] = is_checked ? schemaFaults(whole) : [];
      if (fault === undefined) return { schema, defs, chars, cut_below: copy.cut ? limits.depth_max : undefined };
      hazard = fault;
    } catch (cause) {
      if (!(cause instanceof TooLarge)) throw cause;
    }
  }
  throw new OperationFault(`its ${direction} schema cannot be used: ${hazard}`);
}

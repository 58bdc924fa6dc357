import { Refusal } from '@countersign/calls';
import { type JsonHazard, tooDeep } from '@countersign/definitions';
import { z } from 'zod';

/** What is refused where a body has a value that must not be used. */
export const refusedHazard = ({ path, code, message }: JsonHazard): Refusal =>
  new Refusal('invalid-request', `${path}: ${message}`, { issues: [{ path, code, message }] });

/** A body of this schema; one that is nested too deeply is refused before validation. */
export const notTooDeep = <S extends z.ZodType>(schema: S) =>
  z.preprocess((body, context) => {
    const hazard = tooDeep(body);
    if (hazard) context.addIssue({ code: 'custom', params: { ...hazard }, message: hazard.message });
    return hazard ? z.NEVER : body;
  }, schema);

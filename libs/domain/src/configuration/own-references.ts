import { uuidOfParts } from '@countersign/contracts';

/** Maximum length of a reference, characters. */
export const EXTERNAL_ID_MAX = 200;
export const REFERENCE_PREFIX = 'ext:';

/** Control and format characters, lone surrogates and line separators: two references that differ only in these look equal. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The normalized form (NFC) of a tenant's own reference; undefined if the text is not a valid reference. */
export function externalIdOf(text: string): string | undefined {
  const reference = text.normalize('NFC');
  if (reference.length === 0 || reference.length > EXTERNAL_ID_MAX || INVISIBLE.test(reference)) return undefined;
  return reference.trim() === reference && !reference.startsWith(REFERENCE_PREFIX) ? reference : undefined;
}

/** The id of the case with this reference. It is derived from the reference, so that two gateways never open two cases for one. */
export const caseIdOf = (tenant_id: string, external_id: string): string => `case_${uuidOfParts(['case', tenant_id, external_id])}`;

/** Resolves a text to a case id: `ext:<reference>`, else the text itself. Undefined if the text after `ext:` is not a valid reference. */
export function resolveCaseId(tenant_id: string, text: string): string | undefined {
  if (!text.startsWith(REFERENCE_PREFIX)) return text;
  const external_id = externalIdOf(text.slice(REFERENCE_PREFIX.length));
  return external_id === undefined ? undefined : caseIdOf(tenant_id, external_id);
}

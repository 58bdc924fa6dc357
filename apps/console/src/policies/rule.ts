/** A rule as the API answers it; each member may be absent or of another kind in a later version. */
export interface Rule {
  id: string;
  effect: string;
  description?: string | undefined;
  when?: string | undefined;
  fields: Readonly<Record<string, unknown>>;
}

/** The rules of a bundle, of which nothing is certain but that it is JSON. */
export function rulesOf(bundle: Readonly<Record<string, unknown>> | null | undefined): Rule[] {
  const rules = bundle?.rules;
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((written): Rule[] => {
    if (typeof written !== 'object' || written === null) return [];
    const fields = written as Record<string, unknown>;
    const { id, effect } = fields;
    if (typeof id !== 'string' || typeof effect !== 'string') return [];
    return [{ id, effect, description: textOf(fields.description), when: textOf(fields.when), fields }];
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

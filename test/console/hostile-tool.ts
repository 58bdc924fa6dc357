const SCRIPT = '<script>window.pwned = 1</script><img src=x onerror="window.pwned = 1">';
const MARKS = 'refund \u202etxt.exe\u202c \u001b[31mred\u001b[0m \u200bhidden';

/** A contract has at most 65,536 characters. */
const FIELDS = 1_000;
/** The gateway takes no more than 64 levels of JSON; a level of a schema has two. */
const DEPTH = 28;

function deep(): object {
  let schema: object = { type: 'string' };
  for (let at = 0; at < DEPTH; at += 1) schema = { type: 'object', properties: { in: schema } };
  return schema;
}

/** The registration of a tool whose author attacks the people who read it. Version 2 takes fields away. */
export function hostileTool(version: string): Record<string, unknown> {
  const is_first = version.startsWith('1.');
  const fields = Object.fromEntries(
    Array.from({ length: FIELDS }, (_, at) => [`field_${at}`, { type: 'string', ...(at < 40 ? { description: SCRIPT } : {}) }]),
  );
  return {
    name: 'hostile_tool',
    version,
    title: `${SCRIPT} ${MARKS}`.slice(0, 190),
    description: `${SCRIPT} ${MARKS} ${'long '.repeat(300)}`,
    category: 'hostile',
    endpoint: 'http://127.0.0.1:9/tool',
    effect_class: 'read_internal',
    input_schema: {
      type: 'object',
      $defs: { tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' }, [MARKS]: { type: 'string', default: SCRIPT } } } },
      properties: {
        a_tree: { $ref: '#/$defs/tree' },
        deep: deep(),
        choice: { enum: [SCRIPT, MARKS] },
        ...(is_first ? { former: { type: 'string' } } : { newer: { type: 'integer' } }),
        ...fields,
      },
      required: is_first ? [] : ['newer'],
      additionalProperties: false,
    },
    output_schema: { type: 'object', properties: { text: { type: 'string', description: SCRIPT } } },
  };
}

import { CompiledMapping, type MappingDefinition } from '@countersign/mapping';
import { type Tool, ToolError } from '@countersign/tool-kit';

/** A tool behind a mapping of the moment, as the platform runs it: it takes and answers the shapes of agents. */
export function mappedTool(tool: Tool, definition: () => MappingDefinition): Tool {
  const mapping = () => new CompiledMapping(definition(), 'strict');
  const toSystem = async (input: unknown): Promise<never> => {
    const { value, issues } = await mapping().toSystem(input);
    if (issues.length === 0) return value as never;
    throw new ToolError('VALIDATION_ERROR', JSON.stringify(issues), { effect: 'none', details: { issues } });
  };
  const toAgent = async (result: unknown): Promise<unknown> => {
    const mapped = await mapping().toAgent(result);
    if (mapped && mapped.issues.length > 0) throw new Error(JSON.stringify(mapped.issues));
    return mapped ? mapped.value : result;
  };
  const { reconcile, verify, compensate } = tool;
  return {
    ...tool,
    run: async (input, ctx) => toAgent(await tool.run(await toSystem(input), { ...ctx, requested: input })),
    ...(reconcile && { reconcile: async (input, ctx) => reconcile(await toSystem(input), { ...ctx, requested: input }) }),
    ...(compensate && {
      compensate: async (effect, ctx) =>
        compensate({ ...effect, inputs: await toSystem(effect.inputs) }, { ...ctx, requested: effect.inputs }),
    }),
    ...(verify && { verify: async (input, output, ctx) => verify(await toSystem(input), output, { ...ctx, requested: input }) }),
  };
}

/** Settings of the MCP server (config.ts). */
export class McpSettings {
  /** How long a tool call waits for its end before it is answered as pending. */
  readonly wait_ms: number = 20_000;
}

/** The name of a pack and of its folder: also the name of an npm package. */
export const PACK_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** The name of a tool, as agents call it. */
export const TOOL_NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;

/** `read_weather` → `read-weather`. */
export const kebab = (tool: string): string => tool.replaceAll('_', '-');

/** `read_weather` → `readWeather`. */
export const camel = (tool: string): string => tool.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `read_weather` → `Read weather`. */
export const words = (tool: string): string => `${tool[0]?.toUpperCase()}${tool.slice(1).replaceAll('_', ' ')}`;

/** The folder setting of a pack: `my-pack` → `MY_PACK_FOLDER`. */
export const folderSetting = (pack: string): string => `${pack.toUpperCase().replaceAll('-', '_')}_FOLDER`;

export { AddressRules, type UrlFault } from './address-rules.js';
export type { ResolveAll } from './checked-lookup.js';
export { type Exchanged, failed, type OutboundAnswer, type OutboundFault, type OutboundRequest } from './exchange.js';
export type { OpenAnswer, StreamRequest } from './open-stream.js';
export { OutboundDoor } from './outbound-door.js';
export { PROXY_VARIABLES, Proxies, proxySettings } from './proxies.js';
export { reachOf } from './reach.js';
export { exchangeText, type TextAnswer, type TextRequest } from './text-exchange.js';
export type { Tunnel } from './tunnel.js';
